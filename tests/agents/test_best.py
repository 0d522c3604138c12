"""The word ``best`` for the best net of a game and its size; the maps of first stones."""

import json
from pathlib import Path
from typing import Any

import pytest

from agents import AgentError, load_net, make_agent, parse_agent, with_best_net
from agents.anet_agent import ANETAgent
from agents.first_stones import first_stones
from agents.mcts_agent import MCTSAgent
from agents.nets import load_anet
from agents.spec import TABLE, best_note
from base.params.yaml12 import parse
from judge import Judge
from state_manager import make_game
from tests.project import ROOT

THREE, FIVE, TWELVE = (make_game("hex", size=size) for size in (3, 5, 12))


def test_every_net_of_the_table_is_for_its_game() -> None:
    table = parse(TABLE.read_text(encoding="utf-8"), str).plain
    assert isinstance(table, dict)
    games = {repr(game): game for game in (make_game("hex", size=size) for size in range(4, 20))}
    assert list(table) == list(games), "3x3 needs none"
    for file, name in {file: name for name, file in table.items()}.items():  # its largest board
        assert load_net(TABLE.parent / str(file), games[name]).game == games[name]


def test_larger_boards_have_the_weights_of_one_net() -> None:
    agent: Any = make_agent("mcts:best,simulations=2", TWELVE)
    assert agent.net.game == TWELVE
    spec: Any = with_best_net(parse_agent("best"), TWELVE)
    own = load_net(spec.net)
    assert repr(own.game) == "hex(size=11)"
    assert load_net(spec.net, TWELVE) is agent.net, "it is made once"
    weights = load_anet(spec.net, TWELVE).weights()
    own_weights = load_anet(spec.net).weights()
    assert all(bool((weights[name] == each).all()) for name, each in own_weights.items())
    perfect: Any = with_best_net(parse_agent("best"), FIVE).net
    with pytest.raises(AgentError, match=r"expected a net for hex\(size=12\), got one for"):
        load_net(perfect, TWELVE)


def test_best_is_a_net_in_the_word_of_an_agent_and_an_agent_alone(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(ROOT)
    for word, kind in (("anet:best", "anet"), ("mcts:best", "mcts"), ("best", "anet")):
        spec = parse_agent(word)
        found: Any = with_best_net(spec, FIVE)
        assert found.kind == kind
        assert found.net.is_relative_to(Path("nets"))
        assert best_note(spec, found) == f"{word} is {kind}:{found.net}"
        assert with_best_net(found, FIVE) == found
    monkeypatch.chdir(tmp_path)
    elsewhere: Any = with_best_net(parse_agent("best"), FIVE).net
    assert elsewhere.is_relative_to(ROOT)


def test_a_best_net_that_is_proven_perfect_plays_without_a_search(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "net.pt").touch()
    table = tmp_path / "best.yaml"
    table.write_text("hex(size=5): net.pt\n")
    monkeypatch.setattr("agents.spec.TABLE", table)
    certificate = tmp_path / "net.certificate.json"
    assert with_best_net(parse_agent("best"), FIVE).kind == "mcts"
    for size, proven, kind in ((5, 25, "mcts"), (4, 26, "mcts"), (5, 26, "anet")):
        about = {"game": "hex", "game_params": make_game("hex", size=size).params}
        certificate.write_text(json.dumps({**about, "sides": 26, "proven": proven}))
        assert with_best_net(parse_agent("best"), FIVE).kind == kind
    assert with_best_net(parse_agent("best:judge=true"), FIVE).kind == "mcts"


def test_words_without_best_are_unchanged() -> None:
    for word in ("mcts", "anet:x.pt,choice=greedy", "random"):
        spec = parse_agent(word)
        assert (with_best_net(spec, FIVE), best_note(spec, spec)) == (spec, "")
    given = parse_agent("best:x.pt,simulations=5")
    found = with_best_net(given, FIVE)
    assert (str(found), best_note(given, found)) == ("mcts:x.pt,simulations=5", "")


def test_best_without_a_net_is_a_search() -> None:
    spec = parse_agent("best:judge=true")
    assert best_note(spec, with_best_net(spec, THREE)) == f"{spec} is mcts:judge=true"
    assert isinstance(make_agent("best", THREE), MCTSAgent)
    assert isinstance(make_agent("best", make_game("hex", size=4)), ANETAgent), "it is proven"


SIZES = range(3, 12)


@pytest.mark.parametrize("size", SIZES)
def test_a_map_is_the_same_after_a_half_turn(size: int) -> None:
    stones: Any = first_stones(make_game("hex", size=size))
    assert len(stones.percent) == size * size
    assert (stones.percent == stones.percent[::-1]).all()
    is_certain = set(stones.percent.tolist()).issubset({0, 100})
    assert (stones.known == "exact" or stones.known.startswith("solved: ")) == is_certain


@pytest.mark.parametrize("size", [3, 4, 5, 6, 7])
@pytest.mark.parametrize("starter", [1, 2])
def test_the_judge_agrees_with_the_exact_maps(size: int, starter: int) -> None:
    game = make_game("hex", size=size)
    judge, first = Judge(game), game.initial_state(starter)
    stones: Any = first_stones(game, starter)
    winners = [judge.winner(game.child_state(first, cell)) for cell in range(size * size)]
    assert stones.percent.tolist() == [100 * (winner == starter) for winner in winners]


def test_published_proofs_are_certain() -> None:
    stones: Any = first_stones(make_game("hex", size=8))
    won = "a5 a7 a8 b3 b4 b5 b6 b7 c3 c4 c5 c6 d3 d4 d5 d6"  # of the first half, by column
    names = [f"{column}{row}" for row in range(1, 9) for column in "abcdefgh"]
    found = {name for name, each in zip(names, stones.percent, strict=True) if each == 100}
    assert {name for name in found if name[0] in "abcd"} == set(won.split(" "))
    nine: Any = first_stones(make_game("hex", size=9))
    assert nine.percent[[0, 1, 40, 79, 80]].tolist() == [0, 0, 100, 0, 0]


def test_the_swap_changes_no_map_and_other_boards_have_none() -> None:
    maps: Any = [first_stones(make_game("hex", size=8, swap=swap)) for swap in (False, True)]
    assert (maps[0].percent == maps[1].percent).all()
    for game in (make_game("hex", size=13), make_game("tic_tac_toe")):
        assert first_stones(game) is None

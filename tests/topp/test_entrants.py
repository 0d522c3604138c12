"""Nets from files as participants."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agents import AgentError
from anet import ANET
from base.params import TOPPParams
from judge import Judge
from proofs.regret import Regret, measure_regret
from state_manager import NodeLimitError, StateManager, make_game
from tests.agents.fake_net import FakeNet
from tests.project import Patch
from tests.topp.conftest import HEX
from topp import TOPP, load_entrants, unique_names

AddNet = Callable[..., Path]


def rising(game: StateManager, episode: int) -> Any:
    return FakeNet(game, list(range(1, game.num_actions + 1)), episode)


def falling(game: StateManager, episode: int) -> Any:
    return FakeNet(game, list(range(game.num_actions, 0, -1)), episode)


@pytest.fixture
def paths(net_files: AddNet) -> list[Path]:
    return [net_files("b.pt", rising(HEX, 50)), net_files("a.pt", falling(HEX, 0))]


def test_the_game_comes_from_the_nets_and_they_choose_by_the_parameters(paths: list[Path]) -> None:
    game, entrants = load_entrants(paths)
    assert game == HEX
    assert [(entrant.name, entrant.episode) for entrant in entrants] == [("b", 50), ("a", 0)]
    agent = entrants[0].agent(np.random.SeedSequence(0))
    assert agent.name == "b"
    assert agent.choose_action(game.initial_state()) == 8
    _, entrants = load_entrants(paths, choice="probabilistic", game=game)
    drawing = entrants[0].agent(np.random.SeedSequence(0))
    assert len({drawing.choose_action(HEX.initial_state()) for _ in range(50)}) > 1
    with pytest.raises(AgentError, match="expected the files of at least two nets, got none"):
        load_entrants([])


def test_a_random_player_takes_part_outside_the_order_of_training(net_files: AddNet) -> None:
    paths = [net_files(f"{name}.pt", rising(HEX, n)) for n, name in enumerate(("a", "random"))]
    topp = TOPP(*load_entrants(paths, with_random=True), TOPPParams(games=20), seed=1)
    topp.play()
    standings = topp.results()
    assert standings.setup.game_params == {"size": 3}
    (word, games), *_ = [(row.word, row.games) for row in standings.rows]
    assert (word, games, standings.total) == ("random", 40, 60)
    assert [row.episode for row in standings.rows] == [None, 0, 1]
    assert len({row.name for row in standings.rows}) == 3
    first, second = (row.win_rate for row in standings.rows[1:])
    assert standings.rank_correlation == {True: 1.0, False: -1.0}.get(first < second)
    topp = TOPP(*load_entrants(paths[:1], with_random=True), TOPPParams(games=2))
    topp.play()
    assert "need at least two nets" in topp.results().verdict


@pytest.mark.parametrize(
    ("paths", "names"),
    [
        (["a/x.pt", "a/y.pt"], ("x", "y")),
        (["a/x.pt", "b/x.pt"], ("a/x", "b/x")),
        (["c/a/x.pt", "d/a/x.pt"], ("c/a/x", "d/a/x")),
        (["a/x.pt", "a/x.pth"], ("a/x.pt", "a/x.pth")),
        (["a/x.pt", "a/x.pt"], ("a/x.pt", "a/x.pt (2)")),
    ],
)
def test_names_distinguish_nets(paths: list[str], names: tuple[str, ...]) -> None:
    assert unique_names([Path(path) for path in paths]) == names


def test_the_regret_of_the_nets_is_in_the_standings(tmp_path: Path) -> None:
    paths = [tmp_path / f"anet_{episode:05}.pt" for episode in (0, 1)]
    for path in paths:
        net = ANET(HEX, seed=int(path.stem[-1]))
        net.episode = int(path.stem[-1])
        net.save(path)
    regret = Regret(HEX, 25)
    shares = {path.stem: regret.share(ANET.load(path).exact) for path in paths}
    for positions, expected in ((25, shares), (0, {})):
        params = TOPPParams(games=2, regret_positions=positions)
        topp = TOPP(*load_entrants(paths), params)
        measure_regret(topp)
        topp.play()
        standings = topp.results()
        assert standings.regrets == expected
        data = standings.to_json()
        assert {row["name"]: row["regret"] for row in data["rows"] if "regret" in row} == expected
        assert data.get("regret_positions") == (25 if positions else None)


def test_the_regret_is_left_out_in_a_game_that_is_too_large_unless_requested(
    net_files: AddNet, monkeypatch: Patch
) -> None:
    monkeypatch.setattr("proofs.regret.Judge", lambda game, limit: Judge(game, min(limit, 20_000)))
    game = make_game("connect_four")
    nets = [net_files(f"{name}.pt", rising(game, 0)) for name in "ab"]
    topp = TOPP(*load_entrants(nets), TOPPParams(games=2))
    measure_regret(topp)
    topp.play()
    assert topp.results().regrets == {}
    with pytest.raises(NodeLimitError, match="got connect_four"):
        measure_regret(TOPP(*load_entrants(nets), TOPPParams(games=2, regret_positions=5)))

"""The command that shows what a net has learned, or where a game was lost."""

import json
from collections.abc import Iterable
from functools import reduce
from pathlib import Path
from typing import Any

import pytest

from anet import ANET
from base.params import ANETParams
from formats.sgf import read_game
from formats.sgf_text import decoded, parse
from state_manager import State, StateManager, make_game
from tests.commands.conftest import Call, log, save_a_dot, tree
from tests.project import Patch

SMALL = ("--games", "3", "--simulations", "30", "--positions", "2")
FEW = ("--simulations", "50", "--out", "out")
LOST_ON_4 = [3, 0, 8, 1, 4, 6, 2, 5, 7, 14, 9, 10, 11, 15]
"""On 4x4, red begins in a winning corner, and throws that away by move 5."""


def test_every_picture_has_a_file_with_its_numbers(call: Call, trained: Path) -> None:
    net, before = trained / "anet_00004.pt", tree(trained)
    output = call.output("analyse", "--net", net, *SMALL)
    (folder,) = Path("runs").iterdir()
    assert folder.name.startswith("analyse-hex-3-")
    assert tree(trained) == before
    stems = ["position_01", "position_02", "positions", "statistics", "temperature"]
    files = sorted(f"{stem}.{kind}" for stem in stems for kind in ("json", "png"))
    assert sorted(path.name for path in folder.iterdir()) == files
    data = {stem: json.loads((folder / f"{stem}.json").read_text()) for stem in stems}
    for each in data.values():
        setup = each["setup"]
        assert (setup["net"], setup["simulations"]) == (net.as_posix(), 30)
        assert (setup["games"], setup["episode"]) == (3, 4)
    assert len(data["positions"]["positions"]) == 2
    assert data["statistics"]["games"] == 3
    assert data["statistics"]["positions"] >= 9
    effects = data["temperature"]["effects"]
    assert [each["temperature"] for each in effects] == [0.2, 0.5, 1.0, 2.0]
    for words in ("entropy of the net", "same first choice", "net plays a best move"):
        assert words in output
    assert "The search's value against the outcome: Brier score " in output
    assert f"Saved in {folder}: 2 positions" in output


@pytest.mark.usefixtures("draw_real_pictures")
def test_the_same_seed_draws_the_same_pictures_whatever_the_threads(
    call: Call, trained: Path, monkeypatch: Patch
) -> None:
    net = trained / "anet_00004.pt"
    words = ("--games", "3", "--simulations", "30", "--positions", "1", "--temperatures", "1")
    for name, more in (("a", "play.workers=1"), ("b", "play.workers=3"), ("c", "seed=2")):
        if name == "c":
            monkeypatch.setattr("matplotlib.figure.Figure.savefig", save_a_dot)
        call.output("analyse", "--net", net, "--out", name, *words, more)
    assert tree(Path("a")) == tree(Path("b"))
    assert tree(Path("a"))["statistics.json"] != tree(Path("c"))["statistics.json"]


def test_the_report_of_a_net_with_a_critic_holds_its_value(call: Call) -> None:
    params = ANETParams(hidden_layers=(4,), critic=True)
    ANET(make_game("tic_tac_toe"), params, seed=1).save(Path("net.pt"))
    output = call.output("analyse", "--net", "net.pt", "--out", "out", *SMALL)
    assert "The critic's value against the outcome: Brier score " in output
    data = json.loads(Path("out/position_01.json").read_text())
    assert -1 <= data["net_value"] <= 1


def hex_game(size: int, actions: list[int], **more: Any) -> dict[str, Any]:
    game = {"players": ["Ada", "Bo"], "board_size": size, "starting_player": 1, "actions": actions}
    return game | more


def read(name: str) -> Any:
    return json.loads(Path("out", name).read_text())


def won_by(game: StateManager, state: State, actions: Iterable[int]) -> int:
    return game.winner(reduce(game.child_state, actions, state))


@pytest.mark.usefixtures("draw_real_pictures")
def test_the_losing_move_is_reported_with_better_moves_and_the_reply(call: Call) -> None:
    games = log(Path(), hex_game(3, [4]), hex_game(4, LOST_ON_4))
    output = call.output("analyse", "--game", games, "game.size=4", *FEW)
    assert "Ada against Bo, game 2 of 2" in output
    data, mistake = read("game.json"), read("move_05.json")
    files = ["game.json", "game.png", "move_05.json", "move_05.png"]
    assert sorted(path.name for path in Path("out").iterdir()) == files
    assert (data["mistakes"], data["setup"]["winner"]) == ([5], 2)
    assert [each["after"]["winner"] for each in data["moves"]] == [1] * 4 + [2] * 10
    assert all(each["after"]["exact"] for each in data["moves"])
    assert [each["action"] for each in mistake["better"]] == [2, 5, 6, 7, 9, 10, 11, 12, 13]
    game, line = make_game("hex", size=4), [each["action"] for each in mistake["line"]]
    assert won_by(game, game.from_flat(mistake["state"]), [mistake["action"], *line]) == 2


def test_a_board_too_large_for_the_judge_is_searched_and_reported_so(call: Call) -> None:
    games = log(Path(), hex_game(11, [60, 0, 61, 1]))
    output = call.output("analyse", "--game", games, *FEW, "--seconds", "0.1")
    data = read("game.json")
    assert data["moves"][0]["before"] == {"winner": 1, "value": 1.0, "exact": True}
    assert not any(move["after"]["exact"] for move in data["moves"])
    assert "% of the chances, according to a search." in output
    assert "Accuracy: red " in output
    assert data["costliest"]


def test_a_net_adds_its_evaluation_of_each_move(call: Call) -> None:
    net = ANET(make_game("hex", size=3), ANETParams(hidden_layers=(4,)), seed=1)
    net.save("net.pt")
    games = log(Path(), hex_game(3, [4, 1, 2, 7, 6]))
    assert "policy" in call.output("analyse", "--game", games, "--net", "net.pt", *FEW)
    shares = net.policy(net.game.initial_state())
    assert read("game.json")["moves"][0]["probability"] == pytest.approx(shares[4])


def test_the_review_is_written_into_the_game_as_sgf(call: Call) -> None:
    played = ";B[b2];W[c1];B[a2]C[why \\] not];W[b3](;B[c2])(;B[a3]C[or this])"
    old = f"(;CA[ISO-8859-1]SZ[4]PB[Zo\xeb]PW[B \\] o]EV[cup]{played})"
    Path("old.sgf").write_bytes(f"(;SZ[4];B[a1])\n{old}".encode("latin-1"))
    output = call.output("analyse", "--game", "old.sgf", "--number", "2", *FEW, "--sgf", "new.sgf")
    assert "Saved in new.sgf" in output
    [before], [after] = parse(decoded(old.encode("latin-1"))[0]), parse(Path("new.sgf").read_text())
    assert read_game(after).record.actions == read_game(before).record.actions
    assert after.properties == before.properties | {"FF": ["4"], "GM": ["11"], "CA": ["UTF-8"]}
    moves, nodes = read("game.json")["moves"], [*after.main_line()][1:]
    for move, node, old_node in zip(moves, nodes, [*before.main_line()][1:], strict=True):
        assert float(node.get("V")) == move["after"]["value"]
        assert node.get("C").startswith(f"{old_node.get('C')}\nReview: ".lstrip())
        assert ("BM" in node.properties) == move["mistake"]
    bad = next(move["ply"] for move in moves if move["mistake"])
    better = next(each for each in [after, *nodes][bad - 1].children if "TE" in each.properties)
    game, before_it = make_game("hex", size=4), read_game(after).record.actions[: bad - 1]
    line = [game.parse_action(each.get("B") or each.get("W")) for each in better.main_line()]
    winner = won_by(game, game.initial_state(), [*before_it, *line])
    assert winner in (0, moves[bad - 1]["player"])
    assert "or this" in Path("new.sgf").read_text()

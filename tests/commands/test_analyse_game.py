"""The command that finds the losing moves of a game."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from anet import ANET
from base.params import ANETParams
from formats.sgf import decoded, parse, record_of
from state_manager import make_game
from tests.commands.conftest import Call
from tests.commands.test_show import log

FEW = ("--simulations", "50", "--out", "out")
LOST_ON_4 = [3, 0, 8, 1, 4, 6, 2, 5, 7, 14, 9, 10, 11, 15]
"""On 4x4, red begins in a winning corner, and throws that away by move 5."""
PERFECT_ON_3 = [4, 1, 2, 7, 6]
"""On 3x3, red wins from the middle."""
DRAWN = [4, 0, 2, 6, 3, 5, 1, 7, 8]
LOST_BY_O = [4, 1, 0, 8, 6, 2, 3]
"""In tic-tac-toe, O answers the middle at a side."""


def hex_game(size: int, actions: list[int], **more: Any) -> dict[str, Any]:
    return {"players": ["Ada", "Bo"], "board_size": size, "starting_player": 1, "actions": actions,
            **more}  # fmt: skip


def read(name: str) -> Any:
    return json.loads(Path("out", name).read_text())


@pytest.mark.usefixtures("draw_real_pictures")
def test_the_losing_move_is_reported_with_better_moves_and_the_reply(
    call: Call, tmp_path: Path
) -> None:
    games = log(tmp_path, hex_game(3, PERFECT_ON_3), hex_game(4, LOST_ON_4))
    result = call("analyse", "--game", games, "game.size=4", *FEW)
    assert (result.status, result.errors) == (0, "")
    assert "Ada against Bo, game 2 of 2" in result.output
    assert "Move 5, red a2, threw the win away.\n" in result.output
    assert "Better: c1, b2, c2, d2, b3, c3, d3, a4, 1 more.\n" in (result.output)
    data, mistake = read("game.json"), read("move_05.json")
    assert sorted(path.name for path in Path("out").iterdir()) == [
        "game.json", "game.png", "move_05.json", "move_05.png"
    ]  # fmt: skip
    assert (data["mistakes"], data["setup"]["winner"]) == ([5], 2)
    assert [each["after"]["winner"] for each in data["moves"]] == [1] * 4 + [2] * 10
    assert all(each["after"]["exact"] for each in data["moves"])
    assert [each["action"] for each in mistake["better"]] == [2, 5, 6, 7, 9, 10, 11, 12, 13]
    game = make_game("hex", size=4)
    state = game.child_state(game.from_flat(mistake["state"]), mistake["action"])
    for each in mistake["line"]:
        state = game.child_state(state, each["action"])
    assert game.winner(state) == 2


def test_a_game_without_a_mistake_is_reported_so(call: Call, tmp_path: Path) -> None:
    result = call("analyse", "--game", log(tmp_path, hex_game(3, PERFECT_ON_3)), *FEW)
    assert (result.status, result.errors) == (0, "")
    assert "No move threw the game away: red was winning throughout.\n" in result.output
    assert read("game.json")["mistakes"] == []
    assert sorted(path.name for path in Path("out").iterdir()) == ["game.json", "game.png"]


def test_a_draw_can_be_kept_and_thrown_away(call: Call, tmp_path: Path) -> None:
    records = [{"starting_player": 1, "actions": actions} for actions in (DRAWN, LOST_BY_O)]
    words = ("analyse", "--game", log(tmp_path, *records), "game.name=tic_tac_toe", *FEW)
    result = call(*words, "--number", "1")
    assert "No move threw anything away: the game was a draw from the start.\n" in result.output
    result = call(*words[:-1], "other")
    assert "Move 2, O b1, threw the draw away.\n" in result.output


def test_a_board_too_large_for_the_judge_is_searched_and_reported_so(
    call: Call, tmp_path: Path
) -> None:
    games = log(tmp_path, hex_game(11, [60, 0, 61, 1]))
    result = call("analyse", "--game", games, *FEW, "--seconds", "0.1")
    assert (result.status, result.errors) == (0, "")
    data = read("game.json")
    assert data["moves"][0]["before"] == {"winner": 1, "value": 1.0, "exact": True}
    assert not any(move["after"]["exact"] for move in data["moves"])
    assert "search " in result.output
    assert "% of the chances, according to a search." in result.output
    assert "Accuracy: red " in result.output
    assert data["costliest"]


def test_a_net_adds_its_evaluation_of_each_move(call: Call, tmp_path: Path) -> None:
    net = ANET(make_game("hex", size=3), ANETParams(hidden_layers=(4,)), seed=1)
    net.save("net.pt")
    games = log(tmp_path, hex_game(3, PERFECT_ON_3))
    result = call("analyse", "--game", games, "--net", "net.pt", *FEW)
    assert (result.status, result.errors) == (0, "")
    assert "policy" in result.output
    shares = net.policy(net.game.initial_state())
    assert read("game.json")["moves"][0]["probability"] == pytest.approx(shares[4])


@pytest.mark.parametrize(
    ("record", "words", "message"),
    [
        (
            hex_game(3, [0, 0]),
            (),
            "games.jsonl:1: move 2: expected a legal action, got a1 by player 2\n",
        ),
        (hex_game(3, []), (), "games.jsonl:1: expected a game with moves, got none"),
        (hex_game(3, PERFECT_ON_3, players=3), (), "got another line"),
        (hex_game(3, PERFECT_ON_3, players=["Ada"]), (), "got another line"),
        (hex_game(99, []), (), "size: expected an integer from 3 to 19, got 99"),
        ({"loss": 1}, (), "games.jsonl: expected games, got other lines"),
        (
            hex_game(3, PERFECT_ON_3),
            ("--number", "2"),
            "--number: expected a number from 1 to 1, got 2",
        ),
        (hex_game(3, PERFECT_ON_3), ("--games", "2"), "--games: expected it without --game FILE"),
        (hex_game(3, PERFECT_ON_3), ("--net", "4.pt"), "expected a net for hex(size=3), got one"),
        (hex_game(3, PERFECT_ON_3), ("--seconds", "0"), "expected seconds above 0 and up to 3600"),
    ],
)
def test_a_mistake_is_reported_in_one_line(
    call: Call, tmp_path: Path, record: dict[str, Any], words: tuple[str, ...], message: str
) -> None:
    ANET(make_game("hex", size=4), ANETParams(hidden_layers=(4,))).save("4.pt")
    result = call("analyse", "--game", log(tmp_path, record), *words)
    assert (result.status, result.output) == (2, "")
    assert message in result.errors
    assert result.errors.count("\n") == 1
    assert not Path("runs").exists()


def test_a_damaged_file_is_reported_in_one_line(call: Call, tmp_path: Path) -> None:
    (tmp_path / "half.jsonl").write_text('{"board_size": 3, "act')
    games = log(tmp_path, {"starting_player": 1, "actions": PERFECT_ON_3})
    (tmp_path / "compare.json").write_text('{"setup": {')
    for file, message in (
        ("half.jsonl", "half.jsonl:1: expected a whole line, got "),
        (games, "compare.json: expected a file of compare"),
        ("nowhere.jsonl", "nowhere.jsonl: "),
        ("nowhere.sgf", "nowhere.sgf: no such file"),
    ):
        result = call("analyse", "--game", file)
        assert (result.status, result.output) == (2, "")
        assert message in result.errors
        assert result.errors.count("\n") == 1


def test_an_earlier_analysis_is_not_replaced(call: Call, tmp_path: Path) -> None:
    words = ("analyse", "--game", log(tmp_path, hex_game(3, PERFECT_ON_3)), *FEW)
    assert call(*words).status == 0
    again = call(*words)
    assert again.status == 2
    assert "out: holds game.json already; name another --out DIR" in again.errors


def test_the_review_is_written_into_the_game_as_sgf(call: Call, tmp_path: Path) -> None:
    played = ";B[b2];W[c1];B[a2]C[why \\] not];W[b3](;B[c2])(;B[a3]C[or this])"
    old = f"(;CA[ISO-8859-1]SZ[4]PB[Zo\xeb]PW[B \\] o]EV[cup]{played})"
    Path("old.sgf").write_bytes(f"(;SZ[4];B[a1])\n{old}".encode("latin-1"))
    result = call("analyse", "--game", "old.sgf", "--number", "2", *FEW, "--sgf", "new.sgf")
    assert (result.status, result.errors) == (0, "")
    assert "Saved in new.sgf" in result.output
    [before], [after] = parse(decoded(old.encode("latin-1"))[0]), parse(Path("new.sgf").read_text())
    assert record_of(after)[1].actions == record_of(before)[1].actions
    assert after.properties == before.properties | {"FF": ["4"], "GM": ["11"], "CA": ["UTF-8"]}
    moves, nodes = read("game.json")["moves"], [*after.main_line()][1:]
    for move, node, old_node in zip(moves, nodes, [*before.main_line()][1:], strict=True):
        assert float(node.get("V")) == move["after"]["value"]
        assert node.get("C").startswith(f"{old_node.get('C')}\nReview: ".lstrip())
        assert ("BM" in node.properties) == move["mistake"]
    bad = next(move["ply"] for move in moves if move["mistake"])
    better = next(each for each in [after, *nodes][bad - 1].children if "TE" in each.properties)
    game = make_game("hex", size=4)
    state = game.initial_state()
    for action in record_of(after)[1].actions[: bad - 1]:
        state = game.child_state(state, action)
    for each in better.main_line():
        state = game.child_state(state, game.parse_action(each.get("B") or each.get("W")))
    assert game.winner(state) in (0, moves[bad - 1]["player"])
    assert "or this" in Path("new.sgf").read_text()


def test_a_log_is_written_as_sgf_with_its_review(call: Call, tmp_path: Path) -> None:
    games = log(tmp_path, hex_game(4, LOST_ON_4[:12], starting_player=2))
    assert call("analyse", "--game", games, *FEW, "--sgf", "new.sgf").status == 0
    [root] = parse(Path("new.sgf").read_text())
    assert record_of(root)[1].actions == tuple(LOST_ON_4[:12])
    values = [float(each.get("V")) for each in [*root.main_line()][1:]]
    assert values == [each["after"]["value"] for each in read("game.json")["moves"]]
    assert {*values} == {1, -1}


def test_sgf_of_a_review_never_replaces_a_file(call: Call, tmp_path: Path) -> None:
    Path("old.sgf").write_text("(;SZ[3];B[b2])")
    noughts = log(tmp_path, {"starting_player": 1, "actions": DRAWN})
    for game, to, message in (
        ("old.sgf", "old.sgf", "--sgf: expected a file to write, old.sgf already exists"),
        ("old.sgf", "none/new.sgf", "new.sgf is in a missing folder"),
        (noughts, "new.sgf", "SGF is for Hex only"),
    ):
        words = ["game.name=tic_tac_toe"] if game == noughts else []
        result = call("analyse", "--game", game, *words, *FEW, "--sgf", to)
        assert (result.status, result.output) == (2, "")
        assert message in result.errors
        assert result.errors.count("\n") == 1
    assert Path("old.sgf").read_text() == "(;SZ[3];B[b2])"
    assert not Path("new.sgf").exists()
    assert not Path("out").exists()


def test_a_pasted_game_is_written_as_a_whole_file(call: Call) -> None:
    words = ("analyse", "--game", "1.b2 2.a1 3.c1", "game.size=3", *FEW, "--sgf", "new.sgf")
    assert call(*words).status == 0
    [root] = parse(Path("new.sgf").read_text())
    assert [root.get(name) for name in ("FF", "GM", "SZ", "CA")] == ["4", "11", "3", "UTF-8"]
    assert len(record_of(root)[1].actions) == 3

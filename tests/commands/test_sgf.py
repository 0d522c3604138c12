"""Saved games as SGF, written and read by the commands."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.commands.conftest import Call


def test_any_log_becomes_sgf_which_show_and_analyse_read(
    call: Call, tmp_path: Path, trained: Path
) -> None:
    result = call("show", trained, "--sgf", "all.sgf")
    assert (result.status, result.errors) == (0, "")
    assert result.output == "Saved in all.sgf: 4 of 4 games.\n"
    assert (tmp_path / "all.sgf").read_text().count("(;FF[4]GM[11]") == 4
    for number in (2, 4):
        words = ("--game", number)
        first, second = (call("show", file, *words) for file in (trained, "all.sgf"))
        assert first.output.splitlines()[0] == second.output.splitlines()[0]
        assert first.output.splitlines()[-1] == second.output.splitlines()[-1]
        assert first.output.splitlines()[-1].startswith("HexWorld: https://hexworld.org/board/#")
    kept, link = call("show", trained, "--game", 2, "--sgf", "one.sgf").output.splitlines()
    assert kept.endswith("1 of 4 games.")
    assert link == call("show", trained, "--game", 2).output.splitlines()[-1]
    assert call("analyse", "--game", "one.sgf", "--out", "review").status == 0


def test_play_keeps_its_games_as_sgf(call: Call, tmp_path: Path) -> None:
    words = ("--first", "random", "--second", "random", "--games", 3, "game.size=3")
    result = call("play", *words, "--save", "games.sgf")
    assert result.status == 0
    assert (tmp_path / "games.sgf").read_text().count("RE[") == 3
    assert " wins in " in call("show", "games.sgf", "--game", 3).output


def test_the_games_of_a_tournament_are_kept_as_sgf(
    call: Call, tmp_path: Path, trained: Path
) -> None:
    nets = sorted(trained.glob("anet_*.pt"))
    result = call("topp", *nets, "topp.games=2", "--save", "games.sgf")
    assert result.output.endswith("Games saved in games.sgf.\n")
    saved = (tmp_path / "games.sgf").read_text()
    assert saved.count("RE[") == saved.count("PB[anet_") > 0
    assert " wins in " in call("show", "games.sgf", "--game", 2).output


def test_a_position_that_was_set_up_is_shown_analysed_and_written_with_its_comments(
    call: Call, tmp_path: Path
) -> None:
    text = "(;GM[11]SZ[4]AB[a1][b1]AW[d4]PL[B]C[Who wins?];B[b2];W[a4]C[A\nmistake\x1b];B[c3])"
    (tmp_path / "set_up.sgf").write_text(text)
    result = call("show", "set_up.sgf")
    assert (result.status, result.errors) == (0, "")
    lines = result.output.splitlines()
    assert lines[0] == "1. b2 2. a4 3. c3"
    assert lines[1:3] == ["After move 0: Who wins?", "After move 2: A mistake\\x1b"]
    assert lines[-1] == "HexWorld: https://hexworld.org/board/#4c1,a1d4b1:pb2a4c3"
    assert call("show", "set_up.sgf", "--sgf", "again.sgf").status == 0
    assert call("show", "again.sgf").output.splitlines()[:4] == lines[:4]
    assert call("analyse", "--game", "set_up.sgf", "--out", "review").status == 0
    assert (tmp_path / "review" / "move_02.json").exists()


MISTAKES = {
    "--sgf: expected a file to write, here.sgf already exists": ("hex", "--sgf", "here.sgf"),
    "--sgf: expected a file to write, no/new.sgf is in a missing folder": (
        "hex",
        "--sgf",
        "no/new.sgf",
    ),
    "wrong.sgf: line 2, column 12: expected SGF, got '['": ("wrong.sgf",),
    "go.sgf: line 1, column 2: expected a game of Hex, GM[11], got GM[1]": ("go.sgf",),
    "bytes.sgf: expected UTF-8, byte 1 is invalid": ("bytes.sgf",),
    "several.sgf: expected games on boards of one size, got several": ("several.sgf",),
    "empty.sgf: expected games, got none": ("empty.sgf",),
    "stones.sgf: line 1, column 2: expected each cell once in AB, AW and AE": ("stones.sgf",),
    "twice.sgf:1: expected a game of hex(size=5), got expected a legal action": ("twice.sgf",),
}


@pytest.mark.parametrize("message", MISTAKES)
def test_a_mistake_gives_one_line(call: Call, tmp_path: Path, message: str) -> None:
    files = {
        "here.sgf": b"(;SZ[5];B[a1])",
        "wrong.sgf": b"(;SZ[5]\n;B[a1][a2] [",
        "go.sgf": b"(;GM[1]SZ[9];B[aa])",
        "bytes.sgf": b"(\xff",
        "several.sgf": b"(;SZ[5];B[a1])(;SZ[6];B[a1])",
        "empty.sgf": b"",
        "stones.sgf": b"(;SZ[5]AB[a1][a2][a1])",
        "twice.sgf": b"(;SZ[5];B[a1];W[a1])",
    }
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    first, *words = MISTAKES[message]
    result = call("show", "here.sgf" if first == "hex" else first, *words)
    assert result.status == 2
    assert message in result.errors
    assert result.errors.count("\n") == 1


def test_only_hex_is_kept_as_sgf(call: Call) -> None:
    words = ("--first", "random", "--second", "random", "game.name=nim")
    result = call("play", *words, "--save", "nim.sgf")
    assert (result.status, "--save: SGF is for Hex only" in result.errors) == (2, True)
    assert call("play", *words, "--save", "nim.jsonl").status == 0
    result = call("show", "nim.jsonl", "--sgf", "nim.sgf")
    assert (
        result.status,
        "SGF is for Hex only (GM[11]): expected games of hex, got nim" in result.errors,
    ) == (2, True)

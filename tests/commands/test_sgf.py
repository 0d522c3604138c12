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
    kept, *links = call("show", trained, "--game", 2, "--sgf", "one.sgf").output.splitlines()
    assert kept.endswith("1 of 4 games.")
    assert links == call("show", trained, "--game", 2).output.splitlines()[-len(links) :]
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


LINK = "https://hexworld.org/board/#4c1,a1:sb2c3"


def test_a_pasted_game_is_shown_analysed_and_explained(call: Call, tmp_path: Path) -> None:
    result = call("show", LINK)
    assert (result.status, result.errors) == (0, "")
    lines = result.output.splitlines()
    assert lines[0] == "1. a1 2. swap 3. b2 4. c3"
    assert lines[-2:] == ["trmph: https://trmph.com/hex/board#4,a1a1b2c3", f"HexWorld: {LINK}"]
    (tmp_path / "game.txt").write_text(f"{LINK}\n")
    for text in ("1.a1 2.swap-pieces 3.b2 4.c3", "#4,a1a1b2c3", "game.txt"):
        assert call("show", text, "game.size=4").output.splitlines()[0] == lines[0]
    assert call("show", "1.a1 2.b2", "--sgf", "new.sgf").status == 0
    assert "SZ[5]" in (tmp_path / "new.sgf").read_text(), "the board of params.yaml"
    for text in (LINK, "1.a1 2.swap-pieces 3.b2 4.c3"):
        words = ("game.size=4", "--simulations", 2)
        assert call("analyse", "--game", text, "--out", f"review{len(text)}", *words).status == 0
        explained = call("explain", "--game", text, *words)
        assert (explained.status, explained.errors) == (0, "")


MISTAKES = {
    "the text: line 1, column 9: expected an empty cell, got a1, which B holds": ("#11c1,a1a1",),
    "the text: line 1, column 4: expected a cell from a1 to e5, got 'f6'": ("c2 f6",),
    "the text: line 1, column 1: expected a board of 1 to 26 rows, got 99": ("#99c1,a1",),
    "the text: hex: size: expected an integer from 3 to 19, got 20": ("#20c1,a1",),
    "--sgf: expected a file to write, here.sgf already exists": ("hex", "--sgf", "here.sgf"),
    "--sgf: expected a file to write, no/new.sgf is in a missing folder": (
        "hex",
        "--sgf",
        "no/new.sgf",
    ),
    "wrong.sgf: line 2, column 8: expected SGF, got '?)'": ("wrong.sgf",),
    "go.sgf: line 1, column 2: expected a game of Hex, GM[11], got GM[1]": ("go.sgf",),
    "bytes.sgf: line 1, column 2: expected SGF": ("bytes.sgf",),
    "small.sgf: hex: size: expected an integer from 3 to 19, got 1": ("small.sgf",),
    "sides.sgf: line 1, column 2: expected a square board, as in SZ[7], got SZ[6:7]": (
        "sides.sgf",
    ),
    "empty.sgf: expected games, got none": ("empty.sgf",),
    "stones.sgf: line 1, column 2: expected each cell once in AB, AW and AE": ("stones.sgf",),
    "twice.sgf: line 1, column 14: expected an empty cell, got a1, which B holds": ("twice.sgf",),
    "--game: game 2 of bad.sgf cannot be read: line 2, column 9: expected an empty cell": (
        *("bad.sgf", "--game", "2"),
    ),
    "--game: expected a number from 1 to 2, got 3": ("bad.sgf", "--game", "3"),
}


@pytest.mark.parametrize("message", MISTAKES)
def test_a_mistake_gives_one_line(call: Call, tmp_path: Path, message: str) -> None:
    files = {
        "here.sgf": b"(;SZ[5];B[a1])",
        "wrong.sgf": b"(;SZ[5]\n;B[a1] ?)",
        "go.sgf": b"(;GM[1]SZ[9];B[aa])",
        "bytes.sgf": b"(\xff",
        "small.sgf": b"(;SZ[1];B[a1])",
        "sides.sgf": b"(;SZ[6:7];B[a1])",
        "bad.sgf": b"(;SZ[5];B[b1])\n(;AB[a1];B[a1])",
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


def test_a_file_is_sgf_by_its_content(call: Call, tmp_path: Path) -> None:
    for name in ("game.hsgf", "GAME.SGF", "game.txt", "game"):
        (tmp_path / name).write_text("(;FF[4]EV[hex.ld.DEFAULT]SZ[5];W[ad];B[cb];W[bc];B[resign])")
        assert call("show", name).output.startswith("1. a4 2. c2 3. b3\n")
    (tmp_path / "log.sgf").write_text(
        '{"game": "hex", "game_params": {"size": 3}, "starting_player": 1, "actions": [4]}\n'
    )
    assert call("show", "log.sgf").output.startswith("1. b2\n")


@pytest.mark.parametrize("name", ["GAMES.SGF", "games.hsgf"])
def test_the_name_of_an_sgf_file_may_have_any_case(call: Call, tmp_path: Path, name: str) -> None:
    words = ("play", "--first", "random", "--second", "random", "--save", name)
    assert call(*words, "game.size=3").status == 0
    assert (tmp_path / name).read_text().startswith("(;FF[4]GM[11]")
    assert "SGF is for Hex only" in call(*words[:-1], f"new_{name}", "game.name=nim").errors


def test_names_in_other_encodings_are_shown(call: Call, tmp_path: Path) -> None:
    (tmp_path / "chinese.sgf").write_bytes("(;CA[GB2312]SZ[3]PB[棋手];B[a1])".encode("gbk"))
    assert "棋手 against White" in call("show", "chinese.sgf").output
    (tmp_path / "latin.sgf").write_bytes("(;SZ[3]PB[Jörg];B[a1])".encode("latin-1"))
    for command in (("show", "latin.sgf"), ("analyse", "--game", "latin.sgf", "--out", "review")):
        result = call(*command)
        assert (result.status, result.errors) == (0, "")
        assert "Jörg against White" in result.output
        assert "Latin-1" in result.output


def test_what_can_be_read_of_a_collection_is_shown_and_the_rest_is_named(
    call: Call, tmp_path: Path
) -> None:
    games = ["(;SZ[5];B[c2];W[b3])", "(;SZ[6];B[f6])", "(;SZ[5];B[z9])", "(;SZ[5];B[c3])", "(;B["]
    (tmp_path / "games.sgf").write_text("\n".join(games))
    for number, words in {
        1: ("--game", 1),
        2: ("--game", 2),
        4: (),
    }.items():
        result = call("show", "games.sgf", *words)
        assert (result.status, result.errors) == (0, "")
        assert f"game {number} of 5" in result.output
        for line in ("3: line 3, column 8: expected a cell", "5: line 5, column 4: expected SGF"):
            assert line in result.output
    assert "1 on other boards (game.size=6)" in call("show", "games.sgf", "game.size=5").output
    assert call("show", "games.sgf", "--sgf", "new.sgf").output.startswith(
        "Saved in new.sgf: 2 of 2 games.\nOf 5 games: 1 on other boards (game.size=6), 2 that "
    )
    assert call("analyse", "--game", "games.sgf", "--number", 2, "--out", "review").status == 0


def test_games_with_and_without_the_swap_are_of_one_board(call: Call, tmp_path: Path) -> None:
    (tmp_path / "games.sgf").write_text("(;SZ[5];B[c2])\n(;SZ[5];B[c2];W[swap])\n(;SZ[4];B[a1])")
    for words in ((), ("game.size=5",)):
        for number in (1, 2):
            assert call("show", "games.sgf", "--game", number, *words).status == 0


def test_a_log_with_a_wrong_game_is_written_without_it(call: Call, tmp_path: Path) -> None:
    about = '{"game": "hex", "game_params": {"size": 3}, "starting_player": 1, "actions": '
    (tmp_path / "log.jsonl").write_text(f"{about}[4]}}\n{about}[4, 4]}}\n")
    result = call("show", "log.jsonl", "--sgf", "new.sgf")
    assert result.status == 0
    assert "1 of 2 games" in result.output
    assert "Left out: log.jsonl:2: move 2: expected a legal action" in result.output
    assert (tmp_path / "new.sgf").read_text().count("(;") == 1


def test_a_position_set_up_during_a_game_is_shown_and_explained_and_a_line_says_so(
    call: Call, tmp_path: Path
) -> None:
    (tmp_path / "game.sgf").write_text("(;SZ[3];B[a1];W[b1];AB[c1];B[a2];W[b2])")
    for words in (("show", "game.sgf"), ("explain", "--game", "game.sgf", "--simulations", 2)):
        result = call(*words)
        assert (result.status, result.errors) == (0, "")
        assert "AB after a move, so the 2 moves before are set up as stones" in result.output


def test_moves_after_the_end_of_a_game_are_left_out(call: Call, tmp_path: Path) -> None:
    moves = "B[b1];W[a1];B[b2];W[a2];B[b3]"
    (tmp_path / "game.sgf").write_text(f"(;SZ[3];{moves};W[a3]C[too late];B[c3])")
    result = call("show", "game.sgf")
    assert (result.status, result.errors) == (0, "")
    assert "The game is over after move 5: later moves are left out." in result.output
    assert "wins in 5 moves" in result.output
    assert "too late" not in result.output


def test_a_resignation_is_shown_and_kept(call: Call, tmp_path: Path) -> None:
    (tmp_path / "game.sgf").write_text("(;SZ[5];B[c2];W[resign])")
    call("show", "game.sgf", "--sgf", "new.sgf")
    assert "RE[B+R]" in (tmp_path / "new.sgf").read_text()

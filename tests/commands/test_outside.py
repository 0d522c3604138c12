"""Input from outside cannot hang the program, fill the screen or control the terminal."""

import io
import os
import sys
from pathlib import Path

import pytest

from commands.oht_server import greeting
from tests.commands.conftest import Call, log, untrained

RED = "\x1b[31mred\nnext\x07"
SHOWN = r"\x1b[31mred\nnext\x07"
CERTIFICATE = "runs/oht-server/server.crt"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are pipes and devices")
def test_a_path_that_is_no_regular_file_does_not_block(call: Call) -> None:
    os.mkfifo("pipe")
    untrained("3.pt", size=3)
    for words in ("train --params", "compare --agents", "analyse --net", "certify --net"):
        for name in ("pipe", "/dev/zero"):
            assert f"{name}: expected a file, got a " in call.error(*words.split(), name)
    assert "pipe: expected a file, got a " in call.error("topp", "3.pt", "pipe")


def test_control_characters_in_names_of_nets_are_escaped(call: Call) -> None:
    names = ("[red]a.pt", "$x$ :smile: $\\frac$.pt", f"{RED}.pt")
    for name in names:
        untrained(name, size=3)
    output = call.output("topp", *names, "topp.games=1", "display.delay=0", "display.games=1")
    for shown in ("[red]a", "$x$ :smile: $\\frac$", SHOWN):
        assert shown in output
    agents = [f"anet:{name}" for name in names]
    compared = call.output("compare", *agents, "--games", "2", "--out", "[red]out")
    assert "[red]a" in compared
    assert "[red]out/compare.json" in compared
    assert "\x1b" not in output + compared


def test_names_of_games_and_files_stay_in_their_line(call: Call) -> None:
    file = Path(f"{RED}.jsonl")
    game = {"players": [f"\n{RED}", RED], "starting_player": 1, "actions": [0], "episode": RED}
    log(Path(), game).rename(file)
    output = call.output("show", file, "game.size=3", "display.mode=terminal")
    assert "\x1b" not in output
    assert sum(SHOWN in line for line in output.splitlines()) == 3
    saved = call.output("show", file, "--sgf", f"{RED}.sgf", "game.size=3")
    assert f"Saved in {SHOWN}.sgf" in saved


def test_a_name_outside_utf_8_is_shown_and_kept(call: Call) -> None:
    try:
        name = untrained("a\udcff.pt", size=3)
    except OSError:
        pytest.skip("such names cannot be had here")
    output = call.output("compare", f"anet:{name}", "random", "--games", "2", "--out", "out")
    assert r"a\udcff" in output
    assert rb"anet:a\udcff.pt" in Path("out/compare.json").read_bytes()


def test_a_terminal_with_a_small_character_set_is_no_error(call: Call) -> None:
    output = io.TextIOWrapper(io.BytesIO(), "ascii")
    call.patch.setattr(sys, "stdout", output)
    call.output("compare", "random", "mcts:simulations=2", "--games", "2", "game.size=3")
    output.flush()
    assert b"random" in output.buffer.getvalue()


def test_a_move_outside_utf_8_is_requested_again(call: Call) -> None:
    typed = io.BytesIO(b"\xff\xfe\n\x1b[2J\n1 \xe9\n")
    call.patch.setattr("sys.stdin", io.TextIOWrapper(typed, "utf-8", "strict"))
    words = ("--first", "human", "--second", "random", "game.size=3", "display.mode=off")
    result = call("play", *words)
    assert result.errors == ""
    assert result.output.count("Not a move: ") == 3
    assert "\x1b" not in result.output


def test_a_server_tells_its_address_and_its_reach() -> None:
    for host, is_wide, address in (
        ("0.0.0.0", True, "localhost:1 --net NET"),
        ("0", True, "localhost:1 --net NET"),
        ("127.0.0.2", False, "127.0.0.2:1 --net NET"),
        ("localhost", False, "localhost:1 --net NET"),
        ("192.0.2.7", False, f"192.0.2.7:1 --net NET oht.certificate={CERTIFICATE}"),
    ):
        *lines, last = greeting({"text": 1, "json": 2, "league": 3}, host)
        assert ("listening on all addresses" in "\n".join(lines)) == is_wide, host
        assert last.endswith(f" oht --verify --server {address}")

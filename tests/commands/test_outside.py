"""Input from outside cannot hang the program, fill the screen or control the terminal."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from anet import ANET
from commands.oht_server import greeting
from state_manager import make_game
from tests.commands.conftest import Call
from tests.commands.test_usage import assert_one_line
from tests.project import ROOT

RED = "\x1b[31mred\nnext\x07"
SHOWN = r"\x1b[31mred\nnext\x07"
RANDOM = ("play", "--first", "random", "--second", "random", "game.size=3")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are pipes and devices")
@pytest.mark.parametrize("name", ["pipe", "/dev/zero"])
@pytest.mark.parametrize(
    "words",
    [
        ("train", "--params"),
        ("compare", "--agents"),
        ("analyse", "--net"),
        ("certify", "--net"),
        ("topp", "3.pt"),
    ],
)
def test_a_path_that_is_no_regular_file_does_not_block(
    call: Call, tmp_path: Path, words: tuple[str, ...], name: str
) -> None:
    os.mkfifo(tmp_path / "pipe")
    ANET(make_game("hex", size=3)).save(tmp_path / "3.pt")
    result = call(*words, name)
    assert result.status == 2
    assert_one_line(result.errors, f"{name}: expected a file, got a ")


MISTAKES = {
    "params": ("train", "--params", RED),
    "run": ("topp", "--run", RED),
    "new run": ("train", "--run", RED),
    "out": ("compare", "random", "random", "--out", RED),
    "net": ("topp", RED, RED),
    "agent": ("play", "--first", f"anet:{RED}", "--second", "random"),
    "kind": ("play", "--first", RED, "--second", "random"),
    "option": ("train", f"--{RED}"),
    "command": (RED,),
    "number": ("play", "--first", "random", "--second", "random", "--games", RED),
    "override": ("train", f"game.name={RED}"),
}


@pytest.mark.parametrize("words", MISTAKES.values(), ids=MISTAKES)
def test_an_error_escapes_control_characters_and_shows_an_excerpt_of_a_long_text(
    call: Call, words: tuple[str, ...]
) -> None:
    for text in (RED, "x" * 450, "x" * 5000):
        result = call(*(word.replace(RED, text) for word in words))
        assert result.status in (1, 2)
        assert_one_line(result.errors)
        assert result.errors[:-1].isprintable()
        assert "x" * 201 not in result.errors
        assert len(result.errors) < 600


@pytest.mark.parametrize("name", ["x" * 450, "x " * 200], ids=["word", "words"])
@pytest.mark.parametrize("words", [("train", "--run"), ("show",), ("topp", "--run"), ()])
def test_an_error_shows_an_excerpt_of_a_long_name(
    call: Call, words: tuple[str, ...], name: str
) -> None:
    result = call(*words, name)
    assert_one_line(result.errors)
    assert 90 <= result.errors.count("x") < 220


def test_control_characters_in_names_of_nets_are_escaped(call: Call, tmp_path: Path) -> None:
    names = ("[red]a.pt", "$x$ :smile: $\\frac$.pt", f"{RED}.pt")
    for name in names:
        ANET(make_game("hex", size=3)).save(tmp_path / name)
    words = ("topp.games=1", "display.delay=0", "display.games=1")
    result = call("topp", *names, *words)
    assert (result.status, result.errors) == (0, "")
    for shown in ("[red]a", "$x$ :smile: $\\frac$", SHOWN):
        assert shown in result.output
    assert "\x1b" not in result.output
    agents = [f"anet:{name}" for name in names]
    result = call("compare", *agents, "--games", "2", "--out", "[red]out")
    assert (result.status, result.errors) == (0, "")
    assert "[red]a" in result.output
    assert "[red]out/compare.json" in result.output
    assert "\x1b" not in result.output


def test_names_of_games_and_files_stay_in_their_line(call: Call, tmp_path: Path) -> None:
    names, log = [f"\n{RED}", RED], tmp_path / f"{RED}.jsonl"
    game = {"players": names, "starting_player": 1, "actions": [0], "episode": RED}
    log.write_text(json.dumps(game) + "\n")
    result = call("show", log, "game.size=3", "display.mode=terminal")
    assert result.status == 0
    assert "\x1b" not in result.output
    assert sum(SHOWN in line for line in result.output.splitlines()) == 3
    result = call("show", log, "--sgf", f"{RED}.sgf", "game.size=3")
    assert f"Saved in {SHOWN}.sgf" in result.output


def test_a_name_outside_utf_8_is_shown_and_kept(call: Call, tmp_path: Path) -> None:
    name = "a\udcff.pt"
    try:
        ANET(make_game("hex", size=3)).save(tmp_path / name)
    except OSError:
        pytest.skip("such names cannot be had here")
    result = call("compare", f"anet:{name}", "random", "--games", "2", "--out", "out")
    assert (result.status, result.errors) == (0, "")
    assert r"a\udcff" in result.output
    assert rb"anet:a\udcff.pt" in (tmp_path / "out" / "compare.json").read_bytes()


@pytest.mark.parametrize("games", ["100001", "100000000", "9" * 5000, "-1", "1e3", "²"])
def test_more_games_than_can_be_played_are_refused(call: Call, games: str) -> None:
    result = call(*RANDOM, f"--games={games}")
    assert result.status == 2
    assert_one_line(result.errors, "expected a number of games from 1 to 100000, got ")


@pytest.mark.parametrize(
    ("option", "most"),
    [("--games", "100000"), ("--simulations", "10000000"), ("--workers", "256")],
)
def test_the_numbers_of_a_comparison_are_bounded(call: Call, option: str, most: str) -> None:
    result = call("compare", "random", "random", f"{option}={int(most) + 1}")
    assert result.status == 2
    assert_one_line(result.errors, f"{option}: expected a number from 1 to {most}, got ")
    result = call("compare", "random", "random", "--seconds=1e9")
    assert_one_line(result.errors, "expected seconds above 0 and up to 3600")


def test_a_move_outside_utf_8_is_requested_again() -> None:
    words = ["--first", "human", "--second", "random", "game.size=3", "display.mode=off"]
    done = subprocess.run(
        [sys.executable, ROOT / "main.py", "play", *words],
        input=b"\xff\xfe\n\x1b[2J\n1 \xe9\n",
        capture_output=True,
        env={**os.environ, "PYTHONIOENCODING": "utf-8:strict"},
        check=False,
    )
    assert done.stderr == b""
    assert done.stdout.count(b"Not a move: ") == 3
    assert b"\x1b" not in done.stdout


def test_a_terminal_with_a_small_character_set_is_no_error(
    call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    output = io.TextIOWrapper(io.BytesIO(), "ascii")
    monkeypatch.setattr(sys, "stdout", output)
    assert call("topp", "--help").status == 0
    result = call("compare", "random", "mcts:simulations=2", "--games", "2", "game.size=3")
    output.flush()
    assert result.status == 0
    assert b"random" in output.buffer.getvalue()


PORTS = {"text": 1, "json": 2, "league": 3}


@pytest.mark.parametrize(
    ("host", "wide"), [("0.0.0.0", True), ("0", True), ("127.0.0.1", False), ("localhost", False)]
)
def test_a_server_warns_if_any_machine_can_connect(host: str, wide: bool) -> None:
    assert ("listening on all addresses" in "\n".join(greeting(PORTS, host))) == wide


@pytest.mark.parametrize(
    ("host", "address"),
    [("0.0.0.0", "localhost:1"), ("localhost", "localhost:1"), ("127.0.0.2", "127.0.0.2:1")],
)
def test_the_line_for_the_client_names_the_server_s_address(host: str, address: str) -> None:
    *_, last = greeting(PORTS, host)
    assert last.endswith(f" oht --verify --server {address} --net NET")


def test_the_line_for_the_client_names_the_certificate_of_a_remote_server() -> None:
    *_, last = greeting(PORTS, "192.0.2.7")
    assert last.endswith(
        "--server 192.0.2.7:1 --net NET oht.certificate=runs/oht-server/server.crt"
    )


def test_an_empty_address_is_refused(call: Call) -> None:
    result = call("oht-server", "oht_server.host=''")
    assert result.status == 2
    assert_one_line(result.errors, "oht_server.host: expected a text, got ''")

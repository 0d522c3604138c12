"""The program on a real pseudo-terminal."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pexpect
import pytest

from base.storage import read_jsonl
from tests.commands.conftest import TINY_RUN, finished, log, spawn
from tests.project import TIMEOUT

Start = Callable[..., "pexpect.spawn[str]"]
_ERASED_LINE = "\x1b[2K"
_CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
HUMAN = ("play", "--first", "human", "--second", "random", "--starting-player", "1", "game.size=3")


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    children = []

    def start(*words: str) -> pexpect.spawn[str]:
        children.append(spawn(tmp_path, *words, terminal="xterm-256color"))
        return children[-1]

    yield start
    for child in children:
        child.close(force=True)


def test_keys_switch_games_and_statistics_during_training(start: Start, tmp_path: Path) -> None:
    # The run goes on until it is interrupted, so no key comes too late.
    settings = [*TINY_RUN, "rl.episodes=1000000", "display.mode=off", "display.delay=0.02"]
    child = start("train", "--run", "run", *settings)
    child.expect("d: show games")
    assert "rows" not in str(child.before)
    assert child.expect(["rows", pexpect.TIMEOUT], timeout=0.7) == 1
    child.send("d")
    child.expect("d: stop showing games")
    child.expect("rows")
    child.expect("wins in")
    child.expect(r"t: show D and value   c: cells as \(0, 0\)")
    child.send("t")
    child.expect(r"last move [abc][123]: D \d+ %, value [+-]\d\.\d\d for (red|black)")
    child.send("c")
    child.expect(r"last move \(\d, \d\): D \d+ %")
    child.setwinsize(6, 20)
    child.setwinsize(12, 30)
    child.setwinsize(40, 100)
    child.send("d")
    child.expect("d: show games")
    assert child.expect(["rows", pexpect.TIMEOUT], timeout=0.7) == 1
    metrics = tmp_path / "run" / "metrics.jsonl"
    # The first update loads a part of torch, and Ctrl-C would take it back.
    for _ in range(int(10 * TIMEOUT)):
        if metrics.exists() and metrics.stat().st_size:
            break
        child.expect(["rows", pexpect.TIMEOUT], timeout=0.1)
    child.sendintr()
    child.expect("Stopped after episode")
    finished(child, status=130)
    assert len(read_jsonl(metrics)) >= 1
    assert (tmp_path / "run" / "checkpoint.pt").exists()


def test_input_before_the_first_prompt_is_read_and_ctrl_c_ends_the_game(start: Start) -> None:
    child = start(*HUMAN)
    child.sendline("c2")  # the program has not even begun
    child.expect(r"black \(random\): [abc]")
    child.expect("your move")
    child.sendintr()
    assert "Traceback" not in finished(child, status=130)


def test_saved_games_are_stepped_through(start: Start, tmp_path: Path) -> None:
    game = {"board_size": 3, "starting_player": 1, "players": ["a", "b"]}
    log(tmp_path, game | {"actions": [0, 1, 3, 4, 6]}, game | {"actions": [8, 0, 7]})
    child = start("show", "games.jsonl", "--game", "1")
    child.setwinsize(24, 80)
    child.expect("game 1 of 2")
    keys = "n p: move   home end   up down: game   q: quit   c: cells as "
    for key, seen in (
        ("x", re.escape(f"No such key. {keys}(0, 0)")),
        ("c", re.escape(f"No such key. {keys}a1")),
        ("C", re.escape(f"No such key. {keys}(0, 0)")),
        ("n", "last move a1"),
        ("\x1b[C", "last move b1"),
        ("p", "last move a1"),
        ("\x1b[F", "wins in 5 moves"),
        ("\x1bOH", "> "),
        ("\x1b[B", "game 2 of 2"),
        ("\x1b[D\x1b[A", "game 1 of 2"),
        ("n", "last move a1"),
    ):
        child.send(key)
        child.expect(seen)
    child.send("q")
    output = finished(child)
    left = _CONTROL.sub("", output.rpartition(_ERASED_LINE)[2])
    assert "game 1 of 2   move 1" in left
    assert "last move a1" in left
    assert "q: quit" not in left

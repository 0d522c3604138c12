"""``oht`` without a terminal: what it asks is answered through a pipe, or by nobody."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.oht_client.home import Home, running
from tests.project import PATIENCE, ROOT

SECRET = "a-secret-of-mine"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    """A server for all tests here."""
    with running(tmp_path_factory.mktemp("home")) as home:
        yield home


def verify(
    home: Home, folder: Path, protocol: int, port: str, **process: Any
) -> subprocess.CompletedProcess[str]:
    """Play a verification tournament, with a process of its own."""
    words = [
        "oht", "--verify", "--protocol", str(protocol), "--server", f"localhost:{home.ports[port]}",
        f"oht.certificate={home.certificate}", "oht.board_size=3", "oht.agent=random",
        "display.mode=off",
    ]  # fmt: skip
    return subprocess.run(
        [sys.executable, str(ROOT / "main.py"), *words],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        **process,
    )


@pytest.mark.parametrize(
    ("protocol", "port", "lines"),
    [(1, "text", ["somebody", SECRET, "Ada"]), (2, "json", [SECRET])],
)
def test_what_is_asked_may_come_through_a_pipe_and_is_not_shown(
    home: Home, tmp_path: Path, protocol: int, port: str, lines: list[str]
) -> None:
    done = verify(home, tmp_path, protocol, port, input="".join(f"{line}\n" for line in lines))
    assert (done.returncode, done.stderr) == (0, "")
    assert SECRET not in done.stdout
    prompts = [line for line in done.stdout.splitlines() if line.strip().endswith(":")]
    assert len(prompts) == len(lines)  # each on a line of its own


@pytest.mark.skipif(sys.platform == "win32", reason="a process is started otherwise there")
def test_without_a_standard_input_there_is_nobody_to_answer(home: Home, tmp_path: Path) -> None:
    done = verify(home, tmp_path, 1, "text", preexec_fn=lambda: os.close(0))
    assert done.returncode == 1
    assert done.stderr.endswith(", but the input has ended\n")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("protocol", "port", "hint"),
    [(1, "json", "(protocol 2?)"), (2, "text", "does the server speak protocol 1?")],
)
def test_a_client_that_speaks_the_other_protocol_says_so(
    home: Home, tmp_path: Path, protocol: int, port: str, hint: str
) -> None:
    done = verify(home, tmp_path, protocol, port, input="")
    assert done.returncode == 1
    assert hint in done.stderr

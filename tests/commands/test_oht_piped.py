"""``oht`` without a terminal: prompts read a pipe, or fail."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.commands.conftest import Call
from tests.forked import main_program, run_python
from tests.oht_client.home import Home, running
from tests.project import ROOT, TIMEOUT

SECRET = "a-secret-of-mine"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    """A server for all tests here."""
    with running(tmp_path_factory.mktemp("home")) as home:
        yield home


def verification(home: Home, protocol: int, port: str) -> list[str]:
    """Return the arguments of a verification tournament."""
    return [
        "oht", "--verify", "--protocol", str(protocol), "--server", f"localhost:{home.ports[port]}",
        f"oht.certificate={home.certificate}", "oht.board_size=3", "oht.agent=random",
        "display.mode=off",
    ]  # fmt: skip


def check_what_is_shown(output: str, questions: int) -> None:
    """Check that each prompt is on its own line, without the reply."""
    assert SECRET not in output
    prompts = [line for line in output.splitlines() if line.strip().endswith(":")]
    assert len(prompts) == questions


def test_prompts_read_a_pipe_and_replies_are_not_shown(home: Home, tmp_path: Path) -> None:
    answers = f"somebody\n{SECRET}\nAda\n"
    words = verification(home, 1, "text")
    status, output, errors = run_python(main_program(words), tmp_path, os.environ, answers)
    assert (status, errors) == (0, "")
    check_what_is_shown(output, 3)


def test_the_token_of_the_second_generation_may_come_through_a_pipe(
    call: Call, home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{SECRET}\n"))
    result = call(*verification(home, 2, "json"))
    assert (result.status, result.errors) == (0, "")
    check_what_is_shown(result.output, 1)


@pytest.mark.skipif(sys.platform == "win32", reason="a process is started otherwise there")
def test_a_prompt_without_a_standard_input_is_an_error(home: Home, tmp_path: Path) -> None:
    command = [sys.executable, str(ROOT / "main.py"), *verification(home, 1, "text")]
    done = subprocess.run(
        command,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=TIMEOUT,
        preexec_fn=lambda: os.close(0),
    )
    assert done.returncode == 1
    assert done.stderr.endswith(", but the input has ended\n")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("protocol", "port", "hint"),
    [(1, "json", "(protocol 2?)"), (2, "text", "does the server speak protocol 1?")],
)
def test_a_client_of_the_other_protocol_gets_a_hint(
    call: Call,
    home: Home,
    monkeypatch: pytest.MonkeyPatch,
    protocol: int,
    port: str,
    hint: str,
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO())
    result = call(*verification(home, protocol, port))
    assert result.status == 1
    assert hint in result.errors

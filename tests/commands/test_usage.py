"""Help texts, and the ends of commands that fail."""

import re
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from unittest.mock import Mock

import pytest

import commands.play
from agents import AGENTS, agent_kind, parse_agent
from anet import DivergedError
from base.params import describe
from hex_mcts.system import PRESETS
from main import COMMANDS
from state_manager import make_game
from tests.commands.conftest import Call
from tests.project import ROOT

RANDOM = ("play", "--first", "random", "--second", "random")


def test_every_command_explains_itself(call: Call) -> None:
    for name, command in COMMANDS.items():
        output = call.output(name, "--help")
        if command.reads_params and name != "params":
            assert "section.key=value ...]" in output.partition("\n\n")[0]
            assert "--params FILE" in output
        assert f"{command.about[1:]}.\n" in output
        assert f"python main.py {command.example}" in " ".join(output.split())
        assert all((f"\n  {preset} " in output) == (name == "train") for preset in PRESETS)


def test_the_help_of_play_lists_agents_and_their_options(call: Call) -> None:
    output = call.output("play", "--help")
    for name in AGENTS:
        kind = agent_kind(name)
        example = re.search(rf"^  ({name}\S*)(?:  \(|$)", output, re.MULTILINE)
        assert example is not None
        spec = parse_agent(example[1])
        assert (spec.net is None) == (kind.net_use == "none" or name == "best")
        if spec.net is not None and name != "onnx":
            assert (ROOT / spec.net).is_file()
        # The word of ``engine`` has a command in place of options.
        for option, field in kind.Options.model_fields.items() if name != "engine" else ():
            assert re.search(
                rf"^ +{option} +{describe(field)}(: share of random .*)?$", output, re.MULTILINE
            )


def fail(error: Exception) -> None:
    """Fail with an error, and then to save the result."""
    try:
        raise error
    finally:
        if not isinstance(error, ModuleNotFoundError):
            Path("nowhere/result").write_text("")


NO_MEMORY = ["not enough memory", "(Unable to allocate ", "; then nowhere"]
GAME = make_game("nim", stones=2, max_take=2)
MISSING = "is missing; run `make venv`, then `. .venv/bin/activate`"


@pytest.mark.parametrize(
    ("run", "words"),
    [
        (partial(fail, MemoryError("Unable to allocate 9 TiB")), NO_MEMORY),
        (partial(fail, RuntimeError("Unable to allocate memory: 9 TiB")), NO_MEMORY),
        (partial(GAME.child_state, GAME.initial_state(), 5), ["from 0 to 1, got 5 in oo"]),
        (Mock(side_effect=DivergedError("training diverged")), ["training diverged"]),
        (partial(fail, ModuleNotFoundError(name="numba")), ["the package numba", MISSING]),
        (partial(fail, ModuleNotFoundError(name="PIL.Image")), ["package pillow", MISSING]),
    ],
)
def test_an_error_is_one_line(call: Call, run: Callable[[], object], words: list[str]) -> None:
    call.patch.setattr(commands.play, "run", lambda *arguments: run())
    line = call.error(*RANDOM, status=2 if "got 5" in words[0] else 1)
    assert all(each in line for each in words)
    assert "\\" not in line


@pytest.mark.parametrize("name", ["cli.exits", "sqlite9", None])
def test_a_defect_is_not_hidden(call: Call, name: str | None) -> None:
    call.patch.setattr(commands.play, "run", Mock(side_effect=ModuleNotFoundError(name=name)))
    with pytest.raises(ModuleNotFoundError):
        call(*RANDOM)


@pytest.mark.skipif(sys.platform == "win32", reason="a shell is needed")
@pytest.mark.parametrize(
    ("end", "expected"), [("| head -1", "random against random, game 1 of 50"), (">&-", "")]
)
def test_a_reader_that_leaves_or_none_is_no_error(tmp_path: Path, end: str, expected: str) -> None:
    program = f"{sys.executable} {ROOT / 'main.py'} {' '.join(RANDOM)} game.size=3"
    command = f"{program} --games 50 display.games=50 {end}"
    done = subprocess.run(["/bin/sh", "-c", command], cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert expected in done.stdout

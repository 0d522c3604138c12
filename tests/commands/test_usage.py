"""Help texts and errors of the command line."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from agents import AGENTS, agent_kind, parse_agent
from anet import ANET
from base.params import describe
from commands.arguments import GROUPS
from main import COMMANDS
from state_manager import make_game
from tests.commands.conftest import TINY_RUN, Call, mistakes
from tests.project import ROOT


def assert_one_line(errors: str, *words: str) -> None:
    """Check that there is one line, and that it holds these words."""
    assert errors.endswith("\n")
    assert errors.count("\n") == 1, errors
    assert errors.startswith("main.py")
    for word in words:
        assert word in errors


def test_without_arguments_all_commands_are_listed_each_with_an_example(call: Call) -> None:
    result = call()
    assert (result.status, result.errors) == (0, "")
    below = {}
    for part in result.output.split("\n\n"):
        heading, *lines = part.splitlines()
        below[heading] = {line.split()[0] for line in lines}
    assert {f"{heading}:" for heading in GROUPS} <= below.keys()
    assert sorted(name for names in GROUPS.values() for name in names) == sorted(COMMANDS)
    for heading, names in GROUPS.items():
        assert below[f"{heading}:"] >= set(names)
    for name, command in COMMANDS.items():
        assert name in result.output
        assert command.about in result.output
        assert f"python main.py {command.example}" in result.output


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself(call: Call, command: str) -> None:
    result = call(command, "--help")
    assert (result.status, result.errors) == (0, "")
    if command not in ("params", "completion"):
        assert "section.key=value ...]" in result.output.partition("\n\n")[0]
        assert "--params FILE" in result.output
    explained = COMMANDS[command]
    assert f"{explained.about[1:]}.\n" in result.output
    assert f"python main.py {explained.example}" in " ".join(result.output.split())


def test_the_help_of_play_lists_agents_and_their_options(call: Call) -> None:
    output = call("play", "--help").output
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


MISTAKES = """\
trian | 'trian' | train
train --speed 3 | unknown option --speed (expected --help, --run, --resume, --preset,
train --size 5 | unknown option --size (did you mean game.size=VALUE?)
play --seed=5 | unknown option --seed (did you mean seed=VALUE?)
train --parms x | unknown option --parms (did you mean --params?)
train "game={name: nim, stones: 10}" | for each key, such as game.name=nim game.stones=10, got
train "game={name: ledge, board: [0, 1, 2]}" | game.name=ledge game.board=0,1,2, got
train "game={name:" nim, "stones: 10}" | such as game.name=nim game.stones=21, got
train game=nim | such as game.name=nim
train rl=3 | such as rl.scheme=on_policy, got 'rl=3'
--run x train | 'x'
train please | expected section.key=value | 'please'
train "" | expected section.key=value | ''
train rl.episodes | 'rl.episodes'
train =3 | '=3'
train lr.episodes=3 | command line | lr
train k=7 | did you mean game.size?
train rl.epsiodes=3 | rl.epsiodes | did you mean episodes?
train game.size=2 | game.size | 3 to 19 | got 2
train rl.episodes=many | rl.episodes | an integer | 'many'
train anet.activation=rellu | did you mean relu?
train game.name=hexx | game.name | did you mean hex?
train rl.sigma=0.5 | rl.sigma | anet.critic
train --params no.yaml | no.yaml: no such file
train --params bad.yaml | bad.yaml:3: not YAML
train --params wrong.yaml | wrong.yaml:2: rl.epsiodes
train --resume | --resume | --run DIR
train --resume --run x | x: expected a run to resume
train --run bad.yaml | bad.yaml: expected a folder
topp | no run under runs/
topp 3.pt | at least two nets | 3.pt
topp --run . 3.pt 4.pt | got both
topp --run nowhere | nowhere: no such run directory
topp --run empty | empty: expected nets such as
topp 3.pt none.pt | none.pt: no such file
topp 3.pt bad.yaml | bad.yaml: not a checkpoint
topp 3.pt empty | empty: expected a file, got a folder
topp 3.pt 4.pt | 3.pt for hex(size=3) | 4.pt for hex(size=4)
topp 3.pt 3.pt game.size=4 | hex(size=4) | hex(size=3)
topp 3.pt 3.pt game.name=nim | nim( | hex(size=3)
topp --games 4 3.pt 3.pt | unknown option --games | topp.games=VALUE
topp --agents x 3.pt 3.pt | unknown option --agents | (expected --help, --json, --run, --save or --
play --first foo --second mcts | 'foo' | random
play --first mcts:simulation=3 --second random | did you mean simulations?
play --first anet --second random | anet:FILE
play --first anet:none.pt --second random | none.pt: no such file
play --first openspiel:mcts --second random | openspiel takes no net, got 'mcts'
play --first anet:3.pt --second mcts:4.pt | hex(size=3) | hex(size=4)
play --first anet:3.pt --second random game.size=5 | 3.pt | hex(size=3) | hex(size=5)
play --first random --second random --games 0 | '0'
play --first random --second random --games 1.5 | 1.5
play --first random --second random --starting-player 3 | --starting-player | '3'
demo --seconds 1 | 20 to 86400 seconds | '1'
demo --seconds soon | 20 to 86400 seconds | 'soon'
demo --seconds nan | 20 to 86400 seconds | 'nan'
"""


@pytest.mark.parametrize(("words", "expected"), mistakes(MISTAKES))
def test_a_mistake_gives_one_line_and_status_2(
    call: Call, tmp_path: Path, words: list[str], expected: list[str]
) -> None:
    (tmp_path / "bad.yaml").write_text("rl:\n  episodes: [3\n")
    (tmp_path / "wrong.yaml").write_text("rl:\n  epsiodes: 3\n")
    (tmp_path / "empty").mkdir()
    for size in (3, 4):
        ANET(make_game("hex", size=size)).save(tmp_path / f"{size}.pt")
    before = sorted(tmp_path.rglob("*"))
    result = call(*words)
    assert result.status == 2
    assert_one_line(result.errors, *expected)
    assert result.output == ""
    assert sorted(tmp_path.rglob("*")) == before, "a mistake leaves nothing behind"


def test_an_operating_system_error_gives_one_line_and_status_1(call: Call, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    result = call("train", "--run", "file/run", *TINY_RUN)
    assert result.status == 1
    assert_one_line(result.errors, "file/run")


def test_a_defect_is_not_hidden(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    import commands.play

    def broken(*arguments: object) -> int:
        raise ZeroDivisionError("a defect")

    monkeypatch.setattr(commands.play, "run", broken)
    with pytest.raises(ZeroDivisionError):
        call("play", "--first", "random", "--second", "random")


def test_a_board_in_a_message_is_one_line(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    import commands.play

    def refused(*arguments: object) -> int:
        game = make_game("nim", stones=2, max_take=2)
        return int(game.child_state(game.initial_state(), 5)[0])

    monkeypatch.setattr(commands.play, "run", refused)
    errors = call("play", "--first", "random", "--second", "random").errors
    assert_one_line(errors, "expected an action from 0 to 1, got 5 in oo")
    assert "\\" not in errors


@pytest.mark.parametrize(
    "error",
    [MemoryError("Unable to allocate 9 TiB"), RuntimeError("Unable to allocate memory: 9 TiB")],
)
def test_a_lack_of_memory_is_one_line_although_the_result_cannot_be_saved(
    call: Call, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    import commands.play

    def full(*arguments: object) -> int:
        try:
            raise error
        finally:
            Path("nowhere/result").write_text("")

    monkeypatch.setattr(commands.play, "run", full)
    result = call("play", "--first", "random", "--second", "random")
    assert result.status == 1
    assert_one_line(result.errors, "not enough memory", "(Unable to allocate ", "; then nowhere")


def test_ctrl_c_gives_status_130_and_no_message(
    call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    import commands.play

    def interrupted(*arguments: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(commands.play, "run", interrupted)
    result = call("play", "--first", "random", "--second", "random")
    assert (result.status, result.output, result.errors) == (130, "", "")


@pytest.mark.skipif(sys.platform == "win32", reason="a shell is needed")
def test_a_reader_that_leaves_early_is_no_error(tmp_path: Path) -> None:
    program = f"{sys.executable} {ROOT / 'main.py'}"
    play = f"{program} play --first random --second random --games 50 display.games=50"
    done = subprocess.run(
        ["/bin/sh", "-c", f"{play} | head -1"], cwd=tmp_path, capture_output=True, text=True
    )
    assert "random against random, game 1 of 50" in done.stdout
    assert done.stderr == ""


def test_a_misspelt_command_gives_a_hint_with_the_nearest_one(call: Call) -> None:
    result = call("trian")
    assert result.status == 2
    assert_one_line(result.errors, "expected a command", "got 'trian' (did you mean train?)")


def test_a_command_without_a_standard_output_ends_well() -> None:
    command = '"$0" main.py play --first random --second random display.mode=off >&-'
    done = subprocess.run(
        ["/bin/sh", "-c", command, sys.executable], cwd=ROOT, capture_output=True, text=True
    )
    assert (done.returncode, "Traceback" in done.stderr) == (0, False), done.stderr

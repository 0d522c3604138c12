"""Going on with a run: one process at a time, and with damaged files, too."""

from datetime import datetime
from pathlib import Path
from unittest.mock import Mock

import pytest

from base.storage import locked
from cli.outputs import output_folder
from tests.commands.conftest import TINY_RUN, TOPP, Call, tree
from tests.project import Patch

RESUME = ("train", "--resume", "--run", "run")
LONGER = (*RESUME, "rl.episodes=6")
ANALYSE = ("--net", "run/anet_00004.pt", "--games", 1)
IN_USE = "in use by another process, which writes to it\n"


@pytest.mark.parametrize(
    ("words", "lock"),
    [
        (LONGER, "run/.lock"),
        (("train", "--run", "new", *TINY_RUN), "new/.lock"),
        (("compare", "random", "random", "--games", 2, "--out", "out"), "out/.compare.lock"),
        (("analyse", *ANALYSE, "--out", "out"), "out/.analysis.lock"),
    ],
    ids=["resumed", "new", "compare", "analyse"],
)
def test_a_second_process_is_refused(
    call: Call, run: Path, words: tuple[object, ...], lock: str
) -> None:
    folder = Path(lock).parent
    folder.mkdir(exist_ok=True)
    with locked(lock):
        before = tree(Path())
        result = call(*words)
        assert (result.status, result.output) == (2, "")
        assert result.errors == f"main.py {words[0]}: {folder}: {IN_USE}"
        assert tree(Path()) == before
    if words[0] == "train":
        call.output(*words)


def test_a_tournament_waits_for_another_to_write_and_for_no_training(call: Call, run: Path) -> None:
    call.patch.setattr("commands.topp._LONGEST_WAIT", 0.0)
    with locked(run / ".standings.lock"):
        result = call(*TOPP)
    assert (result.status, result.errors) == (2, f"main.py topp: run: {IN_USE}")
    assert "of 6 games were distinct" in result.output
    with locked(run / ".lock"):
        call.output(*TOPP)
    assert (run / "standings.json").exists()


def test_results_of_the_same_second_have_folders_of_their_own_and_empty_ones_go(
    tmp_path: Path, monkeypatch: Patch
) -> None:
    stopped = Mock(now=lambda zone=None: datetime(2026, 1, 2, 3, 4, 5))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("cli.outputs.datetime", stopped)
    with output_folder(None, "a") as one, output_folder(None, "a") as other:
        assert (one.name, other.name) == ("a-20260102-030405", "a-20260102-030405-2")
        assert one.is_dir()
        (other / "result").touch()
    assert [path.name for path in Path("runs").iterdir()] == [other.name]
    mine = Path("new") / "mine"
    for was_there in (False, True):
        if was_there:
            mine.mkdir(parents=True)
        with output_folder(mine, "a") as given:
            assert given == mine
            assert mine.is_dir()
        assert Path("new").exists() == mine.exists() == was_there


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        ("", "run/params.yaml: no such file; "),
        ("seed: [", "run/params.yaml:"),
        ("\0", "run/params.yaml:"),
        ("rl: {episodes: x}", "run/params.yaml:1: rl.episodes: expected an integer"),
        ("seed: 1", "run: --resume cannot change "),
    ],
    ids=["missing", "cut", "binary", "mistaken", "incomplete"],
)
def test_checkpoints_replace_damaged_params(call: Call, run: Path, damage: str, words: str) -> None:
    file = run / "params.yaml"
    params = file.read_text()
    file.write_text(damage)
    if not damage:
        file.unlink()
    output = call.output(*LONGER)
    (warning,) = [line for line in output.splitlines() if line.startswith("WARNING: ")]
    assert warning.startswith(f"WARNING: {words}")
    assert warning.endswith("now replaced by the checkpoint's parameters")
    assert file.read_text() == params.replace("episodes: 4", "episodes: 6")
    if damage:
        assert (run / "params.damaged.yaml").read_text() == damage

"""Going on with a run: one process at a time, and with damaged files, too."""

from __future__ import annotations

import shutil
from datetime import datetime, tzinfo
from pathlib import Path

import pytest

from anet import ANET
from base.storage import locked, read_jsonl
from commands.outputs import output_folder
from tests.commands.conftest import TINY_RUN, Call, tree

LONGER = ("--resume", "--run", "run", "rl.episodes=6")


@pytest.fixture
def run(trained: Path, tmp_path: Path) -> Path:
    """Return a copy of a finished run."""
    shutil.copytree(trained, tmp_path / "run")
    return Path("run")


def in_use(command: str, folder: str) -> str:
    """Return the error line for a folder that another process has locked."""
    return f"main.py {command}: {folder}: in use by another process, which writes to it\n"


@pytest.mark.parametrize("words", [LONGER, ("--run", "new")], ids=["resumed", "new"])
def test_a_second_process_is_refused_and_the_run_is_left_alone(
    call: Call, run: Path, tmp_path: Path, words: tuple[str, ...]
) -> None:
    (tmp_path / "new").mkdir()
    folder = words[words.index("--run") + 1]
    with locked(tmp_path / folder / ".lock"):
        before = tree(tmp_path)
        result = call("train", *words, *(TINY_RUN if folder == "new" else ()))
        assert (result.status, result.output) == (2, "")
        assert result.errors == in_use("train", folder)
        assert tree(tmp_path) == before
    result = call("train", *words, *(TINY_RUN if folder == "new" else ()))
    assert (result.status, result.errors) == (0, "")


def test_a_tournament_may_be_played_while_its_run_is_trained_on(call: Call, run: Path) -> None:
    with locked(run / ".lock"):
        result = call("topp", "--run", run, "topp.games=2", "display.mode=off")
    assert (result.status, result.errors) == (0, "")
    assert (run / "standings.json").exists()


def test_a_tournament_waits_for_another_to_write_and_shows_its_tables(
    call: Call, run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("commands.topp._LONGEST_WAIT", 0.0)
    with locked(run / ".standings.lock"):
        result = call("topp", "--run", run, "topp.games=2", "display.mode=off")
    assert (result.status, result.errors) == (2, in_use("topp", "run"))
    assert "of 6 games were distinct" in result.output


@pytest.mark.parametrize("command", ["compare", "analyse"])
def test_two_processes_do_not_mix_their_results(call: Call, run: Path, command: str) -> None:
    words = {
        "compare": ("random", "mcts", "--simulations", 5, "--games", 2, "game.size=3"),
        "analyse": ("--net", run / "anet_00004.pt", "--games", 1, "--simulations", 5),
    }[command]
    lock = {"compare": ".compare.lock", "analyse": ".analysis.lock"}[command]
    Path("out").mkdir()
    with locked(f"out/{lock}"):
        result = call(command, *words, "--out", "out")
        assert (result.status, result.output) == (2, "")
        assert result.errors == in_use(command, "out")
    assert call(command, *words, "--out", "out").status == 0


def test_results_of_the_same_second_have_folders_of_their_own_and_empty_ones_go(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Stopped(datetime):
        """A clock that has stopped."""

        @classmethod
        def now(cls, tz: tzinfo | None = None) -> Stopped:
            return cls(2026, 1, 2, 3, 4, 5)

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("commands.outputs.datetime", Stopped)
    with output_folder(None, "a") as one, output_folder(None, "a") as other:
        assert (one.name, other.name) == ("a-20260102-030405", "a-20260102-030405-2")
        assert one.is_dir()
        (other / "result").touch()
    assert [path.name for path in (tmp_path / "runs").iterdir()] == [other.name]
    mine = Path("new") / "mine"
    with output_folder(mine, "a") as given:
        assert given == mine
        assert mine.is_dir()
    assert not Path("new").exists()
    mine.mkdir(parents=True)
    with output_folder(mine, "a"):
        pass
    assert mine.is_dir()


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
def test_the_parameters_of_the_checkpoint_replace_a_damaged_file(
    call: Call, run: Path, tmp_path: Path, damage: str, words: str
) -> None:
    params = (run / "params.yaml").read_text()
    (run / "params.yaml").write_text(damage)
    if not damage:
        (run / "params.yaml").unlink()
    result = call("train", *LONGER)
    assert (result.status, result.errors) == (0, "")
    warnings = [line for line in result.output.splitlines() if line.startswith("WARNING: ")]
    assert len(warnings) == 1
    assert warnings[0].startswith(f"WARNING: {words}")
    assert warnings[0].endswith("now replaced by the checkpoint's parameters")
    assert (run / "params.yaml").read_text() == params.replace("episodes: 4", "episodes: 6")
    if damage:
        assert (run / "params.damaged.yaml").read_text() == damage
    assert call("train", "--run", "whole", *TINY_RUN, "rl.episodes=6").status == 0
    nets = [(Path(name) / "anet_00006.pt").read_bytes() for name in ("run", "whole")]
    assert nets[0] == nets[1]


def test_keys_that_may_change_may_be_changed_in_the_file(call: Call, run: Path) -> None:
    params = (run / "params.yaml").read_text()
    (run / "params.yaml").write_text(params.replace("episodes: 4", "episodes: 5"))
    result = call("train", "--resume", "--run", run)
    assert (result.status, result.errors) == (0, "")
    assert "WARNING" not in result.output
    assert ANET.load(run / "anet_00005.pt").episode == 5


def test_damage_is_reported_once_and_training_continues(call: Call, run: Path) -> None:
    for name in ("metrics.jsonl", "games.jsonl"):
        (run / name).write_text("nonsense\n")
    (run / "anet_00002.pt").unlink()
    result = call("train", *LONGER)
    assert (result.status, result.errors) == (0, "")
    assert result.output.count("WARNING: ") == 3
    assert result.output.index("training: 4/6") < result.output.index("training: 6/6")
    assert "anet_00002.pt: missing; no checkpoint holds this net" in result.output
    assert [line["episode"] for line in read_jsonl(run / "games.jsonl")] == [5, 6]
    assert (run / "training.png").exists()
    assert "WARNING" not in call("train", "--resume", "--run", run).output


def test_a_damaged_checkpoint_is_named_and_the_previous_one_is_used(
    call: Call, tmp_path: Path
) -> None:
    assert call("train", "--run", "run", *TINY_RUN).status == 0
    nets = {name: data for name, data in tree(tmp_path).items() if name.startswith("run/anet")}
    newest = tmp_path / "run" / "checkpoint.pt"
    newest.write_bytes(b"nonsense")
    result = call("train", "--run", "run", "--resume")
    assert (result.status, result.errors) == (0, "")
    assert (
        "\nWARNING: run/checkpoint.pt: not a checkpoint; went back to checkpoint_previous.pt, "
        "after episode 0\n"
    ) in result.output
    assert (tmp_path / "run" / "checkpoint.damaged.pt").read_bytes() == b"nonsense"
    assert nets.items() <= tree(tmp_path).items()
    for name in ("checkpoint.pt", "checkpoint_previous.pt"):
        (tmp_path / "run" / name).write_bytes(b"nonsense")
    result = call("train", "--run", "run", "--resume")
    assert result.status == 2
    assert result.errors == (
        "main.py train: run/checkpoint.pt: not a checkpoint; run/checkpoint_previous.pt: not a "
        "checkpoint; no checkpoint is left to resume from: the nets in the folder can still play, "
        "and a new run needs another --run DIR\n"
    )


def test_values_without_effect_are_told_and_kept(call: Call) -> None:
    result = call("train", "--run", "run", *TINY_RUN, "rl.random_plies=2")
    assert "WARNING: rl.random_plies=2 has no effect with rl.scheme=on_policy\n" in result.output
    result = call("train", *LONGER)
    assert (result.status, result.errors) == (0, "")
    for words in (("show", "run"), ("topp", "--run", "run", "topp.games=2", "display.mode=off")):
        assert call(*words).errors == ""
    result = call("train", "--run", "run", "--resume", "rl.random_plies=1")
    assert result.errors.endswith("--resume cannot change rl.random_plies from 2 to 1\n")

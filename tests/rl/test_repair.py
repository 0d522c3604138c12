"""Damage in a run directory is detected on --resume, and repaired where possible."""

from __future__ import annotations

import errno
import json
import math
import os
import shutil
from pathlib import Path

import pytest

from anet import ANET
from base.storage import CheckpointError, load_checkpoint, read_jsonl, save_checkpoint
from rl import RLSystem
from tests.rl.conftest import Recorder, RunMaker, assert_same_run, nets_of

WORDS = ("rl.episodes_per_update=2",)


@pytest.fixture(scope="module")
def interrupted(make_shared_run: RunMaker) -> Path:
    """Return a run that was interrupted after four of its six episodes, to be copied."""
    rl_system = make_shared_run("run", *WORDS)
    with pytest.MonkeyPatch.context() as patch:
        # However slow the machine, no checkpoint is saved between the first and Ctrl-C.
        patch.setattr("rl.rl_system.CHECKPOINT_SECONDS", math.inf)
        with pytest.raises(KeyboardInterrupt):
            rl_system.train([Recorder(interrupt_at=(5, 1))])
    rl_system.close()
    assert rl_system.episode == 4
    return rl_system.run.path


@pytest.fixture
def halfway(interrupted: Path, tmp_path: Path) -> Path:
    """Return a copy of it."""
    return Path(shutil.copytree(interrupted, tmp_path / "run"))


@pytest.fixture(scope="module")
def whole(make_shared_run: RunMaker) -> RLSystem:
    """Return the same run, uninterrupted, to be read."""
    rl_system = make_shared_run.trained("whole", *WORDS)
    rl_system.close()
    return rl_system


def damaged(path: Path, damage: str) -> Path:
    """Damage a file, and return it."""
    content = bytearray(path.read_bytes())
    if damage == "one bit":
        content[len(content) // 2] ^= 4
    path.write_bytes(content[: {"cut": -10, "empty": 0}.get(damage)])
    if damage == "missing":
        path.unlink()
    return path


def notes_on(make_run: RunMaker, name: str = "run", *words: str) -> list[str]:
    """Resume a run, close it again, and return the notes."""
    resumed = make_run(name, *WORDS, *words)
    resumed.resume()
    return resumed.run.notes


def test_an_undamaged_run_has_no_notes(make_run: RunMaker, halfway: Path, whole: RLSystem) -> None:
    resumed = make_run.resumed("run", *WORDS)
    assert resumed.run.notes == []
    assert_same_run(resumed, whole)


@pytest.mark.parametrize("damage", ["cut", "one bit", "missing", "empty"])
def test_the_previous_checkpoint_replaces_a_damaged_one(
    make_run: RunMaker, halfway: Path, whole: RLSystem, damage: str
) -> None:
    newest = damaged(halfway / "checkpoint.pt", damage)
    resumed = make_run.resumed("run", *WORDS)
    assert len(resumed.run.notes) == 1
    assert resumed.run.notes[0].startswith(f"{newest}: ")
    assert resumed.run.notes[0].endswith("; went back to checkpoint_previous.pt, after episode 0")
    assert_same_run(resumed, whole)
    assert load_checkpoint(newest, "training").meta["episode"] == 6
    assert (halfway / "checkpoint.damaged.pt").exists() == (damage != "missing")


def test_a_damaged_checkpoint_never_replaces_the_previous_one(
    make_run: RunMaker, halfway: Path
) -> None:
    (halfway / "checkpoint.pt").write_bytes(b"nonsense")
    for name in ("checkpoint.pt", "checkpoint_previous.pt"):
        notes_on(make_run)
        load_checkpoint(halfway / name, "training")
    (halfway / "checkpoint_previous.pt").write_bytes(b"nonsense")
    (halfway / "checkpoint.pt").write_bytes(b"nonsense, too")
    with pytest.raises(CheckpointError, match=r"checkpoint\.pt: not .*_previous\.pt: not a "):
        make_run("run", *WORDS).resume()


@pytest.mark.parametrize("name", ["metrics.jsonl", "games.jsonl"])
@pytest.mark.parametrize("damage", ["one bit", "cut", "empty", "missing"])
def test_a_damaged_log_is_set_aside_and_begun_again(
    make_run: RunMaker, halfway: Path, whole: RLSystem, name: str, damage: str
) -> None:
    log = damaged(halfway / name, damage)
    aside = halfway / f"{log.stem}.damaged.jsonl"
    is_kept = damage in ("one bit", "cut")
    what = f"damaged; now {aside.name}" if is_kept else "missing or empty"
    resumed = make_run.resumed("run", *WORDS)
    assert resumed.run.notes == [f"{log}: {what}; begun again"]
    assert aside.exists() == is_kept
    assert nets_of(resumed) == nets_of(whole)
    assert {line["episode"] for line in read_jsonl(log)} <= {5, 6}
    resumed.close()
    assert notes_on(make_run) == []  # the next checkpoint refers to the new log


def test_a_net_that_is_damaged_or_missing_is_saved_again_if_it_can_be(
    make_run: RunMaker, halfway: Path, whole: RLSystem
) -> None:
    first, second = halfway / "anet_00000.pt", halfway / "anet_00004.pt"
    first.write_bytes(first.read_bytes()[:-1] + b"x")
    second.unlink()
    resumed = make_run.resumed("run", *WORDS)
    assert resumed.run.notes == [
        f"{first}: damaged, and now anet_00000.damaged.pt; saved again",
        f"{second}: missing; saved again",
    ]
    nets = {name: data for name, data in nets_of(resumed).items() if "damaged" not in name}
    assert nets == nets_of(whole)


def test_a_damaged_net_that_no_checkpoint_holds_is_named_once_and_the_run_continues(
    make_run: RunMaker, whole: RLSystem, tmp_path: Path
) -> None:
    copy = Path(shutil.copytree(whole.run.path, tmp_path / "whole"))
    net = copy / whole.run.net_path(4).name
    net.write_bytes(b"nonsense")
    for notes in (
        [
            f"{net}: damaged, and now anet_00004.damaged.pt; no checkpoint holds this net, so the "
            "run goes on without it"
        ],
        [],
    ):
        assert notes_on(make_run, "whole", "rl.episodes=8") == notes


def test_half_written_files_of_a_killed_process_are_removed(
    make_run: RunMaker, halfway: Path
) -> None:
    left = [".checkpoint.0123456789abcdef.pt", ".anet_00004.0123456789abcdef.pt"]
    theirs = ".standings.0123456789abcdef.json"  # of a tournament, which may be going on
    for name in (*left, theirs):
        (halfway / name).touch()
    make_run("run", *WORDS).resume()
    assert not any((halfway / name).exists() for name in left)
    assert (halfway / theirs).exists()


def test_a_run_that_is_refused_is_left_unchanged(make_run: RunMaker, halfway: Path) -> None:
    (halfway / "checkpoint.pt").write_bytes(b"nonsense")
    (halfway / "games.jsonl").write_text(json.dumps({"episode": 1}))
    before = {path.name: path.read_bytes() for path in halfway.iterdir()}
    other = make_run("run", *WORDS, "seed=2")
    with pytest.raises(ValueError, match="--resume cannot change seed"):
        other.resume()
    other.close()
    assert {path.name: path.read_bytes() for path in halfway.iterdir()} == before


@pytest.mark.parametrize("name", ["../stranger.pt", "/dev/zero", "checkpoint.pt"])
def test_a_checkpoint_that_names_files_which_are_no_nets_of_the_run_is_refused(
    make_run: RunMaker, halfway: Path, name: str
) -> None:
    stranger = halfway.parent / "stranger.pt"
    stranger.write_bytes(b"not ours to move")
    path = halfway / "checkpoint.pt"
    checkpoint = load_checkpoint(path, "training")
    meta = {**checkpoint.meta, "nets": {name: "0" * 64}}
    save_checkpoint(path, "training", meta, checkpoint.tensors)
    with pytest.raises(CheckpointError, match="expected the name of a net of this run"):
        make_run("run", *WORDS).resume()
    assert stranger.read_bytes() == b"not ours to move"


def test_an_update_that_a_full_disk_cuts_short_is_repeated(
    make_run: RunMaker, whole: RLSystem, monkeypatch: pytest.MonkeyPatch
) -> None:
    save = ANET.save

    def full(net: ANET, path: Path) -> None:
        if path.name == "anet_00006.pt":
            raise OSError(errno.ENOSPC, "No space left on device", str(path))
        save(net, path)

    rl_system = make_run("run", *WORDS)
    with monkeypatch.context() as patched:
        patched.setattr(ANET, "save", full)
        with pytest.raises(OSError, match="No space left"):
            rl_system.train()
    rl_system.close()
    assert_same_run(make_run.resumed("run", *WORDS), whole)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are pipes")
@pytest.mark.parametrize(
    ("name", "make"),
    [
        *(("games.jsonl", "mkdir"), ("games.jsonl", "mkfifo"), ("metrics.jsonl", "mkdir")),
        *(("checkpoint_previous.pt", "mkdir"), ("params.yaml", "mkfifo")),
        *(("anet_00006.pt", "mkdir"), ("anet_00006.pt", "mkfifo")),
    ],
)
def test_a_path_that_is_not_a_file_is_set_aside_in_one_line(
    make_run: RunMaker, halfway: Path, whole: RLSystem, name: str, make: str
) -> None:
    path = halfway / name
    path.unlink(missing_ok=True)
    getattr(os, make)(path)
    resumed = make_run.resumed("run", *WORDS)
    aside = f"{path.stem}.damaged{path.suffix}"
    assert resumed.run.notes == [f"{path}: not a regular file; now {aside}, and written again"]
    assert (halfway / aside).exists()
    assert path.is_file()
    assert all((halfway / net).is_file() for net in nets_of(whole))


def test_an_update_that_the_end_of_a_run_cut_short_is_reverted_with_its_net(
    make_run: RunMaker,
) -> None:
    words = ("rl.episodes_per_update=4", "rl.cached_nets=2")
    for episodes, taken_back, nets in ((6, None, [0, 6]), (8, 6, [0, 8]), (12, None, [0, 8, 12])):
        rl_system = make_run("run", *words, f"rl.episodes={episodes}")
        if episodes > 6:
            rl_system.resume()
        assert rl_system.run.taken_back == taken_back
        rl_system.train()
        rl_system.close()
        assert sorted(nets_of(rl_system)) == [f"anet_{episode:05}.pt" for episode in nets]

"""Damage in a run directory is detected on --resume, and repaired where possible, else refused."""

import errno
import json
import math
import os
import re
import shutil
from collections.abc import Callable
from itertools import product
from pathlib import Path

import pytest
import torch

from anet import ANET
from base.storage import (
    Checkpoint,
    CheckpointError,
    LogError,
    load_checkpoint,
    read_jsonl,
    save_checkpoint,
)
from rl import RLSystem, RunError
from rl.self_play import SelfPlay
from tests.project import Patch
from tests.rl.conftest import RunMaker, assert_same_run, ctrl_c, logs_of, nets_of

WORDS = ("rl.episodes_per_update=2",)


@pytest.fixture(scope="module")
def interrupted(make_shared_run: RunMaker) -> Path:
    """Return a run that was interrupted amid the last of its three batches, to be copied."""
    rl_system = make_shared_run("run", *WORDS)
    with pytest.MonkeyPatch.context() as patch:
        # However slow the machine, no checkpoint is saved between the first and Ctrl-C.
        patch.setattr("rl.rl_system.CHECKPOINT_SECONDS", math.inf)
        with ctrl_c(SelfPlay, "begin", lambda self, numbers: 6 in numbers):
            rl_system.train()
    rl_system.close()
    assert (rl_system.episode, rl_system.waiting) == (4, 1)
    return rl_system.run.path


@pytest.fixture
def halfway(interrupted: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(interrupted, tmp_path / "run"))


@pytest.fixture(scope="module")
def whole(make_shared_run: RunMaker) -> RLSystem:
    rl_system = make_shared_run.trained("whole", *WORDS)
    rl_system.close()
    return rl_system


def damaged(path: Path, damage: str) -> Path:
    content = bytearray(path.read_bytes()) if path.exists() else bytearray()
    if damage == "one bit":
        content[len(content) // 2] ^= 4
    path.write_bytes(content[: {"cut": -10, "empty": 0}.get(damage)])
    if damage not in ("cut", "one bit", "empty"):
        path.unlink()
    if damage in ("mkdir", "mkfifo"):
        getattr(os, damage)(path)
    return path


def notes_on(make_run: RunMaker, name: str = "run", *words: str) -> list[str]:
    resumed = make_run(name, *WORDS, *words)
    resumed.resume()
    return resumed.run.notes


def test_an_undamaged_run_has_no_notes(make_run: RunMaker, halfway: Path, whole: RLSystem) -> None:
    resumed = make_run.resumed("run", *WORDS)
    assert resumed.run.notes == []
    assert_same_run(resumed, whole)


LOGS = ("metrics.jsonl", "games.jsonl")
DAMAGED = "damaged; now {}; begun again"
BACK = "[^\n]*; went back to checkpoint_previous.pt, after episode 0"
NO_FILE = "not a regular file; now {}, and written again"
DAMAGES = [
    *(("checkpoint.pt", damage, BACK) for damage in ("cut", "one bit", "empty", "missing")),
    *((log, damage, DAMAGED) for log in LOGS for damage in ("cut", "one bit")),
    *((log, damage, "missing or empty; begun again") for log in LOGS for damage in ("empty", "-")),
    ("anet_00000.pt", "one bit", "damaged, and now {}; saved again"),
    ("anet_00004.pt", "missing", "missing; saved again"),
    *((name, "mkdir", NO_FILE) for name in (*LOGS, "checkpoint_previous.pt", "anet_00006.pt")),
    *((name, "mkfifo", NO_FILE) for name in ("games.jsonl", "params.yaml", "anet_00006.pt")),
]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are pipes")
@pytest.mark.parametrize(("name", "damage", "note"), DAMAGES)
def test_damage_is_noted_in_a_line_and_repaired(
    make_run: RunMaker, halfway: Path, whole: RLSystem, name: str, damage: str, note: str
) -> None:
    path = damaged(halfway / name, damage)
    resumed = make_run.resumed("run", *WORDS)
    aside = path.with_name(f"{path.stem}.damaged{path.suffix}")
    (line,) = resumed.run.notes
    assert re.fullmatch(f"{re.escape(str(path))}: {note.format(aside.name)}", line)
    assert aside.exists() == (aside.name in line or (note == BACK and damage != "missing"))
    assert path.is_file()
    assert {net: (halfway / net).read_bytes() for net in nets_of(whole)} == nets_of(whole)
    if name in LOGS:
        assert {each["episode"] for each in read_jsonl(path)} <= {5, 6}
    else:
        assert logs_of(resumed) == logs_of(whole)
    assert notes_on(make_run) == []  # the next checkpoint refers to the new files


def test_a_damaged_checkpoint_never_replaces_a_whole_one(make_run: RunMaker, halfway: Path) -> None:
    (halfway / "checkpoint.pt").write_bytes(b"nonsense")
    for name in ("checkpoint.pt", "checkpoint_previous.pt"):
        notes_on(make_run)
        load_checkpoint(halfway / name, "training")
    (halfway / "checkpoint_previous.pt").write_bytes(b"nonsense")
    (halfway / "checkpoint.pt").write_bytes(b"nonsense, too")
    with pytest.raises(CheckpointError, match=r"checkpoint\.pt: not .*_previous\.pt: not a .*left"):
        make_run("run", *WORDS).resume()


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


def test_half_written_files_of_a_killed_run_are_removed(make_run: RunMaker, halfway: Path) -> None:
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


KEYS = ("params", "episode", "seconds", "metrics", "games", "finished")
# A log that is shorter than it should be is begun again with what can be read of it.
SERVE: list[tuple[str, object]] = [
    *(("seconds", -5), ("finished", [])),
    *(("metrics", 10**4000), ("games", 10**4000)),
]
VALUES: tuple[object, ...] = ([], "x", -5, 10**4000, None)
WRONG = [each for each in product(KEYS, VALUES) if each not in SERVE]


Edit = Callable[[Checkpoint], object]


@pytest.fixture
def refused(make_run: RunMaker, halfway: Path) -> Callable[[Edit], str]:
    """Return what edits a checkpoint, whose digest stays valid, and returns its refusal."""

    def refuse(edit: Edit) -> str:
        content = load_checkpoint(halfway / "checkpoint.pt", "training")
        edit(content)
        save_checkpoint(halfway / "checkpoint.pt", "training", content.meta, content.tensors)
        with pytest.raises((CheckpointError, LogError, RunError)) as caught:
            make_run("run", *WORDS).resume()
        message = str(caught.value)
        assert message.isprintable()
        assert len(message) < 500
        return message

    return refuse


@pytest.mark.parametrize("name", ["../stranger.pt", "/dev/zero", "checkpoint.pt"])
def test_a_checkpoint_that_names_files_which_are_no_nets_of_the_run_is_refused(
    refused: Callable[[Edit], str], halfway: Path, name: str
) -> None:
    stranger = halfway.parent / "stranger.pt"
    stranger.write_bytes(b"not ours to move")
    said = refused(lambda content: content.meta.update(nets={name: "0" * 64}))
    assert "expected the name of a net of this run" in said
    assert stranger.read_bytes() == b"not ours to move"


def removing(kept: str = "") -> Edit:
    return lambda content: [content.meta.pop(key) for key in content.meta.keys() - {kept}]


def changing(key: str, value: object) -> Edit:
    return lambda content: content.meta.update({key: value})


def playing(key: str, value: object) -> Edit:
    return lambda content: content.meta["finished"][0].update({key: value})


def computing(name: str, change: Callable[[torch.Tensor], torch.Tensor | None]) -> Edit:
    def edit(content: Checkpoint) -> None:
        if (changed := change(content.tensors.pop(name))) is not None:
            content.tensors[name] = changed

    return edit


ROW = torch.tensor([0])

TENSORS: dict[str, tuple[str, Callable[[torch.Tensor], torch.Tensor | None]]] = {
    "no states": ("buffer.states", lambda each: None),
    "an illegal move": ("episode.5.actions", torch.zeros_like),
    "half a game": ("episode.5.actions", lambda each: torch.zeros(1).long()),
    "moves that are no numbers": ("episode.5.actions", lambda each: torch.zeros(2, 2).long()),
    "no distributions": ("episode.5.distributions", lambda each: None),
    "short distributions": ("episode.5.distributions", lambda each: torch.zeros(1, 9)),
    "complex distributions": ("episode.5.distributions", lambda each: each.to(torch.complex64)),
    "no number of a value": ("episode.5.values", lambda each: each * torch.nan),
    "fewer moves explored": ("episode.5.explored", lambda each: each[:1]),
    "a state of no player": ("buffer.states", lambda each: each.index_fill(0, ROW, 0)),
    "a cell of no player": ("buffer.states", lambda each: each.index_fill(1, ROW + 1, 9)),
    "no number": ("buffer.values", lambda each: each * torch.nan),
    "no distribution": ("buffer.distributions", lambda each: each * torch.nan),
    "fewer values": ("buffer.values", lambda each: each[:1]),
    "states of numbers": ("buffer.states", torch.Tensor.float),
    "more cases than there were": ("buffer.added", torch.ones_like),
    "a complex number of cases": ("buffer.added", lambda each: each.to(torch.complex64)),
    "no cases": ("buffer.added", lambda each: each[:0]),
    "fewer weights": ("buffer.weights", lambda each: each[:1]),
}
EDITS = {
    **{f"{key} {n}": changing(key, value) for n, (key, value) in enumerate(WRONG)},
    **{"no episode": playing("number", "five"), "no winner": playing("winner", 3)},
    **{"no start": playing("first_searched", 99), "a word": playing("first_searched", "x")},
    **{"no player": playing("starting_player", 0)},
    **{what: computing(*how) for what, how in TENSORS.items()},
}


@pytest.mark.parametrize("what", EDITS)
def test_a_content_that_is_no_run_is_refused(refused: Callable[[Edit], str], what: str) -> None:
    refused(EDITS[what])


def test_a_finished_episode_of_an_earlier_version_is_played_again(
    make_run: RunMaker, whole: RLSystem, halfway: Path
) -> None:
    content = load_checkpoint(halfway / "checkpoint.pt", "training")
    del content.tensors["episode.5.surprises"]
    save_checkpoint(halfway / "checkpoint.pt", "training", content.meta, content.tensors)
    resumed = make_run("run", *WORDS)
    resumed.resume()
    assert (resumed.episode, resumed.waiting) == (4, 0)
    resumed.train()
    assert_same_run(resumed, whole)


@pytest.mark.parametrize("kept", ["", "episode"])
def test_a_missing_part_is_refused(refused: Callable[[Edit], str], kept: str) -> None:
    assert re.search(r"expected a run's '[a-z]+', got nothing", refused(removing(kept)))


def test_an_update_that_meets_a_full_disk_is_repeated(
    make_run: RunMaker, whole: RLSystem, monkeypatch: Patch
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


def test_an_update_that_the_end_of_a_run_cuts_is_undone_with_its_net(make_run: RunMaker) -> None:
    words = ("rl.episodes_per_update=4", "rl.cached_nets=2")
    for episodes, taken_back, nets in ((6, None, [0, 6]), (8, 6, [0, 8]), (12, None, [0, 8, 12])):
        rl_system = make_run("run", *words, f"rl.episodes={episodes}")
        if episodes > 6:
            rl_system.resume()
        assert rl_system.run.taken_back == taken_back
        rl_system.train()
        rl_system.close()
        assert sorted(nets_of(rl_system)) == [f"anet_{episode:05}.pt" for episode in nets]

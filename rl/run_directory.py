"""A run on disk: parameters, cached nets, metrics, games, and the checkpoint, which decides.

On ``--resume``, a file that differs from the newest undamaged checkpoint is renamed and, if
possible, made again; ``RunDirectory.notes`` has a line for each.
"""

from __future__ import annotations

import hashlib
import operator
import re
from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from base.params import Params, dump_params
from base.storage import (
    AppendLog,
    Checkpoint,
    CheckpointError,
    excerpt,
    load_checkpoint,
    locked,
    remove_leftovers,
    save_checkpoint,
    set_aside,
    write_text,
)

if TYPE_CHECKING:
    from anet import ANET

CHECKPOINT_KIND = "training"
CHECKPOINTS = ("checkpoint.pt", "checkpoint_previous.pt")
"""The newest one, and the one before it, in case the newest is damaged."""
NET_NAME = r"anet_(\d{5,})\.pt"
"""File name of a cached net, with the number of its training episodes."""
LOCK = ".lock"
_LEFTOVERS = r"checkpoint|metrics|openings|params|training|anet_\d+"
"""Files that a killed process may have left half-written; the lock keeps other processes out."""


class RunError(ValueError):
    """A run directory cannot be used for this purpose; the message is one line."""


class RunDirectory:
    """The files of one run, locked against other processes until closed."""

    def __init__(self, path: Path) -> None:
        """Open or make a folder; a ``LockedError`` if another process uses it."""
        path.mkdir(parents=True, exist_ok=True)
        self.path = path
        self.params_path = path / "params.yaml"
        self.metrics_path = path / "metrics.jsonl"
        self.games_path = path / "games.jsonl"
        self.checkpoint_path = path / CHECKPOINTS[0]
        self.notes: list[str] = []  # one line for each damaged file and its repair
        # The episode in mid-batch after which the run had ended, if it goes on before.
        self.taken_back: int | None = None
        self._net_digests: dict[str, str] = {}
        self._open = ExitStack()
        self._open.enter_context(locked(path / LOCK))
        remove_leftovers(path, _LEFTOVERS)

    @cached_property
    def metrics(self) -> AppendLog:
        """One line for each update."""
        return self._open.enter_context(AppendLog(self.metrics_path))

    @cached_property
    def games(self) -> AppendLog:
        """One line for each episode."""
        return self._open.enter_context(AppendLog(self.games_path))

    def net_path(self, episode: int) -> Path:
        """Return the file of the net that has learned from this many episodes."""
        return self.path / f"anet_{episode:05d}.pt"

    def write_params(self, params: Params) -> None:
        """Write the resolved parameters."""
        write_text(self.params_path, dump_params(params))

    def note_net(self, path: Path) -> None:
        """Store the digest of a cached net's file for the next checkpoints."""
        self._net_digests[path.name] = file_digest(path)

    def save_checkpoint(self, meta: Mapping[str, Any], tensors: Mapping[str, Any]) -> None:
        """Write the checkpoint with lengths and digests of the other files; keep the old one."""
        files: dict[str, Any] = {"nets": self._net_digests}
        for name, log in (("metrics", self.metrics), ("games", self.games)):
            log.sync()
            files |= {name: log.length, f"{name}_sha256": log.digest()}
        save_checkpoint(
            self.checkpoint_path,
            CHECKPOINT_KIND,
            {**meta, **files},
            tensors,
            previous=self.path / CHECKPOINTS[1],
        )

    def close(self) -> None:
        """Close the files and release the lock."""
        self._open.close()


def holds_run(path: Path) -> bool:
    """Return whether a folder has a checkpoint, damaged or not."""
    return any((path / name).exists() for name in CHECKPOINTS)


def file_digest(path: Path) -> str:
    """Return the SHA-256 of a file in hex digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def nets_of(path: Path) -> list[tuple[int, Path]]:
    """Return episodes and path of each file named like a cached net, ascending."""
    names = {file: re.fullmatch(NET_NAME, file.name) for file in path.iterdir()}
    return sorted((int(match[1]), file) for file, match in names.items() if match)


def cached_nets(path: Path) -> list[Path]:
    """Return the nets of a run directory, in order of training; a ``RunError`` if it has none."""
    if not path.is_dir():
        raise RunError(f"{path}: no such run directory")
    nets = nets_of(path)
    if not nets:
        raise RunError(f"{path}: expected nets such as anet_00000.pt, there are none")
    return [file for _, file in nets]


def newest_checkpoint(run: Path) -> tuple[Checkpoint, str | None]:
    """Read the newest undamaged checkpoint, with one line about the damage of a newer one."""
    if not holds_run(run):
        missing = f"there is no {CHECKPOINTS[0]}; begin it without --resume"
        raise RunError(f"{run}: expected a run to resume, {missing}")
    problems: list[str] = []
    for name in CHECKPOINTS:
        try:
            checkpoint = load_checkpoint(run / name, CHECKPOINT_KIND)
            return checkpoint, problems[0] if problems else None
        except CheckpointError as error:
            problems.append(str(error))
    raise CheckpointError(
        f"{'; '.join(problems)}; no checkpoint is left to resume from: the nets in the folder can "
        "still play, and a new run needs another --run DIR"
    )


def repair(
    run: RunDirectory, checkpoint: Checkpoint, problem: str | None, nets: Iterable[ANET]
) -> None:
    """Repair the files of a run to match its newest undamaged checkpoint, or set them aside.

    ``problem`` is the damage of a newer checkpoint; ``nets`` can be saved again.
    """
    episode = int(checkpoint.meta["episode"])
    lengths = [operator.index(checkpoint.meta[name]) for name in ("metrics", "games")]
    if min(lengths) < 0:
        raise ValueError(f"expected lengths of logs, got {excerpt(lengths)}")
    digests = dict(checkpoint.meta["nets"])
    saved = checkpoint.meta["params"]["rl"]
    end, is_timed = saved["episodes"], saved["minutes"] is not None
    cut_short = not is_timed and problem is None and end % saved["episodes_per_update"] != 0
    for name in digests:
        if not re.fullmatch(NET_NAME, name):  # else it could name a file in any folder
            raise ValueError(f"expected the name of a net of this run, got {excerpt(name)}")
    set_aside_before = _set_no_files_aside(run, episode)
    for number, net in nets_of(run.path):
        if number <= episode:
            continue
        net.unlink()  # from an update that is repeated, or that a longer run does not make
        if cut_short and number == end:
            run.taken_back = end
    if problem is not None:
        run.notes.append(f"{problem}; went back to {CHECKPOINTS[1]}, after episode {episode}")
        if run.checkpoint_path.exists():
            set_aside(run.checkpoint_path)
    for name, length in zip(("metrics", "games"), lengths, strict=True):
        log: AppendLog = getattr(run, name)
        if log.begins_with(length, checkpoint.meta[f"{name}_sha256"]):
            log.truncate(length)
        elif log.path not in set_aside_before:
            what = "missing or empty"
            if log.length:
                log.close()  # Windows cannot rename an open file
                delattr(run, name)  # it is opened anew
                what = f"damaged; now {set_aside(log.path).name}"
            run.notes.append(f"{log.path}: {what}; begun again")
    _repair_nets(run, digests, nets)


def _set_no_files_aside(run: RunDirectory, episode: int) -> set[Path]:
    """Rename folders, pipes and devices with the names of files to be written."""
    logs = (run.metrics_path, run.games_path)
    nets = (net for number, net in nets_of(run.path) if number > episode)
    others = (run.path / CHECKPOINTS[1], run.params_path, *nets)
    aside = {path for path in (*logs, *others) if path.exists() and not path.is_file()}
    for path in sorted(aside):
        run.notes.append(
            f"{path}: not a regular file; now {set_aside(path).name}, and written again"
        )
    return aside


def _repair_nets(run: RunDirectory, digests: Mapping[str, str], nets: Iterable[ANET]) -> None:
    again = {run.net_path(net.episode).name: net for net in nets}
    for name, digest in digests.items():
        path, what = run.path / name, "missing"
        if path.is_file() and file_digest(path) == digest:
            run.note_net(path)
            continue
        if path.exists():
            what = f"damaged, and now {set_aside(path).name}"
        then = "no checkpoint holds this net, so the run goes on without it"
        if name in again:
            again[name].save(path)
            run.note_net(path)
            then = "saved again"
        run.notes.append(f"{path}: {what}; {then}")

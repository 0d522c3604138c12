"""A run on disk: parameters, cached nets, metrics, games, and the checkpoint, which decides."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from functools import cached_property
from pathlib import Path
from typing import Any

from base.params import Params, dump_params
from base.storage import AppendLog, locked, remove_leftovers, save_checkpoint, write_text

CHECKPOINT_KIND = "training"
CHECKPOINTS = ("checkpoint.pt", "checkpoint_previous.pt")
"""The newest one, and the one before it, in case the newest is damaged."""
NET_NAME = r"anet_(\d{5,})\.pt"
"""Of a cached net, with how many episodes it has learned from."""
LOCK = ".lock"
_LEFTOVERS = r"checkpoint|metrics|openings|params|training|anet_\d+"
"""What a killed process may have been writing; no other process writes them: there is a lock."""


class RunError(ValueError):
    """A run directory that cannot be used as asked; one clear line."""


class RunDirectory:
    """The files of one run, which no other process trains in until this is closed.

    Attributes:
        path: The folder; the files have paths of their own.
        notes: What was found damaged and what was done about it, a line for each file.
        taken_back: The episode after which the run had ended in mid-batch, if it goes on from
            before that update.
    """

    def __init__(self, path: Path) -> None:
        """Use a folder, made if need be.

        Raises:
            LockedError: If another process uses it.
        """
        path.mkdir(parents=True, exist_ok=True)
        self.path = path
        self.params_path = path / "params.yaml"
        self.metrics_path = path / "metrics.jsonl"
        self.games_path = path / "games.jsonl"
        self.checkpoint_path = path / CHECKPOINTS[0]
        self.notes: list[str] = []
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
        """Remember what a cached net's file holds, for the checkpoints to come."""
        self._net_digests[path.name] = file_digest(path)

    def save_checkpoint(self, meta: Mapping[str, Any], tensors: Mapping[str, Any]) -> None:
        """Write the checkpoint, with what the other files hold now; keep the one before it."""
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

    def begin_again(self, log: AppendLog, records: Iterable[Mapping[str, Any]]) -> None:
        """Put a new log, which holds some records, in the place of ``metrics`` or ``games``."""
        log.close()
        new = self._open.enter_context(AppendLog(log.path))
        for record in records:
            new.append(record)
        setattr(self, "metrics" if log is self.metrics else "games", new)

    def close(self) -> None:
        """Close the files, and let others use the folder."""
        self._open.close()


def holds_run(path: Path) -> bool:
    """Return whether there is a run in a folder, whole or not."""
    return any((path / name).exists() for name in CHECKPOINTS)


def file_digest(path: Path) -> str:
    """Return SHA-256 of a file in hex digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def nets_of(path: Path) -> list[tuple[int, Path]]:
    """Return what looks like a cached net in a folder, after its episodes, ascending."""
    names = {file: re.fullmatch(NET_NAME, file.name) for file in path.iterdir()}
    return sorted((int(match[1]), file) for file, match in names.items() if match)


def cached_nets(path: Path) -> list[Path]:
    """Return the nets of a run directory, in order of training.

    Raises:
        RunError: If there is no such folder, or no nets are in it.
    """
    if not path.is_dir():
        raise RunError(f"{path}: no such run directory")
    nets = nets_of(path)
    if not nets:
        raise RunError(f"{path}: expected nets such as anet_00000.pt, there are none")
    return [file for _, file in nets]

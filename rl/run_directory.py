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
"""File name of a cached net, with the number of its training episodes."""
LOCK = ".lock"
_LEFTOVERS = r"checkpoint|metrics|openings|params|training|anet_\d+"
"""Files that a killed process may have left half-written; the lock keeps other processes out."""


class RunError(ValueError):
    """A run directory cannot be used for this purpose; the message is one line."""


class RunDirectory:
    """The files of one run, locked against other processes until closed.

    Attributes:
        path: The folder.
        notes: One line for each damaged file and its repair.
        taken_back: The episode in mid-batch after which the run had ended, if it goes on before.
    """

    def __init__(self, path: Path) -> None:
        """Open a folder; make it if needed.

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

    def begin_again(self, log: AppendLog, records: Iterable[Mapping[str, Any]]) -> None:
        """Replace ``metrics`` or ``games`` by a new log with these records."""
        log.close()
        new = self._open.enter_context(AppendLog(log.path))
        for record in records:
            new.append(record)
        setattr(self, "metrics" if log is self.metrics else "games", new)

    def close(self) -> None:
        """Close the files and release the lock."""
        self._open.close()


def with_prefix(items: Mapping[str, Any], prefix: str) -> dict[str, Any]:
    """Return the items whose names begin with a prefix, by the rest of the name."""
    return {n.removeprefix(prefix): item for n, item in items.items() if n.startswith(prefix)}


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

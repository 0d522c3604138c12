"""A run on disk: parameters, cached nets, metrics, games, and the checkpoint that is the truth."""

from __future__ import annotations

import operator
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from anet.files import naming
from params import Params, dump_params
from storage import AppendLog, Checkpoint, load_checkpoint, save_checkpoint, write_text

CHECKPOINT_KIND = "training"


class RunError(ValueError):
    """A run directory that cannot be used as asked; one clear line."""


class RunDirectory:
    """The files of one run.

    Attributes:
        path: The folder.
        metrics: One line for each update.
        games: One line for each episode.
    """

    def __init__(self, path: Path) -> None:
        """Use a folder, made if need be."""
        path.mkdir(parents=True, exist_ok=True)
        self.path = path
        self.metrics = AppendLog(self.metrics_path)
        self.games = AppendLog(path / "games.jsonl")

    @property
    def params_path(self) -> Path:
        """The resolved parameters."""
        return self.path / "params.yaml"

    @property
    def metrics_path(self) -> Path:
        """One line for each update."""
        return self.path / "metrics.jsonl"

    @property
    def checkpoint_path(self) -> Path:
        """Everything that is needed to go on."""
        return self.path / "checkpoint.pt"

    def net_path(self, episode: int) -> Path:
        """Return where the net after so many episodes is cached."""
        return self.path / f"anet_{episode:05d}.pt"

    def write_params(self, params: Params) -> None:
        """Write the resolved parameters."""
        write_text(self.params_path, dump_params(params))

    def save_checkpoint(self, meta: Mapping[str, Any], tensors: Mapping[str, Any]) -> None:
        """Write the checkpoint, with the lengths of the append-only files as they are now."""
        self.metrics.sync()
        self.games.sync()
        lengths = {"metrics": self.metrics.length, "games": self.games.length}
        save_checkpoint(self.checkpoint_path, CHECKPOINT_KIND, {**meta, **lengths}, tensors)

    def load_checkpoint(self) -> Checkpoint:
        """Read the checkpoint, and cut the append-only files to the lengths that it states.

        Raises:
            RunError: If there is none.
            CheckpointError: If it is damaged.
        """
        if not self.checkpoint_path.exists():
            raise RunError(f"{self.path}: expected a run to resume, there is no checkpoint.pt")
        checkpoint = load_checkpoint(self.checkpoint_path, CHECKPOINT_KIND)
        with naming(self.checkpoint_path, "a run"):
            lengths = [operator.index(checkpoint.meta[name]) for name in ("metrics", "games")]
        for log, length in zip((self.metrics, self.games), lengths, strict=True):
            log.truncate(length)
        return checkpoint

    def close(self) -> None:
        """Close the append-only files."""
        self.metrics.close()
        self.games.close()


def cached_nets(path: Path) -> list[Path]:
    """Return the nets of a run directory, in order of training.

    Raises:
        RunError: If there is no such folder, or no nets are in it.
    """
    if not path.is_dir():
        raise RunError(f"{path}: no such run directory")
    nets = [file for file in path.iterdir() if re.fullmatch(r"anet_\d{5,}\.pt", file.name)]
    if not nets:
        raise RunError(f"{path}: expected nets such as anet_00000.pt, there are none")
    return sorted(nets, key=lambda file: int(file.stem.removeprefix("anet_")))

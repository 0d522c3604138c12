"""The curves of a training run, shared by all displays, and for TensorBoard."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from base.storage import flattened
from display.boards.palette import BLUE, OCHRE, RED

_LOSS = {"loss": ("loss", RED), "entropy": ("entropy of the targets: no loss is lower", BLUE)}
_REGRET = {"regret": ("won positions thrown away", RED)}
_OPENINGS = {"openings_wrong": ("first moves misjudged", BLUE)}
PANELS: tuple[tuple[str, dict[str, tuple[str, str]]], ...] = (
    ("cross-entropy (nats)", _LOSS),
    ("loss of the critic", {"value_loss": ("value loss", OCHRE)}),
    ("agreement with the search", {"accuracy": ("same best move as the search", BLUE)}),
    ("wins against the old net", {"win_fraction": ("share of the new net", OCHRE)}),
    ("mistakes of cached nets", _REGRET | _OPENINGS),
)
"""The panels: for each key of a record, the name and the colour of its curve."""

Records = Sequence[Mapping[str, Any]]


def smoothed(values: NDArray[np.float64], window: int) -> NDArray[np.float64]:
    """Return the mean of each value and its neighbours, ``window`` of them, fewer at both ends."""
    sums, counts = (np.convolve(each, np.ones(window), "same") for each in (values, values**0))
    return sums / counts


def points_of(records: Records, key: str) -> tuple[list[float], list[float]]:
    """Return the episodes with a value for the key, and the values."""
    known = [each for each in records if each.get(key) is not None]
    return [each["episode"] for each in known], [each[key] for each in known]


@contextmanager
def tensorboard(folder: Path, earlier: Records) -> Iterator[Callable[[Mapping[str, Any]], None]]:
    """Yield a function for the records of updates; each number is a curve over the episodes.

    The records of the run so far replace those in the folder: an interrupted run may have written
    more than it kept. Raises a ``ModuleNotFoundError`` without the package tensorboardX.
    """
    from tensorboardX import SummaryWriter

    for file in folder.glob("events.out.tfevents.*"):
        file.unlink()
    with SummaryWriter(str(folder)) as writer:

        def add(record: Mapping[str, Any]) -> None:
            for name, value in flattened(record):
                if isinstance(value, bool | int | float) and name != "episode":
                    writer.add_scalar(name, value, record["episode"])

        for record in earlier:
            add(record)
        yield add

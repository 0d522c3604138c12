"""Learning curves for TensorBoard, beside those that are drawn."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from base.storage import flattened


@contextmanager
def tensorboard(
    folder: Path, earlier: Sequence[Mapping[str, Any]]
) -> Iterator[Callable[[Mapping[str, Any]], None]]:
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

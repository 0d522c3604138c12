"""A checkpoint with a valid digest and a wrong content is refused in one line."""

import shutil
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import pytest
import torch

from base.storage import Checkpoint, CheckpointError, LogError, load_checkpoint, save_checkpoint
from rl import RunError
from rl.self_play import SelfPlay
from tests.rl.conftest import RunMaker, ctrl_c

WORDS = ("rl.episodes_per_update=3",)

KEYS = ("params", "episode", "seconds", "metrics", "games", "finished")
# A log that is shorter than it should be is begun again with what can be read of it.
SERVE: list[tuple[str, object]] = [
    *(("seconds", -5), ("finished", [])),
    *(("metrics", 10**4000), ("games", 10**4000)),
]
VALUES: tuple[object, ...] = ([], "x", -5, 10**4000, None)
WRONG = [each for each in product(KEYS, VALUES) if each not in SERVE]


@pytest.fixture(scope="module")
def interrupted_run(make_shared_run: RunMaker) -> Path:
    """Return a run that was interrupted amid its second batch, to be copied."""
    rl_system = make_shared_run("run", *WORDS)
    with ctrl_c(SelfPlay, "begin", lambda self, numbers: 6 in numbers):
        rl_system.train()
    assert rl_system.waiting == 2
    rl_system.close()
    return rl_system.run.path


@pytest.fixture
def checkpoint(interrupted_run: Path, tmp_path: Path) -> Path:
    """Return the checkpoint of a copy of the run."""
    return Path(shutil.copytree(interrupted_run, tmp_path / "run")) / "checkpoint.pt"


def refuse(make_run: RunMaker, path: Path, edit: Callable[[Checkpoint], object]) -> None:
    """Edit a checkpoint, and check that its run is refused in a line."""
    content = load_checkpoint(path, "training")
    edit(content)
    save_checkpoint(path, "training", content.meta, content.tensors)
    rl_system = make_run("run", *WORDS)
    with pytest.raises((CheckpointError, LogError, RunError)) as caught:
        rl_system.resume()
    message = str(caught.value)
    assert message.isprintable()
    assert len(message) < 500


@pytest.mark.parametrize("meta", [{}, {"episode": 0}])
def test_a_content_with_a_missing_part_is_refused(
    make_run: RunMaker, checkpoint: Path, meta: dict[str, Any]
) -> None:
    save_checkpoint(checkpoint, "training", meta, {})
    with pytest.raises(CheckpointError, match=r"expected a run's '[a-z]+', got nothing"):
        make_run("run", *WORDS).resume()


@pytest.mark.parametrize(("key", "value"), WRONG, ids=range(len(WRONG)))
def test_a_part_of_a_wrong_type_is_refused(
    make_run: RunMaker, checkpoint: Path, key: str, value: object
) -> None:
    refuse(make_run, checkpoint, lambda content: content.meta.update({key: value}))


@pytest.mark.parametrize(
    "change",
    [
        {"number": "five"},
        {"winner": 3},
        {"first_searched": 99},
        {"first_searched": "x"},
        {"starting_player": 0},
    ],
    ids=repr,
)
def test_a_waiting_episode_that_was_not_played_is_refused(
    make_run: RunMaker, checkpoint: Path, change: dict[str, Any]
) -> None:
    refuse(make_run, checkpoint, lambda content: content.meta["finished"][0].update(change))


Edit = Callable[[torch.Tensor], torch.Tensor | None]
ROW = torch.tensor([0])

TENSORS: dict[str, tuple[str, Edit]] = {
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


@pytest.mark.parametrize(("name", "edit"), TENSORS.values(), ids=TENSORS)
def test_numbers_that_do_not_fit_are_refused(
    make_run: RunMaker, checkpoint: Path, name: str, edit: Edit
) -> None:
    def change(content: Checkpoint) -> None:
        if (changed := edit(content.tensors.pop(name))) is not None:
            content.tensors[name] = changed

    refuse(make_run, checkpoint, change)

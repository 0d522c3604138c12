"""A checkpoint with a valid digest and a wrong content is refused in one line."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
import torch

from base.storage import Checkpoint, CheckpointError, LogError, load_checkpoint, save_checkpoint
from rl import RunError
from rl.self_play import SelfPlay
from tests.rl.conftest import RunMaker

WORDS = ("rl.episodes_per_update=3",)

KEYS = ("params", "episode", "seconds", "metrics", "games", "finished")
VALUES: tuple[object, ...] = ([], {}, "x", -5, 1.5, 10**4000, None)
SERVE: list[tuple[str, object]] = [
    ("seconds", -5),
    ("seconds", 1.5),
    ("finished", []),
    ("finished", {}),
    # A log that is shorter than it should be is begun again with what can be read of it.
    ("metrics", 10**4000),
    ("games", 10**4000),
]
WRONG = [(key, value) for key in KEYS for value in VALUES if (key, value) not in SERVE]


@pytest.fixture(scope="module")
def interrupted_run(make_shared_run: RunMaker) -> Path:
    """Return a run that was interrupted amid its second batch, to be copied."""

    begin = SelfPlay.begin

    def interrupted(self: SelfPlay, numbers: Sequence[int]) -> object:
        if 6 in numbers:
            raise KeyboardInterrupt
        return begin(self, numbers)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(SelfPlay, "begin", interrupted)
        rl_system = make_shared_run("run", *WORDS)
        with pytest.raises(KeyboardInterrupt):
            rl_system.train()
    assert rl_system.waiting == 2
    rl_system.close()
    return rl_system.run.path


@pytest.fixture
def checkpoint(interrupted_run: Path, tmp_path: Path) -> Path:
    """Return the checkpoint of a copy of the run."""
    return Path(shutil.copytree(interrupted_run, tmp_path / "run")) / "checkpoint.pt"


def refusal(make_run: RunMaker, path: Path, edit: Callable[[Checkpoint], object]) -> str:
    """Return the line that refuses a run after an edit of its checkpoint."""
    content = load_checkpoint(path, "training")
    edit(content)
    save_checkpoint(path, "training", content.meta, content.tensors)
    rl_system = make_run("run", *WORDS)
    with pytest.raises((CheckpointError, LogError, RunError)) as caught:
        rl_system.resume()
    message = str(caught.value)
    assert message.isprintable()
    assert len(message) < 500
    return message


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
    refusal(make_run, checkpoint, lambda content: content.meta.update({key: value}))


EPISODE: dict[str, dict[str, Any]] = {
    "no number": {"number": "five"},
    "another winner": {"winner": 3},
    "plies that were not played": {"first_searched": 99},
    "a ply that is no number": {"first_searched": "x"},
    "no starting player": {"starting_player": 0},
}


@pytest.mark.parametrize("change", EPISODE.values(), ids=EPISODE)
def test_a_waiting_episode_that_was_not_played_is_refused(
    make_run: RunMaker, checkpoint: Path, change: dict[str, Any]
) -> None:
    refusal(make_run, checkpoint, lambda content: content.meta["finished"][0].update(change))


TENSORS: dict[str, Callable[[dict[str, torch.Tensor]], object]] = {
    "no states": lambda tensors: tensors.pop("buffer.states"),
    "an illegal move": lambda tensors: tensors["episode.5.actions"].fill_(0),
    "half a game": lambda tensors: tensors.update({"episode.5.actions": torch.zeros(1).long()}),
    "moves that are no numbers": lambda tensors: tensors.update(
        {"episode.5.actions": torch.zeros(2, 2).long()}
    ),
    "no distributions": lambda tensors: tensors.pop("episode.5.distributions"),
    "short distributions": lambda tensors: tensors.update(
        {"episode.5.distributions": torch.zeros(1, 9)}
    ),
    "no number of a value": lambda tensors: tensors["episode.5.values"].fill_(torch.nan),
    "fewer moves explored": lambda tensors: tensors.update(
        {"episode.5.explored": torch.zeros(1).bool()}
    ),
    "a state of no player": lambda tensors: tensors["buffer.states"][0].fill_(0),
    "a cell of no player": lambda tensors: tensors["buffer.states"][0, 1:].fill_(9),
    "no number": lambda tensors: tensors["buffer.values"].fill_(torch.nan),
    "no distribution": lambda tensors: tensors["buffer.distributions"].fill_(torch.nan),
    "fewer values": lambda tensors: tensors.update({"buffer.values": torch.zeros(1)}),
    "states of numbers": lambda tensors: tensors.update(
        {"buffer.states": tensors["buffer.states"].float()}
    ),
    "more cases than there were": lambda tensors: tensors["buffer.added"].fill_(1),
    "a complex number of cases": lambda tensors: tensors.update(
        {"buffer.added": tensors["buffer.added"].to(torch.complex64)}
    ),
    "complex distributions": lambda tensors: tensors.update(
        {"episode.5.distributions": tensors["episode.5.distributions"].to(torch.complex64)}
    ),
    "no cases": lambda tensors: tensors.update({"buffer.added": torch.zeros(0)}),
    "fewer weights": lambda tensors: tensors.update({"buffer.weights": torch.ones(1)}),
}


@pytest.mark.parametrize("edit", TENSORS.values(), ids=TENSORS)
def test_numbers_that_do_not_fit_are_refused(
    make_run: RunMaker, checkpoint: Path, edit: Callable[[dict[str, torch.Tensor]], object]
) -> None:
    refusal(make_run, checkpoint, lambda content: edit(content.tensors))

"""A run that is extended, or killed at any moment, equals the undisturbed run."""

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from base.storage import load_checkpoint
from rl import RLSystem, RunDirectory
from tests.rl.conftest import ALPHAZERO, RunMaker, logs_of, nets_of

BATCHED = ("anet.network=residual", "anet.channels=4", "anet.blocks=1", "rl.episodes_per_update=4")
MIXED = ("rl.scheme=expert_iteration", "anet.critic=true", "rl.sigma=0.5")
GATED = (*ALPHAZERO, "rl.gating_games=2")
SCHEMES = {
    "on policy": ("rl.episodes_per_update=4",),
    "on policy, two workers": ("rl.episodes_per_update=4", "rl.workers=2"),
    "expert iteration": ("rl.scheme=expert_iteration", "rl.episodes_per_update=4"),
    "alphazero": (*GATED, "rl.episodes_per_update=4"),
    "expert iteration in batches": (*MIXED, *BATCHED),
    "alphazero in batches": (*GATED, *BATCHED),
}


def extended(make_run: RunMaker, name: str, lengths: list[int], *words: str) -> RLSystem:
    """Train a run to some length, and then to others."""
    for number, episodes in enumerate(lengths):
        rl_system = make_run(name, *words, f"rl.episodes={episodes}")
        if number:
            rl_system.resume()
        rl_system.train()
        assert rl_system.episode == episodes
    return rl_system


@pytest.mark.parametrize("words", SCHEMES.values(), ids=SCHEMES)
def test_an_extended_run_equals_the_longer_run(make_run: RunMaker, words: tuple[str, ...]) -> None:
    whole = extended(make_run, "whole", [10], *words)
    longer = extended(make_run, "longer", [5, 6, 10], *words)
    nets = nets_of(longer)
    assert nets_of(whole).items() <= nets.items()
    assert nets.keys() == {f"anet_{n:05d}.pt" for n in (0, 4, 8, 10)}
    assert logs_of(longer) == logs_of(whole)


def test_the_number_of_cached_nets_changes_none_of_them(make_run: RunMaker) -> None:
    few = extended(make_run, "few", [6], "rl.cached_nets=2", "topp.games=2")
    many = extended(make_run, "many", [6], "rl.cached_nets=7")
    assert nets_of(few).items() <= nets_of(many).items()


@pytest.mark.parametrize(
    ("words", "left"), [((), (6, 0)), (SCHEMES["alphazero"], (4, 2))], ids=["", "within a batch"]
)
def test_resuming_a_run_that_ended_changes_nothing(
    make_run: RunMaker, words: tuple[str, ...], left: tuple[int, int]
) -> None:
    run = make_run.trained("run", *words, "rl.episodes=6")
    before = nets_of(run), logs_of(run)
    again = make_run("run", *words, "rl.episodes=6")
    again.resume()
    assert (again.episode, again.waiting) == left
    again.train()
    assert (nets_of(again), logs_of(again)) == before


@pytest.mark.parametrize("words", SCHEMES.values(), ids=SCHEMES)
def test_a_run_that_is_killed_at_any_moment_continues_unchanged(
    make_run: RunMaker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    """A killed process leaves the files of the moment: here they are copied at each checkpoint."""
    monkeypatch.setattr("rl.rl_system.CHECKPOINT_SECONDS", 0.0)
    monkeypatch.setattr("agents.match.series.TICK_SECONDS", 0.001)
    save = RunDirectory.save_checkpoint
    copies: list[Path] = []

    def save_and_copy(self: RunDirectory, meta: Mapping[str, Any], tensors: Any) -> None:
        save(self, meta, tensors)
        if self.path.name == "whole":
            copies.append(tmp_path / f"{len(copies)}")
            shutil.copytree(self.path, copies[-1])

    monkeypatch.setattr(RunDirectory, "save_checkpoint", save_and_copy)
    whole = make_run.trained("whole", *words, "rl.episodes=6")
    waiting = [
        len(load_checkpoint(copy / "checkpoint.pt", "training").meta["finished"]) for copy in copies
    ]
    assert 4 in waiting  # before the net learns from a round
    if words == SCHEMES["alphazero in batches"]:
        assert 0 < waiting[waiting.index(4) - 1] < 4  # and in the middle of it
    for moment in {n: number for number, n in enumerate(waiting)}.values():
        resumed = make_run(str(moment), *words, "rl.episodes=6")
        resumed.resume()
        assert resumed.waiting == waiting[moment]
        resumed.train()
        assert nets_of(resumed) == nets_of(whole)
        assert logs_of(resumed) == logs_of(whole)

"""Observers of training receive the thoughts of searches, however the games are played."""

from __future__ import annotations

import numpy as np
import pytest

from agents.match import Observer
from mcts import Thought
from state_manager import State
from tests.rl.conftest import EXPERT, IN_SLOTS, RunMaker


class Listener(Observer):
    """Records the thoughts of moves."""

    def __init__(self) -> None:
        self.received: list[tuple[int, Thought | None]] = []

    def on_move(self, state: State, action: int, thought: Thought | None) -> None:
        self.received.append((action, thought))


@pytest.mark.parametrize(
    ("words", "every_move"),
    [
        ((), True),
        (("rl.workers=2", "rl.episodes_per_update=2"), True),
        (("rl.scheme=expert_iteration",), False),
        (IN_SLOTS, True),
        ((*IN_SLOTS, "rl.episodes_per_update=1"), True),
        (EXPERT, False),
    ],
    ids=["one", "side by side", "apprentices", "slots", "a slot", "apprentices in lockstep"],
)
def test_moves_that_were_searched_for_come_with_d_and_value(
    words: tuple[str, ...], every_move: bool, make_run: RunMaker
) -> None:
    listener, rl_system = Listener(), make_run("run", *words)
    rl_system.train([listener])
    thoughts = [(action, thought) for action, thought in listener.received if thought is not None]
    assert len(thoughts) == (len(listener.received) if every_move else 6)
    for _, thought in thoughts:
        assert thought.distribution.sum() == pytest.approx(1)
        assert thought.value is not None
        assert -1 <= thought.value <= 1
    assert len({thought.value for _, thought in thoughts}) > 1


def test_games_played_side_by_side_have_the_thoughts_of_single_games(make_run: RunMaker) -> None:
    received = []
    for name, workers in (("one", 1), ("two", 2)):
        listener = Listener()
        words = ("rl.episodes_per_update=2", f"rl.workers={workers}")
        make_run(name, *words).train([listener])
        received.append(listener.received)
    for (action, one), (same, other) in zip(*received, strict=True):
        assert one is not None
        assert other is not None
        assert (action, one.value) == (same, other.value)
        assert np.array_equal(one.distribution, other.distribution)

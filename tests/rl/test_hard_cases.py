"""Hard cases: a share of each minibatch, the last rounds, their undoing and their restoring."""

from typing import Any

import numpy as np
import pytest
import torch

from base.params import RLParams
from rl.hard_cases import HardCases, Round
from rl.replay_buffer import ReplayBuffer
from state_manager import make_game
from tests.rl.test_replay_buffer import some_cases

GAME = make_game("hex", size=3)
RL = RLParams(exploiter=(0.5, 1.0), exploiter_cases=10, exploiter_share=0.25, exploiter_newest=0.5)


def found(cases: int, value: float, refuted: int = 3) -> Round:
    some = some_cases(GAME, cases)
    some.values[:] = value
    return Round([(4, int(100 * value) % 9)], some, refuted, {})


def hard_cases(*rounds: Round, rl: RLParams = RL) -> HardCases:
    kept = HardCases(GAME, rl)
    for each in rounds:
        kept.add(each)
    return kept


def content(kept: HardCases) -> dict[str, Any]:
    return {name: torch.tensor(array) for name, array in kept.state().items()}


def test_the_first_cases_of_a_minibatch_are_hard_ones() -> None:
    buffer = ReplayBuffer(GAME, 100, symmetry=False)
    buffer.add_all(some_cases(GAME, 100))
    minibatch = buffer.random_minibatch(16, np.random.default_rng(1))
    mixed = hard_cases(found(5, -1.0)).mix_in(minibatch, np.random.default_rng(1))
    for name, array in vars(minibatch).items():
        got = getattr(mixed, name)
        assert (got.shape, got.dtype) == (array.shape, array.dtype)
        assert np.array_equal(got[4:], array[4:])
    assert mixed.values[:4].tolist() == [-1.0] * 4
    assert hard_cases().mix_in(minibatch, np.random.default_rng(1)) is minibatch


def test_some_are_of_the_last_two_rounds() -> None:
    rl = RL.model_copy(update={"exploiter_share": 1.0, "exploiter_newest": 0.75})
    kept = hard_cases(*(found(6, value) for value in (0.2, 0.4, 0.6)), rl=rl)
    buffer = ReplayBuffer(GAME, 10, symmetry=False)
    buffer.add_all(some_cases(GAME, 10))
    minibatch = buffer.random_minibatch(10, np.random.default_rng(1))
    values = np.array([kept.mix_in(minibatch, np.random.default_rng(n)).values for n in range(9)])
    assert values[:, 2:].min() > 0.3
    assert values[:, :2].min() < 0.3


def test_a_round_can_be_undone() -> None:
    kept = hard_cases(found(8, 0.1), found(8, 0.2))
    before, starts = content(kept), kept.starts
    take_back = kept.add(found(8, 0.3, refuted=0))
    assert (kept.rounds, kept.is_proven, kept.newest) == (3, True, 16)
    assert kept.starts[0] == (4, 3)
    take_back()
    assert (kept.rounds, kept.is_proven, kept.starts) == (2, False, starts)
    assert all(torch.equal(each, before[name]) for name, each in content(kept).items())


def test_what_was_found_is_restored_and_nothing_else() -> None:
    one, other = hard_cases(found(8, 0.1), found(30, 0.2)), hard_cases()
    assert one.newest == len(one.cases) == 20, "no more than it can keep"
    state = content(one)
    other.restore(state)
    assert (other.rounds, other.starts, other.refuted) == (2, one.starts, 3)
    for kept in (one, other):
        kept.add(found(3, 0.3))
    again = content(other)
    assert all(torch.equal(each, again[name]) for name, each in content(one).items())
    for name, wrong in [
        ("rounds", torch.tensor([0, 1, 5, 5])),
        ("rounds", state["rounds"][:2]),
        ("rounds", torch.tensor([1, 5, 21, 5])),
        ("starts", torch.full((2, 2), 9, dtype=torch.int32)),
    ]:
        with pytest.raises(ValueError, match="expected"):
            hard_cases().restore({**state, name: wrong})

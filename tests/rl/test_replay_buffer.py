"""RBUF: the cases that it keeps, and that a symmetry leaves a case correct; hard cases."""

from dataclasses import replace
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from anet import Minibatch
from base.params import RLParams
from rl.hard_cases import HardCases, Round
from rl.replay_buffer import Cases, ReplayBuffer
from rl.schedule import Progress
from rl.size_parts import SizeParts, minibatches
from state_manager import State, StateManager, Symmetry, make_game
from tests.random_play import random_game
from tests.rl.conftest import make_system

GAMES: dict[str, dict[str, object]] = {
    "hex": {"size": 4},
    "nim": {"stones": 9, "max_take": 3},
    "ledge": {"board": [0, 1, 0, 1, 2, 1]},
}


def some_cases(game: StateManager, count: int) -> Cases:
    """Return cases of a random game, again and again, each with its own value and weight."""
    rng = np.random.default_rng(2)
    states = random_game(game, seed=3)[0][:-1]
    states = [states[number % len(states)] for number in range(count)]
    distributions = np.zeros((count, game.num_actions))
    for state, distribution in zip(states, distributions, strict=True):
        legal = game.legal_actions(state)
        distribution[legal] = rng.dirichlet(np.ones(len(legal)))
    values = np.arange(count) / 100
    return Cases(np.stack(states), distributions, values, 1 - values)


HEX = make_game("hex", size=3)


def hex_buffer(capacity: int, cases: int, **options: bool) -> ReplayBuffer:
    buffer = ReplayBuffer(HEX, capacity, **{"symmetry": False, **options})
    for place in range(cases):
        buffer.add_all(some_cases(HEX, cases).part(slice(place, place + 1)))
    return buffer


@pytest.fixture
def buffer_of_ten() -> ReplayBuffer:
    return hex_buffer(10, 10)


@pytest.mark.parametrize("added", [1, 4, 5, 6, 13])
def test_the_oldest_cases_go_first(added: int) -> None:
    buffer = hex_buffer(5, added)
    kept = np.arange(max(0, added - 5), added) / 100
    assert len(buffer) == len(kept)
    values = buffer.random_minibatch(5, np.random.default_rng(0)).values
    assert np.sort(values) == pytest.approx(kept)


def test_a_minibatch_holds_different_cases_as_they_were_added() -> None:
    game, cases = HEX, some_cases(HEX, 10)
    minibatch = hex_buffer(20, 10).random_minibatch(6, np.random.default_rng(1))
    assert len(minibatch) == 6
    assert len(set(minibatch.values.tolist())) == 6
    for row, value in enumerate(minibatch.values):
        place = round(float(value) * 100)
        state = cases.states[place]
        assert np.array_equal(minibatch.observations[row], game.observation(state))
        assert minibatch.movers[row] == state[0]
        assert minibatch.weights[row] == pytest.approx(1 - value)
        assert minibatch.targets[row] == pytest.approx(cases.distributions[place])
        assert set(np.flatnonzero(minibatch.legal[row])) == set(game.legal_actions(state))


@pytest.mark.parametrize("repeated", [False, True])
def test_each_case_is_drawn_equally_often(buffer_of_ten: ReplayBuffer, repeated: bool) -> None:
    rng = np.random.default_rng(1)
    if repeated:
        draws = [buffer_of_ten.drawn_minibatch(3_000, rng).values]
    else:
        draws = [buffer_of_ten.random_minibatch(3, rng).values for _ in range(1_000)]
    counts = np.unique(np.round(np.concatenate(draws), 2), return_counts=True)[1]
    # 300 draws of each are expected, with a standard deviation below 17.
    assert len(counts) == 10
    assert counts.sum() == 3_000
    assert np.abs(counts - 300).max() < 85


def test_new_cases_are_drawn_as_often_as_set(buffer_of_ten: ReplayBuffer) -> None:
    for reuse, new, count in ((6, 10, 15), (0.5, 3, 1), (1, 0, 0)):
        params = make_system(f"rl.reuse={reuse}", "rl.minibatch_size=4").params
        parts = SizeParts(Mock(), Mock(), buffer_of_ten, HardCases(HEX, params.rl))
        found = minibatches({None: parts}, params, Progress(0, 1), 1, new)
        assert [len(each) for _, each in found] == [4] * count


def test_an_epoch_holds_every_case_once(buffer_of_ten: ReplayBuffer) -> None:
    epoch = list(buffer_of_ten.epoch(4, np.random.default_rng(1)))
    assert [len(minibatch) for minibatch in epoch] == [4, 4, 2]
    values = np.concatenate([minibatch.values for minibatch in epoch])
    assert not np.array_equal(values, np.sort(values))
    assert np.sort(values) == pytest.approx(np.arange(10) / 100)


@pytest.mark.parametrize("added", [1, 4, 7, 10, 23])
def test_removed_cases_leave_no_trace(buffer_of_ten: ReplayBuffer, added: int) -> None:
    def all_of_it() -> tuple[bytes, ...]:
        minibatch = buffer_of_ten.random_minibatch(10, np.random.default_rng(1))
        arrays = (*buffer_of_ten.state().values(), minibatch.observations, minibatch.legal)
        return tuple(array.tobytes() for array in arrays)

    before = all_of_it()
    take_back = buffer_of_ten.add_all(some_cases(HEX, 40).part(slice(13, 13 + added)))
    assert all_of_it() != before
    take_back()
    assert all_of_it() == before


def image(game: StateManager, actions: list[int], symmetry: Symmetry) -> State:
    """Return the state after the images of some actions: the image of a position."""
    state = game.initial_state(2 if symmetry.swaps_players else 1)
    for action in actions:
        state = game.child_state(state, int(symmetry.actions[action]))
    return state


def case_of(state: State, distribution: NDArray[np.float64]) -> Cases:
    return Cases(state[np.newaxis], distribution[np.newaxis], np.full(1, 0.5), np.ones(1))


def row_of(minibatch: Minibatch) -> tuple[bytes, int, bytes, bytes]:
    targets = np.round(minibatch.targets[0], 5) + 0.0
    return (
        minibatch.observations[0].tobytes(),
        int(minibatch.movers[0]),
        minibatch.legal[0].tobytes(),
        targets.tobytes(),
    )


@pytest.mark.parametrize("name", GAMES)
def test_a_turned_case_is_the_case_of_the_turned_position(name: str) -> None:
    game = make_game(name, **GAMES[name])
    states, actions = random_game(game, seed=1)
    identity = Symmetry(np.arange(game.num_features), np.arange(game.num_actions), False)
    for ply in range(0, len(actions), 3):
        legal = game.legal_actions(states[ply])
        distribution = np.zeros(game.num_actions)
        distribution[legal] = np.arange(1, len(legal) + 1) / sum(range(1, len(legal) + 1))
        buffer = ReplayBuffer(game, 1, symmetry=True)
        buffer.add_all(case_of(states[ply], distribution))
        expected = set()
        for symmetry in (identity, *game.symmetries):
            turned = image(game, actions[:ply], symmetry)
            plain = ReplayBuffer(game, 1, symmetry=False)
            turned_distribution = np.zeros(game.num_actions)
            for action, share in enumerate(distribution):
                turned_distribution[symmetry.actions[action]] = share
            plain.add_all(case_of(turned, turned_distribution))
            expected.add(row_of(plain.random_minibatch(1, np.random.default_rng(0))))
        rng = np.random.default_rng(6)
        before = [array.copy() for array in buffer.state().values()]
        drawn = [buffer.random_minibatch(1, rng) for _ in range(60)]
        assert all(map(np.array_equal, buffer.state().values(), before))
        # The value is seen by the mover of the image.
        assert {float(each.values[0]) for each in drawn} == {0.5}
        assert {row_of(each) for each in drawn} == expected


@pytest.mark.parametrize("added", [3, 5, 12])
def test_a_restored_buffer_continues_as_the_original(added: int) -> None:
    one, other = hex_buffer(5, added), hex_buffer(5, 0)
    other.restore({name: array.copy() for name, array in one.state().items()})
    for place in range(20, 24):
        assert len(one) == len(other)
        ours, theirs = (
            buffer.random_minibatch(4, np.random.default_rng(place)) for buffer in (one, other)
        )
        assert np.array_equal(ours.values, theirs.values)
        assert np.array_equal(ours.targets, theirs.targets)
        for buffer in (one, other):
            buffer.add_all(some_cases(HEX, 24).part(slice(place, place + 1)))


def test_values_can_be_missing_where_that_is_declared() -> None:
    one, strict, other = (hex_buffer(5, 0, lacks_values=lacks) for lacks in (True, False, True))
    one.add_all(replace(some_cases(HEX, 3), values=np.full(3, np.nan)))
    other.restore(one.state())
    assert np.isnan(other.state()["values"]).all()
    with pytest.raises(ValueError, match="expected states and numbers"):
        strict.restore(one.state())


RL = RLParams(exploiter=(0.5, 1.0), exploiter_cases=10, exploiter_share=0.25, exploiter_newest=0.5)


def found(cases: int, value: float, refuted: int = 3) -> Round:
    some = some_cases(HEX, cases)
    some.values[:] = value
    return Round([(4, int(100 * value) % 9)], some, refuted, {})


def hard_cases(*rounds: Round, rl: RLParams = RL) -> HardCases:
    kept = HardCases(HEX, rl)
    for each in rounds:
        kept.add(each)
    return kept


def content(kept: HardCases) -> dict[str, Any]:
    return {name: torch.tensor(array) for name, array in kept.state().items()}


def test_the_first_cases_of_a_minibatch_are_hard_ones() -> None:
    buffer = ReplayBuffer(HEX, 100, symmetry=False)
    buffer.add_all(some_cases(HEX, 100))
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
    buffer = ReplayBuffer(HEX, 10, symmetry=False)
    buffer.add_all(some_cases(HEX, 10))
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

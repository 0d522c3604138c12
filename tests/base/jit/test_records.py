"""Records and generators as compiled code sees them; functions of other programs beside kernels."""

import subprocess
import sys
from typing import NamedTuple

import numba
import numpy as np
import pytest
from numba import types
from numpy.typing import NDArray

from base.jit import direct, kernel, row_of, scratch
from mcts import MCTS
from state_manager import game_names, make_game
from state_manager.policy import POLICY, Policy
from state_manager.policy_games import Choice, play_against_itself
from state_manager.rules import RULES, mark_legal
from tests.mcts.fake_policy import fake_policy
from tests.project import ROOT


@pytest.mark.skipif(
    bool(numba.config.DISABLE_JIT), reason="the kernels run as plain Python, which has no types"
)
def test_records_of_a_class_have_one_type_for_all_kernels_that_they_hold() -> None:
    games = [make_game(name) for name in game_names()]
    assert {numba.typeof(game.rules) for game in games} == {RULES}
    assert numba.typeof(Policy()) == numba.typeof(fake_policy(games[0], 1, 0.5)) == POLICY


class Tables(NamedTuple):
    """Arrays whose first dimension is the same: `[T, N]` and `[T, 2, N]`."""

    numbers: NDArray[np.int64]
    shares: NDArray[np.float64]


TABLES = numba.typeof(Tables(np.zeros((1, 1), np.int64), np.zeros((1, 2, 1))))


@kernel(types.int64(TABLES, types.int64))
def fill(tables: Tables, row: int) -> int:
    """Write to one row, and count its columns."""
    own = row_of(tables, row)
    own.numbers[-1] = 10 * row
    own.shares[1, 0] = row / 4
    return len(own.numbers)


def test_a_row_of_a_record_is_a_view_of_all_its_arrays() -> None:
    tables = Tables(np.zeros((3, 2), np.int64), np.zeros((3, 2, 2)))
    assert [fill(tables, row) for row in range(3)] == [2, 2, 2]
    assert tables.numbers.tolist() == [[0, 0], [0, 10], [0, 20]]
    assert tables.shares[:, 1, 0].tolist() == [0.0, 0.25, 0.5]
    assert np.count_nonzero(tables.shares) == 2


def test_a_direct_call_equals_a_call() -> None:
    game = make_game("hex", size=3)
    states = np.stack([game.initial_state(), game.child_state(game.initial_state(), 4)])
    for call in (mark_legal, direct(mark_legal), direct(mark_legal)):
        mask = np.zeros((2, 9), np.bool_)
        call(game.rules.legal_actions, states, mask, np.empty(9, np.int64))
        assert mask.sum(axis=1).tolist() == [9, 8]
        assert not mask[1, 4]


@kernel(types.int64(types.int64))
def sum_of_squares(count: int) -> int:
    """Use memory of its own, after another kernel has used the same place on the stack."""
    numbers, squares = scratch(10), scratch(10)
    for i in range(count):
        numbers[i] = i
        squares[i] = i * i
    total = 0
    for i in range(count):
        total += squares[i] + 100 * numbers[i]
    return total


def test_scratch_memory_is_private_to_a_kernel() -> None:
    assert [sum_of_squares(count) for count in (10, 4, 10)] == [4785, 614, 4785]


def test_no_kernel_keeps_a_reference_to_its_generator() -> None:
    game, generator = make_game("hex", size=3), np.random.default_rng(1)
    state = game.initial_state()
    search, before = MCTS(game, seed=generator), sys.getrefcount(generator)
    for _ in range(3):
        search.search(state, 5)  # kernels that count no references, and one that does
        play_against_itself(game, Policy(), state, generator, Choice())
    assert sys.getrefcount(generator) == before


FOREIGN = """
import numba
import numpy as np
from numba import types
from numba.core.pythonapi import _boxers, _reflectors, _unboxers

TABLES = _boxers, _reflectors, _unboxers

def options():
    return {name: getattr(numba.config, name) for name in dir(numba.config) if name.isupper()}

before, known = options(), [dict(table.functions) for table in TABLES]

import mcts
from state_manager import make_game
from state_manager.nim import play

game = make_game("nim", stones=10, max_take=3)
mcts.MCTS(game, simulations=50, seed=1).search(game.initial_state())

assert options() == before
for table, functions in zip(TABLES, known, strict=True):
    assert functions.items() <= table.functions.items()

SIGNATURE = types.float64(types.float64)

@numba.njit
def give_back(generator):
    return generator

@numba.njit
def draw(generator):
    return generator.random()

@numba.njit(SIGNATURE)
def double(number):
    return 2 * number

@numba.cfunc(SIGNATURE)
def half(number):
    return number / 2

@numba.njit(types.float64(types.FunctionType(SIGNATURE), types.float64))
def apply(function, number):
    return function(number)

@numba.njit
def play_by(rules, state, action):
    return rules.play(state, action), play(state, action)

@numba.njit
def rollout(rules, state, generator):
    return rules.uniform_rollout(state, generator)

generator = np.random.default_rng(1)
assert give_back(generator) is generator
assert draw(generator) == np.random.default_rng(1).random()
assert (apply(double, 3.0), apply(half, 3.0)) == (6.0, 1.5)
assert play_by(game.rules, game.initial_state(), 0) == (0, 0)
hexes = make_game("hex", size=3)
assert rollout(hexes.rules, hexes.initial_state(), generator) in (1, 2)
assert numba.typeof(generator) == types.NumPyRandomGeneratorType("")
"""


@pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="nothing is compiled")
def test_functions_of_other_programs_compile_and_run_beside_the_kernels() -> None:
    done = subprocess.run([sys.executable, "-c", FOREIGN], cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")

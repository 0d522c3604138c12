"""A program that imports this one can compile its own functions."""

from __future__ import annotations

import subprocess
import sys

import numba
import pytest

from tests.project import ROOT

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

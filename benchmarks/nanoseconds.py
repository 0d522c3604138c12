"""Where the nanoseconds of a simulation go: UCT with uniform rollouts from the empty board of Hex.

After ``BEFORE`` simulations, the next ``SIMULATIONS`` are timed as a whole. Then each part of what
they did is done again by itself: the choices at the nodes that they came through, the moves, the
new nodes and their edges, the rollouts from their leaves, the backpropagation. What is left is work
that no part explains, such as waiting for memory that another part would have had in the cache.

Run it with ``python -m benchmarks.nanoseconds`` on an idle core.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, TypeVar

import numba
import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from base.jit import make_ready, row_of
from mcts import MCTS, Variant
from mcts.backpropagation import backpropagate
from mcts.node_expansion import new_node, widen
from mcts.settings import Settings
from mcts.slots import Slots, new_slots
from mcts.tree import DEPTH, EDGES, NODES, SearchPath, Tree
from mcts.tree_search import uct
from state_manager import State, make_game
from state_manager.rules import Rules, copy_state

BEFORE, SIMULATIONS, REPETITIONS = 10_000, 1_000, 15
BOARD_SIZES = (5, 7, 11)

F = TypeVar("F", bound=Callable[..., Any])
compiled: Callable[[F], F] = numba.njit(nogil=True)
Row = tuple[str, str, float]
"""A part, how much of it there is, and its nanoseconds, in one simulation."""


@compiled
def choose(tree: Tree, paths: SearchPath, settings: Settings, rng: np.random.Generator) -> int:
    """Choose at all nodes that the simulations came through."""
    total = 0
    for place in range(len(paths.numbers)):
        for depth in range(paths.numbers[place, DEPTH]):
            total += uct(tree, paths.nodes[place, depth], settings, rng)
    return total


@compiled
def move(rules: Rules, root_state: State, leaf: State, paths: SearchPath) -> None:
    """Copy the state of the root, and make the moves to each leaf."""
    for place in range(len(paths.numbers)):
        copy_state(root_state, leaf)
        for depth in range(paths.numbers[place, DEPTH]):
            rules.play(leaf, paths.actions[place, depth])


@compiled
def roll_out(rules: Rules, leaves: State, state: State, rng: np.random.Generator) -> int:
    """Play a rollout from each leaf."""
    total = 0
    for place in range(len(leaves)):
        copy_state(leaves[place], state)
        total += rules.uniform_rollout(state, rng)
    return total


@compiled
def make_nodes(leaves: State, tree: Tree, paths: SearchPath) -> None:
    """Make a node of each leaf, in place of what the tree has there."""
    path = row_of(paths, 0)
    for place in range(len(leaves)):
        new_node(leaves[place], 0, tree, path)


@compiled
def make_edges(rules: Rules, leaves: State, tree: Tree, paths: SearchPath, first: int) -> None:
    """Make the first edges of these nodes."""
    path = row_of(paths, 0)
    for place in range(len(leaves)):
        widen(rules, leaves[place], first + place, tree, path)


@compiled
def count_values(tree: Tree, paths: SearchPath) -> None:
    """Backpropagate a value on the way of each simulation."""
    for place in range(len(paths.numbers)):
        backpropagate(tree, row_of(paths, place), 1.0)


@compiled
def draw(rng: np.random.Generator, count: int) -> float:
    """Draw random numbers."""
    total = 0.0
    for _ in range(count):
        total += rng.random()
    return total


def nanoseconds(work: Callable[[], object], prepare: Callable[[], object] = lambda: None) -> float:
    """Return what a simulation's part of some work takes, the least of several times."""
    times = []
    for _ in range(1 + REPETITIONS):
        prepare()
        started = time.thread_time()
        work()
        times.append(time.thread_time() - started)
    return min(times[1:]) / SIMULATIONS * 1e9


def recorded(search: MCTS, state: State) -> tuple[Slots, NDArray[np.int64]]:
    """Run the simulations one by one; return their leaves and paths, and where edges were made."""
    game = search.game
    record = new_slots((len(state), game.max_plies, game.num_actions), leaves=SIMULATIONS)
    made = []
    for place in range(SIMULATIONS):
        before = int(search.tree.counts[EDGES])
        search.search(state, 1)
        made.append(int(search.tree.counts[EDGES]) > before)
        record.leaves[0, place] = search.slots.leaves[0, 0]
        for name in SearchPath._fields:
            getattr(record.paths, name)[0, place] = getattr(search.slots.paths, name)[0, 0]
    return record, np.flatnonzero(made)


def draws_of(work: Callable[[np.random.Generator], object]) -> int:
    """Return how many random numbers some work draws."""
    used, fresh = np.random.default_rng(1), np.random.default_rng(1)
    work(used)
    count = 0
    while fresh.bit_generator.state != used.bit_generator.state:
        fresh.random()
        count += 1
    return count


def parts(size: int) -> list[Row]:
    """Return where the time of a simulation goes on a board."""
    game = make_game("hex", size=size)
    state, scratch = game.initial_state(), game.initial_state()
    search = MCTS(game, SIMULATIONS, variant=Variant().with_settings(exploration=1.0), seed=1)

    def begin() -> None:
        search.reset()
        search.search(state, BEFORE)

    begin()
    search.make_room(3 * SIMULATIONS)
    make_ready(uct, new_node, widen, backpropagate)
    whole = nanoseconds(lambda: search._take_steps(SIMULATIONS), begin)
    begin()
    record, made = recorded(search, state)
    tree = search.slots.tree(0)
    paths = SearchPath._make(array[0] for array in record.paths)
    leaves, rules, rng = record.leaves[0], game.rules, np.random.default_rng(1)
    settings = search.compiled.context.settings
    live = np.array([leaf for leaf in leaves if not game.is_final(leaf)])
    depth = float(paths.numbers[:, DEPTH].mean())
    through = [paths.nodes[place, : paths.numbers[place, DEPTH]] for place in range(SIMULATIONS)]
    edges = float(tree.edge_count[np.concatenate(through)].mean())
    draws = draws_of(lambda rng: roll_out(rules, live, scratch, rng)) / SIMULATIONS
    copying = nanoseconds(lambda: move(rules, state, scratch, _without_moves(paths)))
    moving = nanoseconds(lambda: move(rules, state, scratch, paths))
    rolling = nanoseconds(lambda: roll_out(rules, live, scratch, rng))
    drawing = nanoseconds(lambda: draw(rng, int(draws * SIMULATIONS)))
    used = tree.counts.copy()

    def forget() -> None:
        tree.counts[:] = used

    creating = nanoseconds(lambda: make_nodes(live, tree, paths), forget)
    first = int(used[NODES])

    def make_anew() -> None:
        forget()
        make_nodes(leaves[made], tree, paths)

    widening = nanoseconds(lambda: make_edges(rules, leaves[made], tree, paths, first), make_anew)
    choosing = nanoseconds(lambda: choose(tree, paths, settings, rng))
    counting = nanoseconds(lambda: count_values(tree, paths))
    rows: list[Row] = [
        ("choices", f"{depth:.1f} of {edges:.0f} edges", choosing),
        ("moves", f"{depth:.1f}", moving - copying),
        ("the root's state copied", f"{len(state)} bytes", copying),
        ("a new node", f"{len(live) / SIMULATIONS:.2f}", creating),
        ("its edges, and more of them", f"{len(made) / SIMULATIONS:.2f}", widening),
        ("the rollout without random numbers", "", rolling - drawing - copying),
        ("random numbers", f"{draws:.1f}", drawing),
        ("backpropagation", f"{depth:.1f} edges", counting),
    ]
    rows.append(("what no part explains", "", whole - sum(row[2] for row in rows)))
    rows.append(("a simulation", "", whole))

    def one() -> None:
        search.reset()
        search.search(state, 1)

    calling = nanoseconds(one) * SIMULATIONS - whole
    return [*rows, ("the call from Python, of a search of 1,000", "", calling / 1_000)]


def _without_moves(paths: SearchPath) -> SearchPath:
    """Return paths that stay at the root."""
    stay = paths.numbers.copy()
    stay[:, DEPTH] = 0
    return paths._replace(numbers=stay)


def main() -> None:
    """Measure and show."""
    tables: dict[str, list[str]] = {}
    for size in BOARD_SIZES:
        for name, amount, part in parts(size):
            tables.setdefault(name, []).extend([amount, f"{part:.0f}"])
    table = Table("ns of a simulation", *_headings())
    for name, cells in tables.items():
        table.add_row(name, *cells)
    Console(width=120).print(table)


def _headings() -> list[Any]:
    return [heading for size in BOARD_SIZES for heading in ("", f"{size}x{size}")]


if __name__ == "__main__":
    main()

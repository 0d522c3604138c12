"""The maps of first stones of Hex: which one the second player should swap.

    python -m benchmarks.first_stones            # writes nets/first_stones.json
    python -m benchmarks.first_stones --picture docs/first_stones.png

Up to 7x7 the exact judge knows the winner after each first stone; 8x8 is solved, and the published
list is taken. On larger boards a search with the best net looks at the position after each stone
and at its half-turn, which is worth the same; the mean of both values becomes a percentage. Proven
stones are certain there, too.
"""

import argparse
from collections.abc import Hashable, Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from agents import make_agent, parse_agent, with_best_net
from agents.first_stones import MAPS
from agents.position_searches import Opinion, searches_of_positions
from base.storage import write_json
from judge import Judge
from state_manager import State, StateManager, make_game

SIZES, LARGEST_EXACT = range(3, 12), 7
PUBLISHED = Path(__file__).with_name("published_swaps.txt")
"""A line for each source and board: the source, the size, and the stones to swap."""
SOLVED = {8: "solved: Henderson et al. 2009"}
"""Boards that are solved, as the list of benzene has them, and the authors of the solution."""
LOST = "a1", "b1"  # stones that lose on every board, as their half-turns do (HexWiki, "Swap")
WON = {9: "e5"}  # the centre of 9x9 wins (Yang 2003)


class _Agenda:
    """All states, to be searched once each; see ``agents.position_searches.Agenda``."""

    def __init__(self, states: list[State]) -> None:
        self._left, self._count = list(enumerate(states))[::-1], len(states)
        self.values = dict[Hashable, float]()

    def following(self) -> tuple[Hashable, State] | None:
        return self._left.pop() if self._left else None

    def is_dropped(self, name: Hashable) -> bool:
        return False

    def add(self, name: Hashable, opinion: Opinion) -> None:
        self.values[name] = opinion.value

    def is_over(self) -> bool:
        return len(self.values) == self._count


def exact(game: StateManager, states: list[State]) -> NDArray[np.int64]:
    """Return 100 where player 1 wins, else 0, by the judge."""
    judge = Judge(game)
    return np.array([100 * (judge.winner(state) == 1) for state in states])


def searched(game: StateManager, states: list[State], simulations: int) -> NDArray[np.int64]:
    """Return the percentages by a search with the best net, from 1 to 99."""
    word = parse_agent(f"mcts:best,simulations={simulations},time_limit=null")
    agent = make_agent(with_best_net(word, game), game, seed=1)
    agenda = _Agenda(states)
    searches_of_positions(agent)[0](agenda)
    values = np.array([agenda.values[cell] for cell in range(len(states))])
    mean = (values + values[::-1]) / 2  # the half-turn of cell c is the c-th from the end
    return np.array(np.clip(np.rint(50 * (1 + mean)), 1, 99), np.int64)


def measure(simulations: int) -> Iterator[tuple[int, dict[str, object]]]:
    """Yield each size and its map, as the file has it."""
    for size in SIZES:
        game = make_game("hex", size=size)
        states = [game.child_state(game.initial_state(), cell) for cell in range(size * size)]
        if size <= LARGEST_EXACT:
            percent, known = exact(game, states), "exact"
        elif size in SOLVED:
            percent, known = 100 * published("benzene", size), SOLVED[size]
        else:
            percent = searched(game, states, simulations)
            for chance, names in ((0, LOST), (100, WON.get(size, "").split())):  # proven
                for stone in map(game.parse_action, names):
                    percent[[stone, -1 - stone]] = chance
            net = with_best_net(parse_agent("best"), game).net
            assert net is not None
            known = f"{net.parent.name}/{net.stem}, {simulations} simulations"
        rows = [" ".join(f"{each:3}" for each in row) for row in percent.reshape(size, size)]
        print(f"{size}x{size}, {known}", *rows, sep="\n", flush=True)
        yield size, {"known": known, "percent": rows}


def published(source: str, size: int) -> NDArray[np.int64]:
    """Return 1 for each stone that a published list says to swap, else 0, row by row."""
    game, stones = make_game("hex", size=size), np.zeros(size * size, np.int64)
    lines = map(str.split, PUBLISHED.read_text("utf-8").splitlines())
    [cells] = (words[2:] for words in lines if words[:2] == [source, str(size)])
    stones[[game.parse_action(cell) for cell in cells]] = 1
    return stones


def main() -> None:
    """Write the maps, or draw them."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--simulations", type=int, default=1000)
    parser.add_argument("--picture", type=Path)
    arguments = parser.parse_args()
    if arguments.picture:
        from display.reports.opening_map import plot_first_stones

        plot_first_stones(arguments.picture, SIZES)
    else:
        write_json(MAPS, {str(size): found for size, found in measure(arguments.simulations)})


if __name__ == "__main__":
    main()

"""The maps of first stones of Hex: which one the second player should swap.

    python -m benchmarks.first_stones            # writes nets/first_stones.json
    python -m benchmarks.first_stones --picture docs/first_stones.png
    python -m benchmarks.first_stones --compare  # with published maps, in Markdown

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
from agents.first_stones import MAPS, first_stones
from agents.position_searches import Opinion, searches_of_positions
from base.storage import write_json
from display.boards.cells import Coordinates
from judge import Judge
from state_manager import State, StateManager, make_game

SIZES, LARGEST_EXACT = range(3, 12), 7
PUBLISHED = Path(__file__).with_name("published_swaps.txt")
"""A line for each source and board: the source, the size, and the stones to swap."""
SOLVED = {8: "solved: Henderson et al. 2009"}
"""Boards that are solved, as the list of benzene has them, and the authors of the solution."""
LOST = "a1", "b1"
"""Stones that lose on every board, as their half-turns do (HexWiki, "Swap")."""
WON = {9: "e5"}
"""The centre of 9x9 wins (Yang 2003)."""


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
            stones = next(
                found for name, each, found in published() if (name, each) == ("benzene", size)
            )
            percent, known = np.where(stones, 100, 0), SOLVED[size]
        else:
            percent = with_proven(game, searched(game, states, simulations))
            net = with_best_net(parse_agent("best"), game).net
            assert net is not None
            known = f"{net.parent.name}/{net.stem}, {simulations} simulations"
        rows = [" ".join(f"{each:3}" for each in row) for row in percent.reshape(size, size)]
        print(f"{size}x{size}, {known}", *rows, sep="\n", flush=True)
        yield size, {"known": known, "percent": rows}


def with_proven(game: StateManager, percent: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return percentages with 0 and 100 where the winner is proven."""
    for chance, names in ((0, LOST), (100, WON.get(game.board_shape[0], "").split())):
        for name in names:
            percent[[game.parse_action(name), -1 - game.parse_action(name)]] = chance
    return percent


def published() -> Iterator[tuple[str, int, NDArray[np.bool_]]]:
    """Yield the published lists: the source, the size, and which stones to swap, row by row."""
    for line in PUBLISHED.read_text("utf-8").splitlines():
        if not line.startswith("#") and line.strip():
            source, size, *cells = line.split()
            game, stones = make_game("hex", size=int(size)), np.zeros(int(size) ** 2, np.bool_)
            stones[[game.parse_action(cell) for cell in cells]] = True
            yield source, int(size), stones


def compare() -> Iterator[str]:
    """Yield the lines of a table of published maps beside ours, or beside its mirror image.

    Of a list for the player who joins left and right, the mirror image on the long diagonal agrees.
    """
    yield "| board | source | stones to swap | the same | different, with our percentage |"
    yield "|---|---|---|---|---|"
    for source, size, theirs in published():
        game = make_game("hex", size=size)
        ours = first_stones(game)
        assert ours is not None
        swap = ours.percent >= 50
        mirrored = theirs.reshape(size, size).T.ravel()
        images = {source: theirs, f"{source}, mirrored": mirrored}
        source, image = min(images.items(), key=lambda each: int(sum(each[1] != swap)))
        names, differ = Coordinates(game), np.flatnonzero(image != swap).tolist()
        words = ", ".join(f"{names.move(each)} {ours.percent[each]}" for each in differ)
        same = f"{len(swap) - len(differ)} of {len(swap)}"
        yield f"| {size}x{size} | {source} | {image.sum()} | {same} | {words} |"


def main() -> None:
    """Write the maps, draw them, or compare them."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--simulations", type=int, default=1000)
    parser.add_argument("--picture", type=Path)
    parser.add_argument("--compare", action="store_true")
    arguments = parser.parse_args()
    if arguments.compare:
        print(*compare(), sep="\n")
    elif arguments.picture:
        from display.reports.opening_map import plot_first_stones

        plot_first_stones(arguments.picture, SIZES)
    else:
        write_json(MAPS, {str(size): found for size, found in measure(arguments.simulations)})


if __name__ == "__main__":
    main()

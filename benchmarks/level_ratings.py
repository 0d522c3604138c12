"""Ratings of the page's levels on boards of Hex: each level against the next one, in the arena.

    python -m benchmarks.level_ratings

Searches have a number of simulations, no time limit, so that a busy machine measures the same; they
evaluate leaves as under a clock. The file is written after each pair of levels; the command
continues from it.
"""

import argparse
import json
from itertools import pairwise
from pathlib import Path

import numpy as np
from rich.progress import track

from agents import parse_agent, with_best_net
from agents.match import Arena
from agents.match.statistics import elo_ratings
from base.storage import write_json
from benchmarks.timing import show
from state_manager import StateManager, make_game
from web.play.catalogue import RATINGS, WITH_NET, WITHOUT_NET
from web.server.agent_pool import NETS


def fixed(word: str, simulations: int) -> str:
    """Return an agent's word with this number of simulations in place of a time limit.

    The words for leaves and runtime are those that a time limit implies with a net.
    """
    spec = parse_agent(word)
    if spec.time_limit is None:
        return word
    spec = spec.with_options(simulations=simulations, time_limit=None)
    return str(spec if spec.net is None else spec.with_options(leaves=16, runtime="openvino"))


def best_net(game: StateManager) -> str | None:
    """Return the best net of a board, if it has one, relative to the folder of nets."""
    net = with_best_net(parse_agent("best"), game).net
    return net.resolve().relative_to(NETS).as_posix() if net else None


def ratings_of(wins: list[int], games: int) -> list[list[int]]:
    """Return each level's Elo points above the first level, and the ends of the interval."""
    table = np.zeros((len(wins) + 1,) * 2)
    for place, won in enumerate(wins):
        table[place + 1, place], table[place, place + 1] = won, games - won
    return [[round(each) for each in row] for row in elo_ratings(table).tolist()]


def main() -> None:
    """Play what is missing in the file, and print the ratings."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=[*range(3, 20)], metavar="K")
    parser.add_argument("--games", type=int, default=40, help="of each pair of levels (40)")
    parser.add_argument("--simulations", type=int, default=500, help="of full strength (500)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=RATINGS, metavar="FILE.json")
    given = parser.parse_args()
    setup = {"simulations": given.simulations, "seed": given.seed}
    saved = json.loads(given.out.read_text("utf-8")) if given.out.exists() else {}
    if saved.get("setup") != setup:
        saved = {"setup": setup, "boards": {}}
    for size in given.sizes:
        game = make_game("hex", size=size)
        net = best_net(game)
        titles, levels = zip(*(WITH_NET if net else WITHOUT_NET), strict=True)
        words = [fixed(word, given.simulations) for word in levels]
        about = {"net": net, "words": words, "games": given.games}
        board = saved["boards"].get(repr(game), {})
        if {name: board.get(name) for name in about} != about:
            board = saved["boards"][repr(game)] = {**about, "wins": []}
        pairs = [*pairwise(words)][len(board["wins"]) :]
        for pair in track(pairs, f"{size}x{size}"):
            arena = Arena(game, pair, given.games, given.seed)
            arena.play()
            board["wins"].append(arena.results().rows[1].wins)  # of the higher level
            elo = ratings_of(board["wins"], given.games)
            board["elo"] = dict(zip(levels, elo, strict=False))
            write_json(given.out, saved)
        ratings = ("{} ({} to {})".format(*elo) for elo in board["elo"].values())
        show(("level", repr(game)), zip(titles, ratings, strict=True))


if __name__ == "__main__":
    main()

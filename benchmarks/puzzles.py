"""Puzzles for the page: positions of games of Hex in which few moves win, found by the exact judge.

    python -m benchmarks.puzzles

The best net of each board plays itself, with some random moves. A puzzle is a position with one to
three winning moves, none of which ends the game at once. Its grade is the place of the weakest of
the page's levels from which on all levels find such a move. The same seed gives the same file.
"""

import argparse
from collections import Counter
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from rich.progress import track

from agents import make_agent
from agents.agent import Agent
from base.storage import AppendLog
from benchmarks.timing import ROOT, show
from state_manager import Judge, NodeLimitError, State, StateManager, make_game
from web.catalogue import WITH_NET

OUT = ROOT / "web" / "puzzles.jsonl"
RANDOM_SHARE, LEAST_LEGAL, NODES, TRIES = 0.25, 8, 500, 9
"""Share of random moves; least legal moves; the judge's nodes; tries of a level that draws."""
WANTED = {1: 20, 2: 10, 3: 6}
"""The puzzles of a board and a grade, by the number of winning moves."""


def played_game(
    game: StateManager, player: Agent, rng: np.random.Generator
) -> Iterator[tuple[list[int], State]]:
    """Yield the moves before each position of a game, and the position."""
    state, actions = game.initial_state(), list[int]()
    while not game.is_final(state):
        yield actions.copy(), state
        is_random = not actions or rng.random() < RANDOM_SHARE
        legal = game.legal_actions(state)
        actions.append(int(rng.choice(legal) if is_random else player.choose_action(state)))
        state = game.child_state(state, actions[-1])


def winning_actions(game: StateManager, judge: Judge, state: State) -> list[int]:
    """Return the winning moves of a position that makes a puzzle; else none."""
    if len(game.legal_actions(state)) < LEAST_LEGAL:
        return []
    try:
        wins: list[int] = judge.winning_actions(state).tolist()
    except NodeLimitError:
        return []
    ends = any(game.is_final(game.child_state(state, each)) for each in wins)
    return [] if ends or len(wins) not in WANTED else wins


def grade_of(levels: list[Agent], state: State, wins: list[int]) -> int:
    """Return the place of the weakest level from which on all levels mostly find a winning move.

    ``levels`` are those between random moves, which find nothing, and the last one, which has the
    judge.
    """
    for place, agent in reversed([*enumerate(levels, start=1)]):
        tries = TRIES if "choice=" in WITH_NET[place][1] else 1
        if sum(agent.choose_action(state) in wins for _ in range(tries)) <= tries / 2:
            return place + 1
    return 1


def puzzles_of(size: int, games: int, seed: int) -> list[dict[str, Any]]:
    """Return the puzzles of a board, at most one of each game."""
    game, rng = make_game("hex", size=size), np.random.default_rng((seed, size))
    judge = Judge(game, NODES)
    levels = [make_agent(word, game, seed=seed) for _, word in WITH_NET[1:-1]]
    player = make_agent("anet:best,choice=probabilistic", game, seed=seed)
    found, known = list[dict[str, Any]](), Counter[tuple[int, int]]()
    names = set[str]()
    for _ in track(range(games), f"{size}x{size}"):
        positions = [*played_game(game, player, rng)]
        for actions, state in (positions[each] for each in rng.permutation(len(positions))):
            name = sha256(state.tobytes()).hexdigest()[:6]
            wins = [] if name in names else winning_actions(game, judge, state)
            if not wins:
                continue
            place = len(wins), grade_of(levels, state, wins)
            known[place] += 1
            if known[place] <= WANTED[len(wins)]:
                names.add(name)
                about = {"id": name, "size": size, "moves": actions}
                found.append({**about, "wins": wins, "grade": place[1]})
                break
    return sorted(found, key=lambda each: (len(each["wins"]), each["grade"]))


def main() -> None:
    """Write the puzzles, and print how many there are of each kind."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=[5, 6, 7], metavar="K")
    parser.add_argument("--games", type=int, default=1500, help="of each board (1500)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=OUT, metavar="FILE.jsonl")
    given = parser.parse_args()
    found = [each for size in given.sizes for each in puzzles_of(size, given.games, given.seed)]
    given.out.unlink(missing_ok=True)
    with AppendLog(given.out) as log:
        for puzzle in found:
            log.append(puzzle)
    counts = Counter((each["size"], len(each["wins"]), each["grade"]) for each in found)
    kinds = sorted({kind[:2] for kind in counts})
    grades = range(1, len(WITH_NET))
    rows = [
        (f"{size}x{size}", wins, *(counts[size, wins, grade] for grade in grades))
        for size, wins in kinds
    ]
    show(("board", "winning moves", *(WITH_NET[grade][0] for grade in grades)), rows)


if __name__ == "__main__":
    main()

"""Puzzles for the page: positions of games of Hex in which few moves win, found by the exact judge.

    python -m benchmarks.puzzles

A level of the page plays itself. A puzzle is a position with one to three winning moves, none of
which ends the game at once; the judge soon refutes every other move. Its grade is the place of the
weakest of the page's levels from which on all levels find such a move. The same seed gives the same
file.
"""

import argparse
from collections import Counter
from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from rich.progress import track

from agents import chosen_action, make_agent
from agents.agent import Agent
from base.storage import AppendLog
from benchmarks.timing import ROOT, show
from judge import Judge
from state_manager import NodeLimitError, State, StateManager, make_game
from web.play.catalogue import WITH_NET

OUT = ROOT / "web" / "play" / "puzzles.jsonl"
LEAST_LEGAL, TRIES = 8, 9  # least legal moves; tries of a level that draws


class Source(NamedTuple):
    """The games from which the puzzles of a board are taken, and the puzzles that are wanted."""

    games: int  # at most
    puzzles: int  # at most
    level: int  # the place of the level that plays them
    random_share: float  # of the moves
    nodes: int  # the judge's limit per query
    least_grade: int
    threats: bool  # whether the opponent may threaten to win at once
    wanted: dict[int, int]  # the puzzles of each grade, by the number of winning moves


SMALL = Source(1500, 252, 4, 0.25, 500, 1, True, {1: 20, 2: 10, 3: 6})
LARGE = Source(240, 40, 1, 0.0, 60, 3, False, {1: 12, 2: 8, 3: 8})
"""Only weak players make games so long that the judge decides positions with few winning moves."""
SOURCES = {**dict.fromkeys((5, 6, 7), SMALL), **dict.fromkeys((8, 9, 10, 11), LARGE)}
"""By the size of the board."""


def played_game(
    game: StateManager, player: Agent, random_share: float, rng: np.random.Generator
) -> Iterator[tuple[list[int], State]]:
    """Yield the moves before each position of a game, and the position."""
    state, actions = game.initial_state(), list[int]()
    while not game.is_final(state):
        yield actions.copy(), state
        is_random = not actions or rng.random() < random_share
        legal = game.legal_actions(state)
        actions.append(int(rng.choice(legal) if is_random else chosen_action(player, state)))
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
    return [] if ends or not 1 <= len(wins) <= 3 else wins


def refutes(game: StateManager, judge: Judge, state: State, wins: list[int]) -> bool:
    """Return whether the judge finds a line to the end of the game after each other move."""
    wrong = [each for each in game.legal_actions(state).tolist() if each not in wins]
    try:
        return all(judge.principal_variation(game.child_state(state, each)) for each in wrong)
    except NodeLimitError:
        return False


def grade_of(levels: Sequence[Agent], state: State, wins: list[int]) -> int:
    """Return the weakest level's place from which on all of them mostly find a winning move."""
    for place, agent in reversed([*enumerate(levels, start=1)]):
        tries = TRIES if "choice=" in WITH_NET[place][1] else 1
        if sum(agent.choose_action(state) in wins for _ in range(tries)) <= tries / 2:
            return place + 1
    return 1


def puzzles_of(size: int, seed: int) -> list[dict[str, Any]]:
    """Return the puzzles of a board, at most one of each game."""
    source = SOURCES[size]
    game, rng = make_game("hex", size=size), np.random.default_rng((seed, size))
    judge = Judge(game, source.nodes)
    levels = [make_agent(word, game, seed=seed) for _, word in WITH_NET[1:-1]]
    player = make_agent(WITH_NET[source.level][1], game, seed=seed)
    found, known = list[dict[str, Any]](), Counter[tuple[int, int]]()
    names = set[str]()
    for _ in track(range(source.games), f"{size}x{size}"):
        if len(found) == source.puzzles:
            break
        positions = [*played_game(game, player, source.random_share, rng)]
        for actions, state in (positions[each] for each in rng.permutation(len(positions))):
            name = sha256(state.tobytes()).hexdigest()[:6]
            wins = [] if name in names else winning_actions(game, judge, state)
            other = state.copy()
            other[0] = 3 - other[0]
            is_threatened = wins and any(game.is_final(child) for _, child in game.children(other))
            if not wins or (is_threatened and not source.threats):
                continue
            grade = grade_of(levels, state, wins)
            is_wanted = known[len(wins), grade] < source.wanted[len(wins)]
            if grade < source.least_grade or not is_wanted:
                continue
            if refutes(game, judge, state, wins):
                known[len(wins), grade] += 1
                names.add(name)
                about = {"id": name, "size": size, "moves": actions}
                found.append({**about, "wins": wins, "grade": grade})
                break
    return sorted(found, key=lambda each: (len(each["wins"]), each["grade"]))


def main() -> None:
    """Write the puzzles, and print how many there are of each kind."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--sizes", type=int, nargs="+", choices=SOURCES, default=[*SOURCES])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=OUT, metavar="FILE.jsonl")
    given = parser.parse_args()
    found = [each for size in given.sizes for each in puzzles_of(size, given.seed)]
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

"""How strong an agent is against MoHex 2.0, a strong program for Hex.

    python -m benchmarks.mohex --mohex PATH --size 7 --out mohex-7.jsonl

The opening is Black's first stone, on each cell; each opening is played from both sides. A finished
game is a line of the file, and the same command continues the match. ``benchmarks/README.md`` has
MoHex's settings.
"""

import argparse
import math
import shlex
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, count, product
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
import psutil

from agents import Agent, parse_agent
from agents.agent import Decision
from agents.engine_agent import EngineAgent, EngineOptions
from agents.match import Contestant, GameRecord, PlannedGame, play_series, wilson_interval
from base.storage import AppendLog, read_jsonl, record_in
from benchmarks.timing import ROOT, in_one_line, show
from cli.contestants import Candidate, make_contestants, with_best_nets
from cli.exits import UsageError
from formats.sgf import action_of, cell_name
from hex_mcts.system import read_params
from judge import shared_judge
from state_manager import NodeLimitError, State, StateManager, make_game
from state_manager.sides import sides_of

MOHEX_SETTINGS = {
    **{"num_threads": 1, "use_time_management": 0, "reuse_subtree": 0, "ponder": 0},
    **{"perform_pre_search": 1, "max_memory": 200_000_000},
}
"""MoHex's parameters beside ``max_time``. Its default memory, 2 GB, would cost 0.4 s a search."""
Start = tuple[int, int]
"""The action of the opening, and our player, 1 (Black) or 2."""
Line = dict[str, Any]
"""A finished game: ``opening``, our ``player``, the ``winner``, all ``moves``, and the seconds of
each move by us (see ``Match``) and by MoHex (processor time)."""


class Timed(Agent):
    """An agent, and the seconds of each of its moves by a clock."""

    def __init__(self, agent: Agent, clock: Callable[[], float]) -> None:
        """Time the moves of ``agent``."""
        self.name, self._agent, self._clock = agent.name, agent, clock
        self.seconds: list[float] = []

    def choose_action(self, state: State) -> Decision:
        """See ``Agent``."""
        began = self._clock()
        action = self._agent.choose_action(state)
        self.seconds.append(round(self._clock() - began, 3))
        return action


@dataclass
class Match:
    """Games against MoHex (``command`` lacks a seed), and the log; ``clock`` counts our seconds."""

    game: StateManager
    agent: Contestant
    command: str
    seed: int
    log: AppendLog
    clock: Callable[[], float]
    lines: dict[Start, Line]
    _timed: dict[Start, tuple[Timed, Timed]] = field(default_factory=dict)

    def play(self, starts: Sequence[Start], workers: int) -> None:
        """Play the games that are not finished, some at a time."""
        left = [start for start in starts if start not in self.lines]
        records: dict[int, GameRecord] = {}

        def save(number: int) -> None:
            line = self.lines[left[number]] = self._line(left[number], records.pop(number))
            self.log.append(line)
            lines = [self.lines[start] for start in starts if start in self.lines]
            print(f"{len(lines)} of {len(starts)} games, {len(won(lines))} won", flush=True)

        try:
            plan = [PlannedGame(partial(self._agents, each), opening=each[:1]) for each in left]
            play_series(self.game, plan, records, workers, on_result=save)
        finally:
            for number in sorted(records):  # finished before an earlier game
                save(number)

    def _agents(self, start: Start) -> tuple[Agent, Agent]:
        cell, player = start
        seed = 1000 * self.seed + 2 * cell + player
        ours = Timed(self.agent.agent(np.random.SeedSequence(seed)), self.clock)
        options = EngineOptions(command=f"{self.command} --seed {seed}")
        engine = EngineAgent(self.game, options=options)
        process = psutil.Process(engine.pid)
        mohex = Timed(engine, lambda: sum(process.cpu_times()[:2]))
        self._timed[start] = ours, mohex
        return (ours, mohex) if player == 1 else (mohex, ours)

    def _line(self, start: Start, record: GameRecord) -> Line:
        ours, mohex = self._timed.pop(start)
        names = [cell_name(action, self.game.board_shape[0]) for action in record.actions]
        return {
            **{"opening": names[0], "player": start[1], "winner": record.winner},
            **{"moves": " ".join(names), "seconds": ours.seconds, "mohex_seconds": mohex.seconds},
        }


def spread(cells: int) -> list[int]:
    """Return all cells in steps near the golden ratio: any first ones are evenly spread."""
    step = next(step for step in count(round(0.618 * cells)) if math.gcd(step, cells) == 1)
    return [number * step % cells for number in range(cells)]


def won(lines: Sequence[Line]) -> list[Line]:
    """Return the games that our agent won."""
    return [line for line in lines if line["winner"] == line["player"]]


def read_lines(log: AppendLog, settings: dict[str, Any], size: int) -> dict[Start, Line]:
    """Return a log's whole games, or begin it; a ``UsageError`` if its settings are others."""
    if not log.length:
        log.append(settings)
    data = log.path.read_bytes()
    line, end, _ = data.partition(b"\n")
    first = (end and record_in(line)) or {}
    if other := [name for name in settings if first.get(name) != settings[name]]:
        now, then = ([f"{name}={each.get(name)}" for name in other] for each in (settings, first))
        raise UsageError(f"{log.path}: expected {', '.join(now)}, got {', '.join(then)}")
    log.truncate(data.rfind(b"\n") + 1)
    lines = read_jsonl(log.path)[1:]
    return {(action_of(line["opening"], size) or 0, line["player"]): line for line in lines}


def show_results(game: StateManager, lines: Sequence[Line]) -> None:
    """Print the wins by seat, beside what theory knows, and the times of both sides."""
    theory: dict[str, int] = {}  # the winner of each opening; none if the board is too large
    with suppress(NodeLimitError):
        for side in sides_of(game, shared_judge(game).winner):
            if side.opening:
                theory[cell_name(side.opening[0], game.board_shape[0])] = side.player
    rows = []
    for name, players in (("Black", [1]), ("White", [2]), ("both", [1, 2])):
        seat = [line for line in lines if line["player"] in players]
        low, high = wilson_interval(len(won(seat)), len(seat))
        rows.append([name, f"{len(won(seat))} of {len(seat)}", f"{low:.0%} to {high:.0%}"])
        for holds in (True, False) if theory else ():
            part = [each for each in seat if (theory[each["opening"]] == each["player"]) == holds]
            rows[-1].append(f"{len(won(part))} of {len(part)}")
    headings = ["we play", "wins", "95 %", "won starts held", "lost starts taken"]
    show(headings[: len(rows[0])], rows)
    ours, mohex = ([*chain(*(each[key] for each in lines))] for key in ("seconds", "mohex_seconds"))
    print(
        f"{len({each['moves'] for each in lines})} of {len(lines)} games are distinct.\n"
        f"Seconds of a move: we {fmean(ours):.3f} s (at most {max(ours):.2f} s), "
        f"MoHex {fmean(mohex):.3f} s ({max(mohex):.2f} s)."
    )


def main() -> None:
    """Play the games that are left, and print the table of all."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--mohex", required=True, metavar="PATH", help="the program")
    parser.add_argument("--size", type=int, required=True, help="rows of the board")
    parser.add_argument("--out", type=Path, required=True, metavar="FILE", help="the games")
    word = "mcts:best,simulations=800,time_limit=null"
    parser.add_argument("--agent", default=word, metavar="WORD", help=f"as in compare ({word})")
    parser.add_argument("--games", type=int, help="on an even spread of cells (all cells)")
    parser.add_argument("--seconds", type=float, default=1.0, help="MoHex's a move (1)")
    parser.add_argument("--seed", type=int, default=1, help="another one gives other games (1)")
    parser.add_argument("--workers", type=int, default=1, help="games at a time (1)")
    given = parser.parse_args()
    if given.seconds < 1:  # MoHex would search for 1 s
        parser.error(f"--seconds: expected at least 1, got {given.seconds:g}")
    if given.games is not None and (given.games < 2 or given.games % 2):
        parser.error(f"--games: expected an even number, got {given.games}")
    with in_one_line("benchmarks.mohex", "Stopped; the same command continues the match."):
        run(given)


def run(given: argparse.Namespace) -> None:
    """Play a match with the words of the command line."""
    game = make_game("hex", size=given.size)
    params = read_params(ROOT / "params.yaml").for_games(given.workers)
    candidates = with_best_nets([Candidate(parse_agent(given.agent))], game)
    [agent] = make_contestants(candidates, game, params)
    starts = list(product(spread(game.num_actions), (1, 2)))[: given.games]
    parameters = {"max_time": given.seconds, **MOHEX_SETTINGS}
    with tempfile.TemporaryDirectory() as folder, AppendLog(given.out) as log:
        config = Path(folder) / "mohex.htp"
        config.write_text("".join(f"param_mohex {name} {n}\n" for name, n in parameters.items()))
        program = [given.mohex, "--quiet", "--use-logfile", "0", "--config", str(config)]
        # OpenVINO evaluates in threads of its own, which the clock of one thread does not see.
        clock = time.process_time if given.workers == 1 else time.perf_counter
        named = {"size": given.size, "agent": agent.word, "seed": given.seed}
        lines = read_lines(log, named | {"clock": clock.__name__} | parameters, given.size)
        match = Match(game, agent, shlex.join(program), given.seed, log, clock, lines)
        openings = f"{len(starts) // 2} of {game.num_actions} openings from both sides"
        print(f"{agent.word} against MoHex with {given.seconds:g} s a move, {game!r}, {openings}")
        try:
            match.play(starts, given.workers)
        finally:
            if finished := [lines[start] for start in starts if start in lines]:
                show_results(game, finished)


if __name__ == "__main__":
    main()

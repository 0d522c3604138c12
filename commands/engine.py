"""``engine``: a player for HexGui and other programs with the Hex Text Protocol."""

import argparse
import os
import queue
import sys
import threading
from contextlib import suppress
from functools import lru_cache
from importlib.metadata import version
from io import UnsupportedOperation
from typing import TextIO

from agents import BEST, Agent, AgentSpec, make_agent, parse_agent, searches, with_best_net
from cli.contestants import game_of
from cli.exits import UsageError
from formats.htp import HTPEngine
from hex_mcts.system import System
from state_manager import make_game

_MOST_AHEAD = 1000  # lines that are read ahead


def run(system: System, arguments: argparse.Namespace) -> None:
    """Answer commands, line by line, until ``quit`` or the end of the input."""
    spec = parse_agent(arguments.agent or BEST)
    if arguments.net is not None:
        spec = AgentSpec("mcts", arguments.net)
    if spec.kind == "human":
        raise UsageError("--agent: expected an agent other than human")
    played = game_of(system, [spec])
    if not played.has_hex_formats:
        raise UsageError(f"expected a player of hex, got one of {played!r}")
    swaps = played.swap_action is not None
    params = system.params.for_games(1)

    @lru_cache(maxsize=1)
    def made(size: int) -> tuple[Agent, AgentSpec]:
        game = make_game(played.name, size=size, swap=swaps)
        chosen = with_best_net(spec, game)
        return make_agent(chosen, game, seed=params.seed, defaults=params), chosen

    is_limited = False

    def players(size: int, seconds: float | None) -> Agent:
        nonlocal is_limited
        if is_limited and seconds is None:
            made.cache_clear()  # the limit of a clock is over
            is_limited = False
        agent, chosen = made(size)
        is_free = searches(chosen) and "simulations" not in chosen.options
        if seconds is not None and is_free:
            agent.limit_time(min(seconds, chosen.time_limit or seconds))
            is_limited = True
        return agent

    players(played.board_shape[0], None)  # loads and compiles before a clock runs
    about = f"hex-mcts {spec.name}", version("hex-mcts")
    engine = HTPEngine(players, played.board_shape[0], *about, swaps, arguments.resign)
    lines = _Lines()
    while engine.is_open and (line := lines.take()):
        for part in engine.responses(line, lines.next):
            sys.stdout.write(part)
            sys.stdout.flush()


class _Lines:
    """The lines of the standard input; a thread reads them, so that the next one ends an analysis.

    ``next`` is a ``formats.continuous_analysis.NextLine``.
    """

    def __init__(self) -> None:
        self._next: str | None = None
        self._ahead: queue.Queue[str] = queue.Queue(_MOST_AHEAD)
        threading.Thread(target=self._read, daemon=True).start()

    def next(self, seconds: float) -> str | None:
        if self._next is None:
            with suppress(queue.Empty):
                self._next = self._ahead.get(timeout=seconds)
        return self._next

    def take(self) -> str:
        """Wait for the next line, and remove it; empty at the end of the input."""
        while (line := self.next(1.0)) is None:
            pass  # on Windows, Ctrl-C is noticed between two waits
        self._next = None
        return line

    def _read(self) -> None:
        stream: TextIO = sys.stdin
        with suppress(OSError):  # the terminal is gone
            with suppress(UnsupportedOperation):  # raised by the input of a test
                # A file of its own: on its way out, Python waits for the readers of ``sys.stdin``.
                copy = os.dup(sys.stdin.fileno())
                stream = os.fdopen(copy, encoding=sys.stdin.encoding, errors="replace")
            with stream:
                for line in stream:
                    self._ahead.put(line)
        self._ahead.put("")

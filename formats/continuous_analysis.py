"""Continuous analysis: what a search finds, again and again, until the next line of input comes."""

import time
from collections.abc import Callable, Iterator, Set
from itertools import takewhile
from typing import NamedTuple

from agents.agent import Agent
from formats.sgf import cell_name
from state_manager import State

NextLine = Callable[[float], str | None]
"""``next_line(seconds) -> line``: the next line of the input, which stays there; empty at its end,
``None`` if none comes in time."""


class Request(NamedTuple):
    """What an analysis reports.

    The form ``lz`` has shares in ten-thousandths, as Leela Zero, ``kata`` from 0 to 1, as KataGo;
    ``gogui`` is a paragraph that HexGui draws.
    """

    form: str
    cells: Set[int]  # the moves to report
    seconds: float  # between two reports
    most: int  # the number of moves


def reports(
    agent: Agent, state: State, size: int, request: Request, next_line: NextLine
) -> Iterator[str]:
    """Yield reports on the best moves from a state, each after some seconds of ``agent.analyse``.

    The value, from -1 to 1, takes the place of a score, which Hex has not. The swap is left out, as
    it is no cell.
    """
    form, seconds = request.form, request.seconds
    policy = None if agent.net is None or form == "gogui" else agent.net.policy(state)
    is_over = False
    while not is_over:
        end = time.monotonic() + seconds
        result, lines = agent.analyse(state, seconds, lambda: next_line(0.0) is not None, size**2)
        moves: list[str] = []
        for action, line in lines.items():
            if action not in request.cells or len(moves) == request.most:
                continue
            cells = [cell_name(each, size) for each in takewhile(lambda each: each < size**2, line)]
            value = (result.thought(action).value or 0.0) * (1 if state[0] == 1 else -1)
            score = "" if form == "lz" else f" scoreLead {value:.2f}"
            prior = "" if policy is None else f" prior {_share(policy[action], form)}"
            visits = f"{cells[0]} visits {result.visit_counts[action]}"
            shown = f"{_share((1 + value) / 2, form)}{score}{prior}"
            rest = f"winrate {shown} order {len(moves)} pv {' '.join(cells)}"
            moves.append(f"info move {visits} {rest}")
        if moves:
            text = " ".join(moves)
            yield f"gogui-gfx:\nkata {text}\n\n" if form == "gogui" else f"{text}\n"
        # A proven result ends the search before its time.
        is_over = next_line(max(0.0, end - time.monotonic())) is not None


def _share(share: float, form: str) -> str:
    return f"{10_000 * share:.0f}" if form == "lz" else f"{share:.4f}"

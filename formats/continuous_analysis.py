"""Continuous analysis: what a search finds, again and again, until the next line of input comes."""

import time
from collections.abc import Callable, Iterator
from itertools import takewhile
from typing import Any

from formats.sgf import cell_name
from state_manager import State

NextLine = Callable[[float], str | None]
"""``next_line(seconds) -> line``: the next line of the input, which stays there; empty at its end,
``None`` if none comes in time."""

_MOST_MOVES = 10


def reports(
    agent: Any, state: State, size: int, seconds: float, next_line: NextLine, is_drawn: bool
) -> Iterator[str]:
    """Yield reports on the best moves from a state, each after some seconds of ``agent.analyse``.

    A report is a line as of Leela Zero, with shares in ten-thousandths. If HexGui draws it, it is a
    paragraph, with shares from 0 to 1; the value, from -1 to 1, takes the place of a score, which
    Hex has not. The swap is left out, as it is no cell.
    """
    policy = None if agent.net is None or is_drawn else agent.net.policy(state)
    is_over = False
    while not is_over:
        end = time.monotonic() + seconds
        result, lines = agent.analyse(
            state, seconds, lambda: next_line(0.0) is not None, _MOST_MOVES
        )
        moves: list[str] = []
        for action, line in lines.items():
            cells = [cell_name(each, size) for each in takewhile(lambda each: each < size**2, line)]
            value = result.thought(action).value * (1 if state[0] == 1 else -1)
            share = (1 + value) / 2
            shown = f"{share:.4f} scoreLead {value:.2f}" if is_drawn else f"{10_000 * share:.0f}"
            prior = "" if policy is None else f" prior {10_000 * policy[action]:.0f}"
            if cells:
                visits = f"{cells[0]} visits {result.visit_counts[action]}"
                rest = f"winrate {shown}{prior} order {len(moves)} pv {' '.join(cells)}"
                moves.append(f"info move {visits} {rest}")
        if moves:
            text = " ".join(moves)
            yield f"gogui-gfx:\nkata {text}\n\n" if is_drawn else f"{text}\n"
        # A proven result ends the search before its time.
        is_over = next_line(max(0.0, end - time.monotonic())) is not None

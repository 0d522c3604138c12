"""Our agents in the arena's own client: ``hexgame play --model-name hex_mcts.hexgame_model``.

The environment variable ``HEX_MCTS_AGENT`` is the agent's word; by default it is the best net for
the board, which searches for a second before each move. The client asks this module for ``agent``
before it connects; then everything is loaded and compiled.
"""

import os
from collections.abc import Callable, Collection, Sequence

from agents import AgentError, make_agent, parse_agent, with_time_limit
from agents.agent import Agent, chosen_action
from online.arena.messages import PLAYERS
from state_manager import make_game

Board = Sequence[Sequence[int]]
"""Rows of cells: 0, 1 (blue, joins top and bottom: player 1) or -1 (red: player 2)."""

_USUAL, _SECONDS = "best:judge=true", 1.0
_SIZES = 11, 7, 9, 13, 19
"""Of the arena's boards; compiled code does not depend on the size."""


class Model:
    """Chooses moves for both players. The client does not say whose turn it is: the boards do."""

    def __init__(self, word: str) -> None:
        """Take an agent's word; its searches take a second, unless it says otherwise."""
        spec = parse_agent(word)
        if not {"simulations", "time_limit"} & spec.options.keys():
            spec = with_time_limit(spec, _SECONDS)
        self._spec, self._agents = spec, dict[int, Agent]()  # by the board's size
        self._last = 0  # the cell of our last move

    def agent(self, board: Board, action_set: Collection[tuple[int, int]]) -> tuple[int, int]:
        """Return row and column of a move; ``action_set`` are the empty cells."""
        size, cells = len(board), [PLAYERS[cell] for row in board for cell in row]
        if any(cells):
            game = make_game("hex", size=size)
            if size not in self._agents:
                self._agents[size] = make_agent(self._spec, game)
            state = game.initial_state(self._mover(cells), cells)
            self._last = chosen_action(self._agents[size], state)
        else:
            # We may be either player. The middle is the same cell for both, seen from their sides.
            self._last = size // 2 * (size + 1)
        row, column = divmod(self._last, size)
        return row, column

    def _mover(self, cells: list[int]) -> int:
        """Return the player with fewer stones, else the owner of our last one.

        Without such a stone it is player 2, who begins the first game in the arena.
        """
        more = cells.count(1) - cells.count(2)
        if more == 0:
            return sum(cells[self._last : self._last + 1]) or 2
        return 1 if more < 0 else 2


def __getattr__(name: str) -> Callable[[Board, Collection[tuple[int, int]]], tuple[int, int]]:
    """Make the agent when the client asks for it, and let it move once."""
    if name != "agent":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    failure = ""
    for size in _SIZES:
        try:
            model = Model(os.environ.get("HEX_MCTS_AGENT", _USUAL))
            model.agent([[1, *[0] * (size - 1)], *[[0] * size] * (size - 1)], ())
        except AgentError as error:
            failure = failure or str(error)  # another size may fit the net
        else:
            return model.agent
    raise SystemExit(f"HEX_MCTS_AGENT: {failure}")

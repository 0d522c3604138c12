"""An agent with OpenSpiel's search and uniform rollouts, for comparison (extra ``bench``).

In OpenSpiel the first player always begins. If player 2 begins here, its board is the image under
the colour swap: in Hex, the transpose.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from pydantic import Field

from agents.agent import Agent
from agents.options import AgentOptions
from agents.search_options import Seconds, Simulations
from agents.spec import AgentError
from mcts import Thought

if TYPE_CHECKING:
    from anet.evaluator import Evaluator
    from base.params import Params
    from state_manager import Indices, State, StateManager

_NAMES = {
    "hex": "hex(board_size={size})",
    "tic_tac_toe": "tic_tac_toe",
    "connect_four": "connect_four(rows={rows},columns={columns})",
}
_MEGABYTES = 1_000


class OpenSpielOptions(AgentOptions):
    """Options of the search: UCT, one rollout per leaf, a fresh tree for each move."""

    simulations: Simulations = 500  # per move
    time_limit: Seconds | None = None  # seconds per move, always used up
    exploration: Annotated[float, Field(ge=0, le=100)] = 1.4  # c, in c * sqrt(ln N / n)
    solve: bool = False  # proven results are backed up the tree; the search may then stop earlier

    def defaults(self, net: Evaluator | None, params: Params | None) -> dict[str, object]:
        """See ``AgentOptions``: the parameters for play; a number of simulations needs no time."""
        if params is None:
            return {}
        found = {key: getattr(params.play, key) for key in ("simulations", "exploration")}
        timed = "simulations" not in self.model_fields_set
        return found | {"time_limit": params.play.time_limit if timed else None}


class OpenSpielAgent(Agent):
    """Plays the most visited action of OpenSpiel's search, which cannot be stopped."""

    Options = OpenSpielOptions
    batch_key = None

    def _prepare(self) -> None:
        self._spiel, options = open_spiel_game(self._game), self._options
        import pyspiel

        seeds = self._rng.integers(2**31, size=2).tolist()
        evaluator = pyspiel.RandomRolloutEvaluator(n_rollouts=1, seed=seeds[0])
        self._bot = pyspiel.MCTSBot(
            self._spiel,
            evaluator,
            uct_c=options.exploration,
            max_simulations=options.simulations,
            max_memory_mb=_MEGABYTES,
            solve=options.solve,
            seed=seeds[1],
            verbose=False,
            max_wall_clock_time=-1.0 if options.time_limit is None else options.time_limit,
        )

    def choose_action(self, state: State) -> int:
        """Return the most visited action; an ``AgentError`` if no game leads to the state."""
        began, spiel = time.perf_counter(), self._spiel.new_initial_state()
        line, actions = line_to(self._game, state), actions_there(self._game, state)
        for action in line:
            spiel.apply_action(int(actions[action]))
        root = self._bot.mcts_search(spiel)
        self.simulations_run += root.explore_count
        self.search_seconds += time.perf_counter() - began
        ours = np.argsort(actions)
        visits = np.zeros(self._game.num_actions)
        for child in root.children:
            visits[ours[child.action]] = child.explore_count
        best = root.best_child()
        value = best.total_reward / max(1, best.explore_count)  # seen by the mover
        self.thought = Thought(visits / visits.sum(), value if state[0] == 1 else -value)
        return int(ours[best.action])


def open_spiel_game(game: StateManager) -> Any:
    """Return OpenSpiel's version of a game; an ``AgentError`` if none exists or is installed."""
    if game.name not in _NAMES:
        raise AgentError(f"expected a game of {', '.join(_NAMES)}, got {game!r}")
    try:
        import pyspiel
    except ModuleNotFoundError:
        how = "pip install -c constraints.txt -e .[bench]"
        raise AgentError(f"the package open_spiel is missing; {how}") from None
    word = _NAMES[game.name].format(**game.params)
    if game.swap_action is not None:
        word = word.replace(")", ",swap=true)")
    return pyspiel.load_game(word)


def actions_there(game: StateManager, state: State) -> Indices:
    """Return each action's number in OpenSpiel's version of the game at a state, `[A]`."""
    swap = game.colour_swap
    assert swap is not None
    return np.arange(game.num_actions) if _starter(game, state) == 1 else swap.actions


def line_to(game: StateManager, state: State) -> list[int]:
    """Return actions that lead to a state, with a swap only at its end; else an ``AgentError``."""
    rows, columns = game.board_shape
    if _is_just_swapped(game, state):
        assert game.swap_action is not None
        assert game.colour_swap is not None
        mirrored = int(game.colour_swap.actions[np.argmax(state[1 : 1 + rows * columns])])
        return [mirrored, game.swap_action]
    board = state[1 : 1 + rows * columns].reshape(rows, columns)
    stacks: list[Sequence[int]] = [[each] if each else [] for each in board.reshape(-1).tolist()]
    if not game.without_swap.only_adds:  # pieces fall
        stacks = [column[column > 0][::-1].tolist() for column in board.T]
    dead: set[tuple[int, ...]] = set()

    def search(heights: tuple[int, ...], player: int) -> list[int] | None:
        if sum(heights) == np.count_nonzero(board):
            return [] if player == state[0] else None
        for action, (stack, height) in enumerate(zip(stacks, heights, strict=True)):
            if height < len(stack) and stack[height] == player:
                more = (*heights[:action], height + 1, *heights[action + 1 :])
                if more not in dead and (rest := search(more, 3 - player)) is not None:
                    return [action, *rest]
        dead.add(heights)
        return None

    line = search((0,) * len(stacks), _starter(game, state))
    if line is None:
        raise AgentError(f"expected a position that a game leads to, got\n{game.text(state)}")
    return line


def _starter(game: StateManager, state: State) -> int:
    plies = _stones(game, state) + _is_just_swapped(game, state)
    return int(state[0]) if plies % 2 == 0 else 3 - int(state[0])


def _is_just_swapped(game: StateManager, state: State) -> bool:
    """Return whether the last move was the swap: one stone, and no swap is offered."""
    moves = game.to_flat(state)[-1]
    return game.swap_action is not None and _stones(game, state) == 1 and moves == 0


def _stones(game: StateManager, state: State) -> int:
    rows, columns = game.board_shape
    return int(np.count_nonzero(state[1 : 1 + rows * columns]))

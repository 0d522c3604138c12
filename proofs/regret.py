"""Regret: the share of won positions that a net throws away when it plays greedily.

All nets of a game are evaluated on the same positions, from uniformly random games; the exact judge
finds the moves that keep them won. No net learns from it.

Letters: B positions, S length of a state, A actions, O first moves.
"""

from __future__ import annotations

import math
import time
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from judge import Judge
from state_manager import GOES_ON, Indices, NodeLimitError, State, StateManager

if TYPE_CHECKING:
    from anet import ANET
    from anet.evaluator import Evaluator
    from base.params import TOPPParams
    from topp import TOPP

MOST_MOVES = 26
"""The most legal moves of a position: all positions of 5x5; on larger boards those that the judge
decides in milliseconds."""
_NODES, _FEW_NODES = 500_000, 20_000
"""Limits per position of the judge: seconds; and less where the regret was not requested."""
_SEED = 20110
_TOPP_POSITIONS = 200  # ``topp.regret_positions`` overrides it
_GAMES = 20  # random games at most for each position wanted; small games have fewer positions
_VALUES = np.array([0.0, 1.0, -1.0, 0.0])  # the value of each outcome for player 1


class Regret:
    """Won positions and first moves, judged exactly.

    Attributes:
        states: `[B, S]` int8; each is won for its mover, but at least two moves lose the win.
        keeps: `[B, A]` bool, the moves that keep the win.
    """

    def __init__(
        self,
        game: StateManager,
        positions: int,
        node_limit: int = _NODES,
        seconds: float = math.inf,
    ) -> None:
        """Find and judge B positions, always the same ones.

        They are fewer if the game has fewer, or if those after the first take these seconds. A
        ``NodeLimitError`` means that the judge cannot decide the positions, or finds none.
        """
        self.game = game
        self._judge = Judge(game, node_limit)
        rng = np.random.default_rng(_SEED)
        began, seen = 0.0, set[bytes]()
        states: list[State] = []
        keeps: list[NDArray[np.bool_]] = []
        for number in range(_GAMES * positions):
            state, moves = self._random_position(1 + number % 2, rng)
            if moves == 0 or state.tobytes() in seen:
                continue
            seen.add(state.tobytes())
            winning = self._judge.winning_actions(state)
            if 0 < len(winning) < moves - 1:
                began = began or time.perf_counter()  # the first one compiles
                states.append(state)
                keeps.append(np.isin(np.arange(game.num_actions), winning))
            if len(states) == positions or (began and time.perf_counter() > began + seconds):
                break
        if not states:
            raise NodeLimitError(f"regret: expected a game with won positions, got {game!r}")
        self.states, self.keeps = np.stack(states), np.stack(keeps)

    def _random_position(self, player: int, rng: np.random.Generator) -> tuple[State, int]:
        """Return a position of a random game and its number of moves; 0 if all have too many."""
        state, actions = self.game.initial_state(player), np.empty(self.game.num_actions, np.int64)
        passed: list[tuple[State, int]] = []
        outcome = GOES_ON
        while outcome == GOES_ON:
            moves = self.game.rules.legal_actions(state, actions)
            if moves <= MOST_MOVES:
                passed.append((state.copy(), moves))
            outcome = self.game.rules.play(state, int(actions[rng.integers(moves)]))
        return passed[rng.integers(len(passed))] if passed else (state, 0)

    @cached_property
    def openings(self) -> tuple[Indices, State, NDArray[np.float64]]:
        """The first moves of player 1, the states after them, and their exact values.

        `[O]`, `[O, S]` and `[O]`: 1 is a win of player 1, 0 a draw, -1 a loss. If the judge cannot
        decide them all, it raises a ``NodeLimitError``.
        """
        children = self.game.children(self.game.initial_state(1))
        values = _VALUES[[self._judge.winner(state) for _, state in children]]
        actions = np.array([action for action, _ in children])
        return actions, np.stack([state for _, state in children]), values

    def share(self, net: Evaluator) -> float:
        """Return the share of the positions whose win a net throws away, in [0, 1]."""
        chosen = _greedy(net, self.states)
        return float((~self.keeps[np.arange(len(chosen)), chosen]).mean())

    def record(self, net: ANET) -> dict[str, Any]:
        """Return the fields for ``metrics.jsonl``.

        ``regret`` is the share. ``opening_map`` has for each first move the net's value and the
        true value, both in [-1, 1] and seen from player 1, and whether the net is wrong;
        ``openings_wrong`` is the share of wrong ones. Both are left out if the judge cannot decide.
        The net's value is its critic's, else the outcome when it plays both sides greedily.
        """
        evaluator = net.evaluator()
        record: dict[str, Any] = {"regret": self.share(evaluator)}
        try:
            actions, states, values = self.openings
        except NodeLimitError:
            return record
        has_critic = net.params.critic
        thinks = net.value(states) if has_critic else self._greedy_outcomes(evaluator, states)
        nearest = np.where(thinks > 0.0, 1.0, -1.0)
        if not values.all():  # a draw is possible, so small values count as draws
            nearest[np.abs(thinks) < 0.5] = 0.0
        wrong = nearest != values
        return record | {
            "openings_wrong": float(wrong.mean()),
            "opening_map": {
                "actions": actions.tolist(),
                "thinks": np.round(thinks, 4).tolist(),
                "true": values.tolist(),
                "wrong": wrong.tolist(),
            },
        }

    def _greedy_outcomes(self, net: Evaluator, states: State) -> NDArray[np.float64]:
        """Return the outcomes for player 1 when a net plays both sides from states, `[O, S]`."""
        states = states.copy()
        outcomes = np.array([self.game.winner(state) for state in states])
        while len(going_on := np.flatnonzero(outcomes == GOES_ON)):
            chosen = _greedy(net, states[going_on]).tolist()
            for row, action in zip(going_on.tolist(), chosen, strict=True):
                outcomes[row] = self.game.rules.play(states[row], action)
        values: NDArray[np.float64] = _VALUES[outcomes]
        return values


def regret_for(game: StateManager, params: TOPPParams, seconds: float = math.inf) -> Regret | None:
    """Return the positions for a tournament; ``None`` if none are wanted, or can be judged.

    Raises a ``NodeLimitError`` if ``topp.regret_positions`` is set and the exact judge gives up.
    """
    if params.regret_positions == 0:
        return None
    try:
        limit = _NODES if params.regret_positions else _FEW_NODES
        return Regret(game, params.regret_positions or _TOPP_POSITIONS, limit, seconds)
    except NodeLimitError:
        if params.regret_positions is None:
            return None
        raise


def measure_regret(topp: TOPP, regret: Regret | None = None) -> None:
    """Measure once the regret of each net of a tournament, by default with ``regret_for``."""
    nets = {each.name: each.net for each in topp.contestants if each.net is not None}
    if topp.regrets or not nets:
        return
    regret = regret or regret_for(topp.game, topp.params)
    if regret is None:
        return
    topp.regret_positions = len(regret.states)
    topp.regrets = {name: regret.share(net) for name, net in nets.items()}


def _greedy(net: Evaluator, states: State) -> Indices:
    """Return a net's greedy actions, ties to the lowest, in states that are not final."""
    legal = net.game.legal_mask(states)
    policies, _ = net.evaluate_batch(states, legal, symmetric=True)
    chosen: Indices = np.argmax(np.where(legal, policies, -1.0), axis=1)
    return chosen

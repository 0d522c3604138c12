"""Regret: the share of won positions that a net throws away when it plays greedily.

All nets of a game are asked about the same positions, from uniformly random games, and the exact
judge says which moves keep them won. It only measures: nothing that a net learns comes from here.

Letters: B positions, S length of a state, A actions, O first moves.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from state_manager import GOES_ON, Indices, Judge, NodeLimitError, State, StateManager

if TYPE_CHECKING:
    from anet import ANET

MOST_MOVES = 26
"""Positions have at most so many legal moves: all of 5x5; on larger boards what the judge decides
in milliseconds."""
NODES, FEW_NODES = 500_000, 20_000
"""What one question to the judge may take: seconds; and where nobody has asked for the regret."""
_SEED = 20110
_GAMES = 20
"""Random games for each position that is wanted; small games have fewer positions."""
_VALUES = np.array([0.0, 1.0, -1.0, 0.0])
"""What an outcome is worth to player 1."""


class Regret:
    """Positions that are won, and first moves, judged exactly.

    Attributes:
        states: `[B, S]` int8; each is won for its mover, but no longer after some two moves.
        keeps: `[B, A]` bool, the moves after which it still is.
    """

    def __init__(self, game: StateManager, positions: int, node_limit: int = NODES) -> None:
        """Find and judge positions; they depend on the game and on nothing else.

        Args:
            game: The rules.
            positions: B; fewer if the game has fewer.
            node_limit: How many nodes one question to the judge may take.

        Raises:
            NodeLimitError: If the judge cannot decide the game's positions, or finds none.
        """
        self.game = game
        self._judge = Judge(game, node_limit)
        rng = np.random.default_rng(_SEED)
        seen: set[bytes] = set()
        states: list[State] = []
        keeps: list[Indices] = []
        for number in range(_GAMES * positions):
            state, moves = self._random_position(1 + number % 2, rng)
            if moves == 0 or state.tobytes() in seen:
                continue
            seen.add(state.tobytes())
            winning = self._judge.winning_actions(state)
            if 0 < len(winning) < moves - 1:
                states.append(state)
                keeps.append(winning)
            if len(states) == positions:
                break
        if not states:
            raise NodeLimitError(f"regret: expected a game with won positions, got {game!r}")
        self.states = np.stack(states)
        self.keeps = np.zeros((len(states), game.num_actions), np.bool_)
        for row, winning in zip(self.keeps, keeps, strict=True):
            row[winning] = True

    def _random_position(self, player: int, rng: np.random.Generator) -> tuple[State, int]:
        """Return a position of a random game and how many moves it has; 0 if none has so few."""
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
        """The first moves of player 1, the states after them, and what these are truly worth.

        `[O]`, `[O, S]` and `[O]`: 1 is won by player 1, 0 drawn, -1 lost.

        Raises:
            NodeLimitError: If the judge cannot decide them all.
        """
        children = self.game.children(self.game.initial_state(1))
        values = _VALUES[[self._judge.winner(state) for _, state in children]]
        actions = np.array([action for action, _ in children])
        return actions, np.stack([state for _, state in children]), values

    def share(self, net: ANET) -> float:
        """Return the share of the positions that a net throws away, in [0, 1]."""
        chosen = _greedy(net, self.states)
        return float((~self.keeps[np.arange(len(chosen)), chosen]).mean())

    def record(self, net: ANET) -> dict[str, Any]:
        """Return what goes into ``metrics.jsonl``.

        ``regret`` is the share. ``opening_map`` has for each first move what the net thinks of it
        and its true value, both in [-1, 1] and seen from player 1, and whether the net is wrong,
        ``openings_wrong`` the share of these; both are left out where the judge cannot decide.
        A net with a critic thinks what that says; one without thinks what comes of it when it plays
        greedily for both sides, which is an opinion and no proof.
        """
        record: dict[str, Any] = {"regret": self.share(net)}
        try:
            actions, states, values = self.openings
        except NodeLimitError:
            return record
        thinks = net.value(states) if net.params.critic else self._greedy_outcomes(net, states)
        nearest = np.where(thinks > 0.0, 1.0, -1.0)
        if not values.all():  # openings may be drawn, so the net may think so
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

    def _greedy_outcomes(self, net: ANET, states: State) -> NDArray[np.float64]:
        """Return what comes of states, `[O, S]`, to player 1 when a net plays both sides."""
        states = states.copy()
        outcomes = np.array([self.game.winner(state) for state in states])
        while len(going_on := np.flatnonzero(outcomes == GOES_ON)):
            chosen = _greedy(net, states[going_on]).tolist()
            for row, action in zip(going_on.tolist(), chosen, strict=True):
                outcomes[row] = self.game.rules.play(states[row], action)
        values: NDArray[np.float64] = _VALUES[outcomes]
        return values


def _greedy(net: ANET, states: State) -> Indices:
    """Return what a net plays alone, the lowest of equals, in states that are not final."""
    legal = net.game.legal_mask(states)
    if net.params.symmetric:
        policies = net.policy_checked(states, legal)
    else:
        policies, _ = net.evaluate_checked(states, legal)
    chosen: Indices = np.argmax(np.where(legal, policies, -1.0), axis=1)
    return chosen

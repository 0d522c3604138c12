"""Perfect play by looking at every position that matters, for games that are small enough."""

import numpy as np

from state_manager import DRAW, GOES_ON, State, StateManager


class ExactPlay:
    """Outcomes under perfect play. Asks who can force a win; where nobody can, it is a draw."""

    def __init__(self, game: StateManager) -> None:
        self.game = game
        self._play, self._legal_actions = game.rules.play, game.rules.legal_actions
        self._known: tuple[dict[bytes, bool], ...] = ({}, {}, {})
        middle = (game.num_actions - 1) / 2
        self._from_the_middle = sorted(range(game.num_actions), key=lambda a: abs(a - middle))

    def outcome(self, state: State) -> int:
        """Return 1 or 2 if that player can force a win or has won, else 3."""
        if self.game.is_final(state):
            return self.game.winner(state)
        return next((player for player in (1, 2) if self.can_win(player, state)), DRAW)

    def best_actions(self, state: State) -> set[int]:
        """Return the actions after which perfect play leads to the best outcome."""
        best = self.outcome(state)
        return {
            action for action, child in self.game.children(state) if self.outcome(child) == best
        }

    def can_win(self, player: int, state: State) -> bool:
        """Tell whether a player can force a win from a position in which the game goes on."""
        known, key = self._known[player], state.tobytes()
        if key not in known:
            known[key] = self._can_win(player, state)
        return known[key]

    def _can_win(self, player: int, state: State) -> bool:
        legal = np.empty(self.game.num_actions, np.int64)
        allowed = set(legal[: self._legal_actions(state, legal)].tolist())
        # One child settles it: one that wins if the player chooses, one that does not otherwise.
        enough = int(state[0]) == player
        going_on = []
        for action in self._from_the_middle:
            if action in allowed:
                child = state.copy()
                outcome = self._play(child, action)
                if outcome == GOES_ON:
                    going_on.append(child)
                elif (outcome == player) == enough:
                    return enough
        for child in going_on:
            if self.can_win(player, child) == enough:
                return enough
        return not enough

"""A moment of a game for display, with the thought behind the last move."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from display.boards.cells import Coordinates, board_of, cells_of_move, percent
from display.boards.palette import player_name
from state_manager import DRAW

if TYPE_CHECKING:
    from mcts import Thought
    from state_manager import State, StateManager

_OTHERS = 3
_LEAST = 0.005  # smallest share that is shown
_ENDINGS = {"R": "has resigned", "T": "is out of time", "F": "has forfeited"}


@dataclass(frozen=True)
class Insight:
    """The thought before a move."""

    game: StateManager
    before: State  # `[S]` int8, the state before the move
    action: int
    thought: Thought | None  # the mover's, if known

    def shares(self) -> Mapping[int, float]:
        """Return the shares of empty cells, if moves are pieces placed on cells; else none."""
        if self.thought is None:
            return {}
        shares = {}
        legal = self.game.legal_actions(self.before).tolist()
        for action in (each for each in legal if each != self.game.swap_action):
            cells = cells_of_move(self.game, self.before, action)
            if len(cells) != 1 or board_of(self.game, self.before).flat[cells[0]]:
                return {}
            shares[cells[0]] = float(self.thought.distribution[action])
        made = cells_of_move(self.game, self.before, self.action)[0]
        return {c: share for c, share in shares.items() if share >= _LEAST and c != made}

    def words(self, coordinates: Coordinates) -> str:
        """Return the words after the name of the move."""
        thought = self.thought
        if thought is None:
            return ": not searched"
        shares, mover = thought.distribution, int(self.before[0])
        words = ": "
        if thought.outcome:
            words = {mover: ": won", DRAW: ": drawn"}.get(thought.outcome, ": lost")
            words += ", says the judge"
            if thought.outcome == mover:
                return words
            words += "; "
        words += f"{'D' if thought.is_search else 'policy'} {percent(shares[self.action])} %"
        if thought.value is not None:
            value = thought.value if mover == 1 else -thought.value
            words += f", value {value:+.2f} for {player_name(self.game, mover)}"
        ranked = sorted(range(len(shares)), key=lambda action: -shares[action])
        others = [
            f"{coordinates.move(action)} {percent(shares[action])} %"
            for action in ranked[: _OTHERS + 1]
            if action != self.action and shares[action] >= _LEAST
        ]
        return words + (f"; others {', '.join(others[:_OTHERS])}" if others else "")


@dataclass(frozen=True)
class GameView:
    """One moment of a game: heading, board, last move or result."""

    game: StateManager
    state: State  # `[S]` int8
    title: str = ""
    players: tuple[str, str] = ("", "")  # the names of player 1 and player 2
    moves: int = 0  # made so far
    last_action: int | None = None
    winner: int = 0  # 0 while the game goes on, 1, 2, or 3 for a draw
    insight: Insight | None = None  # the thought before the last move, if it is shown
    letters: bool = True  # whether cells are named by letters and numbers
    ending: str = "R"  # how a game that is not won on the board ended, as in ``GameRecord``

    @property
    def coordinates(self) -> Coordinates:
        """The names of rows, columns and moves."""
        return Coordinates(self.game, self.letters)

    @property
    def landed(self) -> int | None:
        """The target cell of the last move."""
        last = self.last_action
        return None if last is None else self.game.landing_cell(self.state, last)

    @property
    def shares(self) -> Mapping[int, float]:
        """The shares to write into empty cells."""
        return self.insight.shares() if self.insight else {}

    @property
    def last_move(self) -> str:
        """The last move and the thought before it; empty without a move."""
        last, names = self.last_action, self.coordinates
        words = "" if last is None else f"last move {names.move(last)}"
        return words + (self.insight.words(names) if self.insight else "")

    @property
    def result(self) -> str:
        """The result of the game: ``red (anet_00200) wins in 17 moves``."""
        in_moves = f"{self.moves} move{'' if self.moves == 1 else 's'}"
        if self.winner not in (1, 2):
            return f"{'A draw' if self.winner else 'Not finished'} after {in_moves}"
        winner, loser = self._named(self.winner), self._named(3 - self.winner)
        if self.game.winner(self.state) == self.winner:
            return f"{winner} wins in {in_moves}"
        how = _ENDINGS.get(self.ending)
        why = f": {loser} {how}" if how else ", not on the board"
        return f"{winner} wins after {in_moves}{why}"

    def _named(self, player: int) -> str:
        name = self.players[player - 1]
        return f"{player_name(self.game, player)}{name and f' ({name})'}"

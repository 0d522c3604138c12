"""Reviews of games: the verdict after each move, and the cost of each move to its player.

The cost of a move is a loss of winning chances: the chances after the best move, less those after
the move made. Both positions have the same player to move, so a search's bias cancels out. Chances
are in percent, 50 (1 + value). Grades and accuracy are those of lichess
(https://lichess.org/page/accuracy; ``Advice.scala`` of lila), but its limits are half of these: its
values come from a stronger search.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from state_manager import DRAW, NodeLimitError, shared_judge

if TYPE_CHECKING:
    from agents.mcts_agent import MCTSAgent
    from anet import ANET
    from state_manager import State, StateManager

CLEAR = 0.2
"""From this value on, an unproven position counts as winning for a player."""
_GRADES = (30.0, "blunder"), (20.0, "mistake"), (10.0, "inaccuracy")
"""The lowest cost of each grade, in percent."""
_COSTLIEST = 3
_LONGEST_SEARCHED_LINE = 8


class Opinion(NamedTuple):
    """A search's best action, its value in [-1, 1], seen from player 1, and the expected line."""

    value: float
    choice: int
    line: tuple[int, ...]


@dataclass(frozen=True)
class Verdict:
    """The evaluation of a state: a value in [-1, 1], seen from player 1.

    An ``exact`` value is proven: 1, -1 or, for a draw, 0. Others are a search's estimate.
    """

    value: float
    exact: bool

    @property
    def winner(self) -> int:
        """The player that is winning, 1 or 2; 3 for a draw, or a search's value near 0."""
        if abs(self.value) < CLEAR:
            return DRAW
        return 1 if self.value > 0 else 2

    def for_player(self, player: int) -> float:
        """Return the value seen from a player."""
        return self.value if player == 1 else -self.value

    def chances(self, player: int) -> float:
        """Return a player's winning chances, in percent."""
        return 50.0 * (1.0 + self.for_player(player))


@dataclass(frozen=True)
class ReviewedMove:
    """A move of the game.

    Attributes:
        ply: Its number, from 1.
        state: `[S]` int8, the state before it.
        action: The move.
        before: The verdict before it.
        after: The verdict after it.
        probability: Of this move in the net's policy; ``None`` without a net.
        better: Of a move with a cost: the best moves, as far as they were found.
        line: Of a move with a cost: the refutation, best moves for both players after it.
        alternative: The verdict after the best move; ``None`` if it equals ``before``.
        searched: The search's verdict after the move, if ``after`` is exact and the alternative is
            not; else ``None``.
        best: Of a move with a cost: the best line in its place.
    """

    ply: int
    state: State
    action: int
    before: Verdict
    after: Verdict
    probability: float | None = None
    better: tuple[int, ...] = ()
    line: tuple[int, ...] = ()
    alternative: Verdict | None = None
    searched: Verdict | None = None
    best: tuple[int, ...] = ()

    @property
    def player(self) -> int:
        """The player of the move."""
        return int(self.state[0])

    @property
    def could_have(self) -> Verdict:
        """The verdict after the best move."""
        return self.alternative or self.before

    @property
    def exact(self) -> bool:
        """Whether the cost is proven."""
        return self.could_have.exact and (self.searched or self.after).exact

    @property
    def loss(self) -> float:
        """The cost of the move: the mover's loss of winning chances, in percent, 0 to 100."""
        left = (self.searched or self.after).chances(self.player)
        return max(0.0, self.could_have.chances(self.player) - left)

    @property
    def grade(self) -> str:
        """The grade of a costly move; else empty."""
        return next((word for least, word in _GRADES if round(self.loss) >= least), "")

    @property
    def is_mistake(self) -> bool:
        """Whether the move should be taken back in teaching: a mistake or a blunder."""
        return self.grade in ("mistake", "blunder")

    @property
    def accuracy(self) -> float:
        """The accuracy in percent: 100 without cost; 64, 40 and 25 at the limits of the grades."""
        return min(100.0, max(0.0, 103.1668 * math.exp(-0.04354 * self.loss) - 3.1669))

    def to_json(self, game: StateManager) -> dict[str, Any]:
        """Return everything as JSON data, moves with their names."""

        def named(actions: Sequence[int]) -> list[dict[str, Any]]:
            return [{"action": each, "name": game.action_name(each)} for each in actions]

        def verdict(given: Verdict) -> dict[str, Any]:
            return {"winner": given.winner, "value": given.value, "exact": given.exact}

        return {
            "ply": self.ply,
            "player": self.player,
            **named([self.action])[0],
            "probability": self.probability,
            "before": verdict(self.before),
            "after": verdict(self.after),
            "alternative": None if self.alternative is None else verdict(self.alternative),
            "loss": self.loss,
            "grade": self.grade,
            "accuracy": self.accuracy,
            "exact": self.exact,
            "mistake": self.is_mistake,
            "better": named(self.better),
            "line": named(self.line),
            "best": named(self.best),
            "state": game.to_flat(self.state),
            "board": game.text(self.state).splitlines(),
        }


def costliest(moves: Sequence[ReviewedMove]) -> list[ReviewedMove]:
    """Return the costliest moves, at most three, worst first, without moves of no cost."""
    dear = [move for move in moves if move.loss > 0]
    return sorted(dear, key=lambda move: (-move.loss, not move.exact, -move.ply))[:_COSTLIEST]


def accuracy_of(moves: Sequence[ReviewedMove], player: int) -> float | None:
    """Return the mean accuracy of a player's moves, in percent; ``None`` without any."""
    found = [move.accuracy for move in moves if move.player == player]
    return sum(found) / len(found) if found else None


class Reviewer:
    """Evaluates the positions of games by the exact judge, or else by a search."""

    def __init__(self, game: StateManager, search: MCTSAgent, seconds: float) -> None:
        """Prepare to review games; ``search`` evaluates what the judge cannot decide.

        ``seconds`` is the judge's time limit per position; each failure halves it.
        """
        self.game = game
        self._judge, self._search = shared_judge(game), search
        self._most_seconds = self._seconds = seconds
        self._opinions: dict[bytes, Opinion] = {}

    def review(
        self,
        states: Sequence[State],
        actions: Sequence[int],
        net: ANET | None = None,
        on_position: Callable[[], object] = lambda: None,
    ) -> list[ReviewedMove]:
        """Review each move of a game, the last one first, as its position is the easiest.

        ``states`` has the final one too. ``on_position`` is called after each position.
        """
        self._seconds = self._most_seconds
        policies = None if net is None or not actions else net.policy(np.stack(states[:-1]))
        after = self.verdict(states[-1])
        on_position()
        moves = []
        for number in reversed(range(len(actions))):
            before, action = self.verdict(states[number]), actions[number]
            share = None if policies is None else float(policies[number, action])
            move = ReviewedMove(number + 1, states[number], action, before, after, share)
            moves.append(self._compared(move, states[number + 1]))
            after = before
            on_position()
        return moves[::-1]

    def verdict(self, state: State) -> Verdict:
        """Return the verdict on a state; before a swap it is that of the better choice."""
        game = self.game
        ahead = 0 if game.swap_action is None else int(game.to_flat(state)[-1])
        if ahead == 1:
            assert game.swap_action is not None
            after = self.verdict(game.child_state(state, game.swap_action))
            # By symmetry, keeping one's colour has the value of the swap with the other sign.
            value = abs(after.value)
            return replace(after, value=value if game.to_play(state) == 1 else -value)
        # Who may swap wins, for certain; but that does not tell how, where the judge cannot.
        is_clear = not ahead or self._judged(
            shared_judge(game.without_swap).winner, game.states_without_swap(state)
        )
        winner = game.winner(state) or (is_clear and self._judged(self._judge.winner, state))
        if winner:
            return Verdict({1: 1.0, 2: -1.0, 3: 0.0}[winner], True)
        return Verdict(self._opinion(state).value, False)

    def _compared(self, move: ReviewedMove, child: State) -> ReviewedMove:
        """Return a move compared with the best one; ``child`` is the state after it."""
        before, after, player = move.before, move.after, move.player
        if before.exact and before.for_player(player) == -1:
            return replace(move, searched=before)  # a lost position: every move costs nothing
        if after.exact and (before.exact or after.for_player(player) == 1):
            move = replace(move, alternative=None if before.exact else after)
            return self._explained(move, child, self._better(move.state)) if move.loss else move
        if (choice := self._opinion(move.state).choice) == move.action:
            same = replace(after, exact=False)
            return replace(move, alternative=same, searched=same)
        move = replace(move, alternative=self.verdict(self.game.child_state(move.state, choice)))
        if after.exact and not move.could_have.exact and not self.game.is_final(child):
            move = replace(move, searched=Verdict(self._opinion(child).value, False))
        return self._explained(move, child, (choice,)) if move.loss else move

    def _explained(self, move: ReviewedMove, child: State, better: tuple[int, ...]) -> ReviewedMove:
        best = self._line(move.state, move.before.exact and move.after.exact) if better else ()
        return replace(move, better=better, line=self._line(child, move.after.exact), best=best)

    def _opinion(self, state: State) -> Opinion:
        """Return the search's opinion of a state, from a cache."""
        key = state.tobytes()
        if key not in self._opinions:
            choice, thought = self._search.choose_action(state), self._search.thought
            value = getattr(thought, "value", None)
            assert value is not None, "an agent that searches has a value for its choice"
            line = self._search.expected_line()[:_LONGEST_SEARCHED_LINE]
            self._opinions[key] = Opinion(value, choice, tuple(line))
        return self._opinions[key]

    def _judged(self, query: Callable[[State, float], Any], state: State) -> Any:
        """Return the judge's result; ``None`` at its limits."""
        try:
            return query(state, self._seconds)
        except NodeLimitError:
            self._seconds /= 2
            return None

    def _better(self, state: State) -> tuple[int, ...]:
        """Return the best moves; one of them, which takes less time; or none."""
        best = self._judged(self._judge.best_actions, state)
        if best is None and (action := self._judged(self._judge.best_action, state)) is not None:
            best = [action]
        return tuple(map(int, best if best is not None else ()))

    def _line(self, state: State, exact: bool) -> tuple[int, ...]:
        """Return a line of best moves: to the end of the game if exact, else the search's line."""
        if not exact:
            return self._opinion(state).line
        line: list[int] = []
        while not self.game.is_final(state):
            action = self._judged(self._judge.best_action, state)
            line.append(self._opinion(state).choice if action is None else int(action))
            state = self.game.child_state(state, line[-1])
        return tuple(line)

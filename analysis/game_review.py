"""Where a game was lost: who was winning after each move, and which moves threw that away."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from state_manager import DRAW, NodeLimitError, shared_judge

if TYPE_CHECKING:
    from agents.mcts import MCTSAgent
    from anet import ANET
    from state_manager import State, StateManager

CLEAR = 0.2
"""From this value on, a search that proves nothing says that a player is winning."""
_LONGEST_SEARCHED_LINE = 8


@dataclass(frozen=True)
class Verdict:
    """Who is winning.

    Attributes:
        value: In [-1, 1], seen from player 1: 1, -1 or, for a draw, 0 where it is exact; else the
            search's value of its choice.
        exact: Whether this is certain; else it is a search's opinion.
    """

    value: float
    exact: bool

    @property
    def winner(self) -> int:
        """The player who is winning, 1 or 2; 3 for a draw, or if the search sees none ahead."""
        if abs(self.value) < CLEAR:
            return DRAW
        return 1 if self.value > 0 else 2

    def for_player(self, player: int) -> float:
        """Return the value as this player sees it."""
        return self.value if player == 1 else -self.value


@dataclass(frozen=True)
class ReviewedMove:
    """A move of the game.

    Attributes:
        ply: Its number, from 1.
        state: `[S]` int8, the state before it.
        action: The move.
        before: Who was winning before it.
        after: Who was winning after it.
        probability: Of this move in the net's policy; ``None`` without a net.
        better: For a mistake, the moves that would have kept what the mover had, as far as they
            were found; else empty.
        line: For a mistake, how the opponent answers it: the moves after it, best ones for both.
        alternative: Where a search suspects a mistake, who would be winning after its own choice.
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

    @property
    def player(self) -> int:
        """Who made the move."""
        return int(self.state[0])

    @property
    def could_have(self) -> Verdict:
        """What the mover had to lose."""
        return self.alternative or self.before

    @property
    def exact(self) -> bool:
        """Whether it is certain what the move was worth."""
        return self.could_have.exact and self.after.exact

    @property
    def is_mistake(self) -> bool:
        """Whether it gave away a win, or a draw; by a search, whether a lead became a deficit."""
        had, left = (each.for_player(self.player) for each in (self.could_have, self.after))
        if self.exact:
            return left < had
        return had >= CLEAR and left <= -CLEAR

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
            "mistake": self.is_mistake,
            "better": named(self.better),
            "line": named(self.line),
            "state": game.to_flat(self.state),
            "board": game.text(self.state).splitlines(),
        }


class Reviewer:
    """Says who is winning: the exact judge where it can, else a search."""

    def __init__(self, game: StateManager, search: MCTSAgent, seconds: float) -> None:
        """Prepare to review games.

        Args:
            game: The rules.
            search: Asked where the judge gives up.
            seconds: How long the judge may think about a position. Each time it gives up, it gets
                half as long for the next ones, so that little is spent in vain.
        """
        self.game = game
        self._judge, self._search = shared_judge(game), search
        self._most_seconds = self._seconds = seconds

    def review(
        self,
        states: Sequence[State],
        actions: Sequence[int],
        net: ANET | None = None,
        on_position: Callable[[], object] = lambda: None,
    ) -> list[ReviewedMove]:
        """Judge each position of a game, the last one first: it is the easiest.

        Args:
            states: `[plies + 1]`, the game's states.
            actions: `[plies]`, its moves.
            net: Whose policy is told beside.
            on_position: Called when a position was judged.
        """
        self._seconds = self._most_seconds
        verdicts: list[Verdict] = []
        for state in reversed(states):
            verdicts.append(self.verdict(state))
            on_position()
        verdicts.reverse()
        self._seconds = self._most_seconds
        policies = None if net is None or not actions else net.policy(np.stack(states[:-1]))
        moves = []
        for number, action in enumerate(actions):
            share = None if policies is None else float(policies[number, action])
            about = states[number], action, verdicts[number], verdicts[number + 1]
            move = ReviewedMove(number + 1, *about, share)
            better: tuple[int, ...] = ()
            if move.is_mistake and not move.exact:
                # To a search, whoever is to move looks better: compare what both moves lead to.
                choice = self._search.choose_action(move.state)
                chosen = self.verdict(self.game.child_state(move.state, choice))
                move, better = replace(move, alternative=chosen), (choice,)
            if move.is_mistake:
                line = self._line(states[number + 1], move.after.exact)
                move = replace(move, better=better or self._better(move.state), line=line)
            moves.append(move)
        return moves

    def verdict(self, state: State) -> Verdict:
        """Return who is winning in a state."""
        winner = self.game.winner(state) or self._asked(self._judge.winner, state)
        if winner is not None:
            return Verdict({1: 1.0, 2: -1.0, 3: 0.0}[winner], True)
        self._search.choose_action(state)
        value = getattr(self._search.thought, "value", None)
        assert value is not None, "an agent that searches has a value for its choice"
        return Verdict(value, False)

    def _asked(self, question: Callable[[State, float], Any], state: State) -> Any:
        """Return the judge's answer; ``None`` if it gives up."""
        try:
            return question(state, self._seconds)
        except NodeLimitError:
            self._seconds /= 2
            return None

    def _better(self, state: State) -> tuple[int, ...]:
        """Return the best moves, or one of them, which is found sooner than all; or none."""
        best = self._asked(self._judge.best_actions, state)
        if best is None:
            best = [each] if (each := self._best_action(state)) is not None else []
        return tuple(int(each) for each in best)

    def _best_action(self, state: State) -> int | None:
        action = self._asked(self._judge.best_action, state)
        return None if action is None else int(action)

    def _line(self, state: State, exact: bool) -> tuple[int, ...]:
        """Return best moves for both sides: to the end if the judge knows it, else the first."""
        line: list[int] = []
        while not self.game.is_final(state) and (exact or len(line) < _LONGEST_SEARCHED_LINE):
            action = self._best_action(state)
            line.append(self._search.choose_action(state) if action is None else action)
            state = self.game.child_state(state, line[-1])
        return tuple(line)

"""``Reviewer``: searches the positions of a game on all cores, while the exact judge works.

The judge begins at the end of a game, where it is fastest; the searches begin where the net's own
values say that most was lost. A move is reviewed once all that it depends on is known.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from itertools import pairwise
from threading import Event, Lock
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

from analysis.game_review import ReviewedMove, Verdict
from base.jit import deferred_interrupts
from judge import shared_judge
from state_manager import NodeLimitError, State, StateManager

if TYPE_CHECKING:
    from agents.position_searches import Opinion, Work
    from anet.evaluator import Evaluator

T = TypeVar("T")

_KEPT_SHARE = 0.25  # of the judge's time, for better moves and refutations
_WAIT_SECONDS = 0.02
_VALUES = {1: 1.0, 2: -1.0, 3: 0.0}


class Known(NamedTuple):
    """What is known of positions, by the bytes of their states."""

    winners: dict[Hashable, int]  # proven: 1, 2, or 3 for a draw
    opinions: dict[Hashable, Opinion]  # of searches
    tried: dict[Hashable, float]  # the seconds in which the judge did not decide them


class _Missing(Exception):
    def __init__(self, state: State) -> None:
        super().__init__()
        self.state = state


class Reviewer:
    """Evaluates the positions of games by the exact judge, or else by a search.

    The main thread reviews moves as far as it can; other threads judge, and search for its agenda.
    """

    def __init__(
        self,
        game: StateManager,
        works: Sequence[Work],
        seconds: float,
        known: Known | None = None,
        stopped: Callable[[], bool] = lambda: False,
    ) -> None:
        """Prepare to review games; ``works`` search what the judge cannot decide, a thread each.

        ``seconds`` is the judge's time limit for a whole game. ``known`` receives all results, for
        later reviews. A true ``stopped`` ends a review.
        """
        self.game, self._works, self._is_stopped = game, works, stopped
        self._judge, self._seconds = shared_judge(game), seconds
        self._known = known or Known({}, {}, {})

    def review(
        self,
        states: Sequence[State],
        actions: Sequence[int],
        net: Evaluator | None = None,
        on_moves: Callable[[list[ReviewedMove]], object] = lambda moves: None,
        explain: bool = True,
    ) -> list[ReviewedMove]:
        """Review each move of a game; ``states`` has the final one too.

        ``on_moves`` is called with all moves that are reviewed so far, whenever that changes; they
        may still become exact. Only if told to ``explain``, moves with a cost then get better moves
        and lines.

        Raises:
            InterruptedError: If it was ``stopped``.
        """
        self._begin(states, actions, net)
        with ThreadPoolExecutor(len(self._works) + 1, "review") as pool:
            try:
                with deferred_interrupts():  # which could leave a lock of the pool taken
                    jobs = [pool.submit(work, self) for work in (Reviewer._judge_all, *self._works)]
                while not (self.is_over() or any(job.done() for job in jobs)):
                    if self._update():
                        on_moves([move for _, move in sorted(self._moves.items())])
                    if self._is_stopped():
                        raise InterruptedError("the review was stopped")
            finally:
                self._over.set()
        for job in jobs:
            job.result()
        if explain:
            self._explain_all()
        return [move for _, move in sorted(self._moves.items())]

    def _begin(
        self, states: Sequence[State], actions: Sequence[int], net: Evaluator | None
    ) -> None:
        self._states, self._actions = states, actions
        self._moves: dict[int, ReviewedMove] = {}
        self._lock, self._news, self._over = Lock(), Event(), Event()
        self._news.set()
        self._left = (1.0 - _KEPT_SHARE) * self._seconds
        self._stopped: Callable[[], bool] = self._over.is_set
        self._wanted: dict[Hashable, State] = {}  # to be searched, the most urgent first
        self._searched: set[Hashable] = set()
        subjects = [self._subject(state) for state in states]
        self._unjudged = {state.tobytes(): state for state in reversed(subjects)}
        names = pairwise(state.tobytes() for state in states)
        self._after: dict[Hashable, bytes] = dict(names)  # the name of the position after each
        self._policies, values = None, None
        if net is not None and actions:
            self._policies, values = net.evaluate(np.stack(states[:-1]))
        self._order = list(range(len(actions)))[::-1]  # of the searches
        if values is not None:
            signs = 3 - 2 * np.array([self.game.to_play(state) for state in states[:-1]])
            losses = signs * (values - np.append(values[1:], values[-1:]))
            self._order.sort(key=lambda number: -losses[number])

    def is_over(self) -> bool:
        """Return whether all moves are reviewed, or the review was stopped."""
        return self._over.is_set()

    def following(self) -> tuple[Hashable, State] | None:
        """Return the next position to search; see ``Agenda``."""
        with self._lock:
            for name, state in self._wanted.items():
                if name not in self._searched and name not in self._known.opinions:
                    self._searched.add(name)
                    return name, state
        return None

    def is_dropped(self, name: Hashable) -> bool:
        """See ``Agenda``: the judge may have decided it meanwhile."""
        with self._lock:
            if name in self._wanted and not self.is_over():
                return False
            self._searched.discard(name)
        return True

    def add(self, name: Hashable, opinion: Opinion) -> None:
        """See ``Agenda``."""
        with self._lock:
            self._searched.discard(name)
            self._known.opinions[name] = opinion
        self._news.set()

    def _judge_all(self) -> None:
        """Judge all positions, the last one first; then those after better moves."""
        for state in self._states:
            with suppress(NodeLimitError):
                self._judge.remember_from(state)
                break
        while not self.is_over():
            if not self._unjudged:
                self._over.wait(_WAIT_SECONDS)
                continue
            with self._lock:
                name, state = next(iter(self._unjudged.items()))
            if self._is_open(name):
                self._prove(name, state)
            del self._unjudged[name]
            self._news.set()

    def _is_open(self, name: Hashable) -> bool:
        known = self._known
        return name not in known.winners and known.tried.get(name, -1.0) < self._seconds

    def _prove(self, name: Hashable, state: State) -> None:
        """Judge a position; a move after which its player wins has won it already."""
        game, winners = self.game, self._known.winners
        winner, mover = game.winner(state), game.to_play(state)
        if not winner and winners.get(self._after.get(name)) == mover:
            winner = mover
        if not winner and self._tells_how(state):
            winner = self._judged(self._judge.winner, state)
        if winner:
            winners[name] = winner
        else:
            self._known.tried[name] = self._seconds

    def _subject(self, state: State) -> State:
        """Return the state to judge and to search: that after the swap if there is one now."""
        if self._ahead(state) != 1:
            return state
        assert self.game.swap_action is not None
        return self.game.child_state(state, self.game.swap_action)

    def _ahead(self, state: State) -> int:
        return 0 if self.game.swap_action is None else int(self.game.to_flat(state)[-1])

    def _tells_how(self, state: State) -> bool:
        """Return whether the judge knows more than that the player who may swap wins."""
        if not self._ahead(state):
            return True
        plain = shared_judge(self.game.without_swap)
        return bool(self._judged(plain.winner, self.game.states_without_swap(state)))

    def _judged(self, query: Callable[[State, float], Any], state: State) -> Any:
        """Return the judge's result, within half of the time that is left; else ``None``."""
        began = time.monotonic()
        try:
            with self._judge.until(self._stopped):
                return query(state, self._left / 2)
        except NodeLimitError:
            return None
        finally:
            self._left = max(0.0, self._left - (time.monotonic() - began))

    def _update(self) -> bool:
        """Review all moves again if there are news, and return whether there were; find the end."""
        if not self._news.wait(_WAIT_SECONDS):
            return False
        self._news.clear()
        are_judged = not self._unjudged
        missing = {
            number: [*self._lacks(self._review, number), *self._lacks(self.verdict, after)]
            for number, after in reversed([*enumerate(self._states[1:])])
        }
        wanted = [state for number in self._order for state in missing[number]]
        with self._lock:
            self._wanted = {state.tobytes(): state for state in wanted}
        if are_judged and not (self._unjudged or wanted or self._news.is_set()):
            self._over.set()
        return True

    def _lacks(self, query: Callable[[T], object], about: T) -> Iterator[State]:
        """Yield the state that must be searched before a query, if there is one."""
        try:
            query(about)
        except _Missing as missing:
            yield missing.state

    def verdict(self, state: State) -> Verdict:
        """Return the verdict on a state; before a swap it is that of the better choice."""
        game, name = self.game, state.tobytes()
        if (subject := self._subject(state)) is not state:
            after = self.verdict(subject)
            # By symmetry, keeping one's colour has the value of the swap with the other sign.
            value = abs(after.value)
            return replace(after, value=value if game.to_play(state) == 1 else -value)
        winner = game.winner(state) or self._known.winners.get(name, 0)
        if not winner and not self._ahead(state):
            winner = self._opinion(state).outcome
        if winner:
            return Verdict(_VALUES[winner], True)
        return Verdict(self._opinion(state).value, False)

    def _review(self, number: int) -> None:
        """Review a move; it may prove that its player could win before it."""
        state, child = self._states[number : number + 2]
        action, player = self._actions[number], self.game.to_play(state)
        share = None if self._policies is None else float(self._policies[number, action])
        verdicts = self.verdict(state), self.verdict(child)
        move = ReviewedMove(number + 1, state, action, *verdicts, share)
        self._moves[number] = move = self._compared(move, child)
        best = move.could_have
        if best.exact and best.for_player(player) == 1 and not move.before.exact:
            self._known.winners[state.tobytes()] = player
            self._news.set()

    def _compared(self, move: ReviewedMove, child: State) -> ReviewedMove:
        """Return a move compared with the best one; ``child`` is the state after it."""
        before, after, player = move.before, move.after, move.player
        if before.exact and before.for_player(player) == -1:
            return replace(move, searched=before)  # a lost position: every move costs nothing
        if after.exact and (before.exact or after.for_player(player) == 1):
            return replace(move, alternative=None if before.exact else after)
        if (choice := self._opinion(move.state).choice) == move.action:
            same = replace(after, exact=False)
            return replace(move, alternative=same, searched=same)
        best = self.game.child_state(move.state, choice)
        subject = self._subject(best)
        if not self.game.is_final(subject) and self._is_open(subject.tobytes()):
            with self._lock:  # while no other thread iterates
                self._unjudged.setdefault(subject.tobytes(), subject)
        move = replace(move, alternative=self.verdict(best))
        if after.exact and not move.could_have.exact and not self.game.is_final(child):
            move = replace(move, searched=Verdict(self._opinion(child).value, False))
        return move

    def _opinion(self, state: State) -> Opinion:
        found = self._known.opinions.get(state.tobytes())
        if found is None:
            raise _Missing(state)
        return found

    def _explain_all(self) -> None:
        """Add better moves and lines to moves with a cost, the costliest first."""
        self._left, self._stopped = self._left + _KEPT_SHARE * self._seconds, self._is_stopped
        for number, move in sorted(self._moves.items(), key=lambda each: -each[1].loss):
            if not move.loss:
                return
            exact, state = move.before.exact and move.after.exact, move.state
            better = self._better(state) if exact else (self._opinion(state).choice,)
            best = self._line(state, exact) if better else ()
            line = self._line(self._states[move.ply], move.after.exact)
            self._moves[number] = replace(move, better=better, line=line, best=best)

    def _better(self, state: State) -> tuple[int, ...]:
        """Return the best moves; one of them, which takes less time; or none."""
        best = self._judged(self._judge.best_actions, state)
        if best is None and (action := self._judged(self._judge.best_action, state)) is not None:
            best = [action]
        if best is None and (opinion := self._known.opinions.get(state.tobytes())):
            best = [opinion.choice] if opinion.outcome else []
        return tuple(map(int, best if best is not None else ()))

    def _line(self, state: State, exact: bool) -> tuple[int, ...]:
        """Return a line of best moves, to the end of the game if the judge can; else a search's."""
        line: list[int] = []
        while not self.game.is_final(state):
            action = self._judged(self._judge.best_action, state) if exact else None
            if action is None:
                opinion = self._known.opinions.get(state.tobytes())
                return (*line, *(opinion.line if opinion else ()))
            line.append(int(action))
            state = self.game.child_state(state, line[-1])
        return tuple(line)

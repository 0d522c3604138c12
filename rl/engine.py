"""The engine of self-play: numbers of episodes in, finished episodes out.

An episode depends on the seed, its number and the net, never on the engine.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from threading import Event

from agents.match import Observer, play_side_by_side
from anet import ANET
from base.params import Params
from mcts import MCTS
from rl.episode import SEARCH, Episode
from rl.schemes import Scheme
from rl.self_play import SelfPlay, draws_together


class Engine:
    """Plays in this thread, or in several, each with a search of its own.

    Attributes:
        searches: One for each thread.
        starts: Openings of player 1, with which some games begin.
    """

    def __init__(
        self, scheme: Scheme, anet: ANET, searches: Sequence[MCTS], params: Params
    ) -> None:
        """Prepare to play.

        Args:
            scheme: How games are played.
            anet: The net, which learns between calls of ``play``.
            searches: One for each thread.
            params: The pivotal parameters.
        """
        self._scheme = scheme
        self._anet = anet
        self.searches = searches
        self._params = params
        self.starts: Sequence[tuple[int, ...]] = ()

    @property
    def plays_in_rows(self) -> bool:
        """Whether games need not wait for each other; nobody sees their moves as they are made."""
        return self._params.not_in_rows is None

    def make_ready(self) -> None:
        """Do, once, what would take time in the first episode."""
        self.searches[0].make_ready()

    def shows_moves(self, numbers: Sequence[int], finished: Mapping[int, Episode]) -> bool:
        """Return whether observers can see the moves of episodes as they are made."""
        is_alone = len(numbers) == 1 and not finished and self._scheme.player == SEARCH
        return is_alone and not self.plays_in_rows

    def play(
        self,
        numbers: Sequence[int],
        finished: dict[int, Episode],
        observers: Sequence[Observer] = (),
        meanwhile: Callable[[], object] = lambda: None,
    ) -> None:
        """Play episodes with the net as it is.

        Args:
            numbers: Of the episodes, from 1, ascending.
            finished: Episodes by number, those that have been played before; each of the others is
                added as soon as it is over, and stays there if Ctrl-C, for instance, ends the rest.
            observers: Who sees the moves of a single episode as they are made.
            meanwhile: Called now and then, in this thread.
        """
        most = self.searches[0].games
        if draws_together(self.searches[0], self._params):
            # In a run that ended within this batch, a group was smaller: it drew other numbers.
            whole = [group for group in _groups(numbers, most) if finished.keys() >= set(group)]
            kept = {number for group in whole for number in group}
            for number in finished.keys() - kept:
                del finished[number]
        left = [number for number in numbers if number not in finished]
        if self.plays_in_rows:
            workers = min(len(self.searches), len(left))
            groups: list[Sequence[int]] = [left[worker::workers] for worker in range(workers)]
        else:
            groups = _groups(left, most)

        def play_group(
            group: int, worker: int, stop: Event, handed_in: Callable[[], object] = lambda: None
        ) -> None:
            def hand_in(episodes: Sequence[Episode]) -> None:
                # In one step that Ctrl-C cannot divide.
                finished.update({episode.number: episode for episode in episodes})
                handed_in()

            search = self.searches[worker]
            self_play = SelfPlay(
                self._anet, search, self._params, hand_in, stop.is_set, observers, self.starts
            )
            self._scheme.play_games(groups[group], self_play)

        if len(self.searches) == 1 or len(groups) == 1:
            for group in range(len(groups)):
                play_group(group, 0, Event(), meanwhile)
        else:
            workers = len(self.searches)
            play_side_by_side(play_group, range(len(groups)), workers, {}, meanwhile=meanwhile)


def _groups(numbers: Sequence[int], most: int) -> list[Sequence[int]]:
    """Return numbers in groups of ``most`` at most."""
    return [numbers[start : start + most] for start in range(0, len(numbers), most)]

"""The assignment's scheme: a search before every move, and each distribution D is a case.

IT3105, section 6.1: the net that learns from the searches plays their rollouts. Letters are from
its pseudocode.
"""

from collections.abc import Iterator, Sequence

from rl.episode import Episode
from rl.schemes import Scheme
from rl.self_play import SelfPlay


def play_by_search(numbers: Sequence[int], self_play: SelfPlay) -> Iterator[Episode]:
    """Play actual games; see ``Play``."""
    games = self_play.begin(numbers)  # (a), (b), (c)
    while games:  # (d) while B_a is not in a final state
        results = self_play.search(games)  # M simulations; keeps subtrees below the roots
        for each, result in zip(games, results, strict=True):
            action = self_play.actual_action(each, result.distribution)  # a*, from D
            self_play.make_move(each, action, result)  # s*; the case (root, D)
        games = yield from self_play.hand_in(games)


ON_POLICY = Scheme(play_by_search)

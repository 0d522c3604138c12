"""AlphaZero's scheme: policy and value, no rollouts, and a new net must beat the old one.

Silver et al. 2017 (AlphaGo Zero), "Self-play training pipeline", on a small scale as in the article
on Hexapawn Zero. The net gives the prior of each action (PUCT) and the value of each leaf; actual
moves are drawn from the visit counts at a temperature; the net learns D and the outcome; the new
net replaces the old one only if its share of wins against it exceeds a threshold.
The weights of a rejected net are dropped; its examples stay.
"""

from collections.abc import Iterator, Sequence

from rl.episode import Episode
from rl.gating import gate
from rl.play_in_slots import play_in_slots
from rl.schemes import Scheme
from rl.schemes.on_policy import play_by_search
from rl.self_play import SelfPlay


def play(numbers: Sequence[int], self_play: SelfPlay) -> Iterator[Episode]:
    """Play actual games, each at its own pace if possible; see ``Play``."""
    in_slots = self_play.params.not_in_slots is None
    return (play_in_slots if in_slots else play_by_search)(numbers, self_play)


ALPHAZERO = Scheme(play, hooks=(gate,))

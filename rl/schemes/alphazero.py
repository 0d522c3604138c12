"""AlphaZero's scheme: policy and value, no rollouts, and a new net must beat the old one.

Silver et al. 2017 (AlphaGo Zero), "Self-play training pipeline", on a small scale as in the article
on Hexapawn Zero. The net gives the prior of each action (PUCT) and the value of each leaf; actual
moves are drawn from the visit counts at a temperature; the net learns D and the outcome; the new
net replaces the old one only if its share of wins against it exceeds a threshold.
The weights of a rejected net are dropped; its examples stay.
"""

from collections.abc import Sequence

from rl.gating import gate
from rl.play_in_rows import play_in_rows
from rl.schemes import Scheme
from rl.schemes.on_policy import play_by_search
from rl.self_play import SelfPlay


def play_games(numbers: Sequence[int], self_play: SelfPlay) -> None:
    """Play actual games, each at its own pace if possible; see ``PlayGames``."""
    in_rows = self_play.params.not_in_rows is None
    (play_in_rows if in_rows else play_by_search)(numbers, self_play)


ALPHAZERO = Scheme(play_games, hooks=(gate,))

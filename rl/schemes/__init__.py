"""The learning schemes by name, chosen with ``rl.scheme``. A new one is one file, one line here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import cast

from anet import ANET
from base.params import Params
from base.registry import Registry
from rl.episode import SEARCH
from rl.gating import GatingResult
from rl.self_play import SelfPlay

SCHEMES = Registry(
    "a scheme",
    {
        "on_policy": "rl.schemes.on_policy:ON_POLICY",
        "expert_iteration": "rl.schemes.expert_iteration:EXPERT_ITERATION",
        "alphazero": "rl.schemes.alphazero:ALPHAZERO",
    },
)


PlayGames = Callable[[Sequence[int], SelfPlay], None]
"""``play_games(numbers, self_play)``: play the episodes of these numbers, from 1, ascending, and
hand them in. They advance together, as many as the search takes; one game is the common case."""

Judge = Callable[[ANET, ANET, Params, int], GatingResult]
"""``judge(new, old, params, episode)``: see ``rl.gating.play_gating_games``."""


@dataclass(frozen=True)
class Scheme:
    """A learning scheme. All else is the same for all of them: see ``rl.rl_system``.

    Which tree policy it has, and which parameters it settles itself, is in ``base/params/rl.py``.

    Attributes:
        play_games: How actual games are played, and which of their positions become cases.
        player: The name, for observers, of who makes the actual moves. They see the moves of
            ``SEARCH`` as they are made, and the games of any other player when they are over.
        judge: Decides after each update whether the new net replaces the old one; ``None`` if it
            always does.
    """

    play_games: PlayGames
    player: str = SEARCH
    judge: Judge | None = None


def scheme(params: Params) -> Scheme:
    """Return the scheme that the parameters choose."""
    return cast(Scheme, SCHEMES.find(params.rl.scheme))

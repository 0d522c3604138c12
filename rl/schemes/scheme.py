"""What a learning scheme is: a record of what it does where schemes differ."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from anet import ANET
from base.params import Params
from rl.episode import SEARCH
from rl.gating import GatingResult
from rl.self_play import SelfPlay

PlayGames = Callable[[Sequence[int], SelfPlay], None]
"""``play_games(numbers, self_play)``: play the episodes of these numbers, from 1, ascending, and
hand them in. They advance together, as many as the search takes; one game is the common case."""

Judge = Callable[[ANET, ANET, Params, int], GatingResult]
"""``judge(new, old, params, episode)``: see ``rl.gating.play_gating_games``."""


@dataclass(frozen=True)
class Scheme:
    """A learning scheme. What it does not say is common to all: see ``rl.rl_system``.

    Which tree policy it has, and which parameters it settles itself, is in ``base/params/rl.py``.

    Attributes:
        play_games: How actual games are played, and which of their positions become cases.
        player: Who makes the actual moves, as observers are told: ``SEARCH``, whose moves they see
            as they are made, or somebody else, whose games they see when these are over.
        judge: Decides after each update whether the new net replaces the old one; ``None`` if it
            always does.
    """

    play_games: PlayGames
    player: str = SEARCH
    judge: Judge | None = None

"""The learning schemes by name, for ``rl.scheme``. A new one is one file and one line here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from base.params import Params
from base.registry import Registry
from rl.episode import SEARCH_PLAYER
from rl.hooks import Hook
from rl.self_play import Play

SCHEMES = Registry(
    "a scheme",
    {
        "on_policy": "rl.schemes.on_policy:ON_POLICY",
        "expert_iteration": "rl.schemes.expert_iteration:EXPERT_ITERATION",
        "alphazero": "rl.schemes.alphazero:ALPHAZERO",
    },
)


@dataclass(frozen=True)
class Scheme:
    """A learning scheme. The training loop is that of all: see ``rl.rl_system``.

    ``base/params/rl_section.py`` has its tree policy and the parameters that it fixes. Where
    ``alphazero`` plays in slots, ``rl.workers`` has as many searches.
    """

    play: Play  # plays actual games, and chooses the positions that become cases
    player: str = SEARCH_PLAYER  # the players' name; only moves of a search are shown live
    hooks: tuple[Hook, ...] = ()  # called after each update, before those of the run


def scheme(params: Params) -> Scheme:
    """Return the scheme in the parameters."""
    return cast(Scheme, SCHEMES.find(params.rl.scheme))

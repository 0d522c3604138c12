"""An update of the net that happens as a whole or not at all."""

from __future__ import annotations

from collections.abc import Iterable

from anet import ANET
from base.params import Params
from rl.gating import GatingResult
from rl.replay_buffer import Case, ReplayBuffer
from rl.schemes import Judge


class Update:
    """Cases that are added and weights that are learnt, and can still be taken back.

    Make one before either changes. Once it is dropped, both stay.
    """

    def __init__(self, anet: ANET, replay_buffer: ReplayBuffer, cases: Iterable[Case]) -> None:
        """Add the cases to the buffer; remember the net, and what was in the buffer before."""
        self._anet = anet
        self._episode = anet.episode
        _, self._net = anet.state()
        self._take_back_cases = replay_buffer.add_all(cases)

    def compare_nets(
        self, judge: Judge | None, params: Params, episode: int
    ) -> GatingResult | None:
        """Let the new net play the old one, if there is a judge; take it back if it lost."""
        if judge is None or params.rl.gating_games == 0:
            return None
        old = ANET(self._anet.game, self._anet.params)
        old.restore(self._net, self._episode)
        gating = judge(self._anet, old, params, episode)
        if not gating.accepted:
            self.take_back_net()
        return gating

    def take_back_net(self) -> None:
        """Put weights and optimiser back to what they were; the cases stay."""
        self._anet.restore(self._net, self._episode)

    def take_back(self) -> None:
        """Put everything back to what it was."""
        self.take_back_net()
        self._take_back_cases()

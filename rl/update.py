"""An atomic update of net and replay buffer."""

from __future__ import annotations

from collections.abc import Iterable

from anet import ANET
from base.cluster import Workers
from base.params import Params
from rl.gating import GatingResult
from rl.replay_buffer import Case, ReplayBuffer
from rl.schemes import Judge


class Update:
    """Added cases and learnt weights that can still be undone.

    Make one before either changes. To keep the changes, drop it.
    """

    def __init__(self, anet: ANET, replay_buffer: ReplayBuffer, cases: Iterable[Case]) -> None:
        """Add the cases to the buffer; keep the old net and the replaced cases."""
        self._anet = anet
        self._episode = anet.episode
        _, self._net = anet.state()
        self._take_back_cases = replay_buffer.add_all(cases)

    def compare_nets(
        self, judge: Judge | None, params: Params, episode: int, workers: int | Workers
    ) -> GatingResult | None:
        """Let the new net play the old one, if there is a judge; if it fails, restore the old."""
        if judge is None or params.rl.gating_games == 0:
            return None
        old = ANET(self._anet.game, self._anet.params)
        old.restore(self._net, self._episode)
        gating = judge(self._anet, old, params, episode, workers)
        if not gating.accepted:
            self.take_back_net()
        return gating

    def take_back_net(self) -> None:
        """Restore weights and optimiser; the cases stay."""
        self._anet.restore(self._net, self._episode)

    def take_back(self) -> None:
        """Restore weights, optimiser and buffer."""
        self.take_back_net()
        self._take_back_cases()

"""An update of the net that happens as a whole or not at all."""

from __future__ import annotations

from collections.abc import Iterable

from anet import ANET
from rl.replay_buffer import Case, ReplayBuffer


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

    def old_net(self) -> ANET:
        """Return the net as it was before, as another object."""
        net = ANET(self._anet.game, self._anet.params)
        net.restore(self._net, self._episode)
        return net

    def take_back_net(self) -> None:
        """Put weights and optimiser back to what they were; the cases stay."""
        self._anet.restore(self._net, self._episode)

    def take_back(self) -> None:
        """Put everything back to what it was."""
        self.take_back_net()
        self._take_back_cases()

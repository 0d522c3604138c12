"""Nets with given distributions, and files that hold them."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest
from numpy.typing import NDArray

from base.params import ANETParams
from state_manager import State, StateManager


class _FakeNet:
    """Gives every state the same weights, those of illegal actions set to zero."""

    params = ANETParams()
    facts = params.facts

    def __init__(self, game: StateManager, weights: Sequence[float], episode: int = 0) -> None:
        self.game = game
        self.weights = np.array(weights, np.float32)
        self.episode = episode
        self.rollout_epsilons: list[float] = []

    def policy(self, state: State) -> NDArray[np.float32]:
        if state.ndim > 1:
            return np.stack([self.policy(each) for each in state])
        legal = np.zeros_like(self.weights)
        legal[self.game.legal_actions(state)] = 1.0
        weights = self.weights * legal
        weights /= weights.sum()
        return weights

    def rollout_policy(self, epsilon: float) -> str:
        self.rollout_epsilons.append(epsilon)
        return "the rollout policy"


FakeNet: Any = _FakeNet
"""Untyped, so that it can be passed where an ``ANET`` is expected."""


@pytest.fixture
def net_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Path]:
    """Return a function that adds a file from which a fake net is loaded."""
    nets: dict[Path, _FakeNet] = {}

    class FakeANET:
        @staticmethod
        def load(path: Path) -> Any:
            if path not in nets:
                raise ValueError("expected a checkpoint, got something else")
            return Mock(evaluator=lambda: nets[path])

    import anet

    monkeypatch.setattr(anet, "ANET", FakeANET, raising=False)

    def add(name: str, net: _FakeNet | None = None) -> Path:
        path = tmp_path / name
        path.touch()
        if net is not None:
            nets[path] = net
        return path

    return add

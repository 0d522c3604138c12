"""Long runs do not keep what they have freed."""

from typing import Any

import pytest

import rl.rl_system
import rl.self_play
from tests.rl.conftest import ALPHAZERO, RunMaker


@pytest.mark.parametrize(
    "words",
    [(), (*ALPHAZERO, "anet.network=residual", "anet.channels=4", "anet.blocks=1")],
    ids=["on_policy", "in batches"],
)
def test_freed_memory_is_given_back_at_every_update(
    words: tuple[str, ...], make_run: RunMaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    given_back: list[str] = []
    for module in (rl.self_play, rl.rl_system):
        name = module.__name__
        monkeypatch.setattr(
            module, "give_back_freed_memory", lambda name=name: given_back.append(name)
        )
    updates: list[dict[str, Any]] = []
    make_run("run", *words).train(on_update=updates.append)
    assert given_back.count("rl.rl_system") == len(updates) > 0
    moves = given_back.count("rl.self_play")
    assert moves >= 3 * len(updates) if words else moves == 0

"""Long runs release freed memory."""

from typing import Any

import pytest

import rl.play_in_slots
import rl.rl_system
import rl.self_play
from tests.rl.conftest import EXPERT, IN_SLOTS, RunMaker


@pytest.mark.parametrize("words", [(), IN_SLOTS, EXPERT], ids=["on_policy", "slots", "lockstep"])
def test_freed_memory_is_released_at_every_update(
    words: tuple[str, ...], make_run: RunMaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    given_back: list[str] = []
    monkeypatch.setattr(rl.play_in_slots, "_BATCHES_BETWEEN", 20)
    for module in (rl.self_play, rl.play_in_slots, rl.rl_system):
        name = module.__name__
        monkeypatch.setattr(
            module, "give_back_freed_memory", lambda name=name: given_back.append(name)
        )
    updates: list[dict[str, Any]] = []
    make_run("run", *words).train(on_update=updates.append)
    assert given_back.count("rl.rl_system") == len(updates) > 0
    assert (given_back.count("rl.self_play") >= len(updates)) == (words is EXPERT)
    assert (given_back.count("rl.play_in_slots") >= 3 * len(updates)) == (words is IN_SLOTS)

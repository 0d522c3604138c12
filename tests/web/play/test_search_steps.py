"""The page's request for a search, step by step."""

from __future__ import annotations

from typing import Any

import pytest

from agents import AgentSpec
from analysis import search_recording
from state_manager import StateManager
from tests.recordings import recordings
from tests.web.conftest import Post, position


@pytest.fixture
def recorded_specs(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the recorded agents; each gets the same earlier recording."""
    words: list[str] = []

    def record(spec: AgentSpec, game: StateManager, *more: Any) -> search_recording.Recording:
        words.append(str(spec))
        return recordings()["rollouts"]

    monkeypatch.setattr(search_recording, "record", record)
    return words


def test_every_step_has_a_board_and_words(post: Post, recorded_specs: list[str]) -> None:
    found = post("explain", position=position(1), agent="mcts:simulations=9", simulations=40)
    assert recorded_specs == ["mcts:simulations=40,time_limit=null"]
    assert found["view"]["cells"][1] == 1
    assert len(found["processes"]) == 4
    assert found["steps"][-1]["simulation"] == 40
    assert all(step["words"] and len(step["board"]["cells"]) == 9 for step in found["steps"])


def test_a_game_that_is_over_is_not_searched(post: Post, recorded_specs: list[str]) -> None:
    assert "step back" in post("explain", 400, position=position(0, 1, 3, 4, 6))
    assert recorded_specs == []


@pytest.mark.parametrize(
    ("question", "error"),
    [
        ({"agent": "random"}, "expected a search to explain"),
        ({"agent": "mcts:/etc/passwd"}, "expected a net below"),
        ({"agent": "mcts:memory=1e6"}, "expected a search to explain"),
        ({"simulations": 100_000}, "simulations: "),
    ],
)
def test_an_agent_that_does_not_search_is_refused(
    post: Post, recorded_specs: list[str], question: dict[str, Any], error: str
) -> None:
    assert error in post("explain", 400, position=position(1), **question)
    assert recorded_specs == []

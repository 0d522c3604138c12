"""Games side by side leave the main thread time for other things."""

from __future__ import annotations

from threading import Event

import pytest

from agents.match import play_side_by_side


@pytest.mark.parametrize("workers", [1, 2])
def test_the_main_thread_is_asked_while_games_are_played(
    monkeypatch: pytest.MonkeyPatch, workers: int
) -> None:
    monkeypatch.setattr("agents.match.series.TICK_SECONDS", 0.001)
    asked, finished = Event(), dict[int, int]()
    seen: list[set[int]] = []

    def play_one(number: int, worker: int, stop: Event) -> int:
        assert number < 3 or asked.wait(60)
        return number

    def meanwhile() -> None:
        seen.append(set(finished))
        if seen[-1] == {0, 1, 2}:
            asked.set()

    play_side_by_side(play_one, range(5), workers, finished, meanwhile=meanwhile)
    assert finished == {number: number for number in range(5)}
    assert {0, 1, 2} in seen


def test_the_main_thread_is_asked_however_short_the_games_are() -> None:
    asked: list[int] = []
    finished: dict[int, int] = {}
    play_side_by_side(
        lambda number, worker, stop: number,
        range(5),
        2,
        finished,
        meanwhile=lambda: asked.append(len(finished)),
    )
    assert len(asked) >= 5

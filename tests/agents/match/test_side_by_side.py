"""Games side by side leave the main thread time for other work."""

from __future__ import annotations

from threading import Event

import pytest

from agents.match import play_side_by_side


@pytest.mark.parametrize("workers", [1, 2])
def test_the_main_thread_works_while_games_are_played(
    monkeypatch: pytest.MonkeyPatch, workers: int
) -> None:
    monkeypatch.setattr("agents.match.series.TICK_SECONDS", 0.001)
    called, finished = Event(), dict[int, int]()
    seen: list[set[int]] = []

    def play_one(number: int, worker: int, stop: Event) -> int:
        assert number < 3 or called.wait(60)
        return number

    def meanwhile() -> None:
        seen.append(set(finished))
        if seen[-1] == {0, 1, 2}:
            called.set()

    play_side_by_side(play_one, range(5), workers, finished, meanwhile=meanwhile)
    assert finished == {number: number for number in range(5)}
    assert {0, 1, 2} in seen


def test_the_main_thread_works_even_between_very_short_games() -> None:
    calls: list[int] = []
    finished: dict[int, int] = {}
    play_side_by_side(
        lambda number, worker, stop: number,
        range(5),
        2,
        finished,
        meanwhile=lambda: calls.append(len(finished)),
    )
    assert len(calls) >= 5

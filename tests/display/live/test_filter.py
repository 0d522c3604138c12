"""Which games are shown."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from display.live.filter import GameFilter


def test_training_shows_the_first_episode_and_every_so_many() -> None:
    chosen = GameFilter(50)
    shown = [number for number in range(1, 201) if chosen.announce()]
    assert shown == [1, 50, 100, 150, 200]


def test_a_resumed_training_goes_on_counting() -> None:
    chosen = GameFilter(50, announced=120)
    assert [number for number in range(121, 201) if chosen.announce()] == [150, 200]


def test_each_series_shows_its_first_games() -> None:
    chosen = GameFilter(first=2)
    shown = []
    for series in range(3):
        chosen.new_series()
        shown += [(series, game) for game in range(5) if chosen.announce()]
    assert shown == [(series, game) for series in range(3) for game in range(2)]


@given(st.integers(1, 30), st.integers(0, 60))
def test_a_new_series_does_not_disturb_the_count_of_episodes(every: int, before: int) -> None:
    disturbed, left_alone = GameFilter(every), GameFilter(every)
    for _ in range(before):
        assert disturbed.announce() == left_alone.announce()
    disturbed.new_series()
    assert [disturbed.announce() for _ in range(60)] == [left_alone.announce() for _ in range(60)]


def test_no_games_are_shown_where_none_are_wanted() -> None:
    chosen = GameFilter(first=0)
    assert not any(chosen.announce() for _ in range(5))

"""Which games are shown."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from base.params import DisplayParams
from display.boards.moment import GameView
from display.live.display import Display
from state_manager import make_game

GAME = make_game("hex", size=3)


class Counted(Display):
    def __init__(self, every: int = 1) -> None:
        super().__init__(GAME, DisplayParams(mode="terminal", every=every, delay=0.0))

    def shows_next(self) -> bool:
        """Announce a game, and return whether it is shown."""
        self.shown = False
        self.on_game_start("", ("", ""), GAME.initial_state())
        return self.shown

    def _draw(self, view: GameView) -> None:
        self.shown = True

    def _end(self, view: GameView) -> None:
        """Print nothing."""


def test_training_shows_the_first_episode_and_every_nth_and_goes_on_counting() -> None:
    chosen = Counted(50)
    assert [number for number in range(1, 201) if chosen.shows_next()] == [1, 50, 100, 150, 200]
    chosen.show_every(50, played=120)
    assert [number for number in range(121, 201) if chosen.shows_next()] == [150, 200]


def test_each_series_shows_its_first_games() -> None:
    chosen, shown = Counted(), []
    chosen.show_first(2)
    for series in range(3):
        chosen.new_series()
        shown += [(series, game) for game in range(5) if chosen.shows_next()]
    assert shown == [(series, game) for series in range(3) for game in range(2)]


@given(st.integers(1, 30), st.integers(0, 60))
def test_a_new_series_does_not_disturb_the_count_of_episodes(every: int, before: int) -> None:
    disturbed, left_alone = Counted(every), Counted(every)
    for _ in range(before):
        assert disturbed.shows_next() == left_alone.shows_next()
    disturbed.new_series()
    after = [[each.shows_next() for _ in range(60)] for each in (disturbed, left_alone)]
    assert after[0] == after[1]

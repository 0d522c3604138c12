"""A tournament's games on a display, which may be slow, wrong or broken."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import pytest

from commands.tournament_display import _Watching
from state_manager import State, make_game
from tournaments.results import SeriesResult

if TYPE_CHECKING:
    from display.live.display import Display

GAME = make_game("hex", size=3)
SERIES = SeriesResult(2, 1, 4, 3, "net")


class Recorder:
    """A display that records its calls; it fails at action 8."""

    game = GAME
    ending = "R"

    def __init__(self) -> None:
        self.calls: list[object] = []

    def new_series(self) -> None:
        self.calls.append("series")

    def stop_progress(self) -> None:
        """End the bar of the previous series."""

    def listen(self) -> None:
        """Keys are read from now on."""

    def start_progress(self, description: str, total: int) -> None:
        assert (description, total) == ("series 1, against player 2", 4)

    def on_game_start(self, title: str, players: tuple[str, str], state: State) -> None:
        self.calls.append(title)

    def on_move(self, state: State, action: int, thought: object = None) -> None:
        if action == 8:
            raise OSError("no space")
        self.calls.append(action)

    def on_game_over(self, state: State, winner: int) -> None:
        self.calls.append(f"{winner} won")

    def message(self, text: str) -> None:
        self.calls.append(text)


@pytest.fixture
def recorder() -> Recorder:
    return Recorder()


def watch(recorder: Recorder, *, later: bool = False) -> _Watching:
    return _Watching(cast("Display", recorder), later)


def play(watching: _Watching, *actions: int, size: int = 3) -> None:
    """Play a watched game."""
    state = make_game("hex", size=size).initial_state()
    watching.on_game_start(f"size {size}", ("a", "b"), state)
    for action in actions:
        watching.on_move(state, action, None)
    watching.on_game_over(state, 1)


def test_games_are_shown_immediately(recorder: Recorder) -> None:
    watching = watch(recorder)
    watching.on_series(SERIES, 1)
    play(watching, 4, 5)
    assert recorder.calls == ["series", "size 3", 4, 5, "1 won"]
    assert recorder.ending == "", "no resignation is known of"
    watching.show()
    assert len(recorder.calls) == 5


def test_games_that_take_long_to_show_wait_for_the_end(recorder: Recorder) -> None:
    watching = watch(recorder, later=True)
    watching.on_series(SERIES, 1)
    play(watching, 4)
    assert recorder.calls == []
    watching.show()
    assert recorder.calls == ["series", "size 3", 4, "1 won"]


def test_games_on_another_board_are_not_shown(recorder: Recorder) -> None:
    watching = watch(recorder)
    play(watching, 4, size=5)
    play(watching, 4)
    assert recorder.calls == ["size 3", 4, "1 won"]


@pytest.mark.parametrize("later", [False, True])
def test_a_failed_display_receives_no_further_calls(recorder: Recorder, later: bool) -> None:
    watching = watch(recorder, later=later)
    play(watching, 4, 8, 5)
    play(watching, 4)
    watching.show()
    assert recorder.calls == ["size 3", 4, "WARNING: no further games are shown: no space"]

"""A tournament on a display, which may be slow, wrong or broken, and the lines at its end."""

from pathlib import Path
from unittest.mock import Mock

import pytest

from cli.tournament_display import _show, _Watching
from online.results import Event, SeriesResult, TournamentRecord, TournamentResult
from state_manager import make_game

SERIES = SeriesResult(2, 1, 4, 3, "net")
FAILED = "WARNING: no further games are shown: no space"
TOLD = {"new_series": None, "on_game_start": 0, "on_move": 1, "message": 0}
"""The argument of each call that tells which call it was."""


@pytest.fixture
def display() -> Mock:
    """Return a display of 3x3, which fails at action 8."""

    def on_move(state: object, action: int, thought: object) -> None:
        if action == 8:
            raise OSError("no space")

    display = Mock(game=make_game("hex", size=3), ending="R")
    display.on_move.side_effect = on_move
    return display


def shown(display: Mock) -> list[object]:
    calls = ((name, args) for name, args, _ in display.mock_calls if name in TOLD)
    return [name if (index := TOLD[name]) is None else args[index] for name, args in calls]


def play(watching: _Watching, *actions: int, size: int = 3) -> None:
    state = make_game("hex", size=size).initial_state()
    watching.on_game_start(f"size {size}", ("a", "b"), state)
    for action in actions:
        watching.on_move(state, action, None)
    watching.on_game_over(state, 1)


@pytest.mark.parametrize("later", [False, True])
def test_games_are_shown_at_once_or_if_that_is_slow_at_the_end(display: Mock, later: bool) -> None:
    watching = _Watching(display, later)
    watching.on_series(SERIES, 1)
    display.start_progress.assert_called_once_with("series 1, against player 2", 4)
    play(watching, 4, 5)
    expected = ["new_series", "size 3", 4, 5]
    assert shown(display) == ([] if later else expected)
    watching.show()
    assert shown(display) == expected
    display.on_game_over.assert_called_once()
    assert display.ending == "", "no resignation is known of"


@pytest.mark.parametrize("later", [False, True])
def test_a_failed_display_receives_no_further_calls(display: Mock, later: bool) -> None:
    watching = _Watching(display, later)
    play(watching, 4, size=5)  # another board is not shown
    play(watching, 4, 8, 5)
    play(watching, 4)
    watching.show()
    assert shown(display) == ["size 3", 4, 8, FAILED]


@pytest.mark.parametrize(("protocol", "forgiven"), [(1, ""), (2, " (one more, if the server ")])
def test_an_early_end_names_no_missing_file(
    display: Mock, protocol: int, forgiven: str, tmp_path: Path
) -> None:
    event = Event("localhost:1", protocol, kind="official", attempts_left=2)
    result = TournamentResult([SERIES], broken_off="late")
    record = TournamentRecord(tmp_path)
    record.finish(event, result)
    _show("Online Hex Tournament", result, event, display, record)
    first, left, last = shown(display)
    assert first == "The tournament was broken off in its first game."
    assert str(left).startswith(f"Official attempts left after this one: 2{forgiven}")
    assert last == f"Illegal actions: 0. The result is in {tmp_path / 'result.json'}."

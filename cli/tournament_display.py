"""A tournament on the terminal: its display, its run directory, and the lines at its end."""

import contextlib
import sys
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from base.params import Params
from cli.outputs import output_folder
from display.live import make_display
from display.live.display import Display
from display.reports.tables import judged_words, tournament_table
from mcts import Thought
from oht_client.answers import ask_secret
from online.lineup import Lineup
from online.player import Listener, TournamentPlayer
from online.results import Event, SeriesResult, TournamentRecord, TournamentResult
from state_manager import State


@contextlib.contextmanager
def tournament(
    params: Params, lineup: Lineup, event: Event, title: str, stem: str
) -> Iterator[tuple[Display, "_Watching", TournamentPlayer]]:
    """Yield a display, its listener and a warm player; write and show the result, come what may."""
    # No waits between two moves: the server's clock runs.
    shown, to_file = params.display, params.display.mode == "file"
    shown = shown if to_file else shown.model_copy(update={"delay": 0.0})
    with (
        output_folder(None, stem) as folder,
        contextlib.closing(lineup),
        make_display(shown, lineup.expected.game, folder / "games") as display,
        contextlib.closing(TournamentRecord(folder)) as record,
    ):
        display.listens = False  # a token may be typed ahead
        display.show_first(shown.games)
        watching = _Watching(display, later=to_file)
        player = TournamentPlayer(lineup, record, watching)
        if lineup.note:
            display.message(lineup.note)
        display.message(f"{lineup.expected.name} plays a move to warm up ...")
        lineup.warm_up()
        try:
            yield display, watching, player
        finally:
            display.stop_progress()
            if player.result.series:
                try:
                    record.finish(event, player.result)
                except OSError as error:  # a full disk does not hide the result
                    display.message(f"WARNING: the result is not kept: {error.strerror or error}")
            _show(title, player.result, event, display, record)
            watching.show()


@contextlib.contextmanager
def ended_line() -> Iterator[None]:
    """End the line of a prompt if Enter was not pressed."""
    try:
        yield
    finally:
        if not sys.stdin.isatty():
            print(flush=True)


class _Watching(Listener):
    """Shows the tournament on a display, and prompts the user for the server's questions.

    Games are shown at once; or with ``later`` by ``show``, since an animation takes about a second
    to write, the time of a whole move. Games on a board of another size than the display's are not
    shown. A display that fails gets no more games.
    """

    def __init__(self, display: Display, later: bool) -> None:
        self._display, self._later = display, later
        display.ending = ""  # the server does not say why a game ended early
        self._kept: list[partial[None]] = []
        self._fits, self._failed = True, False

    def on_series(self, series: SeriesResult, number: int) -> None:
        self._display.stop_progress()
        self._display.listen()
        self._fits = True
        self._do(self._display.new_series)
        title = f"series {number}, against {series.opponent_words}"
        self._display.start_progress(title, series.num_games)

    def on_game(self, series: SeriesResult) -> None:
        self._display.advance(1, f"won {series.won}, lost {series.lost}")

    def tell(self, text: str) -> None:
        self._display.message(text)

    def ask(self, prompt: str) -> str:
        with ended_line():
            return self._display.ask(prompt)

    def ask_secret(self, prompt: str) -> str:
        with self._display.paused(), ended_line():
            return ask_secret(prompt)

    def on_game_start(self, title: str, players: tuple[str, str], state: State) -> None:
        self._fits = len(state) == self._display.game.state_length
        self._do(self._display.on_game_start, title, players, state)

    def on_move(self, state: State, action: int, thought: Thought | None) -> None:
        self._do(self._display.on_move, state, action, thought)

    def on_game_over(self, state: State, winner: int) -> None:
        self._do(self._display.on_game_over, state, winner)

    def show(self) -> None:
        self._later, self._fits = False, True
        for call in self._kept:
            self._do(call)

    def _do(self, call: Callable[..., None], *arguments: Any) -> None:
        if self._later and self._fits:
            self._kept.append(partial(call, *arguments))
        elif self._fits and not self._failed:
            try:
                call(*arguments)
            except Exception as error:
                self._failed = True
                self._display.message(f"WARNING: no further games are shown: {error}")


def _show(
    title: str, result: TournamentResult, event: Event, display: Display, record: TournamentRecord
) -> None:
    if not result.series:
        display.message("No game was played.")
        return
    display.write(tournament_table(title, result.series))
    games = result.won + result.lost
    unplayed = sum(series.unplayed for series in result.series)
    faults = sum(series.faults for series in result.series)
    finished = games - unplayed
    if result.broken_off:
        kept = f"; the {finished} finished games are kept" if finished else " in its first game"
        display.message(f"The tournament was broken off{kept}.")
    if unplayed:
        counts = f"{unplayed} of the {games} games count"
        display.message(f"{counts}, but were not played: one side left.")
    if result.score is not None:
        display.message(f"Score: {result.score:g} ({result.won} of {games} games won)")
    if event.kind == "official" and event.attempts_left is not None:
        early = result.broken_off and event.protocol == 2 and finished < 2
        forgiven = " (one more, if the server forgives such an early end)" if early else ""
        display.message(f"Official attempts left after this one: {event.attempts_left}{forgiven}")
    if judged := [moves for series in result.series for moves in series.judged]:
        display.message(judged_words(result.series[0].agent, judged, finished))
    if faults:
        display.message(f"WARNING: the fallback made {faults} moves; see above why")
    display.message(f"Illegal actions: {result.illegal_actions}. {_kept(record, finished)}")


def _kept(record: TournamentRecord, finished: int) -> str:
    lost, kept = record.lost, []
    if finished > lost:
        games = f"{finished - lost} of {finished} games are" if lost else "Every game is"
        kept.append(f"{games} in {record.folder / 'games.jsonl'}")
    if record.is_finished:
        what = "the result" if kept else "The result is"
        kept.append(f"{what} in {record.folder / 'result.json'}")
    missing = [f"{lost} of {finished} games"] if lost else []
    missing += [] if record.is_finished else ["the result"]
    words = [f"{', '.join(kept)}."] if kept else []
    return " ".join([*words, *([f"Not kept: {' and '.join(missing)}."] if missing else [])])

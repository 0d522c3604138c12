"""``oht``: play the Online Hex Tournament."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from commands.errors import UsageError
from commands.files import RUNS, make_new_folder
from commands.system import System
from commands.watching import Watching
from oht_client.answers import ask_secret
from oht_client.errors import OHTError

if TYPE_CHECKING:
    from base.params import Params
    from display.live.display import Display
    from oht_client.client import Play
    from oht_client.lineup import Lineup
    from oht_client.results import Event, SeriesResult, TournamentRecord, TournamentResult
    from oht_client.transport import Server

SERVER_FOLDER = RUNS / "oht-server"
"""Where ``oht-server`` keeps its certificate."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Say what the command line may hold."""
    parser.add_argument("--net", type=Path, metavar="NET", help="what the agent plays with")
    parser.add_argument(
        "--nickname", metavar="NAME", help="shown to others; asked for if not given"
    )
    kind = parser.add_mutually_exclusive_group()
    kind.add_argument(
        "--official", action="store_true", help="spend an official attempt, or try to qualify"
    )
    kind.add_argument("--verify", action="store_true", help="a tournament for practice")
    parser.add_argument("--server", metavar="HOST:PORT", help="instead of oht.server")
    parser.add_argument("--protocol", choices=("1", "2"), help="instead of oht.protocol")
    kind.add_argument(
        "--check",
        action="store_true",
        help="do not log in; check server, certificate and move time",
    )


def params_file(arguments: argparse.Namespace) -> Path | None:
    """The client reads the usual parameters."""
    return None


def run(system: System, arguments: argparse.Namespace) -> int:
    """Log in, play, and show how it went; or check whether that would work."""
    from oht_client.client import find_client, find_server
    from oht_client.lineup import Lineup

    system = system.with_overrides(_overrides(arguments))
    oht = system.params.oht
    if (oht.protocol, oht.mode) == (1, "league"):
        raise UsageError("oht.mode: expected qualifiers with oht.protocol 1, got league")
    server = find_server(oht, SERVER_FOLDER)
    if arguments.check:
        from commands.oht_check import check

        return check(system.params, server, arguments.net)
    lineup = Lineup(system.params, arguments.net)
    client = find_client(oht, server)
    if arguments.official:
        _confirm()
    folder = make_new_folder("oht")
    try:
        return _play(system.params, lineup, client, server, folder, _known_answers(arguments))
    finally:
        with contextlib.suppress(OSError):  # it is empty only if nobody has played
            folder.rmdir()


def _play(
    params: Params,
    lineup: Lineup,
    client: Play,
    server: Server,
    folder: Path,
    known: Mapping[str, str],
) -> int:
    """Play a tournament; return the exit status."""
    from display.live import make_display
    from oht_client.answers import Answers, SessionOptions
    from oht_client.player import TournamentPlayer
    from oht_client.results import Event, TournamentRecord

    # Nothing may be waited for between two moves: the server's clock runs.
    shown, league = params.display, params.oht.mode == "league"
    to_file = shown.mode == "file"
    shown = shown if to_file else shown.model_copy(update={"delay": 0.0})
    display = make_display(shown, lineup.expected.game, folder / "games")
    display.listens = False  # a token that is typed ahead is none of its keys
    with display:
        watching = Watching(display, later=to_file)
        listener = _Listener(display, watching, shown.games)
        answers = Answers(known, listener.ask, listener.ask_secret)
        oht = params.oht
        options = SessionOptions(answers, listener.tell, oht.connect_attempts, oht.silence_limit)
        with contextlib.closing(TournamentRecord(folder)) as record:
            player = TournamentPlayer(lineup, record, listener, [watching])
            display.message(f"{lineup.expected.name} plays a move to warm up ...")
            lineup.warm_up()
            event = Event(str(server), params.oht.protocol)
            try:
                client(player, options)
                player.end("the server ended it without a score", league)
            except (KeyboardInterrupt, OHTError) as reason:
                player.end(reason, league)
                raise
            finally:
                display.stop_progress()
                event.learn(answers, league)
                if player.result.series:
                    _keep(event, player.result, record, display)
                _show(player.result, event, display, folder)
                watching.show()
    return 0 if player.result.score is not None else 1


def _overrides(arguments: argparse.Namespace) -> list[str]:
    """Return the options that are parameters too."""
    words = []
    if arguments.server is not None:
        words.append(f"oht.server={json.dumps(arguments.server)}")  # it is a text, not YAML
    if arguments.protocol is not None:
        words.append(f"oht.protocol={arguments.protocol}")
    return words


def _known_answers(arguments: argparse.Namespace) -> dict[str, str]:
    """Return what need not be asked; nobody means to take part in a stress test unawares."""
    known = {"stress": "n"}
    if token := os.environ.get("IT3105_AUTH"):
        known["token"] = token
    if arguments.nickname and arguments.nickname.strip():  # a server would wait for any
        known["player-name"] = arguments.nickname
    if arguments.official or arguments.verify:
        known["qualify"] = "Y" if arguments.official else "n"
    return known


def _confirm() -> None:
    """Ask whether an attempt may be spent.

    Raises:
        UsageError: It may not.
    """
    answer = ""
    with contextlib.suppress(EOFError), _prompt():
        answer = input("This spends one of a few official attempts. Type yes to go on: ")
    if answer.strip().lower() != "yes":
        raise UsageError("no official attempt was spent; --verify plays for practice")


@contextlib.contextmanager
def _prompt() -> Iterator[None]:
    """End the line of a prompt where nobody presses Enter."""
    try:
        yield
    finally:
        if not sys.stdin.isatty():
            print(flush=True)


class _Listener:
    """Shows on a display how the tournament goes, and speaks for the server to a person."""

    def __init__(self, display: Display, watching: Watching, shown: int) -> None:
        self._display = display
        self._watching = watching
        self._display.show_first(shown)

    def on_series(self, series: SeriesResult, number: int) -> None:
        self._display.stop_progress()
        self._display.listen()
        self._watching.new_series()
        self._display.start_progress(
            f"series {number}, against player {series.opponent}", series.num_games
        )

    def on_game(self, series: SeriesResult) -> None:
        self._display.advance(1, f"won {series.won}, lost {series.lost}")

    def tell(self, text: str) -> None:
        self._display.message(text)

    def ask(self, prompt: str) -> str:
        with _prompt():
            return self._display.ask(prompt)

    def ask_secret(self, prompt: str) -> str:
        with self._display.paused(), _prompt():
            return ask_secret(prompt)


def _keep(
    event: Event, result: TournamentResult, record: TournamentRecord, display: Display
) -> None:
    """Keep the result; a full disk does not hide it."""
    try:
        record.finish(event, result)
    except OSError as error:
        display.message(f"WARNING: the result is not kept: {error.strerror or error}")


def _show(result: TournamentResult, event: Event, display: Display, folder: Path) -> None:
    """Print the table by opponent and the score."""
    from display.reports.tables import tournament_table

    games = result.won + result.lost
    if not result.series:
        display.message("No game was played.")
        return
    display.write(tournament_table(result.series))
    unplayed = sum(series.unplayed for series in result.series)
    finished = games - unplayed
    if result.broken_off:
        kept = f"; the {finished} finished games are kept" if finished else " in its first game"
        display.message(f"The tournament was broken off{kept}.")
    if unplayed:
        display.message(
            f"{unplayed} of the {games} games count, but were not played: one side left."
        )
    if result.score is not None:
        display.message(f"Score: {result.score:g} ({result.won} of {games} games won)")
    if event.kind == "official" and event.attempts_left is not None:
        early = result.broken_off and event.protocol == 2 and finished < 2
        forgiven = " (one more, if the server forgives who leaves so early)" if early else ""
        display.message(f"Official attempts left after this one: {event.attempts_left}{forgiven}")
    faults = sum(series.faults for series in result.series)
    if faults:
        display.message(f"WARNING: the fallback made {faults} moves; see above why")
    where = (
        f"Every game is in {folder / 'games.jsonl'}, the result" if finished else "The result is"
    )
    display.message(
        f"Illegal actions: {result.illegal_actions}. {where} in {folder / 'result.json'}."
    )

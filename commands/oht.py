"""``oht``: play the Online Hex Tournament."""

import argparse
import contextlib
import json
import os
import socket
import ssl
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from base.params import DisplayParams, Params
from base.storage import printable
from commands.exits import UsageError, exit_status, words_of
from commands.outputs import RUNS, output_folder
from display.live import make_display
from display.live.display import Display
from display.reports.tables import judged_words, tournament_table
from hex_mcts.system import System
from mcts import Thought
from oht_client import official, transport
from oht_client.answers import Answers, SessionOptions, ask_secret
from oht_client.client import find_client, find_server
from oht_client.transport import Server
from state_manager import State
from tournaments.errors import TournamentError
from tournaments.lineup import Lineup
from tournaments.player import TournamentPlayer
from tournaments.results import Event, SeriesResult, TournamentRecord, TournamentResult

_MOST_MOVES = 10
"""Number of timed moves of a game: the first ones, which are the slowest."""
SERVER_FOLDER = RUNS / "oht-server"
"""The folder of the certificate of ``oht-server``."""


def run(system: System, arguments: argparse.Namespace) -> int:
    """Log in, play, and show the result; or check whether that would work."""
    overrides = []
    if arguments.server is not None:
        overrides.append(f"oht.server={json.dumps(arguments.server)}")  # a text, not YAML
    if arguments.protocol is not None:
        overrides.append(f"oht.protocol={arguments.protocol}")
    params = system.with_overrides(overrides).params
    oht, shown = params.oht, params.display
    league = oht.mode == "league"
    if league and oht.protocol == 1:
        raise UsageError("oht.mode: expected qualifiers with oht.protocol 1, got league")
    server = find_server(oht, SERVER_FOLDER)
    if arguments.check:
        return _check(params, server, arguments.net)
    lineup = Lineup(params.for_games(1), arguments.net)
    client = find_client(oht, server)
    if arguments.official:
        _confirm()
    # No waits between two moves: the server's clock runs.
    to_file = shown.mode == "file"
    shown = shown if to_file else shown.model_copy(update={"delay": 0.0})
    with (
        output_folder(None, "oht") as folder,
        contextlib.closing(lineup),
        _display_without_keys(shown, lineup, folder) as display,
        contextlib.closing(TournamentRecord(folder)) as record,
    ):
        display.show_first(shown.games)
        watching = _Watching(display, later=to_file)
        answers = Answers(_known_answers(arguments), watching.ask, watching.ask_secret)
        options = SessionOptions(answers, display.message, oht.connect_attempts, oht.silence_limit)
        player = TournamentPlayer(lineup, record, watching)
        if lineup.note:
            display.message(lineup.note)
        display.message(f"{lineup.expected.name} plays a move to warm up ...")
        lineup.warm_up()
        event = Event(str(server), oht.protocol)
        try:
            client(player, options)
            player.end("the server ended it without a score", league)
        except (KeyboardInterrupt, TournamentError) as reason:
            player.end(reason, league)
            raise
        finally:
            display.stop_progress()
            _learn(event, answers, league)
            if player.result.series:
                try:
                    record.finish(event, player.result)
                except OSError as error:  # a full disk does not hide the result
                    display.message(f"WARNING: the result is not kept: {error.strerror or error}")
            _show(player.result, event, display, record)
            watching.show()
    is_kept = record.is_finished and not record.lost
    return 0 if player.result.score is not None and is_kept else 1


def _display_without_keys(params: DisplayParams, lineup: Lineup, folder: Path) -> Display:
    """Return a display that ignores keys for now, since a token may be typed ahead."""
    display = make_display(params, lineup.expected.game, folder / "games")
    display.listens = False
    return display


def _known_answers(arguments: argparse.Namespace) -> dict[str, str]:
    """Return the known answers to the server's questions; a stress test is always declined."""
    known = {"stress": "n"}
    if token := os.environ.get("IT3105_AUTH"):
        known["token"] = token
    if arguments.nickname and arguments.nickname.strip():  # a server would wait for a name
        known["player-name"] = arguments.nickname
    if arguments.official or arguments.verify:
        known["qualify"] = "Y" if arguments.official else "n"
    return known


def _learn(event: Event, answers: Answers, league: bool) -> None:
    """Copy the answers of the log-in."""
    event.name, event.attempts_left = answers.name, answers.attempts_left
    if league:
        event.kind = "league"
    elif answers.official is not None:
        event.kind = "official" if answers.official else "verification"


def _confirm() -> None:
    """Raise a ``UsageError`` unless the user agrees to use an attempt."""
    answer = ""
    with contextlib.suppress(EOFError), _prompt():
        answer = input("This uses one of a few official attempts. Type yes to go on: ")
    if answer.strip().lower() != "yes":
        raise UsageError("no official attempt was used; --verify plays for practice")


@contextlib.contextmanager
def _prompt() -> Iterator[None]:
    """End the line of a prompt if Enter was not pressed."""
    try:
        yield
    finally:
        if not sys.stdin.isatty():
            print(flush=True)


class _Watching:
    """Shows the tournament on a display, and prompts the user for the server's questions.

    Games are shown at once; or with ``later`` by ``show``, since an animation takes about a second
    to write, the time of a whole move. Games on a board of another size than the display's are not
    shown. A display that fails gets no more games.
    """

    def __init__(self, display: Display, later: bool) -> None:
        self._display, self._later = display, later
        self._kept: list[partial[None]] = []
        self._fits, self._failed = True, False

    def on_series(self, series: SeriesResult, number: int) -> None:
        self._display.stop_progress()
        self._display.listen()
        self._fits = True
        self._do(self._display.new_series)
        title = f"series {number}, against player {series.opponent}"
        self._display.start_progress(title, series.num_games)

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

    def on_game_start(self, title: str, players: tuple[str, str], state: State) -> None:
        self._fits = len(state) == self._display.game.state_length
        self._do(self._display.on_game_start, title, players, state)

    def on_move(self, state: State, action: int, thought: Thought | None) -> None:
        self._do(self._display.on_move, state, action, thought)

    def on_game_over(self, state: State, winner: int) -> None:
        self._do(self._display.on_game_over, state, winner)

    def show(self) -> None:
        """Show the games kept for later."""
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
    result: TournamentResult, event: Event, display: Display, record: TournamentRecord
) -> None:
    if not result.series:
        display.message("No game was played.")
        return
    display.write(tournament_table(result.series))
    games = result.won + result.lost
    unplayed = sum(series.unplayed for series in result.series)
    faults = sum(series.faults for series in result.series)
    finished = games - unplayed
    if result.broken_off:
        kept = f"; the {finished} finished games are kept" if finished else " in its first game"
        display.message(f"The tournament was broken off{kept}.")
    if unplayed:
        reason = "count, but were not played: one side left."
        display.message(f"{unplayed} of the {games} games {reason}")
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
    """Return where the finished games and the result are, and how many of them are not kept."""
    lost, kept = record.lost, []
    if finished > lost:
        games = f"{finished - lost} of {finished} games are" if lost else "Every game is"
        kept.append(f"{games} in {record.folder / 'games.jsonl'}")
    if record.is_finished:
        kept.append(
            f"{'the result' if kept else 'The result is'} in {record.folder / 'result.json'}"
        )
    missing = [f"{lost} of {finished} games"] if lost else []
    missing += [] if record.is_finished else ["the result"]
    words = [f"{', '.join(kept)}."] if kept else []
    return " ".join([*words, *([f"Not kept: {' and '.join(missing)}."] if missing else [])])


def _check(params: Params, server: Server, net: Path | None) -> int:
    """Print the result of each check; return 0 if all pass, else 1."""
    with contextlib.ExitStack() as stack:
        checks = _Checks(params, server, stack)
        steps: dict[str, tuple[Callable[[], str], set[str]]] = {
            "agent": (partial(checks.make_agent, net), set()),
            "certificate": (checks.read_certificate, set()),
            "client": (checks.load_client, set()),
            "address": (checks.resolve, set()),
            "port": (checks.open_port, {"address"}),
            "server": (checks.shake_hands, {"port", "certificate"}),
            "moves": (checks.play, {"agent"}),
        }
        if params.oht.official_client is None:
            del steps["client"]
        passed: set[str] = set()
        for name, (step, needed) in steps.items():
            if not needed <= passed:
                _print_check("-", name, "not tried")
                continue
            try:
                _print_check("ok", name, step())
                passed.add(name)
            except Exception as error:
                if isinstance(error, OSError | UnicodeError):  # an error of the network
                    _print_check("FAILED", name, f"{server}: {transport.reason_of(error)}")
                elif exit_status(error) is not None:
                    _print_check("FAILED", name, words_of(error))
                else:
                    raise
    return 0 if passed == set(steps) else 1


class _Checks:
    """The checks, each with a result that later ones use; all share one connection, a probe."""

    def __init__(self, params: Params, server: Server, stack: contextlib.ExitStack) -> None:
        self._params, self._server, self._stack = params, server, stack

    def make_agent(self, net: Path | None) -> str:
        lineup = contextlib.closing(Lineup(self._params.for_games(1), net))
        self._lineup = self._stack.enter_context(lineup)
        return self._lineup.note or f"{self._lineup.expected.name} can play"

    def read_certificate(self) -> str:
        self._context: ssl.SSLContext = transport.trust(self._server.certificate)
        return f"{self._server.certificate} was read"

    def load_client(self) -> str:
        oht = self._params.oht
        module = official.load(Path(oht.official_client or ""), oht.protocol)
        return f"{module.__file__} is the course's client"

    def resolve(self) -> str:
        self._address = socket.gethostbyname(self._server.host)
        return f"{self._server.host} is {self._address}"

    def open_port(self) -> str:
        plain = transport.open_port(self._address, self._server.port)
        self._plain = self._stack.enter_context(plain)
        return f"{self._server.port} is open"

    def shake_hands(self) -> str:
        tls = transport.begin_tls(self._plain, self._context, str(self._server))
        self._stack.enter_context(tls)
        expiry = (tls.getpeercert() or {}).get("notAfter")
        return f"TLS with this certificate, valid until {expiry}"

    def play(self) -> str:
        """Warm up, then play the beginning of a game; a ``TournamentError`` if a move fails."""
        seat, limit = self._lineup.expected, self._params.oht.seconds_per_move
        _print_check("...", "moves", f"{seat.name} plays to warm up")
        self._lineup.warm_up()
        state = seat.game.initial_state(1)
        worst, faults, moves = 0.0, [], 0
        while moves < _MOST_MOVES and not seat.game.is_final(state):
            move = seat.agent.choose_action(state)
            state, moves = seat.game.child_state(state, move.action), moves + 1
            worst = max(worst, move.seconds)
            faults += [move.fault] if move.fault else []
        size = seat.game.board_shape[0]
        measured = f"{seat.name} on {size}x{size}: at worst {worst:.2f} s of {limit:g} s"
        if worst > limit or faults:
            raise TournamentError(f"{measured}, {faults[0] if faults else 'that is too late'}")
        return f"{measured}, in {moves} moves"


def _print_check(outcome: str, name: str, text: str) -> None:
    print(f"{outcome:<7} {name:<12} {printable(text, 500)}", flush=True)

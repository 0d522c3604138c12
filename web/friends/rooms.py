"""The room: all games between two people on this server, kept in one file.

A game has four secret tokens: one for each seat, which moves and which only its browser knows; one
for spectators; and the invitation, the friend's link, which gives the second seat once. The room
has another one, for a page with all games. Each change has a number, so that a page that asks again
and again is sent only the news.
"""

from __future__ import annotations

import math
import os
import re
import secrets
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import reduce
from itertools import chain
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, Field, ValidationError

from base import storage
from base.storage import FileError, LockedError, printable
from state_manager import State, StateManager
from web.friends.clocks import Clock
from web.server.requests import PageRequest, Position, RequestError, mistake_in

_MOST_GAMES = 200
_MOST_NEW, _NEW_SECONDS = 60, 60.0  # new games of one address in this time; more are refused
_AWAY_SECONDS = 6.0  # a player whose page has not asked for this time is away
_MOST_BYTES, _MOST_LINE = 1 << 24, 500
_MOST_SAID = 30  # lines of a chat; the oldest are dropped

Token = Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{16,32}$")]
Name = Annotated[str, Field(max_length=30)]
Two = tuple[Literal[0, 1], Literal[0, 1]]
Saved = TypeVar("Saved", bound=BaseModel)


def new_token() -> str:
    """Return a secret that no one can guess."""
    return secrets.token_urlsafe(16)


class Table(PageRequest, extra="ignore"):  # an older server has saved more
    """A game between two people; pairs are in the order of seats 0 and 1."""

    position: Position
    seats: tuple[Token, Token]  # the token of each seat; seat 0 has made the game
    watch: Token  # the token of spectators
    invite: Token | None = None  # used up when the second player has joined; none in a rematch
    first: Literal[0, 1]  # the seat of player 1; a rematch changes it
    names: tuple[Name, Name]
    joined: Two = (1, 0)  # whether each player has taken the seat
    offers: Two = (0, 0)  # whether each player offers a rematch
    chats: Two = (0, 0)  # whether each player wants to chat
    wins: tuple[int, int] = (0, 0)  # games won here and in those that it is the rematch of
    resigned: Literal[0, 1, 2] = 0  # the player who has resigned, else 0
    flagged: Literal[0, 1, 2] = 0  # the player whose time is up, else 0
    takeback: Literal[0, 1, 2] = 0  # the player who asks to take a move back, else 0
    clock: Clock = Clock()
    listed: bool = False  # whether the lobby shows the game until there is a second player
    rematch: Token | Literal[""] = ""  # the spectators' token of the rematch; empty without one
    version: int = 0  # the number of the last change, among those of the room

    @classmethod
    def new(cls, **about: Any) -> Table:
        """Return a table with new tokens."""
        return cls(seats=(new_token(), new_token()), watch=new_token(), **about)

    def player(self, seat: int) -> int:
        """Return the player of a seat, 1 or 2."""
        return 1 if seat == self.first else 2

    def by_player(self, pair: tuple[Any, Any]) -> list[Any]:
        """Return a pair in the order of the players."""
        return [pair[self.first], pair[1 - self.first]]

    def with_(self, **changed: object) -> Table:
        """Return the table with other values, which are not checked."""
        return self.model_copy(update=changed)

    def with_actions(self, actions: tuple[int, ...]) -> Table:
        """Return the table after other moves."""
        return self.with_(position=self.position.model_copy(update={"actions": actions}))

    def with_seat(self, key: str, seat: int, value: object) -> Table:
        """Return the table with another value of one seat."""
        pair = list(getattr(self, key))
        pair[seat] = value
        return self.with_(**{key: tuple(pair)})

    def played(self) -> tuple[StateManager, State, int]:
        """Return the game, its state, and the winner: 0 for none yet, 3 for a draw."""
        game, start = self.position.begun()
        state = reduce(game.child_state, self.position.actions, start)
        loser = self.resigned or self.flagged
        return game, state, 3 - loser if loser else int(game.winner(state))

    def settled(self, now: float, moved: bool = False) -> Table:
        """Return the table after a change of an unfinished game: its clock switched, a win counted.

        The clock runs once both players have moved.
        """
        game, state, winner = self.played()
        is_timed = not winner and len(self.position.actions) > 1
        runs = (self.first + game.to_play(state) - 1) % 2 if is_timed else None
        wins = tuple(won + (self.player(seat) == winner) for seat, won in enumerate(self.wins))
        return self.with_(clock=self.clock.switched(runs, now, moved), wins=wins, takeback=0)


class _Saved(BaseModel):
    access: Token
    assistant: Token
    tables: list[Table]


class Room:
    """All tables; changes are in the file before a page sees them.

    Attributes:
        tables: The oldest first.
        access: Admits to a server that other machines reach; kept, so that links survive a restart.
        assistant: The token of the page with all games.
        admission: The part of a link that admits to the server, if it needs one.
    """

    admission = ""

    def __init__(
        self,
        file: Path | None = None,
        tell: Callable[[str], None] = print,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        """Load the room of a file, if there is one; without a file nothing is kept.

        A damaged file is set aside, and games that cannot be played are left out; ``tell`` reports
        both. ``now`` returns seconds. A clock that ran when the room was last written goes on from
        the time that it had then: while the server is away, nobody can move.
        """
        self._file, self._lock, self._tell, self.now = file, threading.RLock(), tell, now
        self._is_failing, self._seen = False, dict[str, float]()
        self._made: list[tuple[float, str]] = []
        self._said: dict[str, list[tuple[int, str]]] = {}  # by the tokens of spectators
        saved = file and read_saved(file, _Saved, tell)
        saved = saved or _Saved(access=new_token(), assistant=new_token(), tables=[])
        self.access, self.assistant = saved.access, saved.assistant
        mistakes = [_mistake_of(each) for each in saved.tables]
        self.tables = [
            _with_invitation(each).with_(clock=each.clock.resumed(now()))
            for each, mistake in zip(saved.tables, mistakes, strict=True)
            if not mistake
        ]
        if unplayable := [*filter(None, mistakes)]:
            words = f"{len(unplayable)} games cannot be played and are left out: {unplayable[0]}"
            tell(printable(f"{file}: {words}", _MOST_LINE))
        self._version = max((each.version for each in saved.tables), default=0)

    @classmethod
    @contextmanager
    def opened(cls, file: Path, tell: Callable[[str], None] = print) -> Iterator[Room]:
        """Load the room of a file that no other server writes, until the block ends.

        Raises a ``LockedError`` if another one does. What a killed server was writing is removed.
        """
        with ExitStack() as stack:
            try:
                file.parent.mkdir(parents=True, exist_ok=True)
                stack.enter_context(storage.locked(file.with_name(f".{file.stem}.lock")))
                storage.remove_leftovers(file.parent, re.escape(file.stem))
            except LockedError:
                words = "another server with this port keeps its games there; try another --runs"
                raise LockedError(f"{file}: {words}") from None
            except OSError:
                pass  # such as a folder without write access, which keeps no games
            yield cls(file, tell)

    def find(self, token: str) -> tuple[Table, int | None]:
        """Return the table of a token, and its seat; ``None`` for a spectator, and if invited."""
        for table in self.tables:
            if token in table.seats:
                return table, table.seats.index(token)
            if token in (table.watch, table.invite):
                return table, None
        raise RequestError("this game is no longer on the server, or its link is incomplete")

    def add(self, table: Table, address: str = "") -> Table:
        """Add a table of a client's address; raise a ``RequestError`` if there are too many."""
        with self._lock:
            now = self.now()
            self._made = [each for each in self._made if each[0] > now - _NEW_SECONDS]
            if sum(each == address for _, each in self._made) >= _MOST_NEW:
                raise RequestError("too many new games at once, try again in a minute")
            kept = self.tables
            if len(kept) >= _MOST_GAMES:
                unneeded = self._unneeded()
                if unneeded is None:
                    raise RequestError(f"the room is full: {_MOST_GAMES} games are being played")
                kept = [each for each in kept if each != unneeded]
            added = self._save(kept, table)
            self._made.append((now, address))
            return added

    def _unneeded(self) -> Table | None:
        """Return the game that makes room; of several, the one without a change for longest.

        It is unjoined or else over, and nobody has it open; else it is unjoined, or nobody has it
        open.
        """
        tables = sorted(self.tables, key=lambda each: each.version)
        away = [each for each in tables if not any(self.here(each))]
        over = (each for each in away if each.played()[2])
        unjoined, left = ([t for t in some if not all(t.joined)] for some in (tables, away))
        return next(chain(left, over, unjoined, away), None)

    def change(self, token: str, change: Callable[[Table, int], Table]) -> Table:
        """Change the table of a seat's token; ``change`` gets the table and the seat."""
        with self._lock:
            table, seat = self.find(token)
            if seat is None:
                raise RequestError("spectators cannot move")
            table = self._timed(table)
            changed = change(table, seat)
            return table if changed == table else self._save(self.tables, changed)

    def look(self, token: str) -> tuple[Table, int | None]:
        """Return the table of a token as it is now, and its seat."""
        table, seat = self.find(token)
        with suppress(RequestError):  # it is noted when the file can be written again
            table = self._timed(table)
        return table, seat

    def visit(self, token: str) -> tuple[Table, int | None]:
        """Return the table of a token, and its seat, whose player is here."""
        table, seat = self.look(token)
        self._forget_chats()
        if seat is not None:
            self._seen[token] = self.now()
        return table, seat

    def _timed(self, table: Table) -> Table:
        """Return a table as it is now; its game is over if the time of a player is up."""
        if table.clock.late(self.now()) is None:
            return table
        with self._lock:
            table, _ = self.find(table.watch)
            now = self.now()
            late = table.clock.late(now)
            if late is None:  # meanwhile, another request has noted it
                return table
            return self._save(self.tables, table.with_(flagged=table.player(late)).settled(now))

    def join(self, token: str, seat: str) -> None:
        """Give the second seat to the first client with its invitation, or from the lobby.

        ``seat`` is the secret that the client has made for it. Sent again, it changes nothing.
        """
        with self._lock:
            table, _ = self.find(token)
            if table.joined[1] and table.seats[1] == seat:
                return
            if table.joined[1] and token == table.invite:
                words = "this link has been used: another player has the seat, you can watch"
                raise RequestError(words)
            if token != table.invite and table not in self.open_tables():
                raise RequestError("another player has joined this game, or it is gone")
            if any(seat in (*each.seats, each.watch, each.invite) for each in self.tables):
                raise RequestError("expected a new secret for the seat")
            self._save(self.tables, table.with_seat("seats", 1, seat).with_seat("joined", 1, 1))

    def open_tables(self) -> list[Table]:
        """Return the games in the lobby: one player is there, and waits."""
        listed = (each for each in self.tables if each.listed)
        waiting = (each for each in listed if not (each.joined[1] or each.resigned))
        return [each for each in waiting if any(self.here(each))]

    def here(self, table: Table) -> list[bool]:
        """Return whether players 1 and 2 have their pages open."""
        return [gone == 0 for gone in self.away(table)]

    def away(self, table: Table) -> list[float | None]:
        """Return for how many seconds players 1 and 2 have been away.

        It is 0 for players whose pages are open, ``None`` if they have not come since a restart.
        """
        gone = [self.now() - self._seen.get(seat, -math.inf) for seat in table.seats]
        first, second = (0.0 if each < _AWAY_SECONDS else each for each in gone)
        return [None if each == math.inf else each for each in table.by_player((first, second))]

    def said(self, table: Table) -> list[tuple[int, str]]:
        """Return the lines of a chat, each with its seat."""
        return [*self._said.get(table.watch, [])]

    def say(self, table: Table, seat: int, line: str) -> None:
        """Add a line to a chat, which is in no file."""
        self._said[table.watch] = [*self.said(table), (seat, line)][-_MOST_SAID:]

    def _forget_chats(self) -> None:
        """Forget chats that are off, and those of games that are played again, left or gone."""
        on = [t for t in self.tables if t.watch in self._said and all(t.chats) and not t.rematch]
        kept = {t.watch for t in on if any(self.here(t)) or not t.played()[2]}
        for watch in {*self._said} - kept:
            self._said.pop(watch, None)

    def _save(self, tables: list[Table], changed: Table) -> Table:
        self._version += 1
        changed = changed.with_(version=self._version)
        places = {each.watch: each for each in tables} | {changed.watch: changed}
        kept = [*places.values()]
        saved = _Saved(access=self.access, assistant=self.assistant, tables=kept)
        if self._file is not None:
            self._write(self._file, saved.model_dump_json())
        self.tables = saved.tables
        seats = {seat for each in self.tables for seat in each.seats}
        self._seen = {seat: when for seat, when in self._seen.items() if seat in seats}
        return changed

    def _write(self, file: Path, text: str) -> None:
        """Write the file; tell the first error in full here, and without a path to the players."""
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            with storage.atomic_path(file) as temporary:
                os.chmod(temporary, 0o600)  # it holds secrets
                temporary.write_text(text, "utf-8")
        except OSError as error:
            if not self._is_failing:
                self._tell(printable(f"{file}: games are not kept: {error.strerror}", _MOST_LINE))
            self._is_failing = True
            raise RequestError(f"the server cannot keep this: {error.strerror}") from error
        self._is_failing = False


def read_saved(file: Path, kind: type[Saved], tell: Callable[[str], None]) -> Saved | None:
    """Return what the server has written to a file; ``None`` if it is missing, or damaged.

    A damaged file is set aside, which ``tell`` reports in one line.
    """
    if not file.exists():
        return None
    try:
        return kind.model_validate_json(storage.read_file(file, _MOST_BYTES))
    except (FileError, ValidationError) as error:
        aside = storage.set_aside(file)
        mistake = mistake_in(error) if isinstance(error, ValidationError) else error
        tell(printable(f"{file}: {mistake}; it is now {aside.name}", _MOST_LINE))
        return None


def _with_invitation(table: Table) -> Table:
    """Return a table of an older file with an invitation, which was the second seat's token."""
    if table.invite or table.joined[1]:
        return table
    return table.with_(invite=table.seats[1]).with_seat("seats", 1, new_token())


def _mistake_of(table: Table) -> str:
    """Return why a table's moves cannot be played; empty if they can."""
    try:
        table.played()
    except (ArithmeticError, LookupError, TypeError, ValueError) as error:
        return str(error) or type(error).__name__
    return ""

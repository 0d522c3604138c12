"""The room: all games between two people on this server, kept in one file.

A game has three secret tokens: one for each seat, which moves, and one for spectators. The room has
a fourth, for a page with all games. Each change has a number, so that a page that asks again and
again is sent only the news.
"""

from __future__ import annotations

import os
import secrets
import threading
import time
from collections.abc import Callable
from functools import reduce
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, Field, FiniteFloat, ValidationError

from base.storage import FileError, atomic_path, printable, read_file, set_aside
from state_manager import State, StateManager
from web.requests import PageRequest, Position, RequestError, mistake_in

_MOST_GAMES = 200
_MOST_NEW, _NEW_SECONDS = 60, 60.0
"""New games in this time; more are refused."""
_OLD_SECONDS = 14 * 86400.0
"""Without a change for this time, a game is removed."""
_UNUSED_SECONDS = 600.0
"""Without a change for this time, an unjoined or finished game makes room in a full room."""
_AWAY_SECONDS = 6.0
"""A player whose page has not asked for this time is away."""
_MOST_BYTES, _MOST_LINE = 1 << 24, 500

Token = Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{16,32}$")]
Name = Annotated[str, Field(max_length=30)]
Two = tuple[Literal[0, 1], Literal[0, 1]]
Saved = TypeVar("Saved", bound=BaseModel)


def new_token() -> str:
    """Return a secret that no one can guess."""
    return secrets.token_urlsafe(16)


class Table(PageRequest):
    """A game between two people; pairs are in the order of seats 0 and 1.

    Attributes:
        seats: The token of each seat; seat 0 has made the game.
        watch: The token of spectators.
        first: The seat of player 1; a rematch changes it.
        joined: Whether each player has opened the game.
        offers: Whether each player offers a rematch.
        wins: Games won in all rematches.
        resigned: The player who has resigned, else 0.
        changed: The time of the last change, in seconds since 1970.
        version: The number of the last change, among those of the room.
    """

    position: Position
    seats: tuple[Token, Token]
    watch: Token
    first: Literal[0, 1]
    names: tuple[Name, Name]
    joined: Two = (0, 0)
    offers: Two = (0, 0)
    wins: tuple[int, int] = (0, 0)
    resigned: Literal[0, 1, 2] = 0
    changed: FiniteFloat = 0.0
    version: int = 0

    def player(self, seat: int) -> int:
        """Return the player of a seat, 1 or 2."""
        return 1 if seat == self.first else 2

    def by_player(self, pair: tuple[Any, Any]) -> list[Any]:
        """Return a pair in the order of the players."""
        return [pair[self.first], pair[1 - self.first]]

    def with_seat(self, key: str, seat: int, value: object) -> Table:
        """Return the table with another value of one seat."""
        pair = list(getattr(self, key))
        pair[seat] = value
        return self.model_copy(update={key: tuple(pair)})

    def played(self) -> tuple[StateManager, State, int]:
        """Return the game, its state, and the winner: 0 for none yet, 3 for a draw."""
        game, start = self.position.begun()
        state = reduce(game.child_state, self.position.actions, start)
        return game, state, 3 - self.resigned if self.resigned else int(game.winner(state))


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

    def __init__(self, file: Path | None = None, tell: Callable[[str], None] = print) -> None:
        """Load the room of a file, if there is one; without a file nothing is kept.

        A damaged file is set aside, which ``tell`` reports.
        """
        self._file, self._lock = file, threading.RLock()
        self._seen: dict[str, float] = {}
        self._made: list[float] = []
        saved = file and read_saved(file, _Saved, tell)
        saved = saved or _Saved(access=new_token(), assistant=new_token(), tables=[])
        self.access, self.assistant = saved.access, saved.assistant
        self.tables = saved.tables
        self._version = max((each.version for each in saved.tables), default=0)

    def find(self, token: str) -> tuple[Table, int | None]:
        """Return the table of a token, and its seat; ``None`` for a spectator."""
        for table in self.tables:
            if token in table.seats:
                return table, table.seats.index(token)
            if token == table.watch:
                return table, None
        raise RequestError("this game is no longer on the server, or its link is incomplete")

    def add(self, table: Table) -> Table:
        """Add a table; raise a ``RequestError`` if there are too many."""
        with self._lock:
            now = time.monotonic()
            self._made = [each for each in self._made if each > now - _NEW_SECONDS]
            if len(self._made) >= _MOST_NEW:
                raise RequestError("too many new games at once, try again in a minute")
            kept = [each for each in self.tables if time.time() - each.changed < _OLD_SECONDS]
            if len(kept) >= _MOST_GAMES:
                unused = next(filter(_is_unused, sorted(kept, key=lambda each: each.changed)), None)
                if unused is None:
                    raise RequestError(f"the room is full: {_MOST_GAMES} games are being played")
                kept.remove(unused)
            added = self._save(kept, table)
            self._made.append(now)
            return added

    def change(self, token: str, change: Callable[[Table, int], Table]) -> Table:
        """Change the table of a seat's token; ``change`` gets the table and the seat."""
        with self._lock:
            table, seat = self.find(token)
            if seat is None:
                raise RequestError("spectators cannot move")
            changed = change(table, seat)
            return table if changed == table else self._save(self.tables, changed)

    def visit(self, token: str) -> tuple[Table, int | None]:
        """Return the table of a token, and its seat, whose player is here."""
        table, seat = self.find(token)
        if seat is not None:
            self._seen[token] = time.monotonic()
            if not table.joined[seat]:
                table = self.change(token, lambda table, seat: table.with_seat("joined", seat, 1))
        return table, seat

    def here(self, table: Table) -> list[bool]:
        """Return whether players 1 and 2 have their pages open."""
        since = time.monotonic() - _AWAY_SECONDS
        first, second = (self._seen.get(seat, since) > since for seat in table.seats)
        return table.by_player((first, second))

    def _save(self, tables: list[Table], changed: Table) -> Table:
        self._version += 1
        news = {"version": self._version, "changed": time.time()}
        changed = changed.model_copy(update=news)
        places = {each.watch: each for each in tables} | {changed.watch: changed}
        saved = _Saved(access=self.access, assistant=self.assistant, tables=[*places.values()])
        if self._file is not None:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            with atomic_path(self._file) as temporary:
                os.chmod(temporary, 0o600)  # it holds secrets
                temporary.write_text(saved.model_dump_json(), "utf-8")
        self.tables = saved.tables
        seats = {seat for each in self.tables for seat in each.seats}
        self._seen = {seat: when for seat, when in self._seen.items() if seat in seats}
        return changed


def read_saved(file: Path, kind: type[Saved], tell: Callable[[str], None]) -> Saved | None:
    """Return what the server has written to a file; ``None`` if it is missing, or damaged.

    A damaged file is set aside, which ``tell`` reports in one line.
    """
    if not file.exists():
        return None
    try:
        return kind.model_validate_json(read_file(file, _MOST_BYTES))
    except (FileError, ValidationError) as error:
        aside = set_aside(file)
        mistake = mistake_in(error) if isinstance(error, ValidationError) else error
        tell(printable(f"{file}: {mistake}; it is now {aside.name}", _MOST_LINE))
        return None


def _is_unused(table: Table) -> bool:
    is_old = time.time() - table.changed > _UNUSED_SECONDS
    return is_old and (not all(table.joined) or table.played()[2] > 0)

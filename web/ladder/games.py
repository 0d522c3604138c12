"""The games of a ladder, in a folder with a file for each two nets."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from hashlib import sha256
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, Field

from agents.match import ScoredGame
from base.storage import write_text
from web.friends.rooms import read_saved

GAMES = 8
"""Games of a pair: four openings from both sides."""


class KeptGame(BaseModel):
    """A game of a pair.

    Attributes:
        first: The place of player 1 in the pair, 0 or 1.
        start: The player who starts.
        winner: 1 or 2, or 3 for a draw.
    """

    number: Annotated[int, Field(ge=1, le=GAMES)]
    first: Annotated[int, Field(ge=0, le=1)]
    start: Annotated[int, Field(ge=1, le=2)]
    actions: Annotated[tuple[int, ...], Field(max_length=10_000)]
    winner: Annotated[int, Field(ge=1, le=3)]


class _KeptGames(BaseModel):
    games: Annotated[list[KeptGame], Field(max_length=GAMES)] = []


class LadderGames:
    """The games of each pair of nets, by the two digests."""

    def __init__(self, folder: Path, game: str, tell: Callable[[str], None]) -> None:
        """Keep the games of ``game`` in a folder, which is made with the first of them."""
        self._folder, self._game, self._tell = folder, game, tell
        self._unsaved: dict[str, list[KeptGame]] = {}

    def of(self, pair: str) -> list[KeptGame]:
        """Return the games of a pair, those that are not yet in its file included."""
        kept = read_saved(self._file_of(pair), _KeptGames, self._tell) or _KeptGames()
        games = {each.number: each for each in (*kept.games, *self._unsaved.get(pair, []))}
        return [games[number] for number in sorted(games)]

    def add(self, pair: str, played: Iterable[ScoredGame]) -> None:
        """Add games to a pair."""
        for number, (first, _), record in played:
            about = {"start": record.starting_player, "winner": record.winner}
            game = KeptGame(number=number, first=first, actions=record.actions, **about)
            self._unsaved.setdefault(pair, []).append(game)

    def save(self) -> None:
        """Write the games that were added; after an error the next call writes them."""
        for pair in [*self._unsaved]:
            self._folder.mkdir(exist_ok=True)
            write_text(self._file_of(pair), _KeptGames(games=self.of(pair)).model_dump_json())
            del self._unsaved[pair]

    def _file_of(self, pair: str) -> Path:
        name = sha256(f"{self._game} {pair}".encode()).hexdigest()[:32]
        return self._folder / f"{name}.json"

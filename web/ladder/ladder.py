"""The ladder: nets in a folder play each other by themselves, each two once.

A net is known by the digest of its file: a changed file is a new net, a renamed one is not.
``ladder.json`` keeps the results, ``ladder_games/`` the games.
"""

import os
import re
import shlex
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache, partial
from hashlib import sha256
from itertools import combinations, count
from pathlib import Path
from threading import Event, Lock, Thread
from typing import Annotated, Any, Literal
from unicodedata import normalize

import numpy as np
from pydantic import BaseModel, Field

from agents.match import Arena, GameStoppedError, PlannedGame, ScoredGame
from agents.match.statistics import elo_ratings
from base import storage
from base.cluster import LocalProcesses, Workers
from base.storage import excerpt, printable, write_text
from state_manager import StateManager
from topp import load_entrants, unique_names
from web.friends.rooms import read_saved
from web.server.requests import RequestError

GAMES = 8
"""Games of a pair: four openings from both sides."""
_MOST_NETS, _MOST_BYTES = 200, 1 << 26
_LONGEST, _PAUSE = 600.0, 3.0
"""Seconds: the time limit of a pair, and until the next look at a folder without a new pair."""
_NICE = 10
_MOST_ADDED, _ADDED_SECONDS = 20, 600.0
"""Nets that one client may hand in, those that cannot play included, in this time."""
_NAME = re.compile(r"[^\W_][\w-]{0,19}")

_Digests = Annotated[str, Field(pattern=r"^[0-9a-f]{64} [0-9a-f]{64}$")]
_Winners = dict[Annotated[int, Field(ge=1, le=GAMES)], Literal[0, 1, 2]]
"""By a game's number: 1 or 2 for the first or the second net, 0 for a draw."""
_PLACES: dict[int | None, Literal[0, 1, 2]] = {None: 0, 0: 1, 1: 2}


class _Saved(BaseModel):
    """The results of each game's pairs, by their two digests, the lower one first."""

    games: dict[str, dict[_Digests, _Winners]] = {}


class KeptGame(BaseModel):
    """A game of a pair."""

    number: Annotated[int, Field(ge=1, le=GAMES)]
    first: Annotated[int, Field(ge=0, le=1)]  # the place of player 1 in the pair, 0 or 1
    start: Annotated[int, Field(ge=1, le=2)]  # the player who starts
    actions: Annotated[tuple[int, ...], Field(max_length=10_000)]
    winner: Annotated[int, Field(ge=1, le=3)]  # 1 or 2, or 3 for a draw


class _KeptGames(BaseModel):
    games: Annotated[list[KeptGame], Field(max_length=GAMES)] = []


class _Games:
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


class Ladder:
    """A round robin without an end.

    Attributes:
        game: The game that the nets play.
        shown: What the page shows: the standings, the round, and why a net does not play.
    """

    takes_nets = False  # whether clients may add nets
    arena = ""  # the command that enters the arena; shown with the best net, if it is given

    def __init__(
        self,
        folder: Path,
        game: StateManager,
        tell: Callable[[str], None] = print,
        workers: Workers | None = None,
    ) -> None:
        """Read the results in a folder; without ``workers``, one process plays at low priority."""
        folder.mkdir(parents=True, exist_ok=True)
        self._folder, self.game, self._tell = folder, game, tell
        self._file, self._stop = folder / "ladder.json", Event()
        self._workers = workers or _LowPriority(self._stop)
        self._saved = read_saved(self._file, _Saved, tell) or _Saved()
        self._pairs = self._saved.games.setdefault(repr(game), {})
        self._games = _Games(folder / "ladder_games", repr(game), tell)
        self._failed, self._since = dict[str, str](), dict[str, float]()
        self._round, self._playing = list[str](), ""
        self._adding, self._added = Lock(), list[tuple[float, str]]()
        # Pages that a server had sent its last number must not take it for that of the next one.
        self.shown: dict[str, Any] = {"version": time.time_ns() // 10**6}
        self._show({}, [], 0)

    @contextmanager
    def running(self) -> Iterator[None]:
        """Play in a thread; at the end, the finished games of a pair that is not over are kept.

        Raises a ``LockedError`` if another process plays in the folder.
        """
        with storage.locked(self._folder / ".ladder.lock"):
            storage.remove_leftovers(self._folder, r"ladder|[\w-]+-\d+")
            thread = Thread(target=self._run, name="ladder", daemon=True)
            thread.start()
            try:
                yield
            finally:
                self._stop.set()
                thread.join()
                self._save()

    def _run(self) -> None:
        while not self._stop.is_set():
            try:
                if self.play_round():
                    continue
            except OSError as error:  # such as a full disk: the results stay in memory
                self._tell(f"the ladder: {error}")
            self._stop.wait(_PAUSE)

    def play_round(self) -> bool:
        """Play a round, in which each net meets one other at most; return whether any met."""
        files, notes = self._files()
        pairs = (" ".join(sorted(pair)) for pair in combinations(files, 2))
        unfinished = (each for each in pairs if len(self._pairs.get(each, {})) < GAMES)
        left, self._round = [each for each in unfinished if each not in self._failed], []
        for pair in left:
            if {*pair.split()}.isdisjoint(" ".join(self._round).split()):
                self._round.append(pair)
        for place, pair in enumerate(self._round):
            if not self._stop.is_set():
                self._playing = pair
                self._show(files, notes, len(left) - place)
                self._play(pair, [files[net] for net in pair.split()])
                self._save()
        self._playing = ""
        self._show(files, notes, len(left) - len(self._round))
        return bool(left)

    def add(self, name: str, data: bytes, client: str) -> str:
        """Add a net of a client, under a name and a number, once it has been checked.

        Returns the name with the number. Raises a ``RequestError`` that says why it cannot play.
        """
        if not self.takes_nets:
            raise RequestError("this server takes no nets: start it with --uploads")
        name = normalize("NFC", name.strip())
        if not _NAME.fullmatch(name):
            got = excerpt(name, 60)
            raise RequestError(f"name: expected 1 to 20 letters, digits, - or _, got {got}")
        with self._adding:
            now = time.monotonic()
            self._added = [each for each in self._added if each[0] > now - _ADDED_SECONDS]
            if sum(each == client for _, each in self._added) >= _MOST_ADDED:
                raise RequestError("too many nets from your machine, try again in ten minutes")
            self._added.append((now, client))
            if len([*self._folder.glob("[!.]*.pt")]) >= _MOST_NETS:
                raise RequestError(f"the ladder is full: it has {_MOST_NETS} nets")
            places = (self._folder / f"{name}-{number}.pt" for number in count(1))
            place = next(each for each in places if not each.exists())
            with storage.atomic_path(place) as temporary:
                temporary.write_bytes(data)
                digest, fault = _check(temporary, self.game)
                if not fault and (same := self._files()[0].get(digest)):
                    fault = f"it is the same net as {printable(same.stem)}"
                if fault:
                    raise RequestError(f"this net cannot play: {fault}")
        return place.stem

    def games(self, nets: Collection[str]) -> tuple[list[str], list[KeptGame]]:
        """Return the names of two nets, in the order of their digests, and their games.

        Games that were played before the ladder kept them are missing.
        """
        names = {each["id"]: each["name"] for each in self.shown["rows"]}
        pair = " ".join(sorted(nets))
        if pair not in self._pairs or not names.keys() >= {*nets}:
            raise RequestError("these nets have not played each other")
        return [names[net] for net in pair.split()], self._games.of(pair)

    def _files(self) -> tuple[dict[str, Path], list[str]]:
        """Return the files of nets by their digests; and why others do not play."""
        files, notes = dict[str, Path](), list[str]()
        found = [each for each in self._folder.glob("[!.]*.pt") if each.is_file()]
        for file in sorted(found)[:_MOST_NETS]:
            about = file.stat()
            version = about.st_ino, about.st_mtime_ns, about.st_size
            digest, fault = _check(file, self.game, *version)
            self._since[digest] = about.st_mtime
            if fault or files.setdefault(digest, file) != file:
                fault = fault or f"the same net as {printable(files[digest].name)}"
                notes.append(f"{printable(file.name)}: {fault}")
        if len(found) > _MOST_NETS:
            notes.append(f"Only the first {_MOST_NETS} files play.")
        return files, notes

    def _play(self, pair: str, paths: list[Path]) -> None:
        """Play the games of two nets that are left; a failure ends only these."""
        winners = self._pairs.setdefault(pair, {})
        try:
            nets = load_entrants(paths, game=self.game)[1]
            if [*map(self._files()[0].get, pair.split())] != paths:
                return  # a file has changed meanwhile
            series = _Series(self.game, nets, GAMES, cluster=self._workers)
            series.known = set(winners)

            def show(played: ScoredGame) -> None:
                winners[played.number] = _PLACES[played.winner]
                self._tell_page()

            try:
                series.play(on_result=show)
            finally:
                winners.update({each.number: _PLACES[each.winner] for each in series.records})
                self._games.add(pair, series.records)
        except GameStoppedError:
            pass
        except Exception as error:  # a net may fail in any way
            names = " \u2013 ".join(unique_names(paths))
            self._failed[pair] = f"{names}: {_reason(error, self._folder)}"

    def _save(self) -> None:
        self._games.save()
        write_text(self._file, self._saved.model_dump_json())

    def _show(self, files: Mapping[str, Path], notes: list[str], left: int) -> None:
        names, nets, points = unique_names([*files.values()]), [*files], np.zeros([len(files)] * 2)
        for pair, winners in self._pairs.items():
            if files.keys() >= {*pair.split()}:
                one, other = map(nets.index, pair.split())
                for winner in winners.values():
                    points[one, other] += (0.5, 1.0, 0.0)[winner]
                    points[other, one] += (0.5, 0.0, 1.0)[winner]
        wins, games = points.sum(axis=1), (points + points.T).sum(axis=1)
        order = np.argsort(-wins / np.maximum(games, 1), kind="stable")
        points = points[np.ix_(order, order)]
        rows = []
        for n, rating in zip(order.tolist(), elo_ratings(points), strict=True):
            about = {"id": nets[n], "name": names[n], "since": self._since[nets[n]]}
            elo = rating.tolist() if games[n] and np.isfinite(rating).all() else None
            rows.append(about | {"games": int(games[n]), "wins": wins[n], "elo": elo})
        failed = self._failed.items()
        self._tell_page(
            rows=rows,
            points=points.tolist(),
            met=(points + points.T).astype(int).tolist(),
            left=left,
            notes=notes + [line for pair, line in failed if files.keys() >= {*pair.split()}],
            arena=self._entry(files[rows[0]["id"]]) if rows and rows[0]["games"] else "",
        )

    def _tell_page(self, **news: Any) -> None:
        """Show what is new, and the round as it is now."""
        round_ = []
        for pair in self._round:
            winners = [*self._pairs.get(pair, {}).values()]
            points = [winners.count(place) + 0.5 * winners.count(0) for place in (1, 2)]
            about = {"nets": pair.split(), "points": points, "games": len(winners)}
            round_.append(about | {"plays": pair == self._playing})
        version = self.shown["version"] + 1
        self.shown = {**self.shown, **news, "version": version, "round": round_}

    def _entry(self, net: Path) -> str:
        """Return the command with which a net enters the arena, run beside the folder."""
        if not self.arena or not self.game.has_hex_formats or self.game.params.get("swap"):
            return ""
        file = shlex.quote(f"{self._folder.absolute().name}/{net.name}")
        return f"{self.arena} --size {self.game.board_shape[0]} --net {file}"


class _Series(Arena):
    """The games of two nets, without those of the numbers in ``known``."""

    known: Collection[int] = ()

    def plan(self) -> list[PlannedGame]:
        """Return the games that are left."""
        return [each for each in super().plan() if each.number not in self.known]


class _LowPriority(LocalProcesses):
    """A process that leaves the processor to all others; ``stop`` ends its job early."""

    def __init__(self, stop: Event) -> None:
        super().__init__(1)
        self._stop = stop

    def share_out(self, job: Any, items: Any, on_results: Any, meanwhile: Any = None) -> None:
        """See ``Workers``; an early end is a ``GameStoppedError`` or a ``TimeoutError``."""
        end = time.monotonic() + _LONGEST

        def check() -> None:
            meanwhile()
            if self._stop.is_set():
                raise GameStoppedError
            if time.monotonic() > end:
                raise TimeoutError(f"the games took longer than {_LONGEST:g} seconds")

        super().share_out(partial(_do_nicely, job), items, on_results, check)


def _do_nicely(job: Callable[[Any], Any], item: object) -> Any:
    if hasattr(os, "setpriority"):  # not on Windows
        os.setpriority(os.PRIO_PROCESS, 0, max(_NICE, os.getpriority(os.PRIO_PROCESS, 0)))
    return job(item)


@lru_cache(maxsize=2 * _MOST_NETS)
def _check(file: Path, game: StateManager, *version: int) -> tuple[str, str]:
    """Return the digest of a version of a file, and why it cannot play."""
    try:
        digest = sha256(storage.read_file(file, _MOST_BYTES)).hexdigest()
        [net] = load_entrants([file], game=game)[1]
        net.agent(np.random.SeedSequence(0)).choose_action(game.initial_state())
    except Exception as error:  # a net may fail in any way
        return "", _reason(error, file.parent).removeprefix(f"{printable(file.name)}: ")
    return digest, ""


def _reason(error: Exception, folder: Path) -> str:
    """Return the message of an error for the page, without the path of the folder."""
    words = str(error) or repr(error)
    for path in (folder, folder.resolve()):
        words = words.replace(f"{path}{os.sep}", "")
    return printable(words)

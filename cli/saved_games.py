"""Games that commands write to files and read again."""

import json
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from agents.match import GameRecord
from base.storage import FileError, printable, read_file, read_jsonl, write_text
from cli.exits import UsageError
from cli.outputs import check_new_file
from display.boards.cells import Coordinates
from formats.game_text import games_in, is_game_file, is_pasted
from formats.links import hexworld_link, trmph_link
from formats.sgf import read_game, tree_of
from formats.sgf_text import SUFFIXES, SgfError, SGFNode, decoded, parse, write
from hex_mcts.system import read_params
from online.results import opponent_in_words
from state_manager import DRAW, GameError, State, StateManager, make_game

_MOST_BYTES = 10_000_000  # largest accepted SGF file
_MOST_REASONS = 3  # reasons why games cannot be read that are shown, at most


class SavedGame(NamedTuple):
    """A game to step through; its last moves and its winner (then 0) may be unknown."""

    title: str
    states: list[State]
    record: GameRecord
    notes: tuple[str, ...] = ()


class SavedGames:
    """The games of a log on one board, by their ``numbers``, ascending from 1.

    ``on_others`` has the sizes of the boards of other games, ``unreadable`` why games cannot be
    read.
    """

    def __init__(
        self,
        name: Path | str,
        given_game: StateManager | None,
        number: int | None = None,
        board: StateManager | None = None,
    ) -> None:
        """Read a log, or that of a folder; raise a ``UsageError`` if it lacks games or rules.

        A name that no file has may be a game itself. The games of an SGF file may be on several
        boards: without a given game, the board is that of a game's ``number``, by default of the
        last one. ``board`` is that of moves whose text names none (11x11).
        """
        text = str(name) if is_pasted(str(name)) else ""
        file = Path("the text") if text else Path(name)
        self.file = file / "games.jsonl" if file.is_dir() else file
        self.unreadable: dict[int, str] = {}
        self._is_sgf = bool(text) or _is_sgf(self.file)
        if self._is_sgf:
            rows = board.board_shape[0] if board and board.has_hex_formats else 11
            by_number = _read_sgf(text or self.file, rows, self.unreadable)
            self._records, numbers = list(by_number.values()), list(by_number)
        else:
            self._records = read_jsonl(self.file)
            numbers, by_number = _numbers(self._records), {}
        if not self._records:
            got = next(iter(self.unreadable.values()), "expected games, got none")
            raise UsageError(f"{self.file}: {got}")
        if self._is_sgf:
            chosen = by_number.get(number or 0, self._records[-1])
            self.game = _game_of_sgf(self._records, given_game, chosen["size"])
        else:
            self.game = given_game or _game_of_file(self.file, self._records[0])
        size = self.game.params.get("size")
        sizes = [record.get("size", size) for record in self._records]
        self._lines = [line for line, other in enumerate(sizes) if other == size]
        if not self._lines:
            raise UsageError(f"{self.file}: expected games of {self.game!r}, got none")
        self.numbers = [numbers[line] for line in self._lines]
        others = (each for each in zip(numbers, sizes, strict=True) if each[1] != size)
        self.on_others = {number: other for number, other in others if type(other) is int}

    def index(self, number: int | None, option: str) -> int:
        """Return the index of a game, by default of the last one; ``option`` is for the error."""
        last, number = self.last, number or self.numbers[-1]
        if number > last:
            raise UsageError(f"{option}: expected a number from 1 to {last}, got {number}")
        if size := self.on_others.get(number):
            expected = f"a game of {self.game!r}; add game.size={size} for number {number}"
            raise UsageError(f"{option}: expected {expected}")
        if reason := self.unreadable.get(number):
            raise UsageError(f"{option}: game {number} of {self.file} cannot be read: {reason}")
        if number not in self.numbers:
            where = f"that is in {self.file}, {number} is missing"
            raise UsageError(f"{option}: expected a game {where}")
        return self.numbers.index(number)

    @property
    def last(self) -> int:
        """The number of the last game, on any board."""
        return max([*self.numbers, *self.on_others, *self.unreadable])

    @property
    def gaps(self) -> str:
        """A sentence about numbers without a game on this board; empty if there are none."""
        others, unreadable = len(self.on_others), len(self.unreadable)
        missing = self.last - len(self.numbers) - others - unreadable
        sizes = ", ".join(f"game.size={size}" for size in sorted({*self.on_others.values()}))
        parts = [f"{missing} missing in {self.file}"] if missing else []
        parts += [f"{others} on other boards ({sizes})"] if others else []
        reasons = [f"{number}: {reason}" for number, reason in self.unreadable.items()]
        told = "; ".join([*reasons[:_MOST_REASONS], *["..."] * (unreadable > _MOST_REASONS)])
        parts += [f"{unreadable} that cannot be read ({told})"] if unreadable else []
        return f"Of {self.last} games: {', '.join(parts)}." if parts else ""

    def read(self, index: int) -> SavedGame:
        """Replay the game at an index; raise a ``UsageError`` if it breaks the rules."""
        line = self._lines[index]
        game, record, number = self.game, self._records[line], f"game {self.numbers[index]}"
        where = f"{self.file}: {number}" if self._is_sgf else f"{self.file}:{line + 1}"
        number += f" of {self.last}"
        columns = game.board_shape[1]
        try:
            first, second = players = _players(record)
            title = f"{first} against {second}, {number}" if first else number
            if "episode" in record:
                title = f"episode {printable(str(record['episode']))}, {number}"
            moves = record["moves" if "moves" in record else "actions"]
            actions = [m[0] * columns + m[1] if isinstance(m, list) else m for m in moves]
            setup, notes = tuple(record.get("setup", ())), tuple(map(str, record.get("notes", ())))
            states = [game.initial_state(record["starting_player"], setup)]
            for ply, action in enumerate(actions, start=1):
                if game.is_final(states[-1]):
                    notes += (f"The game is over after move {ply - 1}: later moves are left out.",)
                    del actions[ply - 1 :]
                    break
                try:
                    states.append(game.child_state(states[-1], action))
                except GameError:
                    where += f": move {ply}"
                    raise
            if record.get("end_state") not in (None, game.to_flat(states[-1])):
                states.append(game.from_flat(record["end_state"]))
            said, found = record.get("winner", 0), game.winner(states[-1])
            if said not in (0, 1, 2, DRAW):
                raise ValueError(said)
            if said and found not in (0, said):
                notes += (f"Player {found} wins, though the file says otherwise.",)
            winner = found or said  # a player may resign
            comments = tuple(map(str, record.get("comments", ())))[: len(actions) + 1]
            ending = str(record.get("ending", ""))
            played = players, int(states[0][0]), (), tuple(actions), winner
            replayed = GameRecord(*played, setup=setup, comments=comments, ending=ending)
        except (LookupError, TypeError, ValueError) as error:
            words = f"expected a game of {game!r}, got another line"
            if isinstance(error, GameError):
                words = Coordinates(game).renamed(first_line(error))
            raise UsageError(f"{where}: {words}") from error
        return SavedGame(title, states, replayed, notes)

    def tree(self, index: int) -> SGFNode:
        """Return the game at an index as SGF has it, with all that its file says about it."""
        if not self._is_sgf:
            return parse(write_sgf(self.game, [self.read(index)]))[0]
        tree: SGFNode = self._records[self._lines[index]]["tree"]
        return tree


def check_save(file: Path | None, game: StateManager) -> None:
    """Raise a ``UsageError`` if games of this kind cannot be saved to a file, if one is given."""
    if file is not None:
        check_new_file(file, "--save")
        if _is_named_sgf(file) and not game.has_hex_formats:
            expected = f"expected a .jsonl for {game!r}"
            raise UsageError(f"--save: SGF is for Hex only (GM[11]); {expected}")


def save_games(file: Path, game: StateManager, records: Iterable[GameRecord]) -> None:
    """Save games to a file: as SGF if its name ends so, else as JSON lines."""
    if _is_named_sgf(file):
        text = write(tree_of(each, game) for each in records)
    else:
        about = {"game": game.name, "game_params": game.params}
        text = "".join(f"{json.dumps(about | each.to_json())}\n" for each in records)
    write_text(file, text)


def links_of(game: StateManager, record: GameRecord) -> list[str]:
    """Return a line with the link of a game of Hex to trmph, if there is one, and to HexWorld."""
    size = game.board_shape[0]
    trmph = trmph_link(record, size)
    return [f"trmph: {trmph}"] * bool(trmph) + [f"HexWorld: {hexworld_link(record, size)}"]


def write_sgf(game: StateManager, games: Iterable[SavedGame]) -> str:
    """Return games as SGF; raise a ``UsageError`` if they are not games of Hex."""
    if not game.has_hex_formats:
        raise UsageError(f"SGF is for Hex only (GM[11]): expected games of hex, got {game!r}")
    return write(tree_of(each.record, game, each.title) for each in games)


def first_line(error: ValueError) -> str:
    """Return a message without the board that it draws."""
    return str(error).partition("\n")[0].rstrip(":").removesuffix(" in")


def _is_named_sgf(file: Path) -> bool:
    return file.name.lower().endswith(SUFFIXES)


def _is_sgf(file: Path) -> bool:
    try:
        return is_game_file(read_file(file, _MOST_BYTES), file.name)
    except FileError:
        return _is_named_sgf(file)


def _read_sgf(
    source: Path | str, size: int, unreadable: dict[int, str]
) -> dict[int, dict[str, Any]]:
    """Return the main lines of games by numbers, as ``play`` saves them; add to ``unreadable``."""
    try:
        if isinstance(source, str):
            text, note = source, ""
        else:
            text, note = decoded(read_file(source, _MOST_BYTES))
    except FileError as error:
        raise UsageError(f"{source}: {error}") from None
    roots, mistake = games_in(text, size)
    games: dict[int, dict[str, Any]] = {}
    for number, root in enumerate(roots, start=1):
        try:
            params, record, _, notes = read_game(root)
            make_game("hex", **params)
        except (SgfError, GameError) as error:
            unreadable[number] = printable(first_line(error))
            continue
        said = [line for line in (note, *notes) if line]
        games[number] = {**record.to_json(), "game": "hex", **params, "notes": said, "tree": root}
    if mistake is not None:
        unreadable[len(roots) + 1] = printable(str(mistake))
    return games


def _game_of_sgf(
    records: Sequence[Mapping[str, Any]], given: StateManager | None, size: int
) -> StateManager:
    """Return the game of an SGF file; with the swap if one of the games has it, which fits all."""
    if given is not None and not given.has_hex_formats:
        return given
    size = size if given is None else given.board_shape[0]
    has_swap = any(each.get("swap") for each in records if each["size"] == size)
    return make_game("hex", size=size, swap=has_swap or bool(given and given.swap_action))


def _numbers(records: Sequence[Mapping[str, Any]]) -> list[int]:
    """Return the games' numbers: of episodes (a repaired log may lack some), or of lines."""
    numbers = [record.get("episode") for record in records]
    known = [number for number in numbers if type(number) is int]
    if len(known) == len(records) and all(a < b for a, b in pairwise([0, *known])):
        return known
    return list(range(1, len(records) + 1))


def _game_of_file(file: Path, first: Mapping[str, Any]) -> StateManager:
    if not {"moves", "actions"} & set(first):
        games = file.with_name("games.jsonl")
        where = f"; those of this folder are in {games}" if games.exists() else ""
        what = "results of tournaments" if "score" in first else "other lines"
        raise UsageError(f"{file}: expected games, got {what}{where}")
    params = file.with_name("params.yaml")
    comparison = file.with_name("compare.json")
    where, what = f"{file}:1", "play --save"
    try:
        if "board_size" in first and "game" not in first:
            return make_game("hex", size=first["board_size"])
        if "game" not in first and comparison.exists():
            where, what = str(comparison), "compare"
            first = json.loads(comparison.read_text(encoding="utf-8"))["setup"]
        if "game" in first or what == "compare":
            return make_game(first["game"], **first["game_params"])
    except GameError as error:
        raise UsageError(f"{where}: {first_line(error)}") from None
    except (LookupError, TypeError, ValueError) as error:
        raise UsageError(f"{where}: expected a file of {what}") from error
    if params.exists():
        section = read_params(params).game
        return make_game(section.name, **section.options.model_dump())
    beside = "expected params.yaml or compare.json beside it, which hold the game"
    raise UsageError(f"{file}: {beside}; or the game as in game.name=hex game.size=5")


def _players(record: Mapping[str, Any]) -> tuple[str, str]:
    if "opponent" in record:
        players = ["this client", opponent_in_words(record["opponent"])]
        first, second = players if record.get("series_id") == 1 else players[::-1]
    else:
        first, second = record.get("players", ("", ""))
    return printable(str(first)), printable(str(second))

"""Games that commands write to files and read again."""

import json
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from agents.match import GameRecord
from base.storage import FileError, read_file, read_jsonl, write_text
from commands.exits import UsageError
from commands.outputs import check_new_file
from formats.sgf import SgfError, hexworld_link, parse, record_of, tree_of, write
from hex_mcts.system import read_params
from state_manager import DRAW, State, StateManager, make_game
from state_manager.errors import GameError

_MOST_BYTES = 10_000_000
"""Largest accepted SGF file."""


class SavedGame(NamedTuple):
    """A game to step through; its last moves may be unknown, as may its winner, then 0."""

    title: str
    states: list[State]
    record: GameRecord


class SavedGames:
    """The games of a log on one board.

    Attributes:
        numbers: Their numbers, ascending, from 1.
        on_others: The sizes of the boards of all other games, by their numbers.
    """

    def __init__(self, file: Path, given_game: StateManager | None) -> None:
        """Read a log, or that of a folder; raise a ``UsageError`` if it lacks games or rules."""
        self.file = file / "games.jsonl" if file.is_dir() else file
        is_sgf = self.file.suffix == ".sgf"
        self._records = _read_sgf(self.file) if is_sgf else read_jsonl(self.file)
        if not self._records:
            raise UsageError(f"{self.file}: expected games, got none")
        self.game = given_game or _game_of_file(self.file, self._records[0])
        size, numbers = self.game.params.get("size"), _numbers(self._records)
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
        if number not in self.numbers:
            where = f"that is in {self.file}, {number} is missing"
            raise UsageError(f"{option}: expected a game {where}")
        return self.numbers.index(number)

    @property
    def last(self) -> int:
        """The number of the last game, on any board."""
        return max([*self.numbers, *self.on_others])

    @property
    def gaps(self) -> str:
        """A sentence about numbers without a game on this board; empty if there are none."""
        others, missing = len(self.on_others), self.last - len(self.numbers) - len(self.on_others)
        sizes = ", ".join(f"game.size={size}" for size in sorted({*self.on_others.values()}))
        parts = [f"{missing} missing in {self.file}"] if missing else []
        parts += [f"{others} on other boards ({sizes})"] if others else []
        return f"Of {self.last} games: {', '.join(parts)}." if parts else ""

    def read(self, index: int) -> SavedGame:
        """Replay the game at an index; raise a ``UsageError`` if it breaks the rules."""
        line = self._lines[index]
        record, where = self._records[line], f"{self.file}:{line + 1}"
        game, number = self.game, f"game {self.numbers[index]} of {self.last}"
        columns = game.board_shape[1]
        try:
            first, second = players = _players(record)
            title = f"{first} against {second}, {number}" if first else number
            if "episode" in record:
                title = f"episode {record['episode']}, {number}"
            actions = [
                each[0] * columns + each[1] if isinstance(each, list) else each
                for each in record["moves" if "moves" in record else "actions"]
            ]
            setup = tuple(record.get("setup", ()))
            states = [game.initial_state(record["starting_player"], setup)]
            for action in actions:
                states.append(game.child_state(states[-1], action))
            if record.get("end_state") not in (None, game.to_flat(states[-1])):
                states.append(game.from_flat(record["end_state"]))
            winner = game.winner(states[-1]) or record.get("winner", 0)  # a player may resign
            if winner not in (0, 1, 2, DRAW):
                raise ValueError(winner)
            comments = tuple(map(str, record.get("comments", ())))
            ending = str(record.get("ending", ""))
            played = players, int(states[0][0]), (), tuple(actions), winner
            replayed = GameRecord(*played, setup=setup, comments=comments, ending=ending)
        except (LookupError, TypeError, ValueError) as error:
            known = isinstance(error, GameError)
            reason = str(error).partition("\n")[0] if known else "another line"
            raise UsageError(f"{where}: expected a game of {game!r}, got {reason}") from error
        return SavedGame(title, states, replayed)


def check_save(file: Path | None, game: StateManager) -> None:
    """Raise a ``UsageError`` if games of this kind cannot be saved to a file, if one is given."""
    if file is not None:
        check_new_file(file, "--save")
        if file.suffix == ".sgf" and not game.has_hex_formats:
            raise UsageError(
                f"--save: SGF is for Hex only (GM[11]); expected a .jsonl for {game!r}"
            )


def save_games(file: Path, game: StateManager, records: Iterable[GameRecord]) -> None:
    """Save games to a file: as SGF if its name ends so, else as JSON lines."""
    if file.suffix == ".sgf":
        text = write(tree_of(each, game) for each in records)
    else:
        about = {"game": game.name, "game_params": game.params}
        text = "".join(f"{json.dumps(about | each.to_json())}\n" for each in records)
    write_text(file, text)


def in_hexworld(game: StateManager, record: GameRecord) -> str:
    """Return a line with the HexWorld link of a game of Hex."""
    return f"HexWorld: {hexworld_link(record, game.board_shape[0])}"


def write_sgf(game: StateManager, games: Iterable[SavedGame]) -> str:
    """Return games as SGF; raise a ``UsageError`` if they are not games of Hex."""
    if not game.has_hex_formats:
        raise UsageError(f"SGF is for Hex only (GM[11]): expected games of hex, got {game!r}")
    return write(tree_of(each.record, game, each.title) for each in games)


def _read_sgf(file: Path) -> list[dict[str, Any]]:
    """Return the main lines of an SGF file's games of Hex, in the format of ``play``."""
    try:
        games = [record_of(root) for root in parse(read_file(file, _MOST_BYTES).decode("utf-8"))]
    except UnicodeDecodeError as error:
        raise UsageError(f"{file}: expected UTF-8, byte {error.start} is invalid") from None
    except (FileError, SgfError) as error:
        raise UsageError(f"{file}: {error}") from None
    if len({params["size"] for params, _ in games}) > 1:
        raise UsageError(f"{file}: expected games on boards of one size, got several")
    # Games without a swap are also games with it.
    params = max((params for params, _ in games), key=len, default={})
    return [{"game": "hex", "game_params": params, **record.to_json()} for _, record in games]


def _numbers(records: Sequence[Mapping[str, Any]]) -> list[int]:
    """Return the games' numbers: of episodes (a repaired log may lack some), or of lines."""
    numbers = [record.get("episode") for record in records]
    known = [number for number in numbers if type(number) is int]
    if len(known) == len(records) and all(a < b for a, b in pairwise([0, *known])):
        return known
    return list(range(1, len(records) + 1))


def _game_of_file(file: Path, first: Mapping[str, Any]) -> StateManager:
    """Return the game, from the first record, else from other files of the folder."""
    if not {"moves", "actions"} & set(first):
        games = file.with_name("games.jsonl")
        where = f"; those of this folder are in {games}" if games.exists() else ""
        what = "results of tournaments" if "score" in first else "other lines"
        raise UsageError(f"{file}: expected games, got {what}{where}")
    if "game" in first:
        try:
            return make_game(first["game"], **first["game_params"])
        except (LookupError, TypeError) as error:
            raise UsageError(f"{file}:1: expected a file of play --save") from error
    if "board_size" in first:
        return make_game("hex", size=first["board_size"])
    comparison, params = file.with_name("compare.json"), file.with_name("params.yaml")
    if comparison.exists():
        try:
            setup = json.loads(comparison.read_text(encoding="utf-8"))["setup"]
            return make_game(setup["game"], **setup["game_params"])
        except (LookupError, TypeError, json.JSONDecodeError, UnicodeDecodeError) as error:
            raise UsageError(f"{comparison}: expected a file of compare") from error
    if params.exists():
        section = read_params(params).game
        return make_game(section.name, **section.options.model_dump())
    raise UsageError(
        f"{file}: expected params.yaml or compare.json beside it, which hold the game; "
        "or the game as in game.name=hex game.size=5"
    )


def _players(record: Mapping[str, Any]) -> tuple[str, str]:
    if "opponent" in record:
        players = ["this client", f"player {record['opponent']}"]
        first, second = players if record.get("series_id") == 1 else players[::-1]
    else:
        first, second = record.get("players", ("", ""))
    return str(first), str(second)

"""SGF files as other programs write them."""

from pathlib import Path

import pytest

from cli.saved_games import SavedGame, SavedGames, save_games
from formats.htp import HTPEngine
from tests.formats.tables import answer, random_player

GAMES = Path(__file__).with_name("games")
MADE = {
    "hexgui_position": "2 | 1..2 .1.. ..1. 1..1 |  | ",
    "hexgui_puzzle": "2 | ..12. 221.. ..... .1... 1.... | b3 d3 c3 | "
    "White to play.\nWhich move wins?/the bridge [ladder]//",
    "little_golem": "1 |  | b2 swap c4 d3 b4 | ",
    "swapped_pieces": "1 |  | d2 swap b3 c3 | /strong///",
    "swapped_sides": "1 |  | b2 c3 b4 | ",
}
"""The player to move, the stones, the moves, and the comments of each file."""


def read(file: Path) -> tuple[SavedGames, list[SavedGame]]:
    games = SavedGames(file, None)
    return games, [games.read(index) for index in range(len(games.numbers))]


def facts(saved: SavedGame) -> tuple[object, ...]:
    record = saved.record
    return record.players, saved.states[0][0], record.setup, record.actions, record.comments


def check(file: Path, folder: Path) -> None:
    """Check that a file is loaded into the engine, and written and read again as it is."""
    games, saved = read(file)
    for name in ("again.sgf", "again.jsonl"):
        save_games(folder / name, games.game, [each.record for each in saved])
        assert [facts(each) for each in read(folder / name)[1]] == [facts(each) for each in saved]
    engine = HTPEngine(random_player, 5, "", "")
    assert answer(engine, f"loadsgf {file}") == "=\n\n"
    if answer(engine, "final_score") == "= cannot score\n\n":
        assert all(answer(engine, f"genmove {colour}").startswith("= ") for colour in "bw")


@pytest.mark.parametrize("name", MADE)
def test_a_file_of_each_kind_is_read_and_written_again(name: str, tmp_path: Path) -> None:
    games, (saved,) = read(GAMES / f"{name}.sgf")
    record, size = saved.record, games.game.board_shape[0]
    cells = "".join(".12"[cell] for cell in record.setup)
    rows = [cells[start : start + size] for start in range(0, len(cells), size)]
    names = (
        "swap" if action == size * size else f"{'abcde'[action % size]}{action // size + 1}"
        for action in record.actions
    )
    parts = str(saved.states[0][0]), " ".join(rows), " ".join(names), "/".join(record.comments)
    assert " | ".join(parts) == MADE[name]
    check(GAMES / f"{name}.sgf", tmp_path)

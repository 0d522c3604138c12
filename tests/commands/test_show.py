"""The command that steps through saved games."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.commands.conftest import Call

WON = [0, 1, 3, 4, 6]
"""On 3x3: player 1 joins rows in the first column."""


def log(folder: Path, *records: dict[str, Any]) -> Path:
    """Write a log of games."""
    file = folder / "games.jsonl"
    file.write_text("".join(json.dumps(record) + "\n" for record in records))
    return file


def tournament_game(**more: Any) -> dict[str, Any]:
    """Return a game as the client of the tournament keeps it."""
    return {"opponent": 7, "series_id": 2, "board_size": 3, "starting_player": 1, "winner": 1,
            **more}  # fmt: skip


def test_the_games_of_a_run_are_shown_by_number(call: Call, trained: Path) -> None:
    last, second = call("show", trained), call("show", trained / "games.jsonl", "--game", "2")
    assert (last.status, last.errors) == (0, "")
    assert "episode 4, game 4 of 4" in last.output
    assert "episode 2, game 2 of 4" in second.output
    assert re.match(r"1\. [a-e][1-5] 2\. ", second.output)
    assert " wins in " in second.output


@pytest.mark.parametrize(
    "played", [{"actions": WON}, {"moves": [list(divmod(cell, 3)) for cell in WON]}]
)
def test_games_of_a_tournament_are_shown(
    call: Call, tmp_path: Path, played: dict[str, Any]
) -> None:
    result = call("show", log(tmp_path, tournament_game(**played)))
    assert (result.status, result.errors) == (0, "")
    assert result.output.startswith("1. a1 2. b1 3. a2 4. b2 5. a3\n")
    assert "player 7 against this client, game 1 of 1" in result.output
    assert "red (player 7) wins in 5 moves" in result.output


def test_the_end_is_shown_when_the_last_moves_are_missing(call: Call, tmp_path: Path) -> None:
    end = [2, 1, 2, 0, 1, 2, 0, 1, 0, 0]
    result = call(
        "show",
        log(tmp_path, tournament_game(moves=[[0, 0], [0, 1], [1, 0], [1, 1]], end_state=end)),
    )
    assert "red (player 7) wins" in result.output


def test_games_of_a_comparison_are_shown_and_written_as_files(call: Call, tmp_path: Path) -> None:
    words = ("--games", "2", "game.name=nim", "game.stones=5", "display.mode=off", "--out", "c")
    assert call("compare", "random", "mcts:simulations=5", *words).status == 0
    result = call("show", "c", "--game", "1", "display.mode=file")
    assert (result.status, result.errors) == (0, "")
    assert "game 1 of 2: player " in result.output
    assert sorted(file.suffix for file in (tmp_path / "c" / "games").iterdir()) == [".gif", ".png"]


@pytest.mark.parametrize(
    ("record", "words", "message"),
    [
        (
            tournament_game(actions=[0, 0]),
            (),
            "games.jsonl:1: move 2: expected a legal action, got a1 by player 2\n",
        ),
        (tournament_game(actions=[0], board_size=1), (), "games.jsonl:1: hex: size: "),
        (
            tournament_game(actions=WON),
            ("--game", "2"),
            "--game: expected a number from 1 to 1, got 2",
        ),
        ({"actions": WON}, (), "expected params.yaml or compare.json beside it"),
        ({"episode": 1}, (), "games.jsonl: expected games, got other lines"),
        ({"loss": 1}, ("game.size=3",), "games.jsonl:1: expected a game of hex(size=3), got "),
    ],
)
def test_a_record_of_no_game_is_reported_in_one_line(
    call: Call, tmp_path: Path, record: dict[str, Any], words: tuple[str, ...], message: str
) -> None:
    result = call("show", log(tmp_path, record), *words)
    assert (result.status, result.output) == (2, "")
    assert message in result.errors
    assert result.errors.count("\n") == 1


def test_a_log_without_games_gives_a_hint_with_the_file_of_the_games(
    call: Call, trained: Path, tmp_path: Path
) -> None:
    games = log(tmp_path, tournament_game(moves=[]))
    results = tmp_path / "results.jsonl"
    results.write_text(json.dumps({"score": 50.0, "name": "Ada"}) + "\n")
    result = call("show", results)
    assert (result.status, result.output) == (2, "")
    expected = f"{results}: expected games, got results of tournaments; those of this folder are in"
    assert result.errors == f"main.py show: {expected} {games}\n"
    result = call("show", trained / "metrics.jsonl")
    assert f"got other lines; those of this folder are in {trained}" in result.errors


def test_games_of_the_server_at_home_are_shown(call: Call, tmp_path: Path) -> None:
    game = {"tournament": "2024-01-01T00:00:00+00:00", "players": ["[red]Ada", "random"]}
    rest = tournament_game(moves=[list(divmod(cell, 3)) for cell in WON], end_state=None)
    del rest["opponent"], rest["series_id"]
    result = call("show", log(tmp_path, {**game, **rest}))
    assert (result.status, result.errors) == (0, "")
    assert "[red]Ada against random, game 1 of 1" in result.output
    assert "red ([red]Ada) wins in 5 moves" in result.output


def test_a_game_without_a_winner_is_not_finished(call: Call, tmp_path: Path) -> None:
    games = log(tmp_path, {"starting_player": 1, "actions": WON[:3], "winner": 0})
    result = call("show", games, "game.size=3", "display.mode=file")
    assert "Not finished after 3 moves" in result.output


def test_a_call_without_games_prints_the_usage(call: Call, tmp_path: Path) -> None:
    for words in ((), ("one", "two"), (log(tmp_path),), ("nowhere",)):
        result = call("show", *words)
        assert result.status == 2
        assert result.errors.startswith("main.py show: ")
        assert result.errors.count("\n") == 1


def test_games_keep_the_numbers_of_their_episodes_when_others_are_missing(
    call: Call, tmp_path: Path
) -> None:
    games = [{"episode": n, "starting_player": 1, "actions": WON, "winner": 1} for n in (1, 2, 5)]
    words = (log(tmp_path, *games), "game.size=3")
    for game, number in (((), 5), (("--game", "2"), 2)):
        result = call("show", *words, *game)
        assert (result.status, result.errors) == (0, "")
        assert f"episode {number}, game {number} of 5" in result.output
        assert f"Of 5 games: 2 missing in {tmp_path / 'games.jsonl'}.\n" in result.output
    result = call("show", *words, "--game", "3")
    assert (result.status, result.output) == (2, "")
    assert result.errors.endswith("games.jsonl, 3 is missing\n")


def test_games_whose_episodes_make_no_sense_are_numbered_by_their_lines(
    call: Call, tmp_path: Path
) -> None:
    games = [{"episode": n, "starting_player": 1, "actions": WON} for n in (7, 7, "x")]
    result = call("show", log(tmp_path, *games), "game.size=3", "--game", "2")
    assert "episode 7, game 2 of 3" in result.output
    assert "missing" not in result.output


def test_games_on_several_boards_are_shown_by_size(call: Call, tmp_path: Path) -> None:
    games = [
        {"episode": n, "starting_player": 1, "actions": actions, "winner": 1, "size": size}
        for n, (size, actions) in enumerate([(3, [0, 1, 3, 4, 6]), (4, [15])], start=1)
    ]
    log(tmp_path, *games)
    (tmp_path / "params.yaml").write_text("game: {name: hex, size: 4}\n")
    shown = call("show", tmp_path).output
    assert "episode 2, game 2 of 2" in shown
    assert "Of 2 games: 1 on other boards (game.size=3)." in shown
    assert "episode 1, game 1 of 2" in call("show", tmp_path, "game.size=3").output
    other = call("show", tmp_path, "--game", "1").errors
    assert other.endswith("a game of hex(size=4); add game.size=3 for number 1\n")
    written = call("show", tmp_path, "--sgf", "games.sgf").output
    assert "1 of 1 games.\nOf 2 games: 1 on other boards (game.size=3).\n" in written
    nothing = call("show", tmp_path, "game.size=5")
    assert nothing.errors.endswith("games.jsonl: expected games of hex(size=5), got none\n")
    log(tmp_path, games[0], games[1] | {"actions": [15, 15]})
    assert "games.jsonl:2: move 2: expected a legal action" in call("show", tmp_path).errors

"""The command that plays games between any two agents."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from agents.match import GameRecord
from agents.match.game import play_together
from tests.commands.conftest import Call


def wins(output: str, row: str) -> list[int]:
    """Return the numbers in a row of the table: games, wins of player 1, wins of player 2."""
    line = next(line for line in output.splitlines() if line.startswith(row))
    return [int(word) for word in line.removeprefix(row).split()]


@pytest.mark.parametrize(("starting_player", "expected"), [(1, [10, 10, 0]), (2, [10, 0, 10])])
def test_the_starting_player_wins_nim_when_the_start_decides(
    call: Call, starting_player: int, expected: list[int]
) -> None:
    # With 10 stones and 1 to 3 at a time, the first player takes 2, then always leaves 8, 4, 0.
    agent = "mcts:simulations=2000"
    words = ["game.name=nim", "game.stones=10", "game.max_take=3", "display.mode=off"]
    words += ["--games", "10", "--starting-player", str(starting_player)]
    result = call("play", "--first", agent, "--second", agent, *words)
    assert (result.status, result.errors) == (0, "")
    assert wins(result.output, f"player {starting_player}") == expected
    assert "red" not in result.output, "NIM has no colours"
    assert wins(result.output, "all games") == expected


def test_a_batch_ends_with_a_table_for_each_side_and_start(call: Call) -> None:
    words = ("--games", "7", "game.size=3", "display.mode=off")
    result = call("play", "--first", "random", "--second", "mcts:simulations=50", *words)
    assert result.status == 0
    one, two, both = (wins(result.output, row) for row in ("red", "black", "all games"))
    assert (one[0], two[0], both[0]) == (4, 3, 7)
    assert [sum(column) for column in zip(one, two, strict=True)] == both
    assert both[1] + both[2] == 7
    assert "random" in result.output
    assert "mcts simulations=50" in result.output


def test_a_missing_agent_is_the_best_one_and_is_named(call: Call) -> None:
    quick = ("display.mode=off", "play.simulations=5")
    result = call("play", "--second", "random", "game.size=5", *quick)
    assert result.status == 0
    first = result.output.splitlines()[0]
    assert first.startswith("best is anet:")
    assert Path(first).parent.name == "hex-5-perfect"
    result = call("play", "--first", "random", "game.size=3", *quick)
    assert result.output.startswith("best is mcts\nrandom against mcts, game 1")
    result = call("play", "game.size=3", *quick)
    assert "human against mcts, game 1" in result.output


def test_games_that_the_judge_decided_are_counted(call: Call) -> None:
    agents = ("--first", "mcts:judge=true,simulations=5", "--second", "random")
    words = ("--games", "2", "--starting-player", "1", "game.size=3", "display.mode=off")
    result = call("play", *agents, *words)
    last = result.output.splitlines()[-1]
    assert last == "mcts judge=true simulations=5: the judge decided 2 of 2 games, after 0 moves."


def test_nets_set_the_game(call: Call, trained: Path) -> None:
    net = trained / "anet_00004.pt"
    agents = ("--first", f"anet:{net}", "--second", f"mcts:{net},simulations=10")
    result = call("play", *agents, "--games", "2", "display.games=2")
    assert (result.status, result.errors) == (0, "")
    assert "anet_00004 against mcts anet_00004 simulations=10, game 1 of 2" in result.output
    assert wins(result.output, "all games")[0] == 2


def test_the_same_seed_plays_the_same_games(call: Call) -> None:
    words = ("--first", "random", "--second", "random", "--games", "9", "display.games=9")
    outputs = (call("play", *words, "game.size=3", f"seed={seed}").output for seed in (1, 1, 2))
    one, again, other = (re.sub(r"\d+:\d\d", "", each) for each in outputs)  # without durations
    assert one == again
    assert one != other


def test_the_number_of_workers_changes_no_game(call: Call, tmp_path: Path) -> None:
    words = ("--games", "6", "game.size=3", "display.mode=off", "play.time_limit=null")
    agents = ("--first", "random", "--second", "mcts:simulations=40,choice=probabilistic")
    outputs = (call("play", *agents, *words, f"play.workers={each}").output for each in (1, 2, 5))
    tables = {re.sub(r"\d+:\d\d", "", output) for output in outputs}  # without durations
    assert len(tables) == 1


def test_the_number_of_distinct_games_is_printed(call: Call, trained: Path) -> None:
    # Two greedy nets repeat one game for each starting player.
    agent = f"anet:{trained / 'anet_00004.pt'}"
    result = call("play", "--first", agent, "--second", agent, "--games", "6", "display.mode=off")
    assert "2 of 6 games were distinct." in result.output


@pytest.mark.parametrize("shown", [0, 9])
def test_ctrl_c_keeps_every_finished_game(
    call: Call, monkeypatch: pytest.MonkeyPatch, shown: int
) -> None:
    started: list[int] = []

    def interrupted(*arguments: Any) -> Iterable[tuple[int, GameRecord]]:
        started.append(1)
        if len(started) >= 6:
            raise KeyboardInterrupt
        return play_together(*arguments)

    monkeypatch.setattr("agents.match.series.play_together", interrupted)
    words = ("--games", "9", "game.size=3", f"display.games={shown}", "play.workers=1")
    result = call("play", "--first", "random", "--second", "random", "--save", "kept.jsonl", *words)
    assert (result.status, result.errors) == (130, "")
    assert wins(result.output, "all games")[0] == 5
    assert len(Path("kept.jsonl").read_text().splitlines()) == 5


@pytest.mark.parametrize("game", ["game.name=tic_tac_toe", "game.size=3"])
def test_games_that_are_kept_can_be_shown_and_analysed(call: Call, game: str) -> None:
    words = ("--games", "2", game, "display.mode=off")
    result = call("play", "--first", "random", "--second", "random", "--save", "kept.jsonl", *words)
    assert (result.status, result.errors) == (0, "")
    assert result.output.endswith("Saved in kept.jsonl.\n")
    result = call("show", "kept.jsonl")
    assert (result.status, result.errors) == (0, "")
    assert "random (1) against random (2), game 2 of 2" in result.output
    result = call("analyse", "--game", "kept.jsonl", "--simulations", "20", "--out", "out")
    assert (result.status, result.errors) == (0, "")
    result = call("play", "--save", "kept.jsonl", *words)
    assert (result.status, "kept.jsonl already exists" in result.errors) == (2, True)
    result = call("play", "--save", "no/kept.jsonl", *words)
    assert (result.status, "is in a missing folder" in result.errors) == (2, True)
    kept = Path("kept.jsonl")
    kept.write_text(kept.read_text().replace('"game_params"', '"parameters"'))
    assert "expected a file of play --save" in call("show", "kept.jsonl").errors


def test_a_game_that_was_not_played_to_its_end_is_kept(
    call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ("game.size=4", "--save", "kept.jsonl")
    human(call, monkeypatch, "1 1\n", *words)
    kept = json.loads(Path("kept.jsonl").read_text())
    assert (kept["actions"][0], kept["winner"]) == (5, 0)
    assert "human against random" in call("show", "kept.jsonl").output
    Path("kept.jsonl").unlink()
    human(call, monkeypatch, "", *words)
    assert not Path("kept.jsonl").exists()


def human(call: Call, monkeypatch: pytest.MonkeyPatch, typed: str, *words: str) -> tuple[int, str]:
    """Play as a human with these input lines; return the status and the output."""
    monkeypatch.setattr("sys.stdin", io.StringIO(typed))
    result = call("play", "--first", "human", "--second", "random", *words)
    assert result.errors == ""
    return result.status, result.output


def test_a_human_wins_after_messages_about_wrong_input(
    call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = ("game.name=nim", "game.stones=3", "game.max_take=3", "--starting-player", "1")
    status, output = human(call, monkeypatch, "?\nnine\n7\n\n3\n", *game)
    assert status == 0
    assert output.count("Legal moves: take 1, take 2, take 3.") == 2
    assert output.count("Not a move: ") == 2
    assert "player 1 (human) wins in 1 move" in output
    assert output.count("human against random, game 1 of 1") == 2, "over both boards"
    assert "all games" not in output, "one game needs no table"


def test_a_human_sees_the_move_of_the_opponent(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    game = ("game.name=nim", "game.stones=2", "game.max_take=1", "--starting-player", "2")
    status, output = human(call, monkeypatch, "1\n", *game)
    assert status == 0
    shown = output.index("player 2 (random): take 1\n")
    assert shown < output.index("your move")
    assert "move 1" in output[shown:]
    assert "player 1 (human): take" not in output, "a human's own move is not repeated"


def test_two_humans_and_several_games_end_with_a_table(
    call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("1\n1\n1\n1\n"))
    game = ("game.name=nim", "game.stones=2", "game.max_take=1", "--games", "2")
    result = call("play", "--first", "human", "--second", "human", *game)
    assert result.status == 0
    assert "human (1) against human (2)" not in result.output
    assert "human against human, game 2 of 2" in result.output
    assert wins(result.output, "all games") == [2, 1, 1]


@pytest.mark.parametrize("mode", ["off", "terminal", "file"])
def test_the_end_of_a_single_game_is_printed_once(call: Call, mode: str) -> None:
    words = ("game.size=3", f"display.mode={mode}", "--starting-player", "2")
    result = call("play", "--first", "random", "--second", "random", *words)
    assert result.status == 0
    ends = re.findall(r"(?:red|black) \(random \([12]\)\) (?:won|wins) in \d moves", result.output)
    assert len(ends) == 1
    assert ("; black started." in result.output) == (mode != "terminal")
    assert "all games" not in result.output


def test_each_of_several_games_gets_one_line(call: Call) -> None:
    words = ("--games", "3", "game.size=3", "display.mode=off", "--starting-player", "1")
    output = call("play", "--first", "random", "--second", "random", *words).output
    ends = re.findall(r"game (\d) of 3: (?:red|black) \(.*\) wins in \d moves; red started", output)
    assert ends == ["1", "2", "3"]


def test_in_mode_file_the_games_of_a_human_are_written(
    call: Call, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    game = ("game.name=nim", "game.stones=3", "game.max_take=3", "--starting-player", "1")
    status, output = human(call, monkeypatch, "3\n3\n", *game, "display.mode=file", "--games", "2")
    assert status == 0
    files = sorted(file.name for file in (tmp_path / "runs" / "games").iterdir())
    assert [Path(name).suffix for name in files] == [".gif", ".png"] * 2
    assert output.count("your move") == 2, "and the human sees the board in the terminal"
    assert output.count("player 1 (human) wins in 1 move; player 1 started. See ") == 2


def test_a_human_sees_the_agents_evaluation_and_coordinates_on_request(
    call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("t\nc\na1\n"))
    words = ("game.size=3", "--starting-player", "2", "play.time_limit=null")
    result = call("play", "--first", "human", "--second", "mcts:simulations=50", *words)
    assert "Not a move" not in result.output
    plain, thinking, course = re.findall(r"last move (.*)", result.output)[:3]
    assert re.match(r"[abc][123]$", plain)
    value = r": D \d+ %, value [+-]\d\.\d\d for black; others [abc][123] "
    assert re.match(rf"[abc][123]{value}", thinking)
    assert re.match(r"\(\d, \d\): D ", course)


def test_the_notation_of_the_course_is_a_parameter(
    call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ("game.size=3", "--starting-player", "1", "display.notation=course")
    status, output = human(call, monkeypatch, "help\na1\n0 0\nExit\n", *words)
    assert status == 0
    assert "Legal moves: (0, 0), (0, 1), " in output
    assert "Not legal now: (0, 0)." in output
    assert re.search(r"black \(random\): \(\d, \d\)\n", output)
    assert re.search(r"last move \(\d, \d\)\n", output)


def test_undo_takes_back_the_last_move_and_the_reply(
    call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ("game.size=4", "--starting-player", "1", "--save", "kept.jsonl")
    _, output = human(call, monkeypatch, "undo\n?\na1\nundo\nb2\n", *words)
    assert output.count("There is no move to take back.") == 1
    assert "undo: take your last move and the reply back; hint: " in output
    actions = json.loads(Path("kept.jsonl").read_text())["actions"]
    assert (len(actions), actions[0]) == (2, 5)


@pytest.mark.parametrize("mode", ["terminal", "file"])
def test_undo_between_two_humans_takes_back_one_move(
    call: Call, monkeypatch: pytest.MonkeyPatch, mode: str, tmp_path: Path
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("1\nundo\n3\n"))
    game = ("game.name=nim", "game.stones=3", "game.max_take=3", "--starting-player", "1")
    words = ("--first", "human", "--second", "human", *game, f"display.mode={mode}")
    result = call("play", *words)
    assert (result.status, result.errors) == (0, "")
    assert "(human (1)) wins in 1 move" in result.output
    for animation in (tmp_path / "runs").glob("games/*.gif"):
        with Image.open(animation) as picture:
            assert getattr(picture, "n_frames", 0) == 2


def test_a_hint_names_a_winning_move(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    game = ("game.name=nim", "game.stones=10", "game.max_take=3", "--starting-player", "1")
    status, output = human(call, monkeypatch, "hint\nq\n", *game)
    assert status == 0
    assert "take 2: player 1 wins: 1 of 3 moves keep the win, for certain" in output


def test_a_resigned_game_is_won_by_the_other_player(
    call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ("game.size=4", "--starting-player", "1", "--save", "kept.jsonl")
    status, output = human(call, monkeypatch, "b2\nresign\n", *words)
    assert status == 0
    result = "black (random) wins after 2 moves: red (human) has resigned"
    assert result in output
    assert json.loads(Path("kept.jsonl").read_text())["winner"] == 2
    assert result in call("show", "kept.jsonl").output
    assert call("show", "kept.jsonl", "--sgf", "kept.sgf").status == 0
    assert "RE[W+R]" in Path("kept.sgf").read_text()
    assert result in call("show", "kept.sgf").output
    kept = Path("kept.jsonl").read_text().replace('"winner": 2', '"winner": [2]')
    Path("wrong.jsonl").write_text(kept)
    assert "expected a game of hex(size=4)" in call("show", "wrong.jsonl").errors


def test_quit_saves_only_finished_games(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    words = ("game.size=4", "--games", "3", "--starting-player", "1", "--save", "kept.jsonl")
    status, output = human(call, monkeypatch, "resign\nb2\nquit\n", *words)
    assert status == 0
    assert wins(output, "all games") == [1, 0, 1]
    assert "wins after 0 moves: red (human) has resigned" in output
    assert len(Path("kept.jsonl").read_text().splitlines()) == 1


def test_quitting_ends_the_game(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    status, output = human(call, monkeypatch, "(0, 0)\n", "game.size=3", "--starting-player", "1")
    assert status == 1
    assert "The input has ended, and the game with it." in output
    assert "all games" not in output

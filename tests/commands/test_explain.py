"""The command that explains a search."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from agents import AgentSpec
from analysis.search_recording import Recording
from commands import explain
from state_manager import State, StateManager
from tests.commands.conftest import Call
from tests.recordings import recordings


@pytest.fixture
def requests(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Return the recorded requests; each gets the same earlier recording."""
    questions: list[Any] = []

    def record(
        spec: AgentSpec, game: StateManager, opening: list[int], first: State, params: object
    ) -> Recording:
        questions.append((str(spec), game.params, opening, int(first[0])))
        return recordings()["rollouts"]

    monkeypatch.setattr(explain, "record", record)
    return questions


def test_a_search_is_explained_in_lines_where_there_is_no_terminal(call: Call) -> None:
    result = call("explain", "game.size=3", "--simulations", 2)
    assert (result.status, result.errors) == (0, "")
    for words in ("tree search, mcts/tree_search.py", "simulation 2 of 2", "simulations=2"):
        assert words in result.output
    assert result.output.splitlines()[-1].endswith("N 2 of 2, Q +0.000") or "Q " in result.output


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ([], ("mcts:simulations=30,time_limit=null", {"size": 5}, [], 1)),
        (
            ["--agent", "mcts:simulations=7", "--game", "c2 1,1", "game.size=3"],
            ("mcts:simulations=7", {"size": 3}, [5, 4], 1),
        ),
        (
            ["--agent", "mcts:solver=true", "--simulations", 4, "game.starting_player=2"],
            ("mcts:solver=true,simulations=4,time_limit=null", {"size": 5}, [], 2),
        ),
        (
            ["--game", "c2 swap-pieces", "game.size=4", "game.swap=true"],
            ("mcts:simulations=30,time_limit=null", {"size": 4, "swap": True}, [6, 16], 1),
        ),
        (
            ["--game", "#4c1,c2:sa1", "game.size=3", "game.size=4"],
            ("mcts:simulations=30,time_limit=null", {"size": 4, "swap": True}, [6, 16, 0], 1),
        ),
        (
            ["--game", "a1 a2 b2", "--ply", 1, "game.size=3"],
            ("mcts:simulations=30,time_limit=null", {"size": 3}, [0], 1),
        ),
    ],
)
def test_the_command_line_chooses_the_agent_and_the_position(
    call: Call, requests: list[Any], words: list[Any], expected: tuple[Any, ...]
) -> None:
    assert call("explain", *words).status == 0
    assert requests == [expected]


def test_a_saved_game_is_explained_from_its_middle(
    call: Call, requests: list[Any], trained: Path
) -> None:
    assert call("explain", "--game", trained, "--number", 2).status == 0
    games = [json.loads(line) for line in (trained / "games.jsonl").read_text().splitlines()]
    actions = games[1]["actions"]
    assert requests[0][2:] == (actions[: len(actions) // 2], games[1]["starting_player"])


def test_a_position_of_an_sgf_file_is_explained_with_its_stones(call: Call, tmp_path: Path) -> None:
    (tmp_path / "game.sgf").write_text("(;SZ[3]AB[b1][c2]AW[b3];W[a2])")
    words = ("--game", "game.sgf", "--ply", 0, "--simulations", 1, "--save", "search.json")
    assert call("explain", *words).status == 0
    board = json.loads((tmp_path / "search.json").read_text())["steps"][0]["board"]
    assert (board["cells"], board["to_play"]) == ([0, 1, 0, 0, 0, 1, 0, 2, 0], 2)


def test_files_hold_one_step_or_the_whole_search(
    call: Call, requests: list[Any], tmp_path: Path
) -> None:
    assert call("explain", "--save", "all.json").output.startswith("Saved in all.json.\n")
    assert call("explain", "--save", "AGAIN.JSON").output.startswith("Saved in AGAIN.JSON.\n")
    assert len(json.loads((tmp_path / "all.json").read_text())["nodes"]) == 41
    assert call("explain", "--save", "step.png", "--step", 5).status == 0
    assert (tmp_path / "step.png").exists()
    shown = call("explain", "--step", 5)
    assert shown.output.startswith("Step 5 of ")
    assert "joins" in shown.output


def test_openings_are_printed_for_the_player_who_begins(call: Call) -> None:
    shown = call("explain", "--openings", "game.size=5", "game.starting_player=2")
    assert (shown.status, shown.errors) == (0, "")
    assert shown.output.startswith("The chances of black after its first stone")
    assert shown.output.splitlines()[3].split() == ["1", "0", "0", "0", "100*100*"]


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (["--openings", "game.size=13"], "--openings: expected Hex from 3x3 to 11x11, got hex("),
        (["--openings", "game.name=nim"], "--openings: expected Hex"),
        (["--save", "x.txt"], "--save: expected .gif, .png, .json, got x.txt"),
        (["--game", "missing.sgf"], "--game: expected a file, or moves: "),
        (["--game", "z9"], "expected a cell from a1 to e5, got 'z9'"),
        (["--game", "z9", "game.name=tic_tac_toe"], "--game: expected a file, or moves: "),
        (["--game", "a1", "--ply", 2], "--ply: expected a number from 0 to 1, got 2"),
        (["--game", "c2 c2"], "--game: expected a legal action, got c2 by player 2\n"),
        (["--number", 2], "--number: expected --game FILE with it"),
        (["--step", 100_000], "--step: expected a number from 1 to "),
        (["--agent", "mcts:simulations=7", "--simulations", 4], "simulations: expected it left"),
        (["--simulations", 2000], "expected a number from 1 to 1000"),
    ],
)
def test_an_impossible_request_is_refused_in_one_line(
    call: Call, requests: list[Any], words: list[Any], error: str
) -> None:
    result = call("explain", *words)
    assert result.status == 2
    assert error in result.errors
    assert result.errors.count("\n") == 1

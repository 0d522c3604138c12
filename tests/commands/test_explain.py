"""The command that explains a search."""

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

USUAL = "mcts:simulations=30,time_limit=null"
SWAP = {"size": 4, "swap": True}


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


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ([], (USUAL, {"size": 5}, [], 1)),
        (
            ["--agent", "mcts:simulations=7", "--game", "c2 1,1", "game.size=3"],
            ("mcts:simulations=7", {"size": 3}, [5, 4], 1),
        ),
        (
            ["--agent", "mcts:solver=true", "--simulations", 4, "game.starting_player=2"],
            ("mcts:solver=true,simulations=4,time_limit=null", {"size": 5}, [], 2),
        ),
        (["--game", "#4c1,c2:sa1", "game.size=4"], (USUAL, SWAP, [6, 16, 0], 1)),
        (["--game", "a1 a2 b2", "--ply", 1, "game.size=3"], (USUAL, {"size": 3}, [0], 1)),
    ],
)
def test_the_command_line_chooses_the_agent_and_the_position(
    call: Call, requests: list[Any], words: list[Any], expected: tuple[Any, ...]
) -> None:
    call.output("explain", *words)
    assert requests == [expected]


def test_a_saved_game_is_explained_from_its_middle(
    call: Call, requests: list[Any], trained: Path
) -> None:
    call.output("explain", "--game", trained, "--number", 2)
    games = [json.loads(line) for line in (trained / "games.jsonl").read_text().splitlines()]
    actions = games[1]["actions"]
    assert requests[0][2:] == (actions[: len(actions) // 2], games[1]["starting_player"])


def test_a_position_of_an_sgf_file_is_explained_with_its_stones(call: Call) -> None:
    Path("game.sgf").write_text("(;SZ[3]AB[b1][c2]AW[b3];W[a2])")
    words = ("--game", "game.sgf", "--ply", 0, "--simulations", 1, "--save", "search.json")
    call.output("explain", *words)
    board = json.loads(Path("search.json").read_text())["steps"][0]["board"]
    assert (board["cells"], board["to_play"]) == ([0, 1, 0, 0, 0, 1, 0, 2, 0], 2)


def test_files_hold_one_step_or_the_whole_search(call: Call, requests: list[Any]) -> None:
    for file in ("all.json", "AGAIN.JSON"):
        assert call.output("explain", "--save", file).startswith(f"Saved in {file}.\n")
    assert len(json.loads(Path("all.json").read_text())["nodes"]) == 41
    call.output("explain", "--save", "step.png", "--step", 5)
    assert Path("step.png").exists()
    shown = call.output("explain", "--step", 5)
    assert shown.startswith("Step 5 of ")
    assert "joins" in shown

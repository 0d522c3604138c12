"""The command that explains a search."""

import json
from pathlib import Path

from tests.commands.conftest import Call


def test_a_position_of_an_sgf_file_is_explained_with_its_stones(call: Call) -> None:
    Path("game.sgf").write_text("(;SZ[3]AB[b1][c2]AW[b3];W[a2])")
    words = ("--game", "game.sgf", "--ply", 0, "--simulations", 1, "--save", "search.json")
    call.output("explain", *words)
    board = json.loads(Path("search.json").read_text())["steps"][0]["board"]
    assert (board["cells"], board["to_play"]) == ([0, 1, 0, 0, 0, 1, 0, 2, 0], 2)


def test_files_hold_one_step_or_the_whole_search(call: Call) -> None:
    words = ("explain", "game.size=3", "--simulations", 2)
    assert call.output(*words, "--save", "ALL.JSON").startswith("Saved in ALL.JSON.\n")
    assert len(json.loads(Path("ALL.JSON").read_text())["steps"]) == 11
    call.output(*words, "--save", "step.png", "--step", 5)
    assert Path("step.png").exists()

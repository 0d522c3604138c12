"""The command that plays games between any two agents; sessions.txt holds a human's games."""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from agents.match import GameRecord
from agents.match.game import play_together
from tests.commands.conftest import Call


def test_the_seed_sets_the_games_and_the_number_of_workers_does_not(call: Call) -> None:
    agents = ("--first", "random", "--second", "mcts:simulations=40,choice=probabilistic")
    words = ("--games", "6", "game.size=3", "display.games=6", "play.time_limit=null")
    cases = ("play.workers=1", "play.workers=5", "seed=2")
    outputs = (call.output("play", *agents, *words, "display.delay=0", each) for each in cases)
    one, again, other = (sorted(re.sub(r"\d+:\d\d", "", each).splitlines()) for each in outputs)
    assert one == again
    assert one != other


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
    agents = ("--first", "random", "--second", "random", "--save", "kept.jsonl")
    result = call("play", *agents, *words)
    assert (result.status, result.errors) == (130, "")
    assert re.search(r"^all games +5 ", result.output, re.MULTILINE)
    assert len(Path("kept.jsonl").read_text().splitlines()) == 5


def test_an_animation_has_no_frames_of_moves_that_were_taken_back(call: Call) -> None:
    words = ("game.name=nim", "game.stones=3", "game.max_take=3", "display.mode=file")
    call.output("play", "--first", "human", "--second", "human", *words, typed="1\nundo\n3\n")
    (animation,) = Path("runs/games").glob("*.gif")
    with Image.open(animation) as picture:
        assert getattr(picture, "n_frames", 0) == 2

"""The command that plays games between any two agents; sessions.txt holds a human's games."""

import re
from pathlib import Path

import pytest
from PIL import Image

from agents.match import GameRecord
from agents.match.game import GameInPlay
from base.storage import read_jsonl
from tests.commands.conftest import Call

RANDOM = ("play", "--first", "random", "--second", "random", "--save", "kept.jsonl")
PLAY = (*RANDOM, "--games", 9, "game.size=3", "play.workers=1")
COMPARE = (
    *("compare", "mcts:simulations=20", "random", "--out", "out"),
    *("game.size=3", "--games", 4, "--workers", 1),
)
TOPP = ("topp", "--run", "run", "topp.games=2", "display.mode=off")


def test_the_seed_sets_the_games_and_the_number_of_workers_does_not(call: Call) -> None:
    agents = ("--first", "random", "--second", "mcts:simulations=40,choice=probabilistic")
    words = ("--games", "6", "game.size=3", "display.games=6", "play.time_limit=null")
    cases = ("play.workers=1", "play.workers=5", "seed=2")
    outputs = (call.output("play", *agents, *words, "display.delay=0", each) for each in cases)
    one, again, other = (sorted(re.sub(r"\d+:\d\d", "", each).splitlines()) for each in outputs)
    assert one == again
    assert one != other


@pytest.mark.parametrize(
    ("words", "ended", "said", "kept"),
    [
        ((*PLAY, "display.games=0"), 5, r"^all games +5 ", "kept.jsonl"),
        ((*PLAY, "display.games=9"), 5, r"^all games +5 ", "kept.jsonl"),
        (COMPARE, 3, "Ended early: 3 of 4 games were played", "out/games.jsonl"),
        (COMPARE, 0, "", ""),
        (TOPP, 4, "No verdict: 4 of 6 games were played", "run/standings_incomplete.jsonl"),
    ],
)
def test_ctrl_c_keeps_the_games_that_are_finished_and_leaves_nothing_without_one(
    call: Call, run: Path, words: tuple[object, ...], ended: int, said: str, kept: str
) -> None:
    left, end = [None] * ended, GameInPlay.end

    def end_or_leave(game: GameInPlay) -> GameRecord:
        if not left:
            raise KeyboardInterrupt
        left.pop()
        return end(game)

    (run / "standings.json").write_text("complete")
    call.patch.setattr(GameInPlay, "end", end_or_leave)
    result = call(*words)
    assert (result.status, result.errors) == (130, "")
    assert re.search(said, result.output, re.MULTILINE)
    winners = [game["winner"] for game in read_jsonl(Path(kept))] if kept else []
    assert sum(winner != 0 for winner in winners) == ended  # the one on display may be kept, too
    assert Path("out").exists() == kept.startswith("out")
    assert (run / "standings.json").read_text() == "complete"


def test_an_animation_has_no_frames_of_moves_that_were_taken_back(call: Call) -> None:
    words = ("game.name=nim", "game.stones=3", "game.max_take=3", "display.mode=file")
    call.output("play", "--first", "human", "--second", "human", *words, typed="1\nundo\n3\n")
    (animation,) = Path("runs/games").glob("*.gif")
    with Image.open(animation) as picture:
        assert getattr(picture, "n_frames", 0) == 2

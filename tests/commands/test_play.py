"""The commands that play games of agents, and of nets; sessions.txt holds a human's games."""

import json
import re
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
from PIL import Image

from agents.match import GameRecord
from agents.match.game import GameInPlay
from base.storage import read_jsonl, write_json
from commands import topp
from tests.commands.conftest import TOPP, Call

RANDOM = ("play", "--first", "random", "--second", "random", "--save", "kept.jsonl")
PLAY = (*RANDOM, "--games", 9, "game.size=3", "play.workers=1")
COMPARE = (
    *("compare", "mcts:simulations=20", "random", "--out", "out"),
    *("game.size=3", "--games", 4, "--workers", 1),
)


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


def test_the_standings_do_not_wait_for_the_regret(call: Call, run: Path) -> None:
    call.patch.setattr("commands.topp.measure_regret", Mock(side_effect=KeyboardInterrupt))
    result = call(*TOPP)
    assert result.status == 130
    assert "Standings" in result.output
    assert json.loads((run / "standings.json").read_text())["total"] == 6


def test_the_standings_so_far_can_be_read_while_games_are_played(call: Call, run: Path) -> None:
    seen, write, running = list[int](), write_json, run / "standings_running.json"
    games = running.with_suffix(".jsonl")

    def watched(file: Path, data: Any) -> None:
        write(file, data)
        if running.exists():
            seen.append(json.loads(running.read_text())["total"])
            assert len(read_jsonl(games)) == len(seen)

    call.patch.setattr(topp, "_SECONDS_BETWEEN", 0.0)
    call.patch.setattr("commands.topp.write_json", watched)
    call.output(*TOPP)
    assert seen == sorted(seen)
    assert (len(seen), seen[-1]) == (6, 6), "games that advance together end together"
    assert not running.exists()
    assert not games.exists()


@pytest.mark.usefixtures("draw_real_pictures")
def test_standings_are_kept_when_others_follow(call: Call, run: Path) -> None:
    def kinds_of(name: str) -> list[bytes]:
        return [(run / f"{name}.{kind}").read_bytes() for kind in ("json", "jsonl", "png")]

    (run / "standings.json").write_text("mine")
    words = (*TOPP, "topp.action_choice=probabilistic")
    call.output(*words)
    first = kinds_of("standings")
    assert "earlier tournament" not in call.output(*words), "the same one is not kept twice"
    assert kinds_of("standings") == first
    output = call.output(*words, "seed=2")
    assert f"Those of an earlier tournament are now {run / 'standings_2'}.json and" in output
    assert kinds_of("standings_2") == first
    assert kinds_of("standings")[0] != first[0]
    assert (run / "standings_1.json").read_bytes() == b"mine"
    assert len(list(run.glob("standings*.json"))) == 3

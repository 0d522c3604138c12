"""Draws on the whole path: training, tournament, series, tables and pictures."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.commands.conftest import TINY_RUN, Call

TIC_TAC_TOE = (
    *(word for word in TINY_RUN if not word.startswith("game.")),
    "game.name=tic_tac_toe",
)


@pytest.fixture
def run(call: Call, tmp_path: Path) -> Path:
    """Return the directory of a tiny run of tic-tac-toe."""
    words = ("rl.episodes=12", "mcts.simulations=200", "anet.critic=true", "rl.sigma=0.5")
    result = call("train", "--run", "run", *TIC_TAC_TOE, *words)
    assert (result.status, result.errors) == (0, "")
    return tmp_path / "run"


def test_drawn_episodes_are_kept_with_their_outcome(run: Path) -> None:
    lines = (run / "games.jsonl").read_text(encoding="utf-8").splitlines()
    winners = [json.loads(line)["winner"] for line in lines]
    assert len(winners) == 12
    assert 3 in winners


def test_a_tournament_counts_draws_as_half_a_win(call: Call, run: Path) -> None:
    words = ("display.mode=off", "topp.action_choice=probabilistic", "topp.games=20")
    result = call("topp", "--run", run, *words)
    assert (result.status, result.errors) == (0, "")
    standings = json.loads((run / "standings.json").read_text(encoding="utf-8"))
    assert sum(row["draws"] for row in standings["rows"]) > 0
    for row in standings["rows"]:
        assert row["games"] == row["wins"] + row["losses"] + row["draws"] == 40
        assert row["win_rate"] == pytest.approx((row["wins"] + row["draws"] / 2) / 40)
    heading = next(line for line in result.output.splitlines() if "losses" in line)
    assert "draws" in heading


def test_a_series_of_good_players_is_drawn(call: Call, tmp_path: Path) -> None:
    searcher = "mcts:simulations=2000"
    words = ("game.name=tic_tac_toe", "display.games=1", "display.delay=0", "play.time_limit=null")
    result = call("play", "--first", searcher, "--second", searcher, "--games", 2, *words)
    assert (result.status, result.errors) == (0, "")
    assert "A draw after 9 moves" in result.output
    assert "draws" in result.output

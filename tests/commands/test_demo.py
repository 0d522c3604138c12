"""The command for those who want to see it all at once."""

from __future__ import annotations

import argparse
from pathlib import Path

import pytest

import commands.demo
from commands.demo import Plan, add_arguments, fit
from rl import cached_nets
from tests.commands.conftest import Call
from tests.rl.conftest import make_system


def test_the_demo_trains_plays_off_and_says_what_to_try_next(call: Call, tmp_path: Path) -> None:
    words = ("game.size=3", "display.delay=0", "topp.games=4", "anet.hidden_layers=[16]")
    result = call("demo", "--seconds", "20", *words)
    assert (result.status, result.errors) == (0, "")
    (folder,) = (tmp_path / "runs").iterdir()
    run = f"runs/{folder.name}"
    nets = cached_nets(folder)
    episodes = int(nets[-1].stem.removeprefix("anet_"))
    assert len(nets) == 5
    assert f"In 20 seconds: {episodes} episodes with " in result.output
    assert " simulations a move, 5 cached nets, 4 games between each two." in result.output
    for shown in (1, episodes // 2, episodes):
        assert f"episode {shown} of {episodes}" in result.output
    assert f"{nets[-1].stem} against anet_00000, who starts" in result.output
    assert "Standings" in result.output
    assert "Order of training and order of strength" in result.output
    assert (folder / "standings.png").exists()
    assert (folder / "standings.json").exists()
    tail = result.output.rpartition("To try next:")[2].split("\n")
    steps = [line.strip() for line in tail if line.strip()]
    assert len(steps) == 3
    assert all(step.startswith("python main.py ") for step in steps)
    # The first is for humans; the others hold what the parser understands.
    assert call(*steps[1].split()[2:], "topp.games=1", "display.mode=off").status == 0
    training = [*steps[2].split()[2:], "--run", "next", "rl.episodes=1", "rl.cached_nets=2"]
    assert call(*training, "display.mode=off").status == 0
    assert run in steps[0]
    assert run in steps[1]


def plan_for(
    monkeypatch: pytest.MonkeyPatch, speed: float, update: float, seconds: float, *words: str
) -> tuple[Plan, float]:
    """Return the plan for a machine of known speed, and the seconds that it will take there."""
    monkeypatch.setattr(commands.demo, "measure", lambda system: (speed, update))
    monkeypatch.setattr(commands.demo, "_SPEED_UP", 1.0)
    system = make_system("mcts.simulations=500", "display.delay=0", "rl.cached_nets=5", *words)
    plan = fit(system, seconds)
    growth = system.params.mcts.simulations_growth
    searches = sum(growth**ply for ply in range(round(0.75 * system.game.max_plies)))
    return plan, plan.episodes * (plan.simulations * searches / speed + update)


@pytest.mark.parametrize(
    ("speed", "update", "seconds", "words"),
    [
        (100_000.0, 0.03, 20.0, ()),
        (100_000.0, 0.03, 3600.0, ()),
        (2_000.0, 0.2, 60.0, ("game.size=9",)),
        (10.0, 5.0, 20.0, ("game.size=13",)),
        (100_000.0, 0.03, 60.0, ("mcts.simulations_growth=1.2", "game.size=5")),
    ],
)
def test_a_plan_fits_into_its_time_or_has_as_few_episodes_as_can_be(
    monkeypatch: pytest.MonkeyPatch,
    speed: float,
    update: float,
    seconds: float,
    words: tuple[str, ...],
) -> None:
    plan, needed = plan_for(monkeypatch, speed, update, seconds, *words)
    assert plan.simulations >= 1
    assert plan.episodes >= 4
    assert plan.episodes % 4 == 0, "the cached nets lie at equal distances"
    assert needed <= seconds or plan.episodes == 4


def test_most_of_a_longer_time_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    for seconds in (120.0, 1200.0, 3600.0):
        _, needed = plan_for(monkeypatch, 100_000.0, 0.03, seconds)
        assert 0.8 * seconds < needed <= seconds


def test_a_plan_is_written_as_overrides() -> None:
    assert Plan(8, 30).overrides == ["rl.episodes=8", "mcts.simulations=30"]


@pytest.mark.parametrize(("text", "seconds"), [("20", 20.0), ("1e3", 1000.0), ("86400", 86400.0)])
def test_any_time_within_a_day_is_taken(text: str, seconds: float) -> None:
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    assert parser.parse_args(["--seconds", text]).seconds == seconds

"""Gating: the new net has to beat the old one to stay."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from agents.match import GameRecord, play_series
from anet import ANET
from base.params import Params
from base.storage import read_jsonl
from rl import RLSystem
from rl.gating import gating_record, play_gating_games
from tests.project import Patch
from tests.rl.conftest import Calls, RunMaker

WORDS = ("rl.scheme=alphazero", "rl.episodes_per_update=2", "rl.epochs=1", "rl.gating_games=4")


def test_a_draw_is_half_a_win_and_the_threshold_has_to_be_exceeded() -> None:
    for won, draws, fraction, accepted in (
        ((4, 10), 0, 0.7, True),
        ((1, 10), 0, 0.55, False),  # above the threshold, not at it
        ((2, 10), 0, 0.6, True),
        ((0, 0), 20, 0.5, False),
        ((0, 2), 18, 0.55, False),
    ):
        assert gating_record((10, 10), won, draws, 0.55) == {
            **{"gating_games": [10, 10], "gating_wins": [*won], "gating_draws": draws},
            **{"win_fraction": pytest.approx(fraction), "gating_threshold": 0.55},
            "accepted": accepted,
        }


@pytest.mark.parametrize("accepted", [True, False])
def test_rejected_nets_leave_cases(make_run: RunMaker, monkeypatch: Patch, accepted: bool) -> None:
    verdicts = {2: True, 4: accepted, 6: True}

    def judge(new: ANET, old: ANET, params: Params, episode: int, workers: object) -> Any:
        return gating_record((1,), (verdicts[episode],), 0, 0.55)

    monkeypatch.setattr("rl.gating.play_gating_games", judge)
    rl_system = make_run("run", *WORDS)
    seen: list[list[bytes]] = []  # the weights, and the state of the optimiser

    def on_update(record: dict[str, Any]) -> None:
        seen.append([tensor.numpy().tobytes() for tensor in rl_system.anet.state()[1].values()])

    rl_system.train(on_update=on_update)
    assert (seen[1] == seen[0]) == (not accepted)
    records = read_jsonl(rl_system.run.metrics_path)
    assert [record["episode"] for record in records] == [2, 4, 6]
    assert [record["accepted"] for record in records] == list(verdicts.values())
    cases = [record["cases"] for record in records]
    assert cases[0] < cases[1] < cases[2]
    assert ANET.load(rl_system.run.net_path(4)).episode == 4
    assert rl_system.episode == rl_system.anet.episode == 6


Gating = tuple[dict[str, Any], list[GameRecord]]


@pytest.fixture
def play(monkeypatch: Patch) -> Callable[..., Gating]:
    """Return what plays gating games of the net of a system against an old one."""
    found: dict[int, GameRecord] = {}

    def noted(game: Any, plan: Any, records: dict[int, GameRecord], workers: Any) -> None:
        play_series(game, plan, records, workers)
        found.update(records)

    def play(rl_system: RLSystem, old: ANET, **params: object) -> Gating:
        found.clear()
        rl = rl_system.params.rl.model_copy(update=params)
        changed = rl_system.params.model_copy(update={"rl": rl})
        result = play_gating_games(rl_system.anet, old, changed, 1)
        return result, [found[number] for number in sorted(found)]

    monkeypatch.setattr("rl.gating.play_series", noted)
    return play


@pytest.mark.parametrize(("simulations", "searched"), [(None, {15}), (0, set()), (5, {5})])
def test_the_sides_change_and_games_differ_with_their_own_number_of_simulations(
    make_run: RunMaker,
    play: Callable[..., Gating],
    calls: Calls,
    simulations: int | None,
    searched: set[int],
) -> None:
    rl_system = make_run("run", *WORDS)
    old = ANET(rl_system.game, rl_system.params.anet, seed=7)
    gating, records = play(rl_system, old, gating_games=10, gating_simulations=simulations)
    assert {result.simulations for _, _, result in calls.searches} == searched
    assert gating["gating_games"] == [5, 5]
    assert [record.starting_player for record in records] == [1, 1, 2, 2, 1, 1, 2, 2, 1, 1]
    assert len({record.actions for record in records}) >= 5
    won = [sum(each.winner == side + 1 for each in records[side::2]) for side in (0, 1)]
    assert gating["gating_wins"] == won
    assert gating["gating_draws"] == 0


def test_a_better_net_is_accepted(make_run: RunMaker, play: Callable[..., Gating]) -> None:
    words = ("rl.episodes=60", "rl.episodes_per_update=20", "rl.epochs=20", "mcts.simulations=100")
    rl_system = make_run("run", *WORDS, *words, "anet.hidden_layers=[32]", "rl.gating_games=0")
    untrained = ANET(rl_system.game, rl_system.params.anet, seed=rl_system.params.seed)
    rl_system.train()
    gating, _ = play(rl_system, untrained, gating_games=60, gating_simulations=0)
    # Between equals, 45 of 60 happen once in 10,000 times.
    assert sum(gating["gating_wins"]) >= 45
    assert gating["accepted"]
    back, _ = play(rl_system, rl_system.anet, gating_games=60)
    assert not np.isclose(back["win_fraction"], 1.0)


def test_draws_count_and_one_player_starts(make_run: RunMaker, play: Callable[..., Gating]) -> None:
    words = ("game.name=tic_tac_toe", "game.starting_player=2", "mcts.simulations=200")
    rl_system = make_run("run", *WORDS, *words)
    gating, records = play(rl_system, rl_system.anet, gating_games=6)
    assert gating["gating_draws"] == sum(record.winner == 3 for record in records) > 0
    assert sum(gating["gating_wins"]) + gating["gating_draws"] <= 6
    assert {record.starting_player for record in records} == {2}

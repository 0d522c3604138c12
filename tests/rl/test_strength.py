"""Training makes nets stronger, and in solved games ends with proven play, draws included."""

from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import binom

from agents.anet_agent import ANETAgent, ANETOptions
from anet import ANET
from hex_mcts.system import PRESETS, System, read_params
from judge import shared_judge
from proofs.enumeration import Proof, greedy
from proofs.exploiter import Exploiter
from rl import RLSystem
from state_manager.sides import alike, sides_of
from tests.project import Patch
from tests.rl.conftest import RunMaker
from tests.series import played, wins

GAMES = 200
CHANCE = 1e-6
"""The probability that an untrained net passes."""


def test_a_trained_net_beats_the_untrained_one(make_run: RunMaker) -> None:
    words = (
        "game.size=4 mcts.simulations=100 anet.hidden_layers=[64] rl.episodes=60 "
        "rl.cached_nets=2 rl.minibatches=20 rl.minibatch_size=64"
    )
    run, won = make_run.trained("run", *words.split()), 0
    nets = [ANET.load(run.run.net_path(episode)).exact for episode in (60, 0)]
    for side in (0, 1):
        seeds = np.random.SeedSequence(side).spawn(2)
        options = ANETOptions(choice="probabilistic")
        trained, other = (
            ANETAgent(run.game, net, options, seed) for net, seed in zip(nets, seeds, strict=True)
        )
        agents = (other, trained) if side else (trained, other)
        won += wins(played(run.game, agents, GAMES // 2), side + 1)
    # Between equals the wins are binomial with p = 1/2: 134 of 200 or more happen once in 10^6.
    assert won >= int(binom.isf(CHANCE, GAMES, 0.5)) + 1 >= 130


def run_of(game: str, folder: Path) -> RLSystem:
    params = read_params(PRESETS["hexapawn"], [f"game.name={game}"])
    return System(params).rl_system(folder)


def test_hexapawn_is_learned_until_every_side_is_proven(tmp_path: Path) -> None:
    with closing(run_of("hexapawn", tmp_path)) as run:
        run.train()
        assert run.is_proven
        assert run.episode < run.params.rl.episodes
        sides = sides_of(run.game, shared_judge(run.game).winner)
        for group in alike(sides):
            assert Proof(run.game, greedy(run.anet.exact), group).is_held.all()


@pytest.mark.parametrize(("value", "sides"), [(0.4, 20), (-0.4, 20), (0.6, 10)])
def test_where_a_draw_is_expected_both_players_must_hold_it(
    value: float, sides: int, tmp_path: Path, monkeypatch: Patch
) -> None:
    monkeypatch.setattr(ANET, "value", lambda net, states: np.full(len(states), value))
    monkeypatch.setattr(Proof, "refuted", lambda proof: [])
    with closing(run_of("tic_tac_toe", tmp_path)) as run:
        record = Exploiter(run.parts[None]).hold_round(1).record
    assert record["exploiter_sides"] == sides

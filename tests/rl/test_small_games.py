"""Solved games: training ends with proven play, draws included."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from anet import ANET
from hex_mcts.system import PRESETS, System, read_params
from judge import shared_judge
from proofs.enumeration import Proof, greedy
from proofs.exploiter import Exploiter
from rl import RLSystem
from state_manager.sides import alike, sides_of


def run_of(game: str, folder: Path) -> RLSystem:
    """Return a run with the preset of the solved games."""
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
    value: float, sides: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ANET, "value", lambda net, states: np.full(len(states), value))
    monkeypatch.setattr(Proof, "refuted", lambda proof: [])
    with closing(run_of("tic_tac_toe", tmp_path)) as run:
        record = Exploiter(run.parts[None]).hold_round(1).record
    assert record["exploiter_sides"] == sides

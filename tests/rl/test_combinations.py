"""Any mix of the pivotal parameters trains, and plays its tournament."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from base.params import ParamsError
from base.storage import read_jsonl
from rl import cached_nets
from tests.rl.conftest import SIZED, make_system
from tests.rl.covering import Row, all_pairs, pairs_of, pairwise_rows

VALUES = {
    "rl.scheme=": ["on_policy", "expert_iteration", "alphazero rl.gating_games=2"],
    "": [
        "game.size=3",
        "game.size=4",
        "game.name=nim game.stones=7 game.max_take=2",
        "game.name=ledge game.board=[0,1,0,2,1]",
    ],
    "anet.activation=": ["linear", "sigmoid", "tanh", "relu"],
    "anet.optimizer=": ["adagrad", "sgd", "rmsprop", "adam"],
    "anet.hidden_layers=": ["[]", "[7]", "[8,4]", "[4,4,4]"],
    "anet.view=": ["absolute", "mover"],
    "anet.critic=": ["false", "true", "true rl.sigma=0.5 rl.sigma_decay=0.9", "true rl.sigma=0"],
    "rl.action_choice=": ["greedy", "epsilon_greedy", "probabilistic"],
    "topp.action_choice=": ["greedy", "epsilon_greedy", "probabilistic"],
    "rl.symmetry=": ["true", "false"],
    "game.starting_player=": ["alternate", "1", "2"],
    "mcts.simulations_growth=": ["1.0", "0.8", "1.3"],
    "rl.episodes_per_update=": ["1", "2 rl.workers=2"],
    "rl.discount=": ["1", "0.9"],
    "rl.epochs=": ["null", "2"],
    "rl.temperature=": ["1", "0.5 rl.temperature_moves=3"],
    "rl.replay_buffer_size=": ["1500", "5 rl.minibatch_size=4"],
}
"""The beginnings of words, and their ends."""
ROWS = pairwise_rows(VALUES)


def test_the_combinations_hold_every_pair_of_settings() -> None:
    covered = set().union(*map(pairs_of, ROWS))
    assert covered == all_pairs(VALUES)
    assert len(ROWS) < 35


@pytest.mark.parametrize("row", ROWS, ids=[f"row {number}" for number in range(len(ROWS))])
def test_a_mix_of_parameters_trains_and_plays_its_tournament(tmp_path: Path, row: Row) -> None:
    words = [word for key, value in row.items() for word in f"{key}{value}".split()]
    system = make_system("rl.episodes=4", "mcts.simulations=8", "topp.games=4", *words)
    rl_system = system.rl_system(tmp_path)
    rl_system.train()
    rl_system.close()
    nets = cached_nets(tmp_path)
    assert [path.name for path in nets] == ["anet_00000.pt", "anet_00002.pt", "anet_00004.pt"]
    assert read_jsonl(tmp_path / "metrics.jsonl")[-1]["episode"] == 4
    topp = system.topp(nets)
    topp.play()
    standings = topp.results()
    assert standings.total == standings.planned == 12
    assert sum(entrant.wins + entrant.draws / 2 for entrant in standings.rows) == 12
    assert standings.setup.game == system.game.name


MUON = ("rl.scheme=alphazero", "anet.network=pooled", "anet.optimizer=muon")
RANGE = "expected a mapping of integers from 3 to 19, each to a number"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("anet.optimizer=muon",), "pooled with anet.optimizer=muon, got mlp"),
        (
            (*MUON, "anet.channels=12"),
            "anet.channels: expected at least 16 with anet.optimizer=muon, got 12",
        ),
        (("game.name=nim", SIZED[-1]), "expected {}, as nim has no size, got 3 and 4"),
        ((*SIZED, "anet.network=residual"), "expected {} with anet.network=residual"),
        ((*SIZED, "game.size=5"), "expected a weight for game.size (5), got those of 3 and 4"),
        ((*SIZED, "rl.sizes={4: [1, 0], 3: 0}"), "expected a weight above 0 at any time"),
        (
            (*SIZED, "rl.sizes={4: [1, 0, 1], 3: [1, 1, 0, 1, 1]}"),
            "expected a weight above 0 at any time",
        ),
        ((*SIZED, "rl.epochs=2"), "expected {} with rl.epochs=2, got 3 and 4"),
        ((*SIZED, "rl.gating_games=2"), "expected {} with rl.gating_games=2, got 3 and 4"),
        ((*SIZED, "rl.sizes={2: 1}"), RANGE),
        ((*SIZED, "rl.sizes={20: 1}"), RANGE),
        ((*SIZED, "rl.sizes={4: -1}"), RANGE),
        ((*SIZED, "rl.sizes={4: [1]}"), RANGE),
        ((*SIZED, "rl.sizes=[4, 5]"), RANGE),
    ],
)
def test_what_does_not_fit_is_refused_in_a_line(words: tuple[str, ...], message: str) -> None:
    with pytest.raises(ParamsError, match=re.escape(message)):
        make_system(*words)

"""Any mix of the pivotal parameters trains, and plays its tournament."""

import random
from itertools import combinations, product
from pathlib import Path

import pytest

from base.storage import read_jsonl
from rl import cached_nets
from tests.rl.conftest import make_system

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


def pairwise_rows() -> list[dict[str, str]]:
    """Return combinations that hold every two values: each the best of some random ones."""
    rng, rows = random.Random(0), []
    keys = combinations(VALUES, 2)
    missing = {((a, x), (b, y)) for a, b in keys for x, y in product(VALUES[a], VALUES[b])}
    while missing:
        wanted = dict(min(missing))
        offered = [
            {key: rng.choice(each) for key, each in VALUES.items()} | wanted for _ in range(200)
        ]
        best = max(offered, key=lambda row: len(missing.intersection(combinations(row.items(), 2))))
        missing.difference_update(combinations(best.items(), 2))
        rows.append(best)
    return rows


ROWS = pairwise_rows()


@pytest.mark.parametrize("row", ROWS, ids=[f"row {number}" for number in range(len(ROWS))])
def test_a_mix_of_parameters_trains_and_plays_its_topp(tmp_path: Path, row: dict[str, str]) -> None:
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

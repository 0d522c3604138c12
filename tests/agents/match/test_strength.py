"""The arena compares search methods: on Hex 5x5 some are far better than others."""

from functools import partial

import numpy as np

from agents import Agent, make_agent
from agents.match import Arena, Contestant
from state_manager import StateManager, make_game
from tests.project import ROOT

NET = ROOT / "nets" / "hex-5" / "anet_00200.pt"
WORDS = {
    "UCT": "mcts:simulations=500,exploration=1.4",
    "RAVE": "mcts:simulations=500,tree_policy=uct_rave",
    "N-MCTS": f"mcts:{NET},simulations=500,tree_policy=n_mcts_paper,rollout_epsilon=1",
}


def play_by_word(game: StateManager, word: str, seed: np.random.SeedSequence) -> Agent:
    return make_agent(word, game, seed=seed)


def test_rave_beats_uct_and_n_mcts_with_a_trained_apprentice_beats_both() -> None:
    """A lower end above one half, of 80 games a pair; the README's command plays 400."""
    game = make_game("hex", size=5)
    contestants = [
        Contestant(name, partial(play_by_word, game, word), word) for name, word in WORDS.items()
    ]
    arena = Arena(game, contestants, games=80, seed=1)
    arena.play()
    for pair in arena.results().pairs:
        # The later one is the better one.
        assert pair.high < 0.5, f"{pair.first} against {pair.second}"

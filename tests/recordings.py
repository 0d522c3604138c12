"""Searches that were recorded, for tests that look at them."""

import os
import pickle
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

from agents import AgentSpec, parse_agent
from analysis.search_recording import Recording
from anet import ANET
from base.params import ANETParams
from state_manager import StateManager, make_game
from tests.project import ROOT

RECORD = (
    "import pickle, sys; from analysis.step_recorder import recorded; "
    "requests = pickle.load(sys.stdin.buffer); "
    "sys.stdout.buffer.write(pickle.dumps([recorded(*each) for each in requests]))"
)
WORDS = {
    "rollouts": "mcts:simulations=40",
    "solver": "mcts:simulations=40,tree_policy=uct_rave,solver=true",
    "net": "mcts:NET,simulations=12,sigma=0.5",
    "critic": "mcts:NET,simulations=25",
    "batches": "mcts:BATCHED,simulations=25,tree_policy=gumbel",
    "tuned": "mcts:simulations=20,tree_policy=ucb1_tuned,rollout=several,rollouts=2",
}
OPENING = (1,)


@cache
def game() -> StateManager:
    """Return Hex on 3x3, which all but one of the searches are of."""
    return make_game("hex", size=3)


@cache
def specs() -> dict[str, AgentSpec]:
    """Return the agents; their nets are untrained ones, in a folder that goes with the tests."""
    folder = Path(tempfile.mkdtemp(prefix="recordings-"))
    inside = ANETParams(hidden_layers=(8,), critic=True)
    outside = ANETParams(network="convolutional", hidden_layers=(8,), critic=True)
    for name, params in (("NET", inside), ("BATCHED", outside)):
        ANET(game(), params, seed=3).save(folder / f"{name}.pt")
    words = {
        name: word.replace("NET", f"{folder}/NET.pt").replace("BATCHED", f"{folder}/BATCHED.pt")
        for name, word in WORDS.items()
    }
    return {name: parse_agent(word) for name, word in words.items()}


@cache
def recordings() -> dict[str, Recording]:
    """Return the recording of each of them, after the opening."""
    requests = [(spec, game(), OPENING, game().initial_state(), None) for spec in specs().values()]
    done = subprocess.run(
        [sys.executable, "-c", RECORD],
        input=pickle.dumps(requests),
        stdout=subprocess.PIPE,
        cwd=ROOT,
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        check=True,
    )
    return dict(zip(specs(), pickle.loads(done.stdout), strict=True))

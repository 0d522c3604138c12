"""Complete proofs that other tests hold in part: every side of 4x4, and the default net on 19x19.

python -m pytest tests/long/proofs.py
"""

from pathlib import Path

import main
from agents.make import make_agent
from judge import shared_judge
from proofs.certificate import examine
from proofs.enumeration import agent_player
from state_manager import make_game
from state_manager.sides import sides_of
from tests.rl.conftest import TINY


def test_the_judged_agent_holds_every_side_of_4x4() -> None:
    game = make_game("hex", size=4)
    player = agent_player(make_agent("mcts:simulations=1,judge=true", game), game)
    findings = examine(game, player, sides_of(game, shared_judge(game).winner), most=10**6)
    assert (len(findings.sides), findings.refuted) == (17, [])


def test_the_default_net_trains_on_the_largest_board(tmp_path: Path) -> None:
    words = [word for word in TINY if not word.startswith("anet.")]
    words += ["game.size=19", "rl.episodes=2", "rl.cached_nets=2", "mcts.simulations=2"]
    assert main.main(["train", "--run", str(tmp_path / "run"), *words]) == 0

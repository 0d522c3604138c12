"""Which search methods fit which nets, as a table.

Usage: python -m tests.golden.combinations

writes ``combinations.txt`` again. Each line is a tree policy, a rollout and a net, followed by six
signs, + for accepted and - for refused: sigma is 0, 0.5 and 1, without noise at the root and then
with it. Parameters (which have a net), agents' words and ``MCTS`` agree, else a line has more.
"""

from collections.abc import Callable, Iterator
from functools import cache
from itertools import product
from pathlib import Path

from agents.nets import search_of
from agents.search_options import MCTSOptions
from anet import ANET
from anet.evaluator import NetEvaluator
from base.methods import ROLLOUTS, TREE_POLICIES
from base.params import ANETParams, MCTSParams
from hex_mcts.system import DEFAULT_PARAMS, read_params
from state_manager import make_game

FILE = Path(__file__).parent / "combinations.txt"
GAME = make_game("hex", size=3)
NETWORKS = ("mlp", "residual_mlp", "convolutional", "pooled")
SETTINGS = tuple((sigma, noise) for noise in (0.0, 0.25) for sigma in (0.0, 0.5, 1.0))


@cache
def net_of(network: str | None, critic: bool) -> NetEvaluator | None:
    """Return an untrained net."""
    if network is None:
        return None
    params = ANETParams(network=network, hidden_layers=(4,), channels=4, critic=critic)
    return ANET(GAME, params).exact


def _signs(make: Callable[[float, float], object]) -> str:
    """Return a sign for each sigma and noise; any other error than a ``ValueError`` is a fault."""
    signs = ""
    for sigma, noise in SETTINGS:
        try:
            make(sigma, noise)
            signs += "+"
        except ValueError:
            signs += "-"
    return signs


def of_params(policy: str, rollout: str, network: str | None, critic: bool) -> str:
    """Return the six signs of a run's parameters."""
    words = [f"mcts.tree_policy={policy}", f"mcts.rollout={rollout}", f"anet.network={network}"]
    words += [f"anet.critic={str(critic).lower()}", "rl.scheme=expert_iteration", "game.size=3"]

    def make(sigma: float, noise: float) -> object:
        return read_params(
            DEFAULT_PARAMS, [*words, f"rl.sigma={sigma}", f"mcts.root_noise={noise}"]
        )

    return _signs(make)


def of_word(policy: str, rollout: str, network: str | None, critic: bool) -> str:
    """Return the six signs of the options in an agent's word."""

    def make(sigma: float, noise: float) -> object:
        options = MCTSOptions(tree_policy=policy, rollout=rollout, sigma=sigma, root_noise=noise)
        return options.resolve(net_of(network, critic))

    return _signs(make)


def of_search(policy: str, rollout: str, network: str | None, critic: bool) -> str:
    """Return the six signs of ``MCTS``."""

    def make(sigma: float, noise: float) -> object:
        params = MCTSParams(tree_policy=policy, rollout=rollout, root_noise=noise, simulations=4)
        return search_of(GAME, params, net_of(network, critic), sigma=sigma)

    return _signs(make)


def table(searches: int = 1) -> Iterator[str]:
    """Return the lines of the table; ``MCTS``, which takes longest, is asked in every n-th line."""
    nets = [(None, False), *product(NETWORKS, (False, True))]
    for number, (policy, rollout, net) in enumerate(product(TREE_POLICIES, ROLLOUTS, nets)):
        names = f"{policy:20}{rollout:17}{net[0] or 'no net':15}{'critic' if net[1] else '':8}"
        asked = (
            of_word,
            *[of_params] * (net[0] is not None),
            *[of_search] * (number % searches == 0),
        )
        yield names + "  ".join(dict.fromkeys(of(policy, rollout, *net) for of in asked))


if __name__ == "__main__":
    FILE.write_text("".join(f"{line}\n" for line in table()), encoding="utf-8")

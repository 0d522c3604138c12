"""Agents with nets that are evaluated in batches and play no rollouts."""

import gc
import weakref
from pathlib import Path
from typing import Any

import pytest

from agents import load_net, make_agent
from agents.search_options import MCTSOptions
from anet import ANET
from base.params import ANETParams, GameParams, Params, Section
from judge import ExactPlay
from state_manager import StateManager, make_game
from state_manager.sides import after


@pytest.fixture(scope="module")
def game() -> StateManager:
    return make_game("hex", size=3)


def saved(game: StateManager, folder: Path, network: str, critic: bool) -> Path:
    params = ANETParams.model_validate(
        {"network": network, "channels": 4, "blocks": 1, "hidden_layers": (8,), "critic": critic}
    )
    path = folder / f"{network}_{critic}.pt"
    ANET(game, params, seed=1).save(path)
    return path


@pytest.mark.parametrize(
    ("network", "policy", "critic"),
    [
        ("convolutional", "puct", True),
        ("residual", "gumbel", True),
        ("mlp", "gumbel", True),
        ("residual", "n_mcts_paper", True),
        ("convolutional", "uct", True),
        ("residual", "puct", False),
    ],
)
def test_a_search_with_a_batched_net_finds_the_winning_move(
    game: StateManager, tmp_path: Path, network: str, policy: str, critic: bool
) -> None:
    """Leaves are evaluated by the critic, or by random rollouts where there is none."""
    net = saved(game, tmp_path, network, critic)
    words = f"simulations=3000,solver=true,exploration=1,tree_policy={policy}"
    agent, exact = make_agent(f"mcts:{net},{words}", game), ExactPlay(game)
    for actions in ((), (0, 1), (4,), (0, 1, 3, 2)):
        state = after(game, actions)
        assert agent.choose_action(state) in exact.best_actions(state)


@pytest.mark.parametrize(
    ("words", "leaves", "runtime"),
    [
        ("time_limit=0.05", 16, "auto"),
        ("time_limit=0.2", 16, "openvino"),
        ("time_limit=0.2,runtime=torch,leaves=4", 4, "torch"),
        ("simulations=10", 1, "auto"),
        ("simulations=10,leaves=8,runtime=openvino", 8, "openvino"),
        ("time_limit=0.05,tree_policy=gumbel", 8, "auto"),
    ],
)
def test_a_clock_selects_leaves_in_batches_and_a_faster_runtime(
    game: StateManager, tmp_path: Path, words: str, leaves: int, runtime: str
) -> None:
    agent: Any = make_agent(f"mcts:{saved(game, tmp_path, 'residual', True)},{words}", game)
    assert agent.search.slots.waits.shape == (1, leaves)
    assert (agent._evaluator.runtime, agent.net.runtime) == (runtime, "auto")
    assert agent.search.variant.solver
    assert agent.choose_action(game.initial_state()) in range(9)


def test_games_at_a_time_share_the_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    params = Params(game=GameParams(name="nim", options=Section()))
    monkeypatch.setattr("agents.search_options.available_cores", lambda: 6)
    shares = [MCTSOptions().defaults(None, params.for_games(n))["threads"] for n in (1, 2, 4, 9)]
    assert shares == [4, 3, 1, 1]


def test_a_random_tree_policy_draws_from_the_seed(game: StateManager, tmp_path: Path) -> None:
    net = saved(game, tmp_path, "residual", critic=True)
    word = f"mcts:{net},tree_policy=n_mcts_proportional,simulations=5"
    agents = [make_agent(word, game, seed=seed) for seed in (1, 1, 2)]
    first, same, other = (
        [agent.choose_action(game.initial_state()) for _ in range(8)] for agent in agents
    )
    assert first == same != other


@pytest.mark.parametrize(
    ("short", "long"),
    [
        ("", "tree_policy=puct_fpu,sigma=0"),
        ("tree_policy=n_mcts", "tree_policy=n_mcts,sigma=0"),
        ("sigma=1", "sigma=1,tree_policy=uct"),
        ("rollout_epsilon=0.3", "rollout_epsilon=0.3,tree_policy=uct,sigma=1"),
        ("rollout=several", "rollout=several,tree_policy=uct,sigma=1"),
    ],
)
def test_the_critic_of_a_perceptron_evaluates_leaves_unless_a_word_is_about_rollouts(
    game: StateManager, tmp_path: Path, short: str, long: str
) -> None:
    net, thoughts = saved(game, tmp_path, "mlp", critic=True), []
    for words in (short, long):
        word = f"mcts:{net},simulations=300" + (f",{words}" if words else "")
        agent: Any = make_agent(word, game)
        agent.choose_action(game.initial_state(1))
        thoughts.append(agent.thought.distribution.tolist())
    assert thoughts[0] == thoughts[1]


def test_agents_share_a_net_until_its_file_changes(game: StateManager, tmp_path: Path) -> None:
    file = saved(game, tmp_path, "residual", critic=True)
    net, word = load_net(file), f"mcts:{file},simulations=2,runtime=openvino"
    agents: list[Any] = [make_agent(word, game) for _ in range(2)]
    agents[0].choose_action(game.initial_state())
    prepared = {weakref.ref(each._evaluator) for each in agents}
    agents.clear()
    gc.collect()
    assert [each() for each in prepared] == [None], "a search's net and its models are dropped"
    assert load_net(file) is net
    ANET(game, ANETParams(), seed=2).save(file)
    assert load_net(file).params.network == "mlp"

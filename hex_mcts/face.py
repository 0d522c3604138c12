"""The functions of ``import hex_mcts``."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from agents.agent import AGENTS
from agents.make import make_agent
from agents.nets import load_net as cached_net
from agents.spec import BEST, AgentSpec, with_best_net
from base.methods import TREE_POLICIES
from base.registry import NETWORKS, OF_PLANES
from base.words import one_of
from hex_mcts.system import DEFAULT_PARAMS, PRESETS, System, read_params
from mcts import SearchResult, principal_variation
from rl import RunError, holds_run
from state_manager.games import GAMES

if TYPE_CHECKING:
    from agents.agent import Agent
    from anet import ANET
    from anet.evaluator import Evaluator
    from anet.networks import BuildNetwork
    from mcts import Variant
    from state_manager import State, StateManager


@dataclass(frozen=True)
class Analysis(SearchResult):
    """The result of a search, see ``mcts.SearchResult``; ``pv`` is the principal variation."""

    pv: tuple[int, ...]  # the expected moves, ``best_action`` first
    moves: tuple[str, ...]  # their names, such as ``c2``

    @property
    def values(self) -> NDArray[np.float64]:
        """`[A]`, the value of each action in [-1, 1], seen from player 1; 0 where unvisited."""
        return self.q_values


def load_net(path: str | PathLike[str], game: StateManager | None = None) -> Evaluator:
    """Load a net, once, for ``game`` or the one that it was trained for.

    ``"best"`` is the best bundled net for ``game``. Raises a ``ValueError`` if there is none, or
    the file holds no net that plays ``game``.
    """
    if str(path) == BEST:
        if game is None:
            raise ValueError(f"expected load_net({BEST!r}, game), got no game")
        path = with_best_net(AgentSpec("anet", Path(BEST)), game).net or path
    return cached_net(Path(path), game)


def search(
    game: StateManager,
    state: State | None = None,
    *,
    net: ANET | Evaluator | None = None,
    seconds: float | None = None,
    simulations: int | None = None,
    seed: int = 0,
    **options: object,
) -> Analysis:
    """Search a state as the agent ``mcts`` does, with a net or with uniform rollouts.

    Args:
        game: The rules.
        state: `[S]` int8, not final; ``None`` for the initial state.
        net: Guides the search; ``None`` plays uniform rollouts.
        seconds: Time limit of the search.
        simulations: New simulations; ``None`` for 1,000, or unlimited within ``seconds``.
        seed: Seed of all random numbers.
        options: Further options of the agent ``mcts``, such as ``tree_policy="gumbel"``.

    Raises:
        ValueError: The state is final or not of this game, or an option is wrong.
    """
    most = 10_000_000 if seconds is not None else 1_000
    options |= {"simulations": simulations or most, "time_limit": seconds}
    if net is not None:
        from anet import ANET  # whose module imports torch

        net = net.evaluator() if isinstance(net, ANET) else net
    agent = make_agent(AgentSpec("mcts").with_options(**options), game, seed=seed, net=net)
    search = agent.search
    assert search is not None
    result = search.search(game.initial_state() if state is None else state)
    line = principal_variation(search.tree, result.best_action)
    return Analysis(**vars(result), pv=tuple(line), moves=tuple(map(game.move_name, line)))


def train(
    params: Mapping[str, object],
    run: str | PathLike[str],
    on_update: Callable[[dict[str, Any]], None] = lambda record: None,
    resume: bool = False,
    preset: str | None = None,
) -> ANET:
    """Train a net by self-play.

    Args:
        params: Parameters by their keys, such as ``{"game.size": 4}``; the others are those of the
            preset, or of ``params.yaml``.
        run: The run directory: a new folder, or a run to resume.
        on_update: Called with the metrics of each update, as in ``metrics.jsonl``.
        resume: Whether to continue the run; ``params`` may only change its length.
        preset: The name of a file in ``presets/``, such as ``"hex-7"``, for a new run.

    Returns:
        The trained net.

    Raises:
        ValueError: A parameter is wrong, or the run cannot be started or resumed.
    """
    folder, words = Path(run), [f"{key}={json.dumps(value)}" for key, value in params.items()]
    if holds_run(folder) != resume:
        expected = "a run to resume" if resume else "no run yet (resume=True goes on with one)"
        raise RunError(f"{folder}: expected {expected}")
    if preset is not None and (resume or preset not in PRESETS):
        expected = "none with resume=True" if resume else one_of(PRESETS)
        raise RunError(f"preset: expected {expected}, got {preset!r}")
    file = DEFAULT_PARAMS if preset is None else PRESETS[preset]
    system = System(read_params(folder / "params.yaml" if resume else file, words))
    with closing(system.rl_system(folder, resume)) as rl_system:
        if resume:
            rl_system.resume()
        rl_system.train(on_update=on_update)
        return rl_system.anet


def register_game(name: str, game: type[StateManager]) -> None:
    """Register a game for ``game.name``; raise a ``ValueError``, as below, if the name is taken."""
    GAMES.register(name, game)


def register_agent(kind: str, agent: type[Agent]) -> None:
    """Register a kind of agent, the first part of an agent's word."""
    AGENTS.register(kind, agent)


def register_tree_policy(name: str, variant: Variant) -> None:
    """Register a search variant for ``mcts.tree_policy`` and agents."""
    TREE_POLICIES.register(name, replace(variant.method, name=name, entry=variant))


def register_network(name: str, build: BuildNetwork, planes: bool = False) -> None:
    """Register a network for ``anet.network``.

    It learns in all schemes that evaluate positions in batches, and plays no rollouts.

    Args:
        name: Its name; files of its nets can be loaded where it is registered.
        build: Builds it, with random weights.
        planes: Whether its inputs are the board in planes instead of the game's features.
    """
    NETWORKS.register(name, build)
    if planes:
        OF_PLANES.append(name)

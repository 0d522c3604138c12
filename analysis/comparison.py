"""Comparison of a net's policy with a search, in positions of its self-play."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from threading import Event
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from agents import choose
from agents.match import play_side_by_side
from agents.nets import search_of
from analysis.distributions import (
    DistributionStatistics,
    analyze_distribution,
    apply_temperature,
    kl_divergence,
    total_variation,
)
from base.params import MCTSParams
from judge import ExactPlay
from mcts import MCTS, SearchResult
from state_manager import NodeLimitError, State, StateManager

if TYPE_CHECKING:
    from anet.evaluator import Evaluator

_SMALL_GAME = 50_000  # a game with up to this many positions is solved in a fraction of a second
_POSITIONS_IN_A_BATCH = 32
ROLLOUT_EPSILON = 0.1
"""The share of uniform moves in the search's rollouts."""


@dataclass(frozen=True)
class ComparedPosition:
    """A position with a choice: at least two legal actions."""

    game_number: int  # from 0
    ply: int  # the number of moves made, of ``plies`` in the whole game
    plies: int
    state: State  # `[S]` int8
    last_action: int | None
    legal_actions: NDArray[np.int64]
    policy: NDArray[np.float64]  # `[A]`, the net's policy
    outcome: int  # of the game: the winner, 1 or 2, or 3, a draw

    @property
    def points(self) -> float:
        """The points of player 1: 1 for a win, 0.5 for a draw, 0 for a loss."""
        return {1: 1.0, 2: 0.0}.get(self.outcome, 0.5)


def self_play(
    net: Evaluator, game_number: int, starting_player: int, seed: np.random.SeedSequence
) -> list[ComparedPosition]:
    """Play one game, each move drawn from the net's policy; return its positions with a choice."""
    game, rng = net.game, np.random.default_rng(seed)
    state, last_action, ply = game.initial_state(starting_player), None, 0
    seen: list[ComparedPosition] = []
    while not game.is_final(state):
        legal_actions, policy = game.legal_actions(state), net.policy(state)
        if len(legal_actions) > 1:  # plies and outcome are filled in below
            about = state, last_action, legal_actions, policy
            seen.append(ComparedPosition(game_number, ply, 0, *about, outcome=0))
        last_action = choose(policy, legal_actions, "probabilistic", 0.0, rng)
        state, ply = game.child_state(state, last_action), ply + 1
    return [replace(each, plies=ply, outcome=game.winner(state)) for each in seen]


@dataclass(frozen=True)
class Comparison:
    """The results of the net and the search in one position; the search's distribution is D."""

    position: ComparedPosition
    search: SearchResult
    net_value: float | None = None  # the critic's in [-1, 1], seen from player 1; if there is one
    best_actions: frozenset[int] | None = None  # with perfect play; ``None``: too large a game

    @cached_property
    def of_net(self) -> DistributionStatistics:
        """The statistics of the net's policy."""
        return analyze_distribution(self.position.policy, len(self.position.legal_actions))

    @cached_property
    def of_search(self) -> DistributionStatistics:
        """The statistics of the search's D."""
        return analyze_distribution(self.search.distribution, len(self.position.legal_actions))

    @property
    def agree(self) -> bool:
        """Whether both have the same first choice."""
        return self.of_net.top_action == self.of_search.top_action

    @cached_property
    def total_variation(self) -> float:
        """The total variation distance of the two distributions, from 0 to 1."""
        return total_variation(self.position.policy, self.search.distribution)

    @cached_property
    def divergence(self) -> float:
        """KL(D || policy) in nats."""
        return kl_divergence(self.search.distribution, self.position.policy)

    @cached_property
    def search_value(self) -> float:
        """The mean value of all simulations, in [-1, 1], seen from player 1."""
        return float(self.search.distribution @ self.search.q_values)

    def to_json(self, game: StateManager) -> dict[str, Any]:
        """Return everything as JSON data, actions with their names."""
        position, search = self.position, self.search
        return {
            "game_number": position.game_number + 1,
            "ply": position.ply,
            "plies": position.plies,
            "to_play": game.to_play(position.state),
            "state": game.to_flat(position.state),
            "board": game.text(position.state).splitlines(),
            "last_action": position.last_action,
            "outcome": position.outcome,
            "same_first_choice": self.agree,
            "total_variation": self.total_variation,
            "kl_divergence": self.divergence,
            "net_value": self.net_value,
            "search_value": self.search_value,
            "net": asdict(self.of_net),
            "search": asdict(self.of_search),
            "best_actions": None if self.best_actions is None else sorted(self.best_actions),
            "actions": [
                {
                    "action": action,
                    "name": game.action_name(action),
                    "policy": float(position.policy[action]),
                    "distribution": float(search.distribution[action]),
                    "visit_count": int(search.visit_counts[action]),
                    "q_value": float(search.q_values[action]),
                }
                for action in position.legal_actions.tolist()
            ],
        }


def compare_with_search(
    net: Evaluator,
    positions: Sequence[ComparedPosition],
    simulations: int,
    exploration: float,
    seed: int,
    workers: int = 1,
    on_result: Callable[[int], object] = lambda number: None,
) -> list[Comparison]:
    """Search from each position, with an empty tree; see ``kind_of_search`` for the net's role.

    PUCT, for nets that play no rollouts, has its own ``exploration``.

    Results do not depend on ``workers``, the number of threads. ``on_result`` is called with each
    position's index, in order, after its search.
    """
    game, exact = net.game, ExactPlay(net.game, _SMALL_GAME)
    try:
        solvable = bool(exact.best_actions(game.initial_state()))
    except NodeLimitError:
        solvable = False
    states = [position.state for position in positions]
    values: list[float | None] = [None] * len(positions)
    if net.facts.critic and positions:  # in this thread: a net is not thread-safe
        values = net.value(np.stack(states)).tolist()
    results: dict[int, Comparison] = {}

    def keep(number: int, result: SearchResult) -> None:
        best = frozenset(exact.best_actions(states[number])) if solvable else None
        results[number] = Comparison(positions[number], result, values[number], best)

    kind = kind_of_search(net)
    by_critic = kind == "critic"
    params = MCTSParams(
        simulations=simulations,
        exploration=None if by_critic else exploration,
        rollout_epsilon=ROLLOUT_EPSILON,
        tree_policy="puct" if by_critic else "uct",
    )

    def new_search(number: int) -> MCTS:
        evaluator = None if kind == "uniform_rollouts" else net
        games = _POSITIONS_IN_A_BATCH if by_critic else 1
        own_seed = np.random.SeedSequence(seed, spawn_key=(1, number))
        return search_of(game, params, evaluator, games=games, seed=own_seed)

    def compare(number: int, worker: int, stop: Event) -> None:
        keep(number, new_search(number).search(states[number], stopped=stop.is_set))

    search = new_search(0)  # loads the kernels in the main thread, where Ctrl-C works at once
    if by_critic:  # no random numbers
        for first in range(0, len(states), search.games):
            search.reset()  # else a position one move below its predecessor would reuse its tree
            some = search.search_all(states[first : first + search.games])
            for number, result in enumerate(some, start=first):
                keep(number, result)
                on_result(number)
        return list(results.values())
    play_side_by_side(compare, range(len(positions)), workers, on_result)
    return [results[number] for number in range(len(positions))]


def kind_of_search(net: Evaluator) -> Literal["net_rollouts", "critic", "uniform_rollouts"]:
    """Return the leaf evaluation of the search that a net is compared with.

    The net plays rollouts if it can. If it cannot, its critic evaluates the leaves, in a search by
    PUCT; without a critic, the search uses uniformly random rollouts and no net.
    """
    if net.facts.plays_rollouts:
        return "net_rollouts"
    return "critic" if net.facts.critic else "uniform_rollouts"


def sample_positions(
    comparisons: Sequence[Comparison], count: int, seed: np.random.SeedSequence | int = 0
) -> list[Comparison]:
    """Draw distinct positions, spread evenly over the plies that most games reach, by ply.

    ``seed`` decides between positions of the same ply; there may be fewer than ``count``.
    """
    rng = np.random.default_rng(seed)
    shuffled = [comparisons[index] for index in rng.permutation(len(comparisons))]
    waiting = list({each.position.state.tobytes(): each for each in shuffled}.values())
    last_plies = {each.position.game_number: _ply(each) for each in sorted(comparisons, key=_ply)}
    drawn: list[Comparison] = []
    plies = np.linspace(0, np.median(list(last_plies.values()) or [0]), count)
    for wanted in plies[: len(waiting)]:
        drawn.append(min(waiting, key=lambda each: abs(_ply(each) - wanted)))
        waiting.remove(drawn[-1])
    return sorted(drawn, key=_ply)


@dataclass(frozen=True)
class TemperatureEffect:
    """Means over the same positions at one temperature, of the net's policy and the search's D."""

    temperature: float  # T; policies are in proportion to p ** (1 / T)
    net_entropy: float
    search_entropy: float
    net_perplexity: float
    search_perplexity: float
    net_top_probability: float
    search_top_probability: float
    same_choice: float  # the probability that a move from the policy is the search's first choice
    best_choice: float | None  # or a best move under perfect play; ``None``: too large a game


def temperature_effects(
    comparisons: Sequence[Comparison], temperatures: Sequence[float]
) -> list[TemperatureEffect]:
    """Return the effect of each temperature on the policies, in one position or more."""
    policies = np.stack([each.position.policy for each in comparisons])
    targets = np.stack([each.search.distribution for each in comparisons])
    choices = [each.of_search.top_action for each in comparisons]
    best_actions = [each.best_actions for each in comparisons]
    effects = []
    for temperature in temperatures:
        warmed = apply_temperature(policies, temperature)
        cooled = apply_temperature(targets, temperature)
        means = {}
        for source, shares in (("net", warmed), ("search", cooled)):
            statistics = [analyze_distribution(each) for each in shares]
            for measure in ("entropy", "perplexity", "top_probability"):
                values = [getattr(each, measure) for each in statistics]
                means[f"{source}_{measure}"] = float(np.mean(values))
        pairs = zip(warmed, best_actions, strict=True)
        best = [policy[sorted(actions)].sum() for policy, actions in pairs if actions is not None]
        means["same_choice"] = float(np.mean(warmed[np.arange(len(choices)), choices]))
        best_choice = float(np.mean(best)) if best else None
        effects.append(TemperatureEffect(float(temperature), **means, best_choice=best_choice))
    return effects


def _ply(comparison: Comparison) -> int:
    return comparison.position.ply

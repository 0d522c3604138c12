"""A net's policy in a position beside the result of a search."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from threading import Event
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from agents.match import play_side_by_side
from analysis.distributions import (
    DistributionStatistics,
    analyze_distribution,
    kl_divergence,
    total_variation,
)
from analysis.positions import Position
from mcts import MCTS, Variant, tree_policy
from state_manager import ExactPlay, NodeLimitError

if TYPE_CHECKING:
    from anet import ANET
    from mcts import SearchResult
    from state_manager import StateManager

_SMALL_GAME = 50_000
"""A game that takes no more positions than this is solved in a fraction of a second."""
_POSITIONS_IN_A_BATCH = 32


@dataclass(frozen=True)
class SearchSetup:
    """The search beside the net.

    Attributes:
        simulations: New simulations per position; each search starts from an empty tree.
        exploration: c in u(s, a); PUCT, for nets that play no rollouts, has one of its own.
        rollout_epsilon: Probability of a random move in the rollouts, which the net plays.
    """

    simulations: int
    exploration: float
    rollout_epsilon: float = 0.1


@dataclass(frozen=True)
class Comparison:
    """What the net and the search say of one position.

    Attributes:
        position: The position, with the net's policy.
        search: The statistics of the search's root; its distribution is D.
        net_value: The critic's value in [-1, 1], seen from player 1; ``None`` without a critic.
        best_actions: The best moves under perfect play; ``None`` if the game is too large.
    """

    position: Position
    search: SearchResult
    net_value: float | None = None
    best_actions: frozenset[int] | None = None

    @cached_property
    def of_net(self) -> DistributionStatistics:
        """The statistics of the net's policy."""
        return analyze_distribution(self.position.policy, self.position.legal_actions)

    @cached_property
    def of_search(self) -> DistributionStatistics:
        """The statistics of the search's D."""
        return analyze_distribution(self.search.distribution, self.position.legal_actions)

    @property
    def agree(self) -> bool:
        """Whether both have the same first choice."""
        return self.of_net.top_action == self.of_search.top_action

    @cached_property
    def total_variation(self) -> float:
        """How far the two distributions are apart, from 0 to 1."""
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
    net: ANET,
    positions: Sequence[Position],
    setup: SearchSetup,
    seed: int,
    workers: int = 1,
    on_result: Callable[[Comparison], None] = lambda comparison: None,
) -> list[Comparison]:
    """Search from each position.

    Args:
        net: The net whose policy the positions hold; see ``kind_of_search`` for its part.
        positions: Positions of the net's game.
        setup: The search.
        seed: Of all searches; each position has random numbers of its own.
        workers: How many threads search; results do not depend on their number.
        on_result: Called with each comparison, in order.
    """
    game, exact = net.game, ExactPlay(net.game, _SMALL_GAME)
    solvable = True
    try:
        exact.best_actions(game.initial_state())
    except NodeLimitError:
        solvable = False
    values: list[float | None] = [None] * len(positions)
    if net.params.critic and positions:  # here, since several threads may not ask a net at once
        values = net.value(np.stack([position.state for position in positions])).tolist()

    def compared(number: int, result: SearchResult) -> Comparison:
        state = positions[number].state
        best = frozenset(exact.best_actions(state)) if solvable else None
        return Comparison(positions[number], result, values[number], best)

    if kind_of_search(net) == "critic":
        return _search_in_batches(net, positions, setup, compared, on_result)

    def new_search(number: int) -> MCTS:
        return MCTS(
            game,
            setup.simulations,
            variant=Variant().with_settings(exploration=setup.exploration),
            rollout_policy=net.rollout_policy(setup.rollout_epsilon)
            if net.plays_rollouts
            else None,
            seed=np.random.SeedSequence(seed, spawn_key=(1, number)),
        )

    def compare(number: int, worker: int, stop: Event) -> Comparison:
        search = new_search(number)
        return compared(number, search.search(positions[number].state, stopped=stop.is_set))

    new_search(0).make_ready()  # here, where Ctrl-C is heard at once
    results: dict[int, Comparison] = {}
    numbers = range(len(positions))
    play_side_by_side(compare, numbers, workers, results, lambda number: on_result(results[number]))
    return [results[number] for number in sorted(results)]


def kind_of_search(net: ANET) -> Literal["net_rollouts", "critic", "uniform_rollouts"]:
    """Return how the leaves of a search beside a net are evaluated.

    The net plays rollouts if it can. A net that cannot is asked for its value, in a search by PUCT;
    one that has none leaves the search alone with uniformly random rollouts.
    """
    if net.plays_rollouts:
        return "net_rollouts"
    return "critic" if net.params.critic else "uniform_rollouts"


def _search_in_batches(
    net: ANET,
    positions: Sequence[Position],
    setup: SearchSetup,
    compared: Callable[[int, SearchResult], Comparison],
    on_result: Callable[[Comparison], None],
) -> list[Comparison]:
    """Search from many positions at once, by a net that is asked in batches; no random numbers."""
    search = MCTS(
        net.game,
        setup.simulations,
        variant=tree_policy("puct"),
        answer=net.evaluate_checked,
        games=_POSITIONS_IN_A_BATCH,
    )
    results: list[Comparison] = []
    for first in range(0, len(positions), _POSITIONS_IN_A_BATCH):
        states = [each.state for each in positions[first : first + _POSITIONS_IN_A_BATCH]]
        search.reset()  # a position may be a move below one that was in its place before
        for number, result in enumerate(search.search_all(states), start=first):
            results.append(compared(number, result))
            on_result(results[-1])
    return results

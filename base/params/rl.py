"""The schema of the section ``rl``: training by self-play."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from base.params.search import TreePolicyName
from base.params.section import Section

Probability = Annotated[float, Field(ge=0, le=1)]
ActionChoice = Literal["greedy", "epsilon_greedy", "probabilistic"]
SchemeName = Literal["on_policy", "expert_iteration", "alphazero"]

_TREE_POLICIES: dict[SchemeName, TreePolicyName] = {
    "on_policy": "uct",
    "expert_iteration": "n_mcts_paper",
    "alphazero": "puct",
}
_SETTLED: dict[SchemeName, dict[str, dict[str, object]]] = {
    "alphazero": {"anet": {"critic": True}, "rl": {"sigma": 0.0, "sigma_decay": 1.0}},
}


class RLParams(Section):
    """Training by self-play.

    Attributes:
        scheme: How nets learn from games; a name of ``rl.schemes``.
        episodes: Actual games of the whole run.
        cached_nets: M of the TOPP: the untrained net, then the others at a fixed interval. Where
            there are fewer updates, there are fewer nets.
        episodes_per_update: Episodes played with the same net before it is trained.
        workers: Threads that play episodes; results do not depend on their number.
        replay_buffer_size: Cases kept; the oldest go first.
        minibatch_size: Cases in one step of the optimiser.
        minibatches: Steps of the optimiser per update.
        epochs: How often an update learns from each case in the buffer; ``None`` for
            ``minibatches`` random minibatches instead.
        action_choice: How D, the distribution of visit counts, chooses the actual move.
        epsilon: The actual moves' epsilon: the probability of a random one, for
            ``epsilon_greedy``; in expert iteration, where the net alone plays, for
            ``probabilistic`` too.
        temperature: T of actual moves that are drawn in proportion to D ** (1 / T); 0 is greedy.
        temperature_moves: How many moves of a game are drawn; those after them are greedy.
            ``None`` for all.
        sigma: Probability that a leaf is evaluated by a rollout and not by the critic.
        sigma_decay: Factor on sigma after each episode.
        discount: Factor per ply between a state and the end, on the critic's targets.
        symmetry: Whether each case is also trained on in its symmetric forms.
        gating_games: Games between the new net and the old one after each update of ``alphazero``;
            0 for none, and the new net always stays.
        gating_simulations: Simulations a move in these games, 0 for the net alone; ``None`` for
            as many as in the episodes.
        gating_threshold: The new net stays if it wins more than this share of them.
    """

    scheme: SchemeName = "on_policy"
    episodes: Annotated[int, Field(ge=1, le=10_000_000)] = 200
    cached_nets: Annotated[int, Field(ge=2, le=1000)] = 5
    episodes_per_update: Annotated[int, Field(ge=1, le=10_000)] = 1
    workers: Annotated[int, Field(ge=1, le=256)] = 1
    replay_buffer_size: Annotated[int, Field(ge=1, le=10_000_000)] = 1500
    minibatch_size: Annotated[int, Field(ge=1, le=65_536)] = 64
    minibatches: Annotated[int, Field(ge=1, le=10_000)] = 30
    epochs: Annotated[int, Field(ge=1, le=10_000)] | None = None
    action_choice: ActionChoice = "probabilistic"
    epsilon: Probability = 0.1
    temperature: Annotated[float, Field(ge=0, le=100)] = 1.0
    temperature_moves: Annotated[int, Field(ge=0, le=10_000)] | None = None
    sigma: Probability = 1.0
    sigma_decay: Probability = 1.0
    discount: Probability = 1.0
    symmetry: bool = True
    gating_games: Annotated[int, Field(ge=0, le=100_000)] = 20
    gating_simulations: Annotated[int, Field(ge=0, le=10_000_000)] | None = None
    gating_threshold: Probability = 0.55

    @property
    def tree_policy(self) -> TreePolicyName:
        """The tree policy that the scheme's searches have, unless ``mcts.tree_policy`` says."""
        return _TREE_POLICIES[self.scheme]

    @property
    def settled(self) -> Mapping[str, Mapping[str, object]]:
        """What the scheme settles, whatever was given: values by section and key."""
        return _SETTLED.get(self.scheme, {})

    @property
    def save_episodes(self) -> tuple[int, ...]:
        """The episodes after which a net is saved, ascending and distinct: 0, ..., the last one.

        With M cached nets and E episodes these are round(j * E / (M - 1)) for j = 0, ..., M - 1,
        each put off to the next update: there is one after every ``episodes_per_update`` episodes,
        and after the last.
        """
        intervals, batch = self.cached_nets - 1, self.episodes_per_update
        planned = (round(net * self.episodes / intervals) for net in range(self.cached_nets))
        saved = {min(self.episodes, math.ceil(episode / batch) * batch) for episode in planned}
        return tuple(sorted(saved))

    @model_validator(mode="after")
    def _check_sizes(self) -> Self:
        if self.cached_nets > self.episodes + 1:
            raise ValueError(
                f"cached_nets: expected at most rl.episodes + 1 ({self.episodes + 1}), "
                f"got {self.cached_nets}"
            )
        if self.minibatch_size > self.replay_buffer_size:
            raise ValueError(
                f"minibatch_size: expected at most rl.replay_buffer_size "
                f"({self.replay_buffer_size}), got {self.minibatch_size}"
            )
        return self

"""The schema of the section ``rl``: training by self-play."""

import math
from collections.abc import Iterator, Mapping
from typing import Annotated, Literal

from pydantic import Field, TypeAdapter

from base.params.search_section import TreePolicyName
from base.params.section import Section

Probability = Annotated[float, Field(ge=0, le=1)]
ActionChoice = Literal["greedy", "epsilon_greedy", "probabilistic"]
SchemeName = Literal["on_policy", "expert_iteration", "alphazero"]
_Size = Annotated[int, Field(strict=False, ge=3, le=19)]  # a mapping's keys are read as texts
_Weight = Annotated[float, Field(ge=0, le=1000)]
_Weights = Annotated[tuple[_Weight, ...], Field(strict=False, min_length=2)]
_Sizes = dict[_Size, _Weight | _Weights]
_ONE_SIZE: _Sizes = {}
_KEYS = {"propertyNames": TypeAdapter(_Size).json_schema()}

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

    ``minutes`` replaces ``episodes``; for ``gating_simulations``, ``None`` is the episodes' number.
    """

    scheme: SchemeName = "on_policy"
    episodes: Annotated[int, Field(ge=1, le=10_000_000)] = 200
    start: Annotated[str, Field(min_length=1, pattern=r"^[^\x00-\x1f\x7f]*$")] | None = None
    minutes: Annotated[float, Field(gt=0, le=100_000)] | None = None
    cached_nets: Annotated[int, Field(ge=2, le=1000)] = 5
    episodes_per_update: Annotated[int, Field(ge=1, le=10_000)] = 1
    workers: Annotated[int, Field(ge=1, le=256)] = 1
    engine: Literal["threads", "processes", "ray"] = "threads"
    ray_address: Annotated[str, Field(min_length=1, pattern=r"^[^\x00-\x1f\x7f]*$")] | None = None
    lag: Annotated[int, Field(ge=0, le=100)] = 0
    sizes: Annotated[_Sizes, Field(json_schema_extra=_KEYS)] = _ONE_SIZE
    replay_buffer_size: Annotated[int, Field(ge=1, le=10_000_000)] = 1500
    minibatch_size: Annotated[int, Field(ge=1, le=65_536)] = 64
    minibatches: Annotated[int, Field(ge=1, le=10_000)] = 30
    epochs: Annotated[int, Field(ge=1, le=10_000)] | None = None
    reuse: Annotated[float, Field(gt=0, le=1000)] | None = None
    action_choice: ActionChoice = "probabilistic"
    epsilon: Probability = 0.1
    temperature: Annotated[float, Field(ge=0, le=100)] = 1.0
    temperature_moves: Annotated[int, Field(ge=0, le=10_000)] | None = None
    sigma: Probability = 1.0
    sigma_decay: Probability = 1.0
    random_plies: Annotated[int, Field(ge=0, le=100)] = 0
    mixed_play: bool | Probability = False
    discount: Probability = 1.0
    bootstrap: Probability = 0.0
    clean_values: bool = False
    symmetry: bool = True
    gating_games: Annotated[int, Field(ge=0, le=100_000)] = 20
    gating_simulations: Annotated[int, Field(ge=0, le=10_000_000)] | None = None
    gating_threshold: Probability = 0.55
    exploiter: tuple[Annotated[float, Field(gt=0, le=1)], ...] = ()
    exploiter_sides: Literal["all", "empty"] = "all"
    exploiter_positions: Annotated[int, Field(ge=1, le=10_000_000)] | None = None
    exploiter_simulations: Annotated[int, Field(ge=1, le=1_000_000)] = 800
    exploiter_cases: Annotated[int, Field(ge=1, le=100_000)] = 1500
    exploiter_share: Probability = 0.15
    exploiter_newest: Probability = 0.0
    exploiter_starts: Probability = 0.3
    regret_positions: Annotated[int, Field(ge=0, le=10_000)] = 0

    def __hash__(self) -> int:
        """Return a hash of the values as text, since ``sizes`` is a dict."""
        return hash(self.model_dump_json())

    def size_weights(self, share: float) -> dict[int | None, float]:
        """Return the weight of each board size after a share of the run, by linear interpolation.

        ``None`` stands for the size of the game, the only one without ``sizes``.
        """
        weights: dict[int | None, float] = {}
        for size, given in self.sizes.items():
            points = given if isinstance(given, tuple) else (given,)
            part, rest = divmod(share * (len(points) - 1), 1.0)
            begin, end = (*points, points[-1])[int(part) : int(part) + 2]
            weights[size] = begin + rest * (end - begin)
        return weights or {None: 1.0}

    @property
    def tree_policy(self) -> TreePolicyName:
        """The scheme's tree policy, used unless ``mcts.tree_policy`` is set."""
        return _TREE_POLICIES[self.scheme]

    @property
    def settled(self) -> Mapping[str, Mapping[str, object]]:
        """The values that the scheme fixes, by section and key; they replace given ones."""
        return _SETTLED.get(self.scheme, {})

    @property
    def save_episodes(self) -> tuple[int, ...]:
        """The episodes after which a net is saved, ascending and distinct: 0, ..., the last one.

        With M cached nets and E episodes these are round(j * E / (M - 1)) for j = 0, ..., M - 1,
        each moved to the next update: at multiples of ``episodes_per_update``, and at the end.
        """
        last, batch = self.episodes, self.episodes_per_update
        saved = {min(last, math.ceil(mark / batch) * batch) for mark in self.net_marks(last)}
        return tuple(sorted(saved))

    def net_marks(self, whole: float) -> list[int]:
        """Return the planned times of saving nets in a run of length ``whole``."""
        intervals = self.cached_nets - 1
        return [round(net * whole / intervals) for net in range(self.cached_nets)]

    def mistakes(self) -> Iterator[str]:
        """Yield each conflict, led by the key whose value gives way if it is a preset's."""
        most, size = self.episodes + 1, self.replay_buffer_size
        if self.minutes is None and self.cached_nets > most:
            expected = f"expected at most rl.episodes + 1 ({most})"
            yield f"rl.cached_nets: {expected}, got {self.cached_nets}"
        if self.lag and self.exploiter:
            yield f"rl.exploiter: expected [] with rl.lag={self.lag}, got {[*self.exploiter]}"
        if self.minibatch_size > size:
            expected = f"expected at most rl.replay_buffer_size ({size})"
            yield f"rl.minibatch_size: {expected}, got {self.minibatch_size}"

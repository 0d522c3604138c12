"""The schema of the section ``rl``: training by self-play."""

import math
from collections.abc import Iterator, Mapping
from typing import Annotated, Literal

from pydantic import Field, TypeAdapter

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

_SETTLED: dict[SchemeName, dict[str, dict[str, object]]] = {
    "alphazero": {"anet": {"critic": True}, "rl": {"sigma": 0.0, "sigma_decay": 1.0}},
}


class RLParams(Section):
    """Training by self-play.

    ``on_policy`` is the assignment's scheme; the presets have what the others need.
    """

    scheme: SchemeName = Field("on_policy", description="how the net learns")
    episodes: int = Field(200, ge=1, le=10_000_000, description="actual games in the run")
    start: str | None = Field(
        None,
        min_length=1,
        pattern=r"^[^\x00-\x1f\x7f]*$",
        description="a net's file; the run begins with its weights",
    )
    minutes: float | None = Field(
        None, gt=0, le=100_000, description="length of the run, in place of episodes"
    )
    cached_nets: int = Field(5, ge=2, le=1000, description="M of the TOPP, the untrained net too")
    save_interval: int | None = Field(
        None, ge=1, le=10_000_000, description="i_s; null: episodes/(M - 1)"
    )
    episodes_per_update: int = Field(
        1, ge=1, le=10_000, description="episodes between updates of the net"
    )
    workers: int = Field(
        1, ge=1, le=256, description="threads or processes; the number never changes the result"
    )
    engine: Literal["threads", "processes", "ray"] = Field(
        "threads",
        description="plays the games, with rl.workers; ray uses other machines too; the nets are "
        "the same",
    )
    ray_address: str | None = Field(
        None,
        min_length=1,
        pattern=r"^[^\x00-\x1f\x7f]*$",
        description="HOST:PORT of a Ray cluster, or auto for this machine's; null starts one for "
        "this run",
    )
    sizes: Annotated[_Sizes, Field(json_schema_extra=_KEYS)] = Field(
        _ONE_SIZE,
        description="weight of each board size, or its weights in the course of the run; one "
        "pooled net learns them all, {} only game.size",
    )
    replay_buffer_size: int = Field(5000, ge=1, le=10_000_000, description="newest cases to keep")
    minibatch_size: int = Field(64, ge=1, le=65_536, description="cases in a minibatch")
    minibatches: int = Field(30, ge=1, le=10_000, description="per update of the net")
    epochs: int | None = Field(
        None,
        ge=1,
        le=10_000,
        description="in place of minibatches: passes over all cases per update",
    )
    reuse: float | None = Field(
        None,
        gt=0,
        le=1000,
        description="in place of minibatches: times that each case is learned; for large buffers",
    )
    action_choice: ActionChoice = Field("probabilistic", description="choice of a* from D")
    epsilon: Probability = Field(0.1, description="share of random a*, for epsilon_greedy")
    temperature: float = Field(1.0, ge=0, le=100, description="T; moves are drawn from D^(1/T)")
    temperature_moves: int | None = Field(
        None, ge=0, le=10_000, description="moves drawn, then greedy"
    )
    sigma: Probability = Field(1.0, description="share of leaves with rollouts, else critic")
    sigma_decay: Probability = Field(1.0, description="factor on sigma per episode")
    random_plies: int = Field(
        0,
        ge=0,
        le=100,
        description="random first moves, at most; in alphazero with a net that is evaluated in "
        "batches",
    )
    mixed_play: bool | Probability = Field(
        False,
        description="share of games with players of mixed strength; only where random_plies works",
    )
    discount: Probability = Field(1.0, description="factor per move on the critic's targets")
    bootstrap: Probability = Field(
        0.0,
        description="share of the search's value in the critic's target; only where random_plies "
        "works",
    )
    clean_values: bool = Field(
        False,
        description="the critic learns nothing from positions before an explored move; only where "
        "random_plies works",
    )
    symmetry: bool = Field(True, description="train on the symmetric forms of each case too")
    gating_games: int = Field(20, ge=0, le=100_000, description="alphazero, new net against old")
    gating_simulations: int | None = Field(
        None,
        ge=0,
        le=10_000_000,
        description="per move of gating games; 0 plays without a search, null as in training",
    )
    gating_threshold: Probability = Field(0.55, description="the new net stays if it wins more")
    exploiter: tuple[Annotated[float, Field(gt=0, le=1)], ...] = Field(
        (),
        description="after these shares of a run, search for play that beats the net, and learn "
        "from it",
    )
    exploiter_sides: Literal["all", "empty"] = Field(
        "all", description="the sides that it examines; empty is that of the empty board alone"
    )
    exploiter_positions: int | None = Field(
        None,
        ge=1,
        le=10_000_000,
        description="positions of each ply to follow, those worst for the net; null follows all, "
        "a proof",
    )
    exploiter_simulations: int = Field(
        800, ge=1, le=1_000_000, description="for each position that it finds"
    )
    exploiter_cases: int = Field(1500, ge=1, le=100_000, description="of them, kept for ever")
    exploiter_share: Probability = Field(0.15, description="share of such cases in a minibatch")
    exploiter_newest: Probability = Field(
        0.0, description="share of these from the last two rounds"
    )
    exploiter_starts: Probability = Field(
        0.3, description="share of games that begin where the net was beaten"
    )
    regret_positions: int = Field(
        0,
        ge=0,
        le=10_000,
        description="won positions on which the exact judge measures cached nets; nothing is "
        "learned from them",
    )

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
    def settled(self) -> Mapping[str, Mapping[str, object]]:
        """The values that the scheme fixes, by section and key; they replace given ones."""
        return _SETTLED.get(self.scheme, {})

    @property
    def save_episodes(self) -> tuple[int, ...]:
        """The episodes after which a net is saved, ascending and distinct: 0, ..., the last one.

        Each of ``net_marks`` moves to the next update: at multiples of ``episodes_per_update``, and
        at the end.
        """
        last, batch = self.episodes, self.episodes_per_update
        saved = {min(last, math.ceil(mark / batch) * batch) for mark in self.net_marks(last)}
        return tuple(sorted(saved))

    def net_marks(self, whole: float) -> list[float]:
        """Return the planned times of saving nets in a run of length ``whole``.

        These are each i_s and the end. Without a ``save_interval``, they are M; if E episodes are
        not a multiple of M - 1, the last intervals are one episode longer.
        """
        if self.save_interval is not None:
            return [*range(0, math.ceil(whole), self.save_interval), whole]
        intervals = self.cached_nets - 1
        i_s, longer = (whole / intervals, 0) if self.minutes else divmod(whole, intervals)
        return [net * i_s + max(0, net - intervals + longer) for net in range(self.cached_nets)]

    def mistakes(self) -> Iterator[str]:
        """Yield each conflict, led by the key at fault."""
        size = self.replay_buffer_size
        if self.save_interval is not None and self.minutes is not None:
            expected = f"expected null with rl.minutes={self.minutes:g}"
            yield f"rl.save_interval: {expected}, got {self.save_interval}"
        if self.minibatch_size > size:
            expected = f"expected at most rl.replay_buffer_size ({size})"
            yield f"rl.minibatch_size: {expected}, got {self.minibatch_size}"

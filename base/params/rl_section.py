"""The schema of the section ``rl``: training by self-play."""

import math
from collections.abc import Iterator, Mapping
from typing import Annotated, Literal

from pydantic import Field, TypeAdapter

from base.params.section import Count, Positions, Probability, Section, Share, Text, param

ActionChoice = Literal["greedy", "epsilon_greedy", "probabilistic"]
SchemeName = Literal["on_policy", "expert_iteration", "alphazero"]
_Size = Annotated[int, Field(strict=False, ge=3, le=19)]  # a mapping's keys are read as texts
_Times = Annotated[float, Field(gt=0, le=1000)]
_Plies = Annotated[int, Field(ge=0, le=100)]
_Simulations = Annotated[int, Field(ge=0, le=10_000_000)]
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

    scheme: SchemeName = param("on_policy", "how the net learns")
    episodes: Count = param(200, "actual games in the run")
    start: Text | None = param(None, "a net's file; the run begins with its weights")
    minutes: float | None = param(None, "length of the run, in place of episodes", gt=0, le=100_000)
    cached_nets: int = param(5, "M of the TOPP, the untrained net too", ge=2, le=1000)
    save_interval: Count | None = param(None, "i_s; null: episodes/(M - 1)")
    episodes_per_update: int = param(1, "episodes between updates of the net", ge=1, le=10_000)
    workers: int = param(
        1, "threads or processes; the number never changes the result", ge=1, le=256
    )
    engine: Literal["threads", "processes", "ray"] = param(
        "threads",
        "plays the games, with rl.workers; ray uses other machines too; the nets are the same",
    )
    ray_address: Text | None = param(
        None, "HOST:PORT of a Ray cluster, or auto for this machine's; null starts one for this run"
    )
    sizes: Annotated[_Sizes, Field(json_schema_extra=_KEYS)] = param(
        _ONE_SIZE,
        "weight of each board size, or its weights in the course of the run; one pooled net "
        "learns them all, {} only game.size",
    )
    replay_buffer_size: Count = param(5000, "newest cases to keep")
    minibatch_size: int = param(192, "cases in a minibatch", ge=1, le=65_536)
    minibatches: int = param(10, "per update of the net", ge=1, le=10_000)
    epochs: int | None = param(
        None, "in place of minibatches: passes over all cases per update", ge=1, le=10_000
    )
    reuse: _Times | None = param(
        None, "in place of minibatches: times that each case is learned; for large buffers"
    )
    action_choice: ActionChoice = param("probabilistic", "choice of a* from D")
    epsilon: Probability = param(0.1, "share of random a*, for epsilon_greedy")
    temperature: float = param(1.0, "T; moves are drawn from D^(1/T)", ge=0, le=100)
    temperature_moves: int | None = param(None, "moves drawn, then greedy", ge=0, le=10_000)
    sigma: Probability = param(1.0, "share of leaves with rollouts, else critic")
    sigma_decay: Probability = param(1.0, "factor on sigma per episode")
    random_plies: _Plies = param(
        0, "random first moves, at most; in alphazero with a net that is evaluated in batches"
    )
    mixed_play: bool | Probability = param(
        False, "share of games with players of mixed strength; only where random_plies works"
    )
    discount: Probability = param(1.0, "factor per move on the critic's targets")
    bootstrap: Probability = param(
        0.0, "share of the search's value in the critic's target; only where random_plies works"
    )
    clean_values: bool = param(
        False,
        "the critic learns nothing from positions before an explored move; only where "
        "random_plies works",
    )
    surprise: Probability = param(
        0.0, "share of D's weight by how much D surprised the net; only where random_plies works"
    )
    symmetry: bool = param(True, "train on the symmetric forms of each case too")
    gating_games: int = param(20, "alphazero, new net against old", ge=0, le=100_000)
    gating_simulations: _Simulations | None = param(
        None, "per move of gating games; 0 plays without a search, null as in training"
    )
    gating_threshold: Probability = param(0.55, "the new net stays if it wins more")
    exploiter: tuple[Share, ...] = param(
        (), "after these shares of a run, search for play that beats the net, and learn from it"
    )
    exploiter_sides: Literal["all", "empty"] = param(
        "all", "the sides that it examines; empty is that of the empty board alone"
    )
    exploiter_positions: Count | None = param(
        None, "positions of each ply to follow, those worst for the net; null follows all, a proof"
    )
    exploiter_simulations: int = param(800, "for each position that it finds", ge=1, le=1_000_000)
    exploiter_cases: int = param(1500, "of them, kept for ever", ge=1, le=100_000)
    exploiter_share: Probability = param(0.15, "share of such cases in a minibatch")
    exploiter_newest: Probability = param(0.0, "share of these from the last two rounds")
    exploiter_starts: Probability = param(0.3, "share of games that begin where the net was beaten")
    regret_positions: Positions = param(
        0,
        "won positions on which the exact judge measures cached nets; nothing is learned from them",
    )

    def __hash__(self) -> int:
        """Return a hash of the values as text, since ``sizes`` is a dict."""
        return hash(self.model_dump_json())

    def size_weights(self, share: float) -> dict[int | None, float]:
        """Return each board size's weight after a share of the run; ``None`` is the game's size."""
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

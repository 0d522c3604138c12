"""The options of a search before each move, with the defaults of those that a word leaves out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal, Self

from pydantic import Field

from agents.anet_agent import ANETOptions
from agents.spec import AgentError
from base.cluster import available_cores
from base.params.search_section import ALL_MOVES_AS_FIRST, NET_GUIDED, OUT_OF_ORDER, VariantParams

if TYPE_CHECKING:
    from anet import ANET
    from base.params import Params

_MOST_THREADS = 4
"""More have little to do in a batch of 16 leaves."""


class MCTSOptions(ANETOptions, VariantParams):
    """Options of the search; see ``ANETOptions`` for how D becomes a move.

    ``VariantParams`` describes the options of the variant.

    Attributes:
        simulations: New simulations per move.
        time_limit: Seconds per move after which the search stops; ``None`` for no limit.
        exploration: c, the weight of u(s, a) in the tree policy. Policies other than UCT have
            their own default.
        sigma: Probability that a rollout evaluates a leaf, not the net's critic.
        leaves: The most leaves of one tree that the net evaluates together, in PUCT; by default 16
            with a time limit and 1 without. Together, simulations know less of each other, but are
            several times as fast.
        runtime: What evaluates the net; ``auto`` is OpenVINO where that is faster, see
            ``agents.nets.for_clock``.
        threads: Threads that evaluate leaves together in OpenVINO, where that is faster; by default
            the cores, shared by the games that are played at a time, and at most 4.
        rollout_epsilon: Probability of a random move in a rollout by the net. Training starts
            with fully random rollouts (``mcts.rollout_epsilon``); that parameter is not the default
            here, as the net is trained.
        judge: Whether to call the exact judge before each move. In a won position the judge's move
            is played without search, that of the shortest win where it is known; in a drawn one the
            search chooses among the drawing moves; in a lost one it plays the move to
            which a weaker opponent is likeliest to err.
    """

    simulations: Annotated[int, Field(ge=1, le=10_000_000)] = 500
    time_limit: Annotated[float, Field(gt=0, le=3600)] | None = None
    exploration: Annotated[float, Field(ge=0, le=100)] | None = None
    sigma: Annotated[float, Field(ge=0, le=1)] = 1.0
    rollout_epsilon: Annotated[float, Field(ge=0, le=1)] = 0.1
    judge: bool = False
    leaves: Annotated[int, Field(ge=1, le=32)] | None = None
    runtime: Literal["auto", "torch", "openvino"] = "auto"
    threads: Annotated[int, Field(ge=1, le=64)] = 1

    def defaults(self, net: ANET | None, params: Params | None) -> dict[str, object]:
        """See ``AgentOptions``.

        A net's critic evaluates all leaves, in PUCT, unless the options are about rollouts. Where a
        net is evaluated in batches, the solver is on, with both kinds of proofs of new nodes. Two
        agents in each game share the memory.
        """
        in_batches = net is not None and not net.plays_rollouts
        wants_rollouts = (
            bool(self.model_fields_set & {"sigma", "rollout_epsilon"})
            or self.rollout != "default"
            or self.tree_policy in ALL_MOVES_AS_FIRST
        )
        has_critic = net is not None and net.params.critic
        by_critic = has_critic and (in_batches or not wants_rollouts)
        policy = self.tree_policy or ("puct_fpu" if in_batches or by_critic else "uct")
        found: dict[str, object] = {"tree_policy": policy, "sigma": 0.0 if by_critic else 1.0}
        if in_batches:
            found |= dict.fromkeys(("solver", "look_ahead", "static_proofs"), True)
        if params is None:
            return found
        from mcts.tree_memory import memory_share

        play = params.play
        return found | {
            "memory": max(1.0, memory_share(params.mcts.memory, 2 * play.workers)),
            "threads": max(1, min(_MOST_THREADS, available_cores() // play.workers)),
            "simulations": play.simulations,
            "time_limit": play.time_limit,
            "exploration": play.exploration if policy == "uct" else None,
        }

    def resolve(self, net: ANET | None, params: Params | None = None) -> Self:
        """See ``AgentOptions``."""
        _check_net_options(self, net)
        resolved = super().resolve(net, params)
        _check_evaluation(resolved, net)
        return resolved


def _check_net_options(options: MCTSOptions, net: ANET | None) -> None:
    """Raise an ``AgentError`` if the word sets options without the net that they are about."""
    written = options.model_fields_set
    if options.leaves and options.tree_policy not in (None, *OUT_OF_ORDER):
        expected = " or ".join(OUT_OF_ORDER)
        raise AgentError(f"leaves: expected {expected} with it, got {options.tree_policy}")
    for name in ("leaves", "runtime", "threads"):
        if name in written and (net is None or net.plays_rollouts):
            raise AgentError(f"{name}: expected a net with it that is evaluated in batches")
    if net is None:
        if "rollout_epsilon" in written:
            raise AgentError("rollout_epsilon: expected a net with it, got none")
        if options.tree_policy in NET_GUIDED:
            named = f"tree_policy={options.tree_policy}"
            raise AgentError(f"expected a net with {named}, which uses it (mcts:NET,{named})")
    elif not net.plays_rollouts:
        kind, policy = net.params.network, options.tree_policy
        if "rollout_epsilon" in written or options.rollout != "default":
            raise AgentError(f"expected no option about the net's rollouts, {kind} nets play none")
        if policy in ALL_MOVES_AS_FIRST:
            expected = f"one without the moves of rollouts for a {kind} net"
            raise AgentError(f"tree_policy: expected {expected}, got {policy}")
        if policy == "gumbel" and not net.params.critic:
            raise AgentError(f"tree_policy: expected a {kind} net with a critic for gumbel")


def _check_evaluation(options: MCTSOptions, net: ANET | None) -> None:
    """Raise an ``AgentError`` if nothing evaluates the leaves, or uses the noise, as wanted."""
    if mistake := options.noise_mistake("uct"):
        raise AgentError(mistake)
    if options.sigma < 1 and (net is None or not net.params.critic):
        raise AgentError(f"sigma: expected a net with a critic, or 1, got {options.sigma:g}")
    if options.sigma < 1 and options.rollout != "default":
        raise AgentError(f"rollout: expected default, as sigma is below 1, got {options.rollout}")

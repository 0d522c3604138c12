"""The options of searches before each move, with the defaults of those that a word leaves out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal, Self

from pydantic import Field

from agents.anet_agent import ANETOptions
from agents.options import AgentOptions
from agents.spec import AgentError
from base.cluster import available_cores
from base.methods import ROLLOUTS, TREE_POLICIES, misfit
from base.params.search_section import VariantParams

if TYPE_CHECKING:
    from anet.evaluator import Evaluator
    from base.params import Params

Simulations = Annotated[int, Field(ge=1, le=10_000_000)]
Seconds = Annotated[float, Field(gt=0, le=3600)]

_MOST_THREADS = 4  # more have little to do in a batch of 16 leaves


class MCTSOptions(ANETOptions, VariantParams):
    """Options of the search; see ``ANETOptions`` for how D becomes a move.

    ``VariantParams`` describes the options of the variant. ``leaves`` of one tree are evaluated
    together in PUCT, by default 16 with a time limit and 1 without: simulations then know less of
    each other, but are several times as fast. ``threads`` share a batch in OpenVINO, where that is
    faster; by default the cores, shared by the games that are played at a time, and at most 4.

    The exact ``judge`` is called before each move. In a won position its move is played without
    search, that of the shortest win where it is known; in a drawn one the search chooses among the
    drawing moves; in a lost one it plays the move to which a weaker opponent is likeliest to err.
    """

    simulations: Simulations = 500  # new ones per move
    time_limit: Seconds | None = None  # seconds per move after which the search stops
    exploration: Annotated[float, Field(ge=0, le=100)] | None = None  # c; the policy's own
    sigma: Annotated[float, Field(ge=0, le=1)] = 1.0  # share of leaves with rollouts, else critic
    # Of random moves in a net's rollouts; ``mcts.rollout_epsilon`` is for nets that learn.
    rollout_epsilon: Annotated[float, Field(ge=0, le=1)] = 0.1
    judge: bool = False
    leaves: Annotated[int, Field(ge=1, le=32)] | None = None
    runtime: Literal["auto", "torch", "openvino"] = "auto"
    threads: Annotated[int, Field(ge=1, le=64)] = 1

    def defaults(self, net: Evaluator | None, params: Params | None) -> dict[str, object]:
        """See ``AgentOptions``.

        A net's critic evaluates all leaves, in PUCT, unless the options are about rollouts. Where a
        net is evaluated in batches, the solver is on, with both kinds of proofs of new nodes. Two
        agents in each game share the memory.
        """
        in_batches = net is not None and not net.facts.plays_rollouts
        wants_rollouts = (
            bool(self.model_fields_set & {"sigma", "rollout_epsilon"})
            or self.rollout != "default"
            or TREE_POLICIES[self.tree_policy or "uct"].needs_moves
        )
        has_critic = net is not None and net.facts.critic
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

    def resolve(self, net: Evaluator | None, params: Params | None = None) -> Self:
        """See ``AgentOptions``."""
        written, facts = self.model_fields_set, None if net is None else net.facts
        in_batches = facts is not None and not facts.plays_rollouts
        for name in ("leaves", "runtime", "threads"):
            if name in written and not in_batches:
                raise AgentError(f"{name}: expected a net with it that is evaluated in batches")
        if "rollout_epsilon" in written and (facts is None or in_batches):
            got = "none" if facts is None else facts.words
            words = f"rollout_epsilon: expected a net with it that plays rollouts, got {got}"
            raise AgentError(words)
        resolved = super().resolve(net, params)
        assert resolved.tree_policy is not None
        policy, rollout = TREE_POLICIES[resolved.tree_policy], ROLLOUTS[resolved.rollout]
        if mistake := misfit(policy, rollout, facts, resolved.sigma, resolved.root_noise):
            way = f" (mcts:NET,tree_policy={policy.name})"
            hint = way if facts is None and policy.is_guided else ""
            raise AgentError(": ".join(mistake) + hint)
        if self.leaves and not policy.out_of_order:
            fitting = [each.name for each in TREE_POLICIES.values() if each.out_of_order]
            expected = " or ".join(fitting)
            raise AgentError(f"leaves: expected {expected} with it, got {policy.name}")
        return resolved


class NRPAOptions(AgentOptions):
    """Nested rollout policy adaptation: the arguments of ``mcts.NRPA`` for each move."""

    level: Annotated[int, Field(ge=1, le=5)] = 3
    iterations: Annotated[int, Field(ge=1, le=1000)] = 10
    form: Literal["softmax", "additive"] = "softmax"
    simulations: Simulations | None = None
    time_limit: Seconds | None = None

    def defaults(self, net: Evaluator | None, params: Params | None) -> dict[str, object]:
        """See ``AgentOptions``: the time limit of the parameters for play."""
        return {} if params is None else {"time_limit": params.play.time_limit}

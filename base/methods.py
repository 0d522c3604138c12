"""The methods of the search, a line each, and which of them fit each other and a net.

A tree policy chooses edges; a rollout evaluates leaves. Parameters, agents' words and ``MCTS`` all
ask ``misfit``, so they accept the same combinations.
"""

from dataclasses import dataclass
from typing import NamedTuple

from base.registry import Registry


@dataclass(frozen=True)
class Method:
    """A tree policy or a rollout, as all but its kernels need to know it."""

    name: str  # in parameters
    entry: object = None  # "module:object", or the object: a ``mcts.Variant`` or a leaf evaluation
    reads: tuple[str, ...] = ()  # the parameters of ``VariantParams`` that only such methods read
    is_guided: bool = False  # by a net's policy
    needs_moves: bool = False  # of rollouts, which no net of batches plays
    out_of_order: bool = False  # several leaves of one tree may wait, which changes the search
    draws: bool = False  # random numbers of its own


class NetFacts(NamedTuple):
    """What decides which methods fit a net."""

    words: str  # the net in messages: ``"a pooled net"``
    critic: bool  # it evaluates states
    plays_rollouts: bool  # as a default policy; others only evaluate batches of states


def _registry(what: str, *methods: Method) -> Registry:
    return Registry(what, {each.name: each for each in methods})


_RAVE = ("rave_constant",)
_N_MCTS = ("prior_weight",)
_GUMBEL = ("considered", "q_scale", "value_discount")
_PROPORTIONAL = "mcts.variants.n_mcts:N_MCTS_PROPORTIONAL"

TREE_POLICIES = _registry(
    "a tree policy",
    Method("uct", "mcts.variant:UCT"),
    Method("ucb1_tuned", "mcts.variants.ucb1_tuned:UCB1_TUNED"),
    Method("uct_rave", "mcts.variants.rave:UCT_RAVE", _RAVE, needs_moves=True),
    Method("uct_rave_ratio", "mcts.variants.rave:UCT_RAVE_RATIO", _RAVE, needs_moves=True),
    Method("puct", "mcts.variants.puct:PUCT", is_guided=True, out_of_order=True),
    Method("puct_fpu", "mcts.variants.puct:PUCT_FPU", is_guided=True, out_of_order=True),
    Method("gumbel", "mcts.variants.gumbel:GUMBEL", _GUMBEL, is_guided=True),
    Method("n_mcts", "mcts.variants.n_mcts:N_MCTS", _N_MCTS, is_guided=True),
    Method("n_mcts_paper", "mcts.variants.n_mcts:N_MCTS_PAPER", _N_MCTS, is_guided=True),
    Method("n_mcts_proportional", _PROPORTIONAL, _N_MCTS, is_guided=True, draws=True),
)
"""The entry of each is a ``mcts.Variant``."""

_POLICIES = "mcts.variants.default_policies"
_SEVERAL, _QUALITY = ("rollouts", "length_discount"), ("bonus_weight", "bonus_steepness")
ROLLOUTS = _registry(
    "a kind of rollouts",
    Method("default"),
    Method("several", f"{_POLICIES}:evaluate_by_several_rollouts", _SEVERAL),
    Method("last_good_reply", f"{_POLICIES}:evaluate_by_good_replies"),
    Method("quality", f"{_POLICIES}:evaluate_by_quality", _QUALITY),
)
"""The entry of each is a leaf evaluation; ``default`` is the one that fits the default policy."""

DEFAULT_ROLLOUT = ROLLOUTS["default"]

TREE_POLICY_OF = {"on_policy": "uct", "expert_iteration": "n_mcts_paper", "alphazero": "puct"}
"""The tree policy of each learning scheme, used unless another one is set."""


def readers() -> dict[str, tuple[str, list[str]]]:
    """Return the parameters that only some methods read: the key that selects them, and these."""
    found: dict[str, tuple[str, list[str]]] = {}
    for key, methods in (("tree_policy", TREE_POLICIES), ("rollout", ROLLOUTS)):
        for method in methods.values():
            for read in method.reads:
                found.setdefault(read, (key, []))[1].append(method.name)
    return found


def misfit(
    policy: Method, rollout: Method, net: NetFacts | None, sigma: float, noise: float
) -> tuple[str, str] | None:
    """Return the parameter at fault and why, if a search cannot combine these.

    The net, if any, plays the rollouts or evaluates the leaves. ``sigma`` is the probability that a
    rollout evaluates a leaf, not the critic, ``noise`` the share of noise in the root's priors.
    """
    if noise > 0 and not policy.is_guided:
        guided = ", ".join(each.name for each in TREE_POLICIES.values() if each.is_guided)
        expected = f"expected 0, or a tree policy that uses a net ({guided})"
        return "root_noise", f"{expected}, got tree_policy={policy.name}"
    if policy.is_guided and net is None:
        return "tree_policy", f"expected a net with {policy.name}, which uses it"
    if net is not None and not net.plays_rollouts:
        if rollout != DEFAULT_ROLLOUT:
            expected = f"expected default with {net.words}, which plays no rollouts"
            return "rollout", f"{expected}, got {rollout.name}"
        if policy.needs_moves:
            expected = f"expected one without the moves of rollouts for {net.words}"
            return "tree_policy", f"{expected}, got {policy.name}"
    if sigma < 1 and not (net and net.critic):
        return "sigma", f"expected 1, or a net with a critic (anet.critic=true), got {sigma:g}"
    if sigma < 1 and rollout != DEFAULT_ROLLOUT:
        return "rollout", f"expected default, as sigma is below 1, got {rollout.name}"
    return None

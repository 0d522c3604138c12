"""The schema of the search variants: keys that training and agents share."""

from typing import Annotated, Self

from pydantic import Field, model_validator

from base.params.section import OneOf, Section
from base.registry import ROLLOUTS, TREE_POLICIES

TreePolicyName = Annotated[str, OneOf(TREE_POLICIES)]
RolloutName = Annotated[str, OneOf(ROLLOUTS)]

APPRENTICED = ("n_mcts", "n_mcts_paper", "n_mcts_proportional")
"""Tree policies that a net guides; with a uniform policy of the net, they hardly explore."""
NET_GUIDED = ["puct", "puct_fpu", "gumbel", *APPRENTICED]
"""Tree policies that use a net's policy; registering adds names."""

OUT_OF_ORDER = ("puct", "puct_fpu")
"""Tree policies that let several leaves of one tree wait for an evaluation."""

ALL_MOVES_AS_FIRST = ("uct_rave", "uct_rave_ratio")
"""Tree policies that learn from the moves of rollouts."""

_READ_BY: dict[str, tuple[str, tuple[str, ...]]] = {
    "prior_weight": ("tree_policy", APPRENTICED),
    "rave_constant": ("tree_policy", ("uct_rave", "uct_rave_ratio")),
    "rollouts": ("rollout", ("several",)),
    "length_discount": ("rollout", ("several",)),
    "bonus_weight": ("rollout", ("quality",)),
    "bonus_steepness": ("rollout", ("quality",)),
    "considered": ("tree_policy", ("gumbel",)),
    "q_scale": ("tree_policy", ("gumbel",)),
    "value_discount": ("tree_policy", ("gumbel",)),
}
"""Numbers that only some variants read: the key that selects the variant, and its values."""


class VariantParams(Section):
    """The search variant. For every key, ``None`` is the variant's own value.

    Training divides ``memory`` among its workers, so results of a full tree depend on their number.
    """

    tree_policy: TreePolicyName | None = Field(
        None, description="the choice of edges; null selects it by rl.scheme"
    )
    prior_weight: float | None = Field(
        None, ge=0, le=1e6, description="gamma of n_mcts; null is 40"
    )
    rave_constant: float | None = Field(
        None, ge=0, le=1e6, description="b of uct_rave; null is 0.1 (uct_rave_ratio: f, 500)"
    )
    max_depth: int | None = Field(None, ge=1, le=1000, description="most edges from the root")
    root_noise: float = Field(
        0.0,
        ge=0,
        le=1,
        description="share of noise in the root's priors; for gumbel, factor on its noise",
    )
    root_noise_alpha: float = Field(
        0.3, gt=0, le=100, description="Dirichlet noise; small is spiky"
    )
    rollout: RolloutName = Field("default", description="leaf evaluation")
    rollouts: int | None = Field(None, ge=1, le=1000, description="per leaf, for several")
    length_discount: float | None = Field(None, gt=0, le=1, description="per move, for several")
    bonus_weight: float | None = Field(None, ge=0, le=100, description="a of quality; null is 0.25")
    bonus_steepness: float | None = Field(
        None, ge=0, le=100, description="k of quality; null is 1.4"
    )
    considered: int | None = Field(
        None, ge=1, le=1000, description="actions that gumbel tries at the root; null is 8"
    )
    q_scale: float | None = Field(None, ge=0, le=100, description="of Q in gumbel; null is 0.2")
    value_discount: float | None = Field(
        None, gt=0, le=1, description="factor on values per move in gumbel; null is 1"
    )
    solver: bool = Field(False, description="proven wins and losses travel up the tree")
    look_ahead: bool = Field(False, description="solve nodes where a player can win at once")
    static_proofs: bool = Field(False, description="solve nodes that a rule of the game decides")
    memory: float | None = Field(
        None,
        ge=1,
        le=1e9,
        description="MB for all trees, which stop growing there; null is a quarter of the "
        "machine's",
    )

    @property
    def settings(self) -> dict[str, float]:
        """The given numbers, for ``mcts.settings``."""
        given = {name: getattr(self, name) for name in (*_READ_BY, "max_depth")}
        given["look_ahead"] = self.look_ahead or None
        given["static_proofs"] = self.static_proofs or None
        return {name: float(value) for name, value in given.items() if value is not None}

    def noise_mistake(self, tree_policy: str) -> str | None:
        """Return a message if the root has noise, and the tree policy (``None``: this) no net."""
        policy = self.tree_policy or tree_policy
        if self.root_noise == 0 or policy in NET_GUIDED:
            return None
        return (
            f"root_noise: expected 0, or a tree policy that uses a net ({', '.join(NET_GUIDED)}), "
            f"got tree_policy={policy}"
        )

    @model_validator(mode="after")
    def _check_that_numbers_are_read(self) -> Self:
        for name, (key, values) in _READ_BY.items():
            got = getattr(self, key)
            if getattr(self, name) is not None and got not in values:
                readers = " or ".join(f"{key}={value}" for value in values)
                raise ValueError(f"{name}: expected {readers} with it, got {got or 'null'}")
        return self

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

    tree_policy: TreePolicyName | None = None
    prior_weight: Annotated[float, Field(ge=0, le=1e6)] | None = None
    rave_constant: Annotated[float, Field(ge=0, le=1e6)] | None = None
    max_depth: Annotated[int, Field(ge=1, le=1000)] | None = None
    root_noise: Annotated[float, Field(ge=0, le=1)] = 0.0
    root_noise_alpha: Annotated[float, Field(gt=0, le=100)] = 0.3
    rollout: RolloutName = "default"
    rollouts: Annotated[int, Field(ge=1, le=1000)] | None = None
    length_discount: Annotated[float, Field(gt=0, le=1)] | None = None
    bonus_weight: Annotated[float, Field(ge=0, le=100)] | None = None
    bonus_steepness: Annotated[float, Field(ge=0, le=100)] | None = None
    considered: Annotated[int, Field(ge=1, le=1000)] | None = None
    q_scale: Annotated[float, Field(ge=0, le=100)] | None = None
    value_discount: Annotated[float, Field(gt=0, le=1)] | None = None
    solver: bool = False
    look_ahead: bool = False
    static_proofs: bool = False
    memory: Annotated[float, Field(ge=1, le=1e9)] | None = None

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

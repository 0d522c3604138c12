"""The schema of the search variants: keys that training and agents share."""

from typing import Annotated, Self

from pydantic import Field, model_validator

from base.methods import ROLLOUTS, TREE_POLICIES, readers
from base.params.section import OneOf, Section

TreePolicyName = Annotated[str, OneOf(TREE_POLICIES)]
RolloutName = Annotated[str, OneOf(ROLLOUTS)]


class VariantParams(Section):
    """The search variant. For every key, ``None`` is the variant's own value.

    Training divides ``memory`` among its workers, so results of a full tree depend on their number.
    """

    tree_policy: TreePolicyName | None = Field(
        None, description="the choice of edges; null selects it by rl.scheme"
    )
    prior_weight: float | None = Field(None, ge=0, le=1e6, description="gamma; null is 40")
    rave_constant: float | None = Field(
        None, ge=0, le=1e6, description="b; null is 0.1 (of the ratio: f, 500)"
    )
    max_depth: int | None = Field(None, ge=1, le=1000, description="most edges from the root")
    root_noise: float = Field(
        0.0,
        ge=0,
        le=1,
        description="share of noise in the root's priors, or factor on Gumbel noise",
    )
    root_noise_alpha: float = Field(
        0.3, gt=0, le=100, description="Dirichlet noise; small is spiky"
    )
    rollout: RolloutName = Field("default", description="leaf evaluation")
    rollouts: int | None = Field(None, ge=1, le=1000, description="per leaf; null is 1")
    length_discount: float | None = Field(
        None, gt=0, le=1, description="factor on results per move; null is 1"
    )
    bonus_weight: float | None = Field(None, ge=0, le=100, description="a; null is 0.25")
    bonus_steepness: float | None = Field(None, ge=0, le=100, description="k; null is 1.4")
    considered: int | None = Field(
        None, ge=1, le=1000, description="actions tried at the root; null is 8"
    )
    q_scale: float | None = Field(None, ge=0, le=100, description="weight of Q; null is 0.2")
    value_discount: float | None = Field(
        None, gt=0, le=1, description="factor on values per move; null is 1"
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
        given = {name: getattr(self, name) for name in (*readers(), "max_depth")}
        given["look_ahead"] = self.look_ahead or None
        given["static_proofs"] = self.static_proofs or None
        return {name: float(value) for name, value in given.items() if value is not None}

    @model_validator(mode="after")
    def _check_that_numbers_are_read(self) -> Self:
        for name, (key, values) in readers().items():
            got = getattr(self, key)
            if getattr(self, name) is not None and got not in values:
                expected = " or ".join(f"{key}={value}" for value in values)
                raise ValueError(f"{name}: expected {expected} with it, got {got or 'null'}")
        return self

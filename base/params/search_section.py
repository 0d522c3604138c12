"""The schema of the search variants: keys that training and agents share."""

from typing import Annotated, Self

from pydantic import Field, model_validator

from base.methods import ROLLOUTS, TREE_POLICIES, readers
from base.params.section import OneOf, Probability, Section, Share, param

TreePolicyName = Annotated[str, OneOf(TREE_POLICIES)]
RolloutName = Annotated[str, OneOf(ROLLOUTS)]
_Megabytes = Annotated[float, Field(ge=1, le=1e9)]


class VariantParams(Section):
    """The search variant. For every key, ``None`` is the variant's own value.

    Training divides ``memory`` among its workers, so results of a full tree depend on their number.
    """

    tree_policy: TreePolicyName | None = param(
        None, "the choice of edges; null selects it by rl.scheme"
    )
    prior_weight: float | None = param(None, "gamma; null is 40", ge=0, le=1e6)
    rave_constant: float | None = param(None, "b; null is 0.1 (of the ratio: f, 500)", ge=0, le=1e6)
    max_depth: int | None = param(None, "most edges from the root", ge=1, le=1000)
    root_noise: Probability = param(
        0.0, "share of noise in the root's priors, or factor on Gumbel noise"
    )
    root_noise_alpha: float = param(0.3, "Dirichlet noise; small is spiky", gt=0, le=100)
    rollout: RolloutName = param("default", "leaf evaluation")
    rollouts: int | None = param(None, "per leaf; null is 1", ge=1, le=1000)
    length_discount: Share | None = param(None, "factor on results per move; null is 1")
    bonus_weight: float | None = param(None, "a; null is 0.25", ge=0, le=100)
    bonus_steepness: float | None = param(None, "k; null is 1.4", ge=0, le=100)
    considered: int | None = param(None, "actions tried at the root; null is 8", ge=1, le=1000)
    q_scale: float | None = param(None, "weight of Q; null is 0.2", ge=0, le=100)
    value_discount: Share | None = param(None, "factor on values per move; null is 1")
    solver: bool = param(False, "proven wins and losses travel up the tree")
    look_ahead: bool = param(False, "solve nodes where a player can win at once")
    static_proofs: bool = param(False, "solve nodes that a rule of the game decides")
    memory: _Megabytes | None = param(
        None, "MB for all trees, which stop growing there; null is a quarter of the machine's"
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

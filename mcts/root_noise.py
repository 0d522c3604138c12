"""Noise at the root: self-play then tries every move now and then.

Silver et al. 2017 (AlphaGo Zero), Methods: at the root alone P(s,a) becomes
(1 - share) P(s,a) + share * eta_a, where eta is drawn from a symmetric Dirichlet distribution.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mcts.priors import PRIORS
from mcts.tree import ROOT, Tree, edges_of


@dataclass(frozen=True)
class RootNoise:
    """How much noise, and of what kind.

    Attributes:
        share: Of the noise in the root's priors, from 0 to 1.
        alpha: The concentration of the Dirichlet distribution, above 0; the smaller it is, the
            fewer are the actions that share the noise.
    """

    share: float
    alpha: float

    def mix_in(self, tree: Tree, rng: np.random.Generator) -> None:
        """Mix noise into the priors of the root's edges."""
        priors = tree.memory[PRIORS, edges_of(tree, ROOT)]
        noise = rng.dirichlet(np.full(len(priors), self.alpha))
        priors += self.share * (noise - priors)

"""Registries: the names that users choose from, and the object of each name."""

import importlib
from collections.abc import Mapping
from typing import Any

from base.project import PREFIX
from base.storage import excerpt
from base.words import nearest


class Registry(dict[str, Any]):
    """Objects by name; an entry ``"room.module:attribute"`` is imported when it is looked up."""

    def __init__(
        self, what: str, entries: Mapping[str, str], error: type[ValueError] = ValueError
    ) -> None:
        """Start with entries; ``what`` is one in words, ``error`` the class raised by ``find``."""
        super().__init__(entries)
        self._what = what
        self._error = error

    def find(self, name: str) -> object:
        """Return the object of a name; an unknown name is the registry's own error."""
        if name not in self:
            near = nearest(name, list(self))
            hint = f" (did you mean {near}?)" if near else ""
            names = ", ".join(self)
            raise self._error(f"expected {self._what} ({names}), got {excerpt(name)}{hint}")
        found = self[name]
        if isinstance(found, str):
            module, _, attribute = found.partition(":")
            found = getattr(importlib.import_module(PREFIX + module), attribute)
        return found

    def register(self, name: str, entry: object) -> None:
        """Add an object under a new name, an identifier; any other name is a ``ValueError``."""
        if not name.isidentifier() or name in self:
            taken = " (it is taken)" if name in self else ""
            raise ValueError(f"expected a new name for {self._what}, got {excerpt(name)}{taken}")
        self[name] = entry


TREE_POLICIES = Registry(
    "a tree policy",
    {
        "uct": "mcts.variant:UCT",
        "ucb1_tuned": "mcts.variants.ucb1_tuned:UCB1_TUNED",
        "uct_rave": "mcts.variants.rave:UCT_RAVE",
        "uct_rave_ratio": "mcts.variants.rave:UCT_RAVE_RATIO",
        "puct": "mcts.variants.puct:PUCT",
        "puct_fpu": "mcts.variants.puct:PUCT_FPU",
        "gumbel": "mcts.variants.gumbel:GUMBEL",
        "n_mcts": "mcts.variants.n_mcts:N_MCTS",
        "n_mcts_paper": "mcts.variants.n_mcts:N_MCTS_PAPER",
        "n_mcts_proportional": "mcts.variants.n_mcts:N_MCTS_PROPORTIONAL",
    },
)
"""Each is a ``mcts.Variant``."""

ROLLOUTS = Registry(
    "a kind of rollouts",
    {
        "default": "mcts.leaf_evaluation:evaluate_by_rollout",
        "several": "mcts.variants.default_policies:evaluate_by_several_rollouts",
        "last_good_reply": "mcts.variants.default_policies:evaluate_by_good_replies",
        "quality": "mcts.variants.quality:evaluate_by_quality",
    },
)
"""Each is a leaf evaluation; instead of ``default``, a tree policy may have its own."""

NETWORKS = Registry(
    "a network",
    {
        "mlp": "anet.networks:perceptron",
        "residual_mlp": "anet.networks:ResidualMLP",
        "convolutional": "anet.convolutional:ConvolutionalNetwork",
        "residual": "anet.convolutional:ResidualNetwork",
        "pooled": "anet.convolutional:PooledNetwork",
    },
)
"""Each is an ``anet.networks.BuildNetwork``."""

OF_PLANES = ["convolutional", "residual", "pooled"]
"""Networks whose input is the board in planes, for convolutions; registering adds names."""

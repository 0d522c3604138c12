"""Registries: the names that users choose from, and the object of each name."""

import importlib
from collections.abc import Mapping
from typing import Any

from base.project import PREFIX
from base.storage import excerpt
from base.words import nearest


def loaded(entry: object) -> object:
    """Return the object of an entry; ``"room.module:attribute"`` is imported."""
    if not isinstance(entry, str):
        return entry
    module, _, attribute = entry.partition(":")
    return getattr(importlib.import_module(PREFIX + module), attribute)


class Registry(dict[str, Any]):
    """Objects by name; an entry ``"room.module:attribute"`` is imported when it is looked up."""

    def __init__(
        self, what: str, entries: Mapping[str, object], error: type[ValueError] = ValueError
    ) -> None:
        """Start with entries; ``what`` is one in words, ``error`` the class of its errors."""
        super().__init__(entries)
        self._what = what
        self._error = error

    def entry(self, name: str) -> Any:
        """Return the entry of a name; an unknown name is the registry's own error."""
        if name not in self:
            near = nearest(name, list(self))
            hint = f" (did you mean {near}?)" if near else ""
            names = ", ".join(self)
            raise self._error(f"expected {self._what} ({names}), got {excerpt(name)}{hint}")
        return self[name]

    def find(self, name: str) -> object:
        """Return the object of a name."""
        return loaded(self.entry(name))

    def register(self, name: str, entry: object) -> None:
        """Add an object under a new name, an identifier; any other name is a ``ValueError``."""
        if not name.isidentifier() or name in self:
            taken = " (it is taken)" if name in self else ""
            raise ValueError(f"expected a new name for {self._what}, got {excerpt(name)}{taken}")
        self[name] = entry


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

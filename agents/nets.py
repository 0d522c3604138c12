"""Loading nets for agents, and seeing that they fit the game."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from agents.spec import AgentError
from base.storage import printable

if TYPE_CHECKING:
    from anet import ANET
    from state_manager import StateManager

_LONGEST_MESSAGE = 500
"""Characters."""


def load_net(path: Path) -> ANET:
    """Load a net from its file.

    Raises:
        AgentError: There is no such file, or it holds no net; the message names the file.
    """
    if not os.path.exists(path):  # before torch is loaded
        raise AgentError(f"{printable(str(path))}: no such file")
    from anet import ANET

    try:
        return ANET.load(path)
    except (ValueError, OSError) as error:
        message = str(error)
        message = message if str(path) in message else f"{path}: {message}"
        raise AgentError(printable(message, _LONGEST_MESSAGE)) from error


def load_fitting_net(path: Path, game: StateManager) -> ANET:
    """Load a net that must have been trained for ``game``.

    Raises:
        AgentError: The net cannot be loaded, or is for another game or size.
    """
    net = load_net(path)
    check_fits(net, game, str(path))
    return net


def check_fits(net: ANET, game: StateManager, name: str) -> None:
    """Raise an ``AgentError`` that begins with ``name`` unless the net is for ``game``."""
    if net.game != game:
        raise AgentError(f"{name}: expected a net for {game!r}, got one for {net.game!r}")


def common_game(nets: Iterable[tuple[Path, ANET]]) -> StateManager | None:
    """Return the game that all these nets were trained for; ``None`` if there are no nets.

    Raises:
        AgentError: Two of them differ; the message names both files.
    """
    first: tuple[Path, ANET] | None = None
    for path, net in nets:
        if first is None:
            first = path, net
        elif net.game != first[1].game:
            raise AgentError(
                f"expected nets for one game, got {first[0]} for {first[1].game!r}"
                f" and {path} for {net.game!r}"
            )
    return first[1].game if first is not None else None

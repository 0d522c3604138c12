"""The word ``best``: the strongest bundled net for a game and its size."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from agents.spec import AgentError, AgentSpec

if TYPE_CHECKING:
    from state_manager import StateManager

BEST = "best"
TABLE = Path(__file__).resolve().parents[1] / "nets" / "best.yaml"
"""Maps the ``repr`` of each game to a file in the folder of the table."""


def names_file(spec: AgentSpec) -> bool:
    """Return whether an agent's word names the file of a net, not ``best``."""
    return spec.net is not None and str(spec.net) != BEST


def with_best_net(spec: AgentSpec, game: StateManager) -> AgentSpec:
    """Return the agent with ``best`` replaced by the file of a net.

    As a net, ``best`` is the best one for this game. As an agent, it is a search with that net, or
    without a net if the game has none; if there are no options and the net's play is proven
    perfect, the net alone.

    Raises:
        AgentError: The word names ``best`` as its net, and the game has none.
    """
    kind, net = spec.kind, spec.net
    if not names_file(spec) and (kind == BEST or net is not None):
        net = _best_net(game)
        if net is None and spec.net is not None:
            raise AgentError(f"{spec.quoted}: expected a net for {game!r} in {TABLE}")
    if kind == BEST:
        kind = "mcts"
        certificate = net and net.with_name(f"{net.stem}.certificate.json")
        if certificate and certificate.exists() and not spec.options and game.swap_action is None:
            data = json.loads(certificate.read_text(encoding="utf-8"))
            of_game = (data["game"], data["game_params"]) == (game.name, game.params)
            kind = "anet" if of_game and data["proven"] == data["sides"] else "mcts"
    return replace(spec, kind=kind, net=net)


def best_note(spec: AgentSpec, found: AgentSpec) -> str:
    """Return a line such as ``best is mcts:NET.pt``; empty if the word has no ``best``."""
    return "" if names_file(spec) or spec == found else f"{spec} is {found}"


def _best_net(game: StateManager) -> Path | None:
    from base.params.yaml12 import parse  # here, since pydantic takes a while to load

    table = parse(TABLE.read_text(encoding="utf-8"), lambda line: f"{TABLE}:{line}").plain
    game = game.without_swap
    if not isinstance(table, dict) or repr(game) not in table:
        return None
    file = TABLE.parent / str(table[repr(game)])
    return Path(os.path.relpath(file)) if file.is_relative_to(Path.cwd()) else file

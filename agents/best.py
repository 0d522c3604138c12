"""The word ``best``: the strongest net that comes with the program for a game and its size."""

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
"""For each game, written as ``repr`` writes it, a file beside the table."""


def names_file(spec: AgentSpec) -> bool:
    """Tell whether an agent's word names the file of a net, and not the best net."""
    return spec.net is not None and str(spec.net) != BEST


def with_best_net(spec: AgentSpec, game: StateManager) -> AgentSpec:
    """Return an agent in whose word a file stands for ``best``.

    As a net, ``best`` is the best one for this game. As an agent without options, it is that net
    alone if its play is proven to be perfect; else a search with that net, or without a net if
    there is none.

    Raises:
        AgentError: There is no such net.
    """
    is_agent, net = spec.kind == BEST, spec.net
    if not names_file(spec) and (is_agent or net is not None):
        net = _best_net(game)
        if net is None and spec.net is not None:
            raise AgentError(f"{spec.quoted}: expected a net for {game!r} in {TABLE}")
    if is_agent:
        is_alone = not spec.options and net is not None and _is_proven(net)
        return replace(spec, kind="anet" if is_alone else "mcts", net=net)
    return replace(spec, net=net)


def who_is_best(spec: AgentSpec, found: AgentSpec) -> str:
    """Say what ``best`` stands for in an agent's word; empty if it is not there."""
    return "" if names_file(spec) or spec == found else f"{spec} is {found}"


def _is_proven(net: Path) -> bool:
    """Tell whether a certificate beside a net says that it holds all that it can hold."""
    certificate = net.with_name(f"{net.stem}.certificate.json")
    if not certificate.exists():
        return False
    data = json.loads(certificate.read_text(encoding="utf-8"))
    return bool(data["proven"] == data["sides"])


def _best_net(game: StateManager) -> Path | None:
    from base.params.yaml12 import parse  # here, since pydantic takes a while to load

    table = parse(TABLE.read_text(encoding="utf-8"), lambda line: f"{TABLE}:{line}").plain
    if not isinstance(table, dict) or repr(game) not in table:
        return None
    file = TABLE.parent / str(table[repr(game)])
    return Path(os.path.relpath(file)) if file.is_relative_to(Path.cwd()) else file

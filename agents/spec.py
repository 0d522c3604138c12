"""The word that describes an agent: ``random``, ``anet:NET.pt,choice=probabilistic``, ``best``."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from base.storage import excerpt, printable

if TYPE_CHECKING:
    from state_manager import StateManager

ENGINE = "engine"  # the kind that runs another program
BEST = "best"  # as a net or an agent: the strongest bundled net for a game and its size
TABLE = Path(__file__).resolve().parents[1] / "nets" / "best.yaml"
"""Maps the ``repr`` of each game to a file in the folder of the table."""


class AgentError(ValueError):
    """An agent cannot be made; ``str(error)`` is one line with the reason."""


@dataclass(frozen=True)
class AgentSpec:
    """The parts of an agent's word; the kind is not yet checked."""

    kind: str  # the text before the colon
    net: Path | None = None  # the item without ``=``
    options: Mapping[str, str] = field(default_factory=dict)  # by name, still as text
    word: str = field(default="", compare=False)  # as the user wrote it

    def __str__(self) -> str:
        """Return the word."""
        if self.kind == ENGINE:
            return f"{self.kind}:{self.options.get('command', '')}"
        items = [str(self.net)] if self.net is not None else []
        items += [f"{name}={text}" for name, text in self.options.items()]
        return f"{self.kind}:{','.join(items)}" if items else self.kind

    def with_options(self, **values: object) -> AgentSpec:
        """Return this agent with some options set anew: booleans, numbers, texts or ``None``."""
        texts = {n: v if isinstance(v, str) else json.dumps(v) for n, v in values.items()}
        return replace(self, options={**self.options, **texts})

    def without(self, *names: str) -> AgentSpec:
        """Return this agent without some options."""
        left = {name: text for name, text in self.options.items() if name not in names}
        return replace(self, options=left)

    @property
    def time_limit(self) -> float | None:
        """The seconds per move in the word, infinite for ``null``; ``None`` if it sets none."""
        text = self.options.get("time_limit", "")
        try:
            return math.inf if text == "null" else float(text)
        except ValueError:  # refused where the agent is made
            return None

    @property
    def quoted(self) -> str:
        """The agent in error messages: the word as the user wrote it."""
        return f"agent {excerpt(self.word or str(self))}"

    @property
    def name(self) -> str:
        """The display name, such as ``anet_00200`` or ``mcts anet_00200 simulations=500``."""
        if self.kind == ENGINE:
            return printable(str(self), 60)
        words = [] if self.kind == "anet" and self.net is not None else [self.kind]
        words += [self.net.stem] if self.net is not None else []
        words += [f"{name}={text}" for name, text in self.options.items()]
        return printable(" ".join(words))


def parse_agent(word: str) -> AgentSpec:
    """Parse an agent's word, ``kind`` or ``kind:item,item...``.

    An item with ``=`` is an option; the one without is the path of a net. All text after
    ``engine:`` is one command. An empty item, or one given twice, is an ``AgentError``.
    """
    kind, colon, rest = word.partition(":")
    if not (kind := kind.strip()):
        example = "an agent such as random or mcts:simulations=500"
        raise AgentError(f"expected {example}, got {excerpt(word)}")
    if kind == ENGINE:
        return AgentSpec(kind, None, {"command": rest}, word)
    agent = f"agent {excerpt(word)}"
    net: Path | None = None
    options: dict[str, str] = {}
    for item in map(str.strip, rest.split(",") if colon else []):
        name, equals, text = map(str.strip, item.partition("="))
        if not item or not name:
            raise AgentError(f"{agent}: expected a net or name=value, got {excerpt(item)}")
        if not equals:
            if net is not None:
                both = f"{excerpt(str(net))} and {excerpt(item)}"
                raise AgentError(f"{agent}: expected one net, got {both}")
            net = Path(item)
        elif name in options:
            raise AgentError(f"{agent}: {printable(name)}: given twice")
        else:
            options[name] = text
    return AgentSpec(kind, net, options, word)


def names_file(spec: AgentSpec) -> bool:
    """Return whether an agent's word names the file of a net, not ``best``."""
    return spec.net is not None and str(spec.net) != BEST


def with_best_net(spec: AgentSpec, game: StateManager) -> AgentSpec:
    """Return the agent with ``best`` replaced by the file of a net, else an ``AgentError``.

    As a net, ``best`` is the best one for this game. As an agent, it is a search with that net, or
    without a net if the game has none; if there are no options and the net's play is proven
    perfect, the net alone.
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

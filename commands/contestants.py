"""Who takes part in a comparison: words of the command line, and lists of them in a file."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from agents import (
    AgentError,
    load_net,
    make_agent,
    parse_agent,
    searches,
    with_least_effort,
    with_simulations,
    with_time_limit,
)
from agents.match import Contestant
from base.params import ParamsError, Section, load_list
from base.params.check import check_section
from base.params.section import show_key, show_value
from base.storage import excerpt, printable
from base.words import one_of

if TYPE_CHECKING:
    from agents import Agent, AgentSpec
    from base.params import Params
    from base.params.yaml12 import Given
    from state_manager import StateManager


@dataclass(frozen=True)
class Candidate:
    """An agent that is to take part.

    Attributes:
        spec: Its word.
        name: What somebody wants it to be called, if anybody does.
        where: The file and line that name it; nothing for the command line.
    """

    spec: AgentSpec
    name: str | None = None
    where: str = ""


class _Entry(Section):
    """An agent in a file, where it is more than its word.

    Attributes:
        agent: The word.
        name: What it is to be called; ``None`` for a name made from the word.
    """

    agent: str
    name: str | None = None


def read_candidates(words: Sequence[str], file: Path | None) -> list[Candidate]:
    """Return the agents of the command line, then those of a file.

    Raises:
        AgentError: A word describes no agent.
        ParamsError: The file is not what it should be, or gives one name twice.
    """
    candidates = [Candidate(parse_agent(word)) for word in words]
    places: dict[str, str] = {}
    for item in [] if file is None else load_list(file):
        candidate = _candidate(item)
        if candidate.name in places:
            raise ParamsError(
                f"{item.where}: name: {candidate.name!r}: given twice, first at "
                f"{places[candidate.name]}"
            )
        if candidate.name is not None:
            places[candidate.name] = item.where
        candidates.append(candidate)
    return candidates


def _candidate(item: Given) -> Candidate:
    """Read an agent from an item of a file: its word, or a mapping with ``agent`` and ``name``."""
    word, name = item.value, None
    if isinstance(item.value, dict):
        for key, given in item.value.items():
            if key not in _Entry.model_fields:
                known = one_of(_Entry.model_fields)
                raise ParamsError(f"{given.where}: {show_key(key)}: unknown key (expected {known})")
        entry = check_section(_Entry, "", item.value, item.where)
        word = entry.agent
        if entry.name is not None:
            name = printable(" ".join(entry.name.split()))
            if not name:
                raise ParamsError(f"{item.value['name'].where}: name: expected a name, got ''")
    elif not isinstance(item.value, str):
        raise ParamsError(
            f"{item.where}: expected an agent or {{name: ..., agent: ...}}, "
            f"got {show_value(item.plain)}"
        )
    with _blamed_on(item.where):
        return Candidate(parse_agent(str(word)), name, item.where)


def check_nets(candidates: Sequence[Candidate]) -> None:
    """Load all nets once.

    Raises:
        AgentError: One cannot be loaded; the message says who wants it.
    """
    for candidate in candidates:
        if candidate.spec.net is not None:
            with _blamed_on(candidate.where):
                load_net(candidate.spec.net)


def different_names(candidates: Sequence[Candidate]) -> list[str]:
    """Name the candidates, each in its own way: as somebody wants, else by their words.

    Different words may make one name, as nets in several folders do: then these are the names.
    Equal words are numbered.
    """
    words: dict[str, set[str]] = defaultdict(set)
    for candidate in candidates:
        words[candidate.spec.name].add(str(candidate.spec))
    taken = {candidate.name for candidate in candidates if candidate.name is not None}
    names = []
    for candidate in candidates:
        name = candidate.name
        if name is None:
            spec = candidate.spec
            own = spec.name if len(words[spec.name]) == 1 else printable(str(spec))
            numbered = (f"{own} #{number}" for number in count(2))
            name = own if own not in taken else next(each for each in numbered if each not in taken)
            taken.add(name)
        names.append(name)
    return names


def make_contestants(
    candidates: Sequence[Candidate],
    game: StateManager,
    params: Params,
    simulations: int | None = None,
    seconds: float | None = None,
) -> list[Contestant]:
    """Make everyone ready to play: their kernels are loaded and their nets have been asked.

    Args:
        candidates: Who takes part.
        game: The rules.
        params: Where the options that no word gives come from.
        simulations: For each move of all who search; ``None`` for what each one's word says.
        seconds: For each move of all who search, in the same way.

    Raises:
        AgentError: Somebody cannot play, or cannot be held to the simulations or seconds.
    """
    contestants = []
    for name, candidate in zip(different_names(candidates), candidates, strict=True):
        spec = candidate.spec
        with _blamed_on(candidate.where):
            if spec.kind == "human":
                raise AgentError(f"agent {excerpt(str(spec))}: several games are played at a time")
            make_agent(spec, game, defaults=params)
            if simulations is not None:
                with _blamed_on("--simulations"):
                    spec = with_simulations(spec, simulations)
            if seconds is not None:
                with _blamed_on("--seconds"):
                    spec = with_time_limit(spec, seconds)
            make_agent(spec, game, defaults=params)
        if searches(spec) or spec.net is not None:
            # A first move, so that nothing is loaded in a game whose time is measured.
            first = make_agent(with_least_effort(spec), game, defaults=params)
            first.choose_action(game.initial_state())
        contestants.append(Contestant(name, partial(_agent, spec, game, params), str(spec)))
    return contestants


def _agent(
    spec: AgentSpec, game: StateManager, params: Params, seed: np.random.SeedSequence
) -> Agent:
    """Make the agent of a contestant for one game."""
    return make_agent(spec, game, seed=seed, defaults=params)


@contextmanager
def _blamed_on(where: str) -> Iterator[None]:
    """Let errors begin with the place, or the option, that they come from."""
    try:
        yield
    except (AgentError, ParamsError) as error:
        raise AgentError(f"{where}: {error}" if where else str(error)) from error

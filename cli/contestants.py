"""The agents that the command line, or a list in a file, names; and their game."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import chain, count
from pathlib import Path
from typing import NamedTuple

from pydantic import field_validator

import agents
from agents.match import Contestant
from base.params import Given, Params, ParamsError, Section, load_list
from base.params.check import check_section
from base.params.section import show_value
from base.storage import printable
from cli.exits import UsageError
from hex_mcts.system import System
from judge import shared_judge
from state_manager import NodeLimitError, StateManager
from state_manager.sides import Side, sides_of


def named_agents(
    system: System, *specs: agents.AgentSpec
) -> tuple[StateManager, list[agents.AgentSpec], list[str]]:
    """Return the game of the agents, the agents with files for ``best``, and notes on these."""
    game = game_of(system, specs)
    found = [agents.with_best_net(spec, game) for spec in specs]
    return game, found, agents.agent_notes(game, specs, found)


def game_of(system: System, specs: Sequence[agents.AgentSpec]) -> StateManager:
    """Return the game of the command line, if the agents' nets fit it, else theirs, if any."""
    nets = [(spec.net, net) for spec in specs if spec.net and (net := agents.net_of(spec))]
    return agents.common_game(nets, system.given_game) or system.game


class Candidate(NamedTuple):
    """An agent to compare: its word, its own name if any, and its place in a file."""

    spec: agents.AgentSpec
    name: str | None = None
    where: str = ""


class _Entry(Section):
    agent: str
    name: str | None = None

    @field_validator("name")
    @classmethod
    def _is_a_name(cls, name: str | None) -> str | None:
        name = name and printable(" ".join(name.split()))
        if name == "":
            raise ValueError("expected a name, got ''")
        return name


def read_candidates(words: Sequence[str], file: Path | None) -> list[Candidate]:
    """Return the agents of the command line, then those of a file; their nets are loaded once."""
    entries = [(_Entry(agent=word), "") for word in words]
    places: dict[str | None, str] = {}
    for item in [] if file is None else load_list(file):
        entry = _read_entry(item)
        if entry.name is not None and entry.name in places:
            first = places[entry.name]
            raise ParamsError(f"{item.where}: name: {entry.name!r}: given twice, first at {first}")
        places[entry.name] = item.where
        entries.append((entry, item.where))
    candidates = []
    for entry, where in entries:
        with _located(where):
            spec = agents.parse_agent(entry.agent)
            agents.net_of(spec)
        candidates.append(Candidate(spec, entry.name, where))
    return candidates


def _read_entry(item: Given) -> _Entry:
    if isinstance(item.value, str):
        return _Entry(agent=item.value)
    if not isinstance(item.value, dict):
        expected = "an agent or {name: ..., agent: ...}"
        raise ParamsError(f"{item.where}: expected {expected}, got {show_value(item.plain)}")
    return check_section(_Entry, "", item.value, item.where)


def with_best_nets(candidates: Sequence[Candidate], game: StateManager) -> list[Candidate]:
    """Return the candidates with files for ``best``; see ``agents.with_best_net``."""
    found = []
    for each in candidates:
        with _located(each.where):
            found.append(each._replace(spec=agents.with_best_net(each.spec, game)))
    return found


def _different_names(candidates: Sequence[Candidate]) -> list[str]:
    """Return the own names, else the words, shortened where that is unique, numbered if equal."""
    words: dict[str, set[str]] = defaultdict(set)
    for spec, *_ in candidates:
        words[spec.name].add(str(spec))
    names = {name for _, name, _ in candidates}
    different = []
    for spec, name, _ in candidates:
        if name is None:
            own = spec.name if len(words[spec.name]) == 1 else printable(str(spec))
            numbered = chain([own], (f"{own} #{number}" for number in count(2)))
            name = next(each for each in numbered if each not in names)
            names.add(name)
        different.append(name)
    return different


def make_contestants(
    candidates: Sequence[Candidate],
    game: StateManager,
    params: Params,
    simulations: int | None = None,
    seconds: float | None = None,
) -> list[Contestant]:
    """Make warm agents, with one limit on their moves if any; an ``AgentError`` if one cannot."""
    contestants = []
    for name, (spec, _, where) in zip(_different_names(candidates), candidates, strict=True):
        with _located(where):
            if spec.kind == "human":
                raise agents.AgentError(f"{spec.quoted}: several games are played at a time")
            agents.make_agent(spec, game, defaults=params)
            with _located("--simulations" if seconds is None else "--seconds"):
                if simulations is not None:
                    spec = agents.with_simulations(spec, simulations)
                if seconds is not None:
                    spec = agents.with_time_limit(spec, seconds)
            net = agents.make_agent(spec, game, defaults=params).net
        if agents.searches(spec) or spec.net is not None:
            # A first move, so that nothing is loaded during a timed game.
            first = agents.make_agent(agents.with_least_effort(spec), game, defaults=params)
            first.choose_action(game.initial_state())
        # The net goes with it, since its file may be on this machine only.
        agent = partial(agents.make_agent, spec, game, defaults=params, net=net)
        contestants.append(Contestant(name, agent, str(spec)))
    return contestants


def sides_to_hold(game: StateManager) -> list[Side]:
    """Return the winning side of each start; raise a ``UsageError`` if the judge gives up."""
    try:
        return sides_of(game, shared_judge(game).winner)
    except NodeLimitError:
        needs = "the exact judge, which needs the winner after each first move"
        words = f"{game!r} is too large for {needs}: choose a smaller board (Hex up to 7x7)"
        raise UsageError(words) from None


@contextmanager
def _located(where: str) -> Iterator[None]:
    """Prefix errors with their place in a file, or their option."""
    try:
        yield
    except (agents.AgentError, ParamsError) as error:
        raise agents.AgentError(f"{where}: {error}" if where else str(error)) from error

"""What one of an agent's moves may take, set from outside: so that several agents have the same."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from agents.agent import agent_kind
from agents.spec import AgentError, AgentSpec
from base.storage import excerpt

_SIMULATIONS, _TIME_LIMIT = "simulations", "time_limit"
_MOST_SIMULATIONS = "10000000"
"""As many as the options of an agent take: the time is over before."""


def with_simulations(spec: AgentSpec, simulations: int) -> AgentSpec:
    """Return an agent that runs this number of simulations before each move, without a time limit.

    An agent that does not search stays as it is.

    Raises:
        AgentError: Its word already says how much it searches, or its search is not measured in
            simulations.
    """
    return _with(spec, _SIMULATIONS, {_SIMULATIONS: str(simulations), _TIME_LIMIT: "null"})


def with_time_limit(spec: AgentSpec, seconds: float) -> AgentSpec:
    """Return an agent that searches for this number of seconds before each move.

    An agent that does not search stays as it is.

    Raises:
        AgentError: Its word already says how much it searches, or its search knows no time limit.
    """
    options = {_TIME_LIMIT: str(seconds), _SIMULATIONS: _MOST_SIMULATIONS}
    return _with(spec, _TIME_LIMIT, options)


def with_least_effort(spec: AgentSpec) -> AgentSpec:
    """Return an agent that searches as little as it can, to load what it plays with."""
    return _replaced(spec, {_SIMULATIONS: "1", _TIME_LIMIT: "0.001"})


def searches(spec: AgentSpec) -> bool:
    """Tell whether an agent searches, in simulations or in seconds."""
    return not {_SIMULATIONS, _TIME_LIMIT}.isdisjoint(agent_kind(spec.kind).Options.model_fields)


def _with(spec: AgentSpec, measure: str, options: Mapping[str, str]) -> AgentSpec:
    """Return an agent with these options, if it searches; ``measure`` is the one that matters."""
    if not searches(spec):
        return spec
    if measure not in agent_kind(spec.kind).Options.model_fields:
        raise AgentError(
            f"agent {excerpt(str(spec))}: expected an agent that takes {measure}, "
            f"{spec.kind} does not"
        )
    if given := [name for name in options if name in spec.options]:
        raise AgentError(
            f"agent {excerpt(str(spec))}: {given[0]}: expected it left out, "
            "as all agents get the same"
        )
    return _replaced(spec, options)


def _replaced(spec: AgentSpec, options: Mapping[str, str]) -> AgentSpec:
    """Return an agent with those of the options that its kind has."""
    known = agent_kind(spec.kind).Options.model_fields
    chosen = {name: text for name, text in options.items() if name in known}
    return replace(spec, options={**spec.options, **chosen})

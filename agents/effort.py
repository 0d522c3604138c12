"""What one of an agent's moves may take, set from outside: so that several agents have the same."""

from __future__ import annotations

from dataclasses import replace

from agents.agent import agent_kind
from agents.spec import AgentError, AgentSpec
from base.storage import excerpt

_MEASURES = ("simulations", "time_limit")
_MOST_SIMULATIONS = 10_000_000
"""As many as the options of an agent take: the time is over before."""


def with_simulations(spec: AgentSpec, simulations: int) -> AgentSpec:
    """Return an agent that runs this number of simulations before each move, without a time limit.

    An agent that does not search stays as it is.

    Raises:
        AgentError: Its word already says how much it searches.
    """
    return _with(spec, simulations=simulations, time_limit="null")


def with_time_limit(spec: AgentSpec, seconds: float) -> AgentSpec:
    """Return an agent that searches for this number of seconds before each move.

    An agent that does not search stays as it is.

    Raises:
        AgentError: Its word already says how much it searches.
    """
    return _with(spec, time_limit=seconds, simulations=_MOST_SIMULATIONS)


def with_least_effort(spec: AgentSpec) -> AgentSpec:
    """Return an agent that searches as little as it can, to load what it plays with."""
    others = {name: text for name, text in spec.options.items() if name not in _MEASURES}
    return _with(replace(spec, options=others), simulations=1, time_limit=0.001)


def searches(spec: AgentSpec) -> bool:
    """Tell whether an agent searches; all who do take both measures of it."""
    return set(_MEASURES) <= agent_kind(spec.kind).Options.model_fields.keys()


def _with(spec: AgentSpec, **measures: object) -> AgentSpec:
    """Return an agent whose word says these, too, if it searches."""
    if not searches(spec):
        return spec
    for name in measures:
        if name in spec.options:
            raise AgentError(
                f"agent {excerpt(str(spec))}: {name}: expected it left out, "
                "as all agents get the same"
            )
    texts = {name: str(value) for name, value in measures.items()}
    return replace(spec, options={**spec.options, **texts})

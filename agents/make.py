"""Make an agent from its word; set equal search limits for all agents."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from agents.agent import Agent, HumanIO, Seed, agent_kind
from agents.nets import ONNX, load_net
from agents.spec import (
    ENGINE,
    AgentError,
    AgentSpec,
    best_note,
    names_file,
    parse_agent,
    with_best_net,
)
from base.storage import excerpt, printable
from base.words import nearest, one_of

if TYPE_CHECKING:
    from anet.evaluator import Evaluator
    from base.params import Params
    from state_manager import StateManager

_MEASURES = ("simulations", "time_limit")
_MOST_SIMULATIONS = 10_000_000
"""The highest value of the option; a time limit ends the search earlier."""


def make_agent(
    word: str | AgentSpec,
    game: StateManager,
    seed: Seed = 0,
    *,
    defaults: Params | None = None,
    human_io: HumanIO | None = None,
    net: Evaluator | None = None,
) -> Agent:
    """Make an agent from its word; see ``parse_agent`` and ``with_best_net``.

    The parameters of the run set the ``defaults`` of options. ``human_io`` is needed by ``human``
    only. ``net`` is the net in the word's file, trained for this game; ``None`` to load it. Raises
    an ``AgentError`` if the kind is unknown, or an option or the net is invalid.
    """
    from base.params import ParamsError  # here, since pydantic takes a while to load

    spec = parse_agent(word) if isinstance(word, str) else word
    spec = with_best_net(spec, game)
    kind = agent_kind(spec.kind)
    try:
        if kind.net_use == "required" and spec.net is None:
            raise AgentError(f"expected a net, as in {spec.kind}:FILE, got none")
        _check_net_use(spec)
        options = _read_options(spec, kind)
        net = net or (None if spec.net is None else load_net(spec.net, game, options.card))
        options = options.resolve(net, defaults)
        _check_choice(spec, options)
        return kind(game, net, options, seed, spec.name, human_io)
    except (AgentError, ParamsError) as error:
        what = str(error).removeprefix(": ")  # the prefix of an error without a file
        raise AgentError(f"{spec.quoted}: {what}") from error


def agent_notes(
    game: StateManager, specs: Sequence[AgentSpec], found: Sequence[AgentSpec]
) -> list[str]:
    """Return lines for the user: what ``best`` is, and what trials found of strangers' nets."""
    strangers = [spec for spec in found if spec.net and spec.net.suffix == ONNX]
    notes = [net.note for spec in strangers if (net := make_agent(spec, game).net)]
    return [*filter(None, dict.fromkeys([*map(best_note, specs, found), *notes]))]


def net_of(spec: AgentSpec) -> Evaluator | None:
    """Return the net whose file an agent's word names, if any, or raise an ``AgentError``."""
    if spec.net is None or not names_file(spec):
        return None
    _check_net_use(spec)
    return load_net(spec.net)


def _check_net_use(spec: AgentSpec) -> None:
    if agent_kind(spec.kind).net_use == "none" and spec.net is not None:
        raise AgentError(f"{spec.kind} takes no net, got {excerpt(str(spec.net))}")


def _read_options(spec: AgentSpec, kind: type[Agent]) -> Any:
    from base.params.check import check_section
    from base.params.yaml12 import Given, parse_scalar

    known = list(kind.Options.model_fields)
    for name in spec.options:
        if name not in known:
            raise AgentError(f"{printable(name)}: unknown option ({_hint(name, known, spec.kind)})")
    # A command stays text, even if it looks like a number.
    read: Callable[[str], object] = str if spec.kind == ENGINE else parse_scalar
    values = {name: Given(read(text), "") for name, text in spec.options.items()}
    return check_section(kind.Options, "", values, "")


def _check_choice(spec: AgentSpec, options: Any) -> None:
    """Raise an ``AgentError`` if the word sets a number that its choice does not read."""
    for name, choice in (("epsilon", "epsilon_greedy"), ("temperature", "probabilistic")):
        if name in spec.options and options.choice != choice:
            what = f"{name}: expected choice={choice} with it, got choice={options.choice}"
            searches_tree = "rollout_epsilon" in type(options).model_fields
            hint = " (the rollouts' is rollout_epsilon)" if searches_tree else ""
            raise AgentError(what + hint)


def _hint(name: str, known: list[str], kind: str) -> str:
    if "/" in name or "\\" in name:
        return "the path of a net cannot hold '=' or ','"
    if (near := nearest(name, known)) is not None:
        return f"did you mean {near}?"
    return f"expected {one_of(known)}" if known else f"{kind} takes none"


def with_simulations(spec: AgentSpec, simulations: int) -> AgentSpec:
    """Return an agent that runs this number of simulations before each move, without a time limit.

    An agent without a search is unchanged, here and below. If the word already sets one of the two,
    both functions raise an ``AgentError``.
    """
    return _with(spec, simulations=simulations, time_limit=None)


def with_time_limit(spec: AgentSpec, seconds: float) -> AgentSpec:
    """Return an agent that searches for this number of seconds before each move."""
    return _with(spec, time_limit=seconds, simulations=_MOST_SIMULATIONS)


def with_least_effort(spec: AgentSpec) -> AgentSpec:
    """Return an agent with the smallest search, to load its net and kernels."""
    return _with(spec.without(*_MEASURES), simulations=1, time_limit=0.001)


def searches(spec: AgentSpec) -> bool:
    """Return whether an agent searches; such agents have both options in ``_MEASURES``."""
    return set(_MEASURES) <= agent_kind(spec.kind).Options.model_fields.keys()


def _with(spec: AgentSpec, **measures: object) -> AgentSpec:
    if not searches(spec):
        return spec
    if given := [name for name in measures if name in spec.options]:
        what = f"{given[0]}: expected it left out, as all agents get the same"
        raise AgentError(f"{spec.quoted}: {what}")
    return spec.with_options(**measures)

"""The same effort for agents of all kinds."""

import re

import pytest

from agents import (
    AGENTS,
    AgentError,
    agent_kind,
    make_agent,
    parse_agent,
    searches,
    with_least_effort,
    with_simulations,
    with_time_limit,
)
from agents.make import _MOST_SIMULATIONS
from state_manager import make_game


def test_a_searching_agent_gets_one_measure_in_place_of_the_other() -> None:
    spec = parse_agent("mcts:tree_policy=puct")
    assert str(with_simulations(spec, 70)) == f"{spec},simulations=70,time_limit=null"
    timed = f"{spec},time_limit=0.25,simulations={_MOST_SIMULATIONS}"
    assert str(with_time_limit(spec, 0.25)) == timed


@pytest.mark.parametrize("word", ["mcts", "nrpa"])
def test_agents_run_the_given_number_of_simulations_and_one_with_the_least_effort(
    word: str,
) -> None:
    game = make_game("hex", size=3)
    for spec, simulations in (
        (with_simulations(parse_agent(word), 70), 70),
        (with_least_effort(parse_agent(f"{word}:simulations=100000")), 1),
    ):
        agent = make_agent(spec, game)
        agent.choose_action(game.initial_state())
        assert agent.simulations_run == simulations


@pytest.mark.parametrize("word", ["random", "anet:net.pt", "human"])
def test_an_agent_without_a_search_is_unchanged(word: str) -> None:
    spec = parse_agent(word)
    assert not searches(spec)
    assert with_simulations(spec, 5) == with_time_limit(spec, 5) == with_least_effort(spec) == spec


@pytest.mark.parametrize("option", ["simulations=5", "time_limit=1", "time_limit=null"])
def test_a_word_that_also_sets_the_effort_is_an_error(option: str) -> None:
    spec = parse_agent(f"mcts:{option}")
    name = option.partition("=")[0]
    message = re.escape(f"agent 'mcts:{option}': {name}: expected it left out")
    with pytest.raises(AgentError, match=message):
        with_simulations(spec, 10)
    with pytest.raises(AgentError, match=message):
        with_time_limit(spec, 10)


@pytest.mark.parametrize("kind", AGENTS)
def test_the_most_simulations_are_allowed_and_one_more_is_refused(kind: str) -> None:
    options = agent_kind(kind).Options
    if "simulations" in options.model_fields:
        options.model_validate({"simulations": _MOST_SIMULATIONS})
        with pytest.raises(ValueError, match="simulations"):
            options.model_validate({"simulations": _MOST_SIMULATIONS + 1})

"""The word that describes an agent, its errors, and its effort."""

import math
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import agents
from agents import AGENTS, AgentError, AgentSpec, agent_kind, make_agent, net_of, parse_agent
from agents.make import _MOST_SIMULATIONS, with_least_effort, with_simulations, with_time_limit
from agents.spec import with_best_net
from base.methods import ROLLOUTS, TREE_POLICIES
from base.params import MCTSParams, TOPPParams, describe
from base.params.section import choices
from state_manager import StateManager, make_game

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(
    ("word", "kind", "net", "options", "name"),
    [
        ("random", "random", None, {}, "random"),
        ("anet:a/b.pt", "anet", "a/b.pt", {}, "b"),
        ("anet:N.pt,choice=greedy", "anet", "N.pt", {"choice": "greedy"}, "N choice=greedy"),
        ("mcts:N.pt,epsilon=0.5", "mcts", "N.pt", {"epsilon": "0.5"}, "mcts N epsilon=0.5"),
        ("mcts:sigma=0, N.pt", "mcts", "N.pt", {"sigma": "0"}, "mcts N sigma=0"),
        ("anet:C:\\nets\\a.pt", "anet", "C:\\nets\\a.pt", {}, Path("C:\\nets\\a.pt").stem),
        ("x:a=b=c", "x", None, {"a": "b=c"}, "x a=b=c"),
        ("x:a=", "x", None, {"a": ""}, "x a="),
    ],
)
def test_a_word_is_a_kind_a_net_and_options_and_gives_the_name(
    word: str, kind: str, net: str | None, options: dict[str, str], name: str
) -> None:
    spec = parse_agent(word)
    assert spec == AgentSpec(kind, Path(net) if net else None, options)
    assert spec.name == name


WORDS = st.text("ab_0.", min_size=1, max_size=8)


@given(net=st.none() | WORDS, options=st.dictionaries(WORDS, WORDS, max_size=4))
def test_the_word_of_a_spec_is_parsed_back(net: str | None, options: dict[str, str]) -> None:
    spec = AgentSpec("mcts", Path(f"{net}/a.pt") if net else None, options)
    assert parse_agent(str(spec)) == spec


def test_options_are_set_anew_and_left_out() -> None:
    spec = parse_agent("mcts:a.pt,judge=true,time_limit=3")
    assert spec.time_limit == 3.0
    other = spec.with_options(time_limit=None, judge=False, sigma=0.5)
    assert str(other) == "mcts:a.pt,judge=false,time_limit=null,sigma=0.5"
    assert other.time_limit == math.inf
    assert str(other.without("judge", "time_limit")) == "mcts:a.pt,sigma=0.5"
    for word in ("mcts", "mcts:time_limit=soon"):
        assert parse_agent(word).time_limit is None


@pytest.mark.parametrize(
    ("word", "message"),
    [
        ("", "expected an agent such as random or mcts:simulations=500, got ''"),
        ("human", "agent 'human': expected a terminal for a human player, got none"),
        ("engine:./no-such", "agent 'engine:./no-such': ./no-such: cannot be started: No such"),
    ],
)
def test_what_cannot_be_made_is_refused_in_a_line(
    hex_game: StateManager, word: str, message: str
) -> None:
    """``tests/commands/messages.txt`` has the others."""
    with pytest.raises(AgentError) as caught:
        make_agent(word, hex_game)
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)


def test_a_refusal_quotes_the_word_as_it_was_written(hex_game: StateManager) -> None:
    written = parse_agent("best: exploration=-1")
    spec = with_simulations(with_best_net(written, hex_game), 5)
    with pytest.raises(AgentError, match=r"^agent 'best: exploration=-1': exploration: expected"):
        make_agent(spec, hex_game)
    with pytest.raises(AgentError, match=r"^agent 'mcts:exploration=-1': exploration: expected"):
        make_agent(AgentSpec("mcts", None, {"exploration": "-1"}), hex_game)


def test_an_agent_without_a_net_refuses_one_before_the_file_is_read() -> None:
    for kind in ("openspiel", "random"):
        with pytest.raises(AgentError, match=f"^{kind} takes no net, got 'mcts'$"):
            net_of(parse_agent(f"{kind}:mcts"))
    assert net_of(parse_agent("mcts:best")) is net_of(parse_agent("mcts")) is None


def test_the_ranges_of_options_are_those_of_the_parameters() -> None:
    mcts, anet = agent_kind("mcts").Options.model_fields, agent_kind("anet").Options.model_fields
    for name in ("simulations", "time_limit", "exploration", "rollout_epsilon"):
        assert describe(mcts[name]) == describe(MCTSParams.model_fields[name])
    for fields in (mcts, anet):
        assert describe(fields["choice"]) == describe(TOPPParams.model_fields["action_choice"])
        assert describe(fields["epsilon"]) == describe(TOPPParams.model_fields["epsilon"])


def test_the_tree_policies_of_agents_are_those_of_the_search() -> None:
    fields = agent_kind("mcts").Options.model_fields
    assert choices(fields["tree_policy"]) == list(TREE_POLICIES)
    assert choices(fields["rollout"]) == list(ROLLOUTS)


def test_parsing_a_word_imports_no_large_package() -> None:
    script = (
        "import sys; from agents import parse_agent; parse_agent('mcts:simulations=5');"
        "assert not {'torch', 'numba', 'pydantic', 'scipy'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", script], cwd=ROOT, check=True)


def test_a_searching_agent_gets_one_measure_in_place_of_the_other() -> None:
    spec = parse_agent("mcts:tree_policy=puct")
    assert str(with_simulations(spec, 70)) == f"{spec},simulations=70,time_limit=null"
    timed = f"{spec},time_limit=0.25,simulations={_MOST_SIMULATIONS}"
    assert str(with_time_limit(spec, 0.25)) == timed


@pytest.mark.parametrize("word", ["mcts", "nrpa"])
def test_agents_run_the_given_number_of_simulations_one_with_the_least_effort(word: str) -> None:
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
    assert not agents.searches(spec)
    assert with_simulations(spec, 5) == with_time_limit(spec, 5) == with_least_effort(spec) == spec


@pytest.mark.parametrize("kind", AGENTS)
def test_the_most_simulations_are_allowed_and_one_more_is_refused(kind: str) -> None:
    options = agent_kind(kind).Options
    if "simulations" in options.model_fields:
        options.model_validate({"simulations": _MOST_SIMULATIONS})
        with pytest.raises(ValueError, match="simulations"):
            options.model_validate({"simulations": _MOST_SIMULATIONS + 1})

"""The word that describes an agent, and the errors in such a word."""

import math
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents import (
    AGENTS,
    AgentError,
    AgentSpec,
    agent_kind,
    make_agent,
    net_of,
    parse_agent,
    with_best_net,
    with_simulations,
)
from base.methods import ROLLOUTS, TREE_POLICIES
from base.params import MCTSParams, TOPPParams, describe
from base.params.section import choices
from state_manager import StateManager
from tests.agents.fake_net import FakeNet

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(
    ("word", "spec"),
    [
        ("random", AgentSpec("random")),
        ("anet:a/b.pt", AgentSpec("anet", Path("a/b.pt"))),
        (
            "anet:NET.pt,choice=probabilistic",
            AgentSpec("anet", Path("NET.pt"), {"choice": "probabilistic"}),
        ),
        (
            "mcts:simulations=500,tree_policy=puct",
            AgentSpec("mcts", None, {"simulations": "500", "tree_policy": "puct"}),
        ),
        (
            "mcts:simulations=500, NET.pt",
            AgentSpec("mcts", Path("NET.pt"), {"simulations": "500"}),
        ),
        ("anet:C:\\nets\\a.pt", AgentSpec("anet", Path("C:\\nets\\a.pt"))),
        ("x:a=b=c", AgentSpec("x", None, {"a": "b=c"})),
        ("x:a=", AgentSpec("x", None, {"a": ""})),
    ],
)
def test_a_word_is_a_kind_a_net_and_options(word: str, spec: AgentSpec) -> None:
    assert parse_agent(word) == spec


@pytest.mark.parametrize(
    ("word", "name"),
    [
        ("random", "random"),
        ("anet:runs/a/anet_00200.pt", "anet_00200"),
        ("mcts:anet_00200.pt,simulations=50", "mcts anet_00200 simulations=50"),
    ],
)
def test_an_agent_is_named_after_its_word(word: str, name: str) -> None:
    assert parse_agent(word).name == name


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
        (":a", "expected an agent such as random"),
        ("mcts:", "expected a net or name=value, got ''"),
        ("mcts:a,,b=1", "expected a net or name=value, got ''"),
        ("mcts:=5", "expected a net or name=value, got '=5'"),
        ("anet:a.pt,b.pt", "expected one net, got 'a.pt' and 'b.pt'"),
        ("mcts:c=1,c=2", "c: given twice"),
        ("mtcs:simulations=5", "expected a kind of agent (random, human,"),
        ("mtcs:simulations=5", "(did you mean mcts?)"),
        ("mcts:simulatons=5", "simulatons: unknown option (did you mean simulations?)"),
        ("anet:a.pt,zzz=5", "zzz: unknown option (expected choice, epsilon or temperature)"),
        ("random:zzz=5", "zzz: unknown option (random takes none)"),
        ("anet:runs/k=5/a.pt", "expected a net, as in anet:FILE, got none"),
        ("mcts:runs/k=5/a.pt", "runs/k: unknown option (the path of a net cannot hold '=' or ',')"),
        ("mcts:simulations=many", "simulations: expected an integer from 1 to 10000000"),
        ("mcts:simulations=0", "got 0"),
        ("mcts:time_limit=0", "time_limit: expected null or a number above 0 and up to 3600"),
        ("mcts:choice=gredy", "(did you mean greedy?)"),
        ("mcts:epsilon=0.5", "epsilon: expected choice=epsilon_greedy with it"),
        ("mcts:epsilon=0.5", "(the rollouts' is rollout_epsilon)"),
        ("mcts:rollout_epsilon=0.5", "rollout_epsilon: expected a net with it that plays"),
        ("mcts:tree_policy=n_mcts", "tree_policy: expected a net with n_mcts"),
        ("mcts:tree_policy=puct", "(mcts:NET,tree_policy=puct)"),
        ("anet", "expected a net, as in anet:FILE, got none"),
        ("random:a.pt", "random takes no net, got 'a.pt'"),
        ("human:a.pt", "human takes no net, got 'a.pt'"),
        ("nrpa:a.pt", "nrpa takes no net, got 'a.pt'"),
        ("nrpa:level=6", "level: expected an integer from 1 to 5, got 6"),
        ("nrpa:form=hard", "form: expected softmax or additive, got 'hard'"),
        ("human", "expected a terminal for a human player, got none"),
        ("anet:none.pt", "none.pt: no such file"),
        ("mcts:none.pt", "none.pt: no such file"),
    ],
)
def test_an_agent_that_cannot_be_made_is_refused_in_one_line(
    nim: StateManager, word: str, message: str
) -> None:
    with pytest.raises(AgentError) as caught:
        make_agent(word, nim)
    assert message in str(caught.value)
    assert len(str(caught.value).splitlines()) == 1
    if word.partition(":")[0] in AGENTS:
        assert str(caught.value).startswith(f"agent '{word}': ")


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


def test_a_folder_is_named(nim: StateManager, tmp_path: Path) -> None:
    with pytest.raises(AgentError, match="expected a file, got a folder"):
        make_agent(f"anet:{tmp_path}", nim)


def test_a_net_for_another_game_is_refused(
    nim: StateManager, hex_game: StateManager, net_files: Callable[..., Path]
) -> None:
    path = net_files("hex.pt", FakeNet(hex_game, [1] * 9))
    expected = f"{path}: expected a net for {nim!r}, got one for hex(size=3)"
    with pytest.raises(AgentError, match=re.escape(f"agent 'mcts:{path}': {expected}")):
        make_agent(f"mcts:{path}", nim)


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

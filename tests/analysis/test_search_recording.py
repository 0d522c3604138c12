"""A recording shows the search that plays, and its steps are correct."""

import subprocess
from typing import Any

import numpy as np
import pytest

from agents import AgentError, make_agent, parse_agent
from analysis import search_recording
from analysis.search_recording import Recording
from analysis.step_recorder import recorded
from mcts.leaf_evaluation import evaluate_leaf, evaluate_leaf_uniformly
from mcts.tree import ROOT, UNEXPANDED, Tree, edges_of
from mcts.variant import Processes
from state_manager import StateError
from tests.recordings import OPENING, WORDS, game, recordings, specs

Known = dict[tuple[int, ...], tuple[int, float, int]]


def move_by_move(processes: Processes) -> Processes:
    """Play rollouts move by move, as in a recording."""
    if processes.evaluate_leaf is evaluate_leaf_uniformly:
        return processes._replace(evaluate_leaf=evaluate_leaf)
    return processes


def known_in(tree: Tree, node: int = ROOT, way: tuple[int, ...] = ()) -> Known:
    """Return N, Q and the outcome of each edge with a node, by the actions that lead there."""
    known: Known = {}
    edges = edges_of(tree, node)
    for edge in range(edges.start, edges.stop):
        child, actions = int(tree.edges[edge].child), (*way, int(tree.edges[edge].action))
        if child != UNEXPANDED:
            visits, q = int(tree.edges[edge].visit_count), float(tree.edges[edge].q_value)
            known[actions] = visits, q, int(tree.nodes[child].outcome)
            known |= known_in(tree, child, actions)
    return known


def known_after(recording: Recording) -> Known:
    """Return the same from the steps of a recording."""
    known: Known = {}
    for step in recording.steps:
        actions = step.actions[: len(step.path) - 1]
        for node, (_, after) in step.changes.items():
            if after.q is not None:  # the root has no edge above it
                known[actions[: step.path.index(node)]] = after.visits, after.q, after.outcome
    return known


@pytest.mark.parametrize("name", WORDS)
def test_the_recorded_tree_is_that_of_the_compiled_search(name: str) -> None:
    agent: Any = make_agent(specs()[name], game(), seed=0)
    agent.search.observe(move_by_move)
    action = agent.choose_action(game().child_state(game().initial_state(), *OPENING))
    recording = recordings()[name]
    assert recording.action == action
    compiled, recorded = known_in(agent.search.tree), known_after(recording)
    assert recorded.keys() == compiled.keys()
    for way, (visits, q, outcome) in compiled.items():
        assert recorded[way][0] == visits
        # Proofs of edges are in the tree alone; a finished game is known when it is reached.
        if np.isfinite(q):
            assert recorded[way][1] == pytest.approx(q, abs=1e-6)
        assert recorded[way][2] == outcome
    assert len(recording.nodes) == len(compiled) + 1


@pytest.mark.parametrize("name", WORDS)
def test_a_simulation_is_the_four_processes_in_order(name: str) -> None:
    steps = recordings()[name].steps
    for simulation in range(1, steps[-1].simulation + 1):
        processes = [step.process for step in steps if step.simulation == simulation]
        assert processes == sorted(processes)
        assert set(processes) == {1, 2, 3, 4}


@pytest.mark.parametrize("name", ["rollouts", "critic", "net"])
def test_the_edge_that_is_taken_has_the_highest_score(name: str) -> None:
    for step in recordings()[name].steps:
        if step.process == 1:
            scores = {edge.action: edge.score for edge in step.edges}
            assert None not in scores.values()
            assert scores[step.action] == max(score or 0.0 for score in scores.values())


def test_the_agent_decides_how_leaves_are_evaluated_and_rollouts_are_worth_their_result() -> None:
    means = {
        name: {step.means for step in recording.steps if step.process == 3}
        for name, recording in recordings().items()
    }
    assert means["rollouts"] == {"rollout"}
    assert means["net"] == {"rollout", "net"}
    assert "rollout" not in means["critic"] | means["batches"]
    for step in recordings()["rollouts"].steps:
        if step.means == "rollout":
            state = game().child_state(game().initial_state(), *OPENING)
            for action in step.actions:
                state = game().child_state(state, action)
            assert step.value == {1: 1.0, 2: -1.0}[game().winner(state)]


def test_proven_outcomes_are_recorded() -> None:
    steps = [step for step in recordings()["solver"].steps if step.process == 4]
    proven = [after for step in steps if step.value is None for _, after in step.changes.values()]
    assert proven
    assert all(after.outcome for after in proven)


def test_an_agent_without_a_tree_and_a_game_that_is_over_cannot_be_recorded() -> None:
    start = game().initial_state()
    with pytest.raises(AgentError, match="one that grows a tree"):
        recorded(parse_agent("random"), game(), (), start, None)
    with pytest.raises(StateError, match="not final"):
        recorded(parse_agent("mcts"), game(), (0, 1, 3, 4, 6), start, None)


def test_a_killed_recorder_is_reported_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[subprocess.Popen[bytes]] = []

    def start(*arguments: Any, **options: Any) -> subprocess.Popen[bytes]:
        started.append(popen(*arguments, **options))
        return started[0]

    def kill() -> bool:
        started[0].kill()
        return False

    popen = subprocess.Popen
    monkeypatch.setattr(subprocess, "Popen", start)
    with pytest.raises(ChildProcessError, match=r"ended with exit status \S+$"):
        search_recording.record(parse_agent("mcts"), game(), stopped=kill)

"""A recorded search in words, on a terminal, and in pictures."""

import json
import math
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from PIL import Image
from rich.console import Console

from agents import parse_agent, with_simulations
from analysis.search_recording import Recording, record
from display.boards.search_steps import ROOT, SearchSteps
from display.live import step_screen
from display.live.step_screen import StepScreen, StepView
from display.reports.step_pictures import animate_steps, plot_step
from state_manager import make_game
from tests.display.conftest import TerminalText
from tests.recordings import recordings


@pytest.fixture(scope="module")
def rollouts() -> SearchSteps:
    return SearchSteps(recordings()["rollouts"])


def steps_of_process(recording: Recording, process: int) -> list[int]:
    return [number for number, step in enumerate(recording.steps) if step.process == process]


def test_u_follows_the_formula_that_is_shown() -> None:
    for name in ("rollouts", "critic"):
        steps = SearchSteps(recordings()[name])
        recording = steps.recording
        for number in steps_of_process(recording, 1):
            step = recording.steps[number]
            visits = max(1, step.visits)
            for edge in step.edges:
                expected = math.sqrt(math.log(visits) / (1 + edge.visits))
                if edge.prior is not None:
                    expected = edge.prior * math.sqrt(visits) / (1 + edge.visits)
                assert edge.u == pytest.approx(recording.exploration * expected, abs=1e-6)


def test_every_step_has_words(rollouts: SearchSteps) -> None:
    recording = rollouts.recording
    last = [steps_of_process(recording, process)[-1] for process in (1, 2, 3, 4)]
    for number, name, words in zip(
        last,
        ("mcts/tree_search.py", "mcts/node_expansion.py", "leaf_evaluation", "backpropagate()"),
        (" is to move, N(s) = ", "becomes node 40.", "A rollout of ", "The root: N 39 → 40."),
        strict=True,
    ):
        assert "simulation 40 of 40" in rollouts.view(number).title
        assert name in rollouts.heading(number)
        assert any(words in line for line in rollouts.words(number))
    for each in map(SearchSteps, recordings().values()):
        assert all(each.words(number) for number in range(len(each.recording.steps)))


def test_the_tree_after_the_last_step_is_that_of_the_search(rollouts: SearchSteps) -> None:
    recording = rollouts.recording
    tree = rollouts.tree(len(recording.steps) - 1)
    at_root = {
        node.action: tree[number].visits
        for number, node in enumerate(recording.nodes)
        if node.parent == ROOT
    }
    assert at_root == {a: n for a, n in enumerate(recording.visits) if n}
    assert tree[ROOT].visits == sum(recording.visits)


@pytest.mark.parametrize("name", ["rollouts", "solver", "batches", "tuned"])
def test_a_recording_is_readable_without_the_games(name: str) -> None:
    recording = recordings()[name]
    data = json.loads(json.dumps(SearchSteps(recording).to_json(), allow_nan=False))
    assert len(data["steps"]) == len(recording.steps)
    assert len(data["nodes"]) == len(recording.nodes)
    edges = [edge for step in data["steps"] for edge in step["edges"]]
    assert all((edge["score"] is None) == (edge["u"] is None) for edge in edges)
    infinite = {edge["u"] is None for edge in edges}
    assert infinite == ({True, False} if name == "tuned" else {False})
    last = data["steps"][-1]
    assert last["title"].startswith(f"Step {len(recording.steps)} of ")
    assert len(last["board"]["cells"]) == 9


def test_a_move_that_was_drawn_is_explained_by_its_policy() -> None:
    recording = recordings()["rollouts"]
    (*_, last) = steps_of_process(recording, 1)
    step = recording.steps[last]
    worst = min(step.edges, key=lambda edge: edge.score).action
    drawn = (*recording.steps[:last], replace(step, action=worst))
    words = SearchSteps(replace(recording, steps=drawn)).words(last)
    assert words[0].endswith("is taken.")
    assert words[1].startswith("uct(): Maximise")


def test_a_solved_leaf_is_not_said_to_get_edges() -> None:
    steps = SearchSteps(recordings()["solver"])
    for number in steps_of_process(steps.recording, 2)[1:]:
        changes = steps.recording.steps[number].changes
        if changes:
            (_, after), *_ = changes.values()
            assert any("gets edges" in line for line in steps.words(number)) == (not after.outcome)


def lines_of(steps: SearchSteps, number: int, width: int, height: int | None) -> list[str]:
    """Return the lines that a terminal shows of a step."""
    console = Console(file=TerminalText(), width=width, height=height or 24)
    options = console.options.update(height=height)
    lines = console.render_lines(StepView(steps, number), options, pad=False)
    return ["".join(segment.text for segment in line) for line in lines]


@pytest.mark.parametrize(("width", "height"), [(80, 24), (100, 40), (50, 12)])
def test_a_step_fits_the_terminal(rollouts: SearchSteps, width: int, height: int) -> None:
    for number in (0, 40, len(rollouts.recording.steps) - 1):
        texts = lines_of(rollouts, number, width, height)
        assert len([text for text in texts if text]) <= height
        assert max(map(len, texts)) <= width


def test_the_board_and_the_sum_of_q_and_u_are_in_sight_on_10x10_and_80_columns() -> None:
    game = make_game("hex", size=10)
    spec = with_simulations(parse_agent("mcts"), 12)
    steps = SearchSteps(record(spec, game, [], game.initial_state(), None), letters=False)
    for number, step in enumerate(steps.recording.steps):
        height = (23, None)[number % 2]
        texts = lines_of(steps, number, 80, height)
        shown = "\n".join(texts)
        edges_of_rows = shown.count("\N{BOX DRAWINGS LIGHT DIAGONAL UPPER RIGHT TO LOWER LEFT}")
        assert (edges_of_rows, "…" in shown) == (18, False)
        taken = [each for each in step.edges if each.action == step.action]
        assert all(f"{each.u:.3f} {each.score:+.3f}" in shown for each in taken)
        assert height is None or len(texts) <= height


def keys_pressed(*keys: str) -> Callable[..., SimpleNamespace]:
    """Return a listener that receives these keys as soon as it starts."""

    def listener(callback: Callable[[str], None]) -> SimpleNamespace:
        def resume() -> None:
            made.listening = True
            for key in keys:
                callback(key)

        made = SimpleNamespace(listening=False, resume=resume, pause=lambda: None)
        return made

    return listener


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        (["n", "right", "left", "q"], "2 of"),
        (["end", "n", "q"], "simulation 40 of 40"),
        (["down", "down", "down", "up", "q"], "simulation 2 of 40"),
        (["p", "q"], "1 of"),
        (["down", "c", "q"], "(0, 1)"),
    ],
)
def test_keys_step_through_the_search(
    rollouts: SearchSteps, monkeypatch: pytest.MonkeyPatch, keys: list[str], expected: str
) -> None:
    monkeypatch.setattr(step_screen, "KeyListener", keys_pressed(*keys))
    file = TerminalText()
    with StepScreen(Console(file=file, width=100, height=40, force_terminal=True)) as screen:
        assert screen.step_through(rollouts)
    # The last frame stays.
    left = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", file.getvalue()).rpartition("Step ")[2]
    assert expected in left


def test_pictures_are_drawn(rollouts: SearchSteps, tmp_path: Path) -> None:
    plot_step(tmp_path / "step.png", rollouts, 3)
    animate_steps(tmp_path / "steps.gif", rollouts, range(4))
    with Image.open(tmp_path / "step.png") as picture, Image.open(tmp_path / "steps.gif") as moves:
        assert picture.width > picture.height
        assert getattr(moves, "n_frames", 1) == 4

"""Tiny training runs, wired as in the program."""

import os
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from agents.match import Observer
from base.params import load_params
from base.storage import read_jsonl
from hex_mcts.system import System
from mcts import MCTS, SearchResult, Thought
from rl import RLSystem
from state_manager import State, game_names, game_schema
from state_manager.policy import Policy
from tests.forked import Forked, main_program
from tests.project import ROOT, Patch

TINY = (
    "game.size=3",
    "mcts.simulations=15",
    "anet.hidden_layers=[8]",
    "rl.episodes=6",
    "rl.cached_nets=3",
    "rl.minibatches=3",
    "rl.minibatch_size=16",
    "display.mode=off",
)
"""Overrides for a run of a fraction of a second."""
ALPHAZERO = (
    "rl.scheme=alphazero",
    "rl.episodes_per_update=3",
    "rl.epochs=1",
    "rl.gating_games=4",
    "mcts.root_noise=0.25",
)
"""Two iterations in such a run."""
BATCHED = (
    *("anet.network=residual", "anet.channels=4", "anet.blocks=1"),
    *("rl.episodes_per_update=3", "rl.gating_games=2"),
)
IN_SLOTS = (*BATCHED, "rl.scheme=alphazero", "mcts.root_noise=0.25")
EXPERT = (*BATCHED, "rl.scheme=expert_iteration")
"""Runs whose nets are evaluated in batches."""
SIZED = (
    *("rl.scheme=alphazero", "anet.network=pooled", "anet.channels=4", "anet.blocks=2"),
    *("rl.episodes=15", "rl.episodes_per_update=3", "rl.gating_games=0", "game.size=4"),
    *("mcts.simulations=5", "rl.sizes={3: 1, 4: 2}"),
)
"""Runs on two boards."""
GUMBEL = (
    *(*BATCHED, "rl.scheme=alphazero", "rl.gating_games=0"),
    *("mcts.tree_policy=gumbel", "mcts.root_noise=1", "mcts.solver=true", "mcts.look_ahead=true"),
    *("rl.action_choice=greedy", "rl.random_plies=3", "rl.mixed_play=true", "rl.bootstrap=0.5"),
)
EXPLOITER = (
    *GUMBEL,
    *("rl.episodes_per_update=2", "rl.minibatches=2", "rl.exploiter=[0.3,0.7]"),
    *("rl.exploiter_cases=10", "rl.exploiter_simulations=20", "rl.exploiter_starts=0.7"),
    *("anet.learning_rate_end=0.1", "anet.optimizer=adamw"),
)
SOME_EXPLOITED = (*EXPLOITER, "rl.exploiter_positions=3")


def make_system(*overrides: str) -> System:
    schemas = SimpleNamespace(names=game_names, schema=game_schema)
    words = [*TINY, *overrides]
    if any(word.startswith("game.name=") for word in overrides):
        words.remove("game.size=3")
    return System(load_params(None, words, game_schemas=schemas), words)


class RunMaker:
    """Makes runs in a folder: ``make_run("name", "rl.episodes=4", ...)``.

    A second run of a name has the files of the first one, which is closed.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._made: dict[str, RLSystem] = {}

    def __call__(self, name: str, *overrides: str) -> RLSystem:
        if name in self._made:
            self._made[name].close()
        self._made[name] = make_system(*overrides).rl_system(self._folder / name)
        return self._made[name]

    def trained(self, name: str, *overrides: str) -> RLSystem:
        run = self(name, *overrides)
        run.train()
        return run

    def whole(self, *overrides: str) -> RLSystem:
        """Return a run after its training, and the same when it is asked for again."""
        name = f"whole {hash(overrides)}"
        return self._made[name] if name in self._made else self.trained(name, *overrides)

    def resumed(self, name: str, *overrides: str) -> RLSystem:
        run = self(name, *overrides)
        run.resume()
        run.train()
        return run

    def close(self) -> None:
        for run in self._made.values():
            run.close()


@pytest.fixture
def make_run(tmp_path: Path) -> Iterator[RunMaker]:
    with closing(RunMaker(tmp_path)) as make:
        yield make


@pytest.fixture(scope="module")
def make_shared_run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunMaker]:
    """Return the same for runs that several tests read, or copy before they change them."""
    with closing(RunMaker(tmp_path_factory.mktemp("shared"))) as make:
        yield make


@dataclass
class Recorder(Observer):
    """An observer that records its calls, and can press Ctrl-C."""

    interrupt_at: tuple[int, int] | None = None  # an episode, and a move in it
    titles: list[str] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    games: list[list[int]] = field(default_factory=list)
    states: list[State] = field(default_factory=list)
    thoughts: list[Thought | None] = field(default_factory=list)
    winners: list[int] = field(default_factory=list)

    def on_game_start(self, title: str, players: tuple[str, str], state: State) -> None:
        self.titles.append(title)
        self.starts.append(int(state[0]))
        self.games.append([])

    def on_move(self, state: State, action: int, thought: Thought | None = None) -> None:
        self.games[-1].append(action)
        self.states.append(state.copy())
        self.thoughts.append(thought)
        if (len(self.games), len(self.games[-1])) == self.interrupt_at:
            raise KeyboardInterrupt

    def on_game_over(self, state: State, winner: int) -> None:
        self.winners.append(winner)


@dataclass
class Calls:
    """The calls of all searches: rollouts with their share; states, simulations and results."""

    policies: list[tuple[Policy | None, float]] = field(default_factory=list)
    searches: list[tuple[State, int | None, SearchResult]] = field(default_factory=list)


@pytest.fixture
def calls(monkeypatch: Patch) -> Calls:
    calls, set_policy, search_all = Calls(), MCTS.set_rollout_policy, MCTS.search_all

    def note_policy(self: MCTS, policy: Policy | None, rollout_probability: float = 1.0) -> None:
        calls.policies.append((policy, rollout_probability))
        set_policy(self, policy, rollout_probability)

    def note_search(
        self: MCTS,
        states: Sequence[State],
        simulations: int | None = None,
        *more: Any,
        **named: Any,
    ) -> list[SearchResult]:
        before = [state.copy() for state in states]
        results = search_all(self, states, simulations, *more, **named)
        calls.searches += zip(before, [simulations] * len(before), results, strict=True)
        return results

    monkeypatch.setattr(MCTS, "set_rollout_policy", note_policy)
    monkeypatch.setattr(MCTS, "search_all", note_search)
    return calls


@contextmanager
def ctrl_c(owner: type, name: str, when: int | Callable[..., bool]) -> Iterator[None]:
    """Press Ctrl-C at a call of a method: by its number, or as its arguments say; it is raised."""
    method, numbers = getattr(owner, name), count(1)

    def pressed(*arguments: Any, **named: Any) -> Any:
        number = next(numbers)
        if number == when if isinstance(when, int) else when(*arguments):
            raise KeyboardInterrupt
        return method(*arguments, **named)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(owner, name, pressed)
        with pytest.raises(KeyboardInterrupt):
            yield


def stopped_training(
    run: Path, words: Sequence[str], updates: int, stop: signal.Signals
) -> tuple[int, str]:
    """Train in a process of its own, which gets a signal after some updates.

    Returns:
        Its exit status and its standard output; standard error must be empty.
    """
    process = Forked(main_program(["train", "--run", str(run), *words]), ROOT, os.environ)
    metrics = run / "metrics.jsonl"
    while not metrics.exists() or metrics.read_bytes().count(b"\n") < updates:
        assert not process.is_over(), process.end()
        time.sleep(0.02)
    process.send_signal(stop)
    status, output, errors = process.end()
    assert errors == ""
    return status, output


def nets_of(rl_system: RLSystem) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(rl_system.run.path.glob("anet_*.pt"))}


def logs_of(rl_system: RLSystem) -> tuple[list[dict[str, Any]], str]:
    """Return the metrics without the values that depend on the machine, and the games."""
    metrics = read_jsonl(rl_system.run.metrics_path)
    for record in metrics:
        for key in ("seconds", "simulations_per_second"):
            record.pop(key, None)
    return metrics, rl_system.run.games_path.read_text()


def assert_same_run(one: RLSystem, other: RLSystem) -> None:
    assert nets_of(one) == nets_of(other)
    assert logs_of(one) == logs_of(other)

"""Games that advance together: their shared batches, which change no agent's moves."""

from functools import partial
from threading import Event
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from agents import Agent
from agents.anet_agent import ANETAgent, ANETOptions
from agents.match import Arena, Contestant, Effort, GameRecord, PlannedGame, ScoredGame, play_series
from agents.match.game import GameInPlay, GameStoppedError, play_game, play_together
from agents.mcts_agent import MCTSAgent
from agents.search_options import MCTSOptions
from anet.evaluator import Evaluator
from base.params import ANETParams
from state_manager import IllegalActionError, State, StateManager, make_game

NETWORK = ANETParams.model_validate({"network": "residual", "critic": True})


class ExactNet(Evaluator):
    """Evaluates each state on its own, so that a batch changes nothing, not even rounding."""

    params = NETWORK
    facts = params.facts

    def __init__(self, game: StateManager) -> None:
        self.game = game
        self.batches: list[int] = []

    def evaluate_batch(
        self, states: State, legal: NDArray[np.bool_], symmetric: bool = False
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        self.batches.append(len(states))
        policies, values = np.zeros(legal.shape), np.zeros(len(states))
        for row, state in enumerate(states):
            rng = np.random.default_rng(list(state.tobytes()))
            policies[row] = rng.random(legal.shape[1]) * legal[row]
            policies[row] /= max(policies[row].sum(), 1e-9)
            values[row] = rng.uniform(-1.0, 1.0)
        return policies, values


@pytest.fixture
def game() -> StateManager:
    return make_game("hex", size=3)


def search(net: Any, **options: Any) -> Any:
    given = {"simulations": 12, "tree_policy": "puct", "sigma": 0.0, "exploration": None}
    chosen = MCTSOptions.model_validate({**given, "runtime": "torch", **options})
    return lambda seed: MCTSAgent(net.game, net, chosen, seed)


def rollouts(game: StateManager) -> Any:
    return lambda seed: MCTSAgent(game, None, MCTSOptions(simulations=30), seed)


def games_of(
    game: StateManager, makers: list[Any], games: int = 12, workers: int = 1
) -> list[ScoredGame]:
    everyone = [Contestant(f"player {n}", maker) for n, maker in enumerate(makers)]
    arena = Arena(game, everyone, games, seed=5)
    arena.play(workers)
    return arena.records


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"tree_policy": "gumbel"},
        {"root_noise": 0.25, "choice": "probabilistic"},
        {"choice": "epsilon_greedy", "epsilon": 0.3},
        {"solver": True, "look_ahead": True, "tree_policy": "gumbel", "root_noise": 1.0},
    ],
)
def test_a_game_does_not_depend_on_the_games_searched_with_it(
    game: StateManager, monkeypatch: pytest.MonkeyPatch, options: dict[str, Any]
) -> None:
    def played(workers: int) -> list[ScoredGame]:
        makers = [search(ExactNet(game), **options), rollouts(game), search(ExactNet(game))]
        return games_of(game, makers, games=4, workers=workers)

    together = played(1)
    assert played(3) == together
    for most in (1, 5):
        monkeypatch.setattr("agents.match.series.TOGETHER", most)
        assert played(1) == together


def test_games_share_batches(game: StateManager) -> None:
    net = ExactNet(game)
    games_of(game, [search(net), rollouts(game)], games=32)
    assert max(net.batches) == 16
    assert set(net.batches) <= {1, 2, 4, 8, 16}
    in_large = sum(size for size in net.batches if size >= 8)
    assert in_large > 0.8 * sum(net.batches)
    calls = []
    for options in ({}, {"simulations": 13}):  # two agents that are equal, or not
        net.batches.clear()
        games_of(game, [search(net), search(net, **options)], games=8)
        calls.append(len(net.batches))
    assert calls[0] < calls[1]


@pytest.mark.parametrize(("games", "batch"), [(2, 1), (20, 10), (38, 19), (70, 24)])
def test_nets_without_a_search_evaluate_an_even_share_of_all_games_in_one_batch(
    game: StateManager, games: int, batch: int
) -> None:
    net: Any = ExactNet(game)
    drawn = ANETOptions(choice="probabilistic")
    together = games_of(game, [lambda seed: ANETAgent(game, net, drawn, seed)] * 2, games)
    assert net.batches[0] == max(net.batches) == batch
    assert len({each.record.actions for each in together}) > 0.9 * games


def test_efforts_are_those_of_each_agent(game: StateManager) -> None:
    efforts: list[Effort] = []
    for each in games_of(game, [search(ExactNet(game)), rollouts(game)], games=8):
        for place, effort in zip(each.places, each.record.efforts, strict=True):
            assert effort.simulations == (30 if place else 12) * effort.moves
            efforts.append(effort)
    in_all = Effort.sum(efforts)
    assert 0 < in_all.search_seconds <= in_all.seconds


def test_the_memory_limits_the_games_that_are_searched_together(game: StateManager) -> None:
    net = ExactNet(game)
    games_of(game, [search(net, memory=1.0, simulations=1000), rollouts(game)], games=16)
    assert 2 <= max(net.batches) < 8


@pytest.mark.parametrize(
    ("options", "other"),
    [
        ({}, {"simulations": 5, "time_limit": 9.0}),
        ({}, {"simulations": 5, "judge": True}),
        ({"sigma": 0.5}, {}),
        ({"tree_policy": "n_mcts_proportional"}, {}),
    ],
)
def test_a_clock_a_judge_or_random_numbers_of_a_search_keep_games_apart(
    game: StateManager, options: dict[str, Any], other: dict[str, Any]
) -> None:
    net = ExactNet(game)
    opponent = search(ExactNet(game), **other) if other else rollouts(game)
    games_of(game, [search(net, **options), opponent], games=4)
    assert set(net.batches) == {1}


def in_play(game: StateManager, net: Any, games: int) -> dict[int, GameInPlay]:
    """Return games that have begun, each from another opening."""
    make = search(net)
    return {n: GameInPlay(game, (make(2 * n), make(2 * n + 1)), 1, (n,)) for n in range(games)}


def test_stopped_games_evaluate_no_further_states(game: StateManager) -> None:
    net, stop = ExactNet(game), Event()
    playing = play_together(in_play(game, net, 9), stop)
    next(playing)
    evaluated = len(net.batches)
    stop.set()
    with pytest.raises(GameStoppedError):
        list(playing)
    assert len(net.batches) == evaluated


def test_a_move_chosen_during_a_stop_ends_no_game(game: StateManager) -> None:
    stop = Event()

    class Stopped(MCTSAgent):
        def choose_action(self, state: State) -> int:
            if game.is_final(game.child_state(state, action := super().choose_action(state))):
                stop.set()
            return action

    agents = Stopped(game, None, MCTSOptions(simulations=50)), MCTSAgent(game)
    with pytest.raises(GameStoppedError):
        play_game(game, agents, opening=(3, 0, 4, 1), stop=stop)


def test_an_error_in_games_played_together_keeps_all_finished_ones(game: StateManager) -> None:
    net: Any = ExactNet(game)
    whole = dict(play_together(in_play(game, net, 9)))
    first = min(whole, key=lambda n: len(whole[n].actions))
    longest = max(map(len, (record.actions for record in whole.values())))
    assert len(whole[first].actions) < longest

    class Cheat(MCTSAgent):
        def _chosen(self, *found: Any) -> int:
            action = super()._chosen(*found)
            return 99 if self.simulations_run > 12 * (longest // 2 - 1) else action

    options = MCTSOptions(simulations=12, tree_policy="puct", sigma=0.0, exploration=None)

    def agents(number: int) -> tuple[Agent, Agent]:
        first, second = (Cheat(game, net, options, 2 * number + n) for n in range(2))
        return first, second

    plan = [PlannedGame(partial(agents, n), 1, (n,)) for n in range(9)]
    finished: dict[int, GameRecord] = {}
    with pytest.raises(IllegalActionError):
        play_series(game, plan, finished)
    assert 0 < len(finished) < 9
    assert all(whole[number].actions == record.actions for number, record in finished.items())

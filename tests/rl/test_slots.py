"""Games that advance together, in slots or in lockstep; a naive twin plays each alone."""

import math
from collections.abc import Callable, Sequence
from functools import cache
from threading import Barrier, local
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

import rl.play_in_slots
import rl.rl_system
import rl.self_play
from anet import ANET
from anet.evaluator import NetEvaluator
from anet.runtimes.torch_runtime import Floats
from mcts import MCTS, make_variant
from mcts.tree import ROOT, edges_of
from rl import schedule
from rl.episode import Episode
from rl.hard_cases import HardCases
from rl.schedule import EPISODE_STREAM, generator
from rl.self_play_engine import SelfPlayEngine, new_search, player_for
from state_manager import State, StateManager, make_game
from tests.mcts.opinions import RandomNet
from tests.project import TIMEOUT, Patch, Words
from tests.rl.conftest import BATCHED, EXPERT, GUMBEL, IN_SLOTS, RunMaker, logs_of, make_system

ALPHAZERO = (*BATCHED, "rl.scheme=alphazero", "rl.gating_games=0")
WAYS = {
    "drawn moves": (*ALPHAZERO, "mcts.root_noise=0.25", "rl.temperature=0.7"),
    "few drawn moves": (*ALPHAZERO, "rl.temperature_moves=2", "mcts.simulations_growth=1.2"),
    "random moves": (*ALPHAZERO, "rl.action_choice=epsilon_greedy", "rl.epsilon=0.3"),
    "mixed play": (*GUMBEL, "mcts.simulations=24", "mcts.simulations_growth=0.8"),
    "mixed play with noise": (*ALPHAZERO, "mcts.root_noise=0.5", "rl.mixed_play=true"),
    "tic-tac-toe, mixed play in some games": (
        *GUMBEL,
        *("rl.mixed_play=0.5", "game.name=tic_tac_toe"),
    ),
}
STARTS = ((4, 0), (2,))


def played(
    words: Sequence[str],
    numbers: Sequence[int],
    slots: int,
    workers: int,
    starts: Sequence[tuple[int, ...]],
) -> dict[int, Episode]:
    params = make_system(*words).params
    game = make_game(params.game.name, **params.game.options.model_dump())
    variant = make_variant(params.search)
    searches = [
        MCTS(game, variant=variant, evaluate=RandomNet(game), games=slots) for _ in range(workers)
    ]
    hard_cases = HardCases(game, params.rl)
    hard_cases.starts = list(starts)
    engine = SelfPlayEngine(ANET(game, params.anet), searches, params, hard_cases)
    assert params.not_in_slots is None
    finished: dict[int, Episode] = {}
    engine.play(numbers, finished)
    return finished


def facts(episode: Episode) -> dict[str, Any]:
    arrays = {name: array.tolist() for name, array in episode.arrays._asdict().items()}
    names = ("number", "winner", "first_searched", "simulations")
    return {**arrays, **{name: getattr(episode, name) for name in names}}


def drawn_before(noise: NDArray[np.float64]) -> Any:
    return SimpleNamespace(gumbel=lambda size: noise, standard_gamma=lambda shape, size: noise)


def prior_of(game: StateManager, state: State) -> Callable[[int], float]:
    net = RandomNet(game)
    policy, _ = net.evaluate_one(state, net.legal(state))
    return lambda action: float(policy[action])


@cache
def naive_episode(words: Words, number: int, starts: tuple[tuple[int, ...], ...]) -> dict[str, Any]:
    params = make_system(*words).params
    rl = params.rl
    game = make_game(params.game.name, **params.game.options.model_dump())
    rng = generator(params, EPISODE_STREAM, number)
    first = 2 - number % 2
    opening: tuple[int, ...] = ()
    if starts and rng.random() < rl.exploiter_starts:
        first, opening = 1, starts[int(rng.integers(len(starts)))]
    states = [game.initial_state(first)]
    for action in opening:
        states.append(game.child_state(states[-1], action))
    actions: list[int] = list(opening)
    random_until = len(actions) + int(rng.integers(rl.random_plies + 1))
    epsilon = rl.epsilon if rl.action_choice == "epsilon_greedy" else 0.0
    randomness, searching = [epsilon, epsilon], [True, True]
    is_mixed = rl.mixed_play if isinstance(rl.mixed_play, bool) else rng.random() < rl.mixed_play
    if is_mixed and rng.random() < 0.5:
        randomness = ((rng.random(2) < 0.5) * rng.uniform(0.0, 0.5, size=2)).tolist()
    elif is_mixed:
        weak, other = rng.permutation(2)
        searching[weak], randomness[weak], randomness[other] = False, 0.0, rng.random()
    draws = rng.random((game.max_plies, 2))
    variant = make_variant(params.search)
    shape = game.max_plies, game.num_actions
    noise = variant.root_noise.drawn(rng, shape) if variant.root_noise else np.zeros(shape)
    found: dict[str, Any] = {
        key: [] for key in ("distributions", "values", "explored", "surprises", "lost")
    }
    simulations = 0
    while not game.is_final(states[-1]):
        state, ply = states[-1], len(actions)
        search = MCTS(game, variant=variant, evaluate=RandomNet(game))
        wanted = schedule.simulations(params, ply)
        result = search.search_all([state], wanted, noise=[drawn_before(noise[ply])])[0]
        mover, legal = int(state[0]), game.legal_actions(state).tolist()
        if ply < random_until or draws[ply, 0] < randomness[mover - 1]:
            action = legal[int(draws[ply, 1] * len(legal))]
        elif not searching[mover - 1]:
            action = max(
                search.tree.edges[edges_of(search.tree, ROOT)].action.tolist(),
                key=prior_of(game, state),
            )
        elif (temperature := schedule.temperature(params, ply)) > 0:
            weights = result.distribution ** (1 / temperature)
            shares = np.cumsum(weights) / weights.sum()
            action = int(np.searchsorted(shares, draws[ply, 1], side="right"))
        else:
            action = result.best_action
        found["distributions"].append(result.distribution.tolist())
        found["values"].append(result.value if mover == 1 else -result.value)
        found["explored"].append(action != result.best_action)
        # D relative to the net's policy; a net that guides no search is not surprised.
        prior, chosen = prior_of(game, state), np.flatnonzero(result.distribution).tolist()
        terms = [
            result.distribution[a] * math.log(result.distribution[a] / prior(a)) for a in chosen
        ]
        found["surprises"].append(max(0.0, sum(terms)) if variant.method.is_guided else 0.0)
        found["lost"].append(result.outcome == 3 - mover)
        simulations += int(result.visit_counts.sum())
        actions.append(action)
        states.append(game.child_state(state, action))
    return {
        **found,
        "surprises": pytest.approx(found["surprises"]),
        "number": number,
        "actions": actions,
        "states": [state.tolist() for state in states],
        "first_searched": len(opening),
        "winner": game.winner(states[-1]),
        "simulations": simulations,
    }


@pytest.mark.parametrize(
    ("slots", "workers", "starts"),
    [(3, 1, ()), (2, 3, ()), (8, 1, STARTS), (1, 1, STARTS)],
    ids=["three slots", "three workers", "all at once with starts", "one by one with starts"],
)
@pytest.mark.parametrize("words", WAYS.values(), ids=WAYS)
def test_an_episode_equals_that_of_the_twin_whatever_the_games_beside_it(
    words: Words, slots: int, workers: int, starts: tuple[tuple[int, ...], ...]
) -> None:
    words = (*words, "rl.exploiter=[1]", "rl.exploiter_starts=0.6")
    found = played(words, range(1, 9), slots, workers, starts)
    assert sorted(found) == [*range(1, 9)]
    for number, episode in found.items():
        assert facts(episode) == naive_episode(words, number, starts)


def test_games_fill_batches_by_the_device_and_the_board(monkeypatch: Patch) -> None:
    cpu = ("cpu", 8, 64), ("cpu", 9, 16), ("cpu", 13, 8), ("cpu", 19, 4)
    for device, size, games in (*cpu, ("cuda", 11, 512)):
        words = "anet.network=pooled", f"game.size={size}", "rl.episodes_per_update=2000"
        system = make_system(*ALPHAZERO, *words, "mcts.tree_policy=gumbel")
        evaluator = ANET(system.game, system.params.anet).evaluator()
        new_search(evaluator, system.params, 9)  # which prepares the net on this machine
        monkeypatch.setattr(evaluator.net, "device", torch.device(device))
        search = new_search(evaluator, system.params, 9)
        assert search.games == len(search.slots.states) == games


def test_a_machine_without_a_gpu_plays_for_one_that_has_it(monkeypatch: Patch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    words = "anet.device=cuda", "anet.runtime=torch", "anet.precision=bfloat16"
    player = player_for(make_system(*ALPHAZERO, *words).params)
    assert player.anet.params.precision == "float32"
    assert player.anet.policy([player.anet.game.initial_state(1)]).any()


def test_a_waiting_thread_lets_the_other_search(make_run: RunMaker, monkeypatch: Patch) -> None:
    run = make_run("run", *IN_SLOTS, "rl.workers=2")
    both_ask, thread, evaluate = Barrier(2), local(), run.anet.evaluator()._forward()

    def evaluate_both(inputs: Floats) -> tuple[Floats, Floats]:
        thread.calls = getattr(thread, "calls", 0) + 1
        if thread.calls <= 5:
            both_ask.wait(TIMEOUT)
        return evaluate(inputs)

    monkeypatch.setattr(NetEvaluator, "_forward", lambda self: evaluate_both)
    finished: dict[int, Episode] = {}
    run._engine.play([1, 2, 3], finished)
    assert sorted(finished) == [1, 2, 3]


# A time limit keeps games out of slots.
GROWING = (*IN_SLOTS, "mcts.time_limit=1000", "mcts.simulations=4", "mcts.simulations_growth=1.5")


@pytest.mark.parametrize(
    "words", [GROWING, (*EXPERT, "rl.temperature_moves=3")], ids=["alphazero", "expert"]
)
def test_a_game_does_not_depend_on_the_games_beside_it(make_run: RunMaker, words: Words) -> None:
    options = ("anet.critic=true", "rl.exploiter=[1]", "rl.exploiter_starts=0.6")
    run = make_run("run", *words, *options, "rl.episodes_per_update=8")
    run.hard_cases.starts = [(4, 0, 1, 3), (2,)]
    together: dict[int, Episode] = {}
    run._engine.play(range(1, 9), together)
    for number, episode in together.items():
        alone: dict[int, Episode] = {}
        run._engine.play([number], alone)
        assert alone[number].actions == episode.actions
        assert alone[number].simulations == episode.simulations


@pytest.mark.parametrize("words", [IN_SLOTS, EXPERT], ids=["slots", "lockstep"])
def test_more_games_than_a_batch_takes_are_played_in_groups_or_one_after_the_other(
    make_run: RunMaker, monkeypatch: Patch, words: Words
) -> None:
    together = make_run.trained("together", *words)
    monkeypatch.setattr("anet.evaluator._OF_PLANES", 2)
    groups = make_run("groups", *words)
    assert [search.games for search in groups._engine.searches] == [2]
    groups.train()
    assert logs_of(groups)[1].count("\n") == logs_of(together)[1].count("\n") == 6


@pytest.mark.parametrize("words", [(), IN_SLOTS, EXPERT], ids=["on_policy", "slots", "lockstep"])
def test_each_update_releases_memory(words: Words, make_run: RunMaker, monkeypatch: Patch) -> None:
    given_back: list[str] = []
    monkeypatch.setattr(rl.play_in_slots, "_BATCHES_BETWEEN", 20)
    for module in (rl.self_play, rl.play_in_slots, rl.rl_system):
        name = module.__name__
        monkeypatch.setattr(
            module, "give_back_freed_memory", lambda name=name: given_back.append(name)
        )
    updates: list[dict[str, Any]] = []
    make_run("run", *words).train(on_update=updates.append)
    assert given_back.count("rl.rl_system") == len(updates) > 0
    assert (given_back.count("rl.self_play") >= len(updates)) == (words is EXPERT)
    assert (given_back.count("rl.play_in_slots") >= 3 * len(updates)) == (words is IN_SLOTS)

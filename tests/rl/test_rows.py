"""Games in rows: each equals the game alone, and the game of a naive twin."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from anet import ANET
from base.params import RLParams
from base.storage import read_jsonl
from mcts import MCTS, make_variant
from mcts.tree import ROOT, edges_of
from rl import schedule
from rl.episode import Episode
from rl.hard_cases import HardCases
from rl.resume import _KEPT, _episode
from rl.rows import drawn
from rl.schedule import EPISODE_STREAM, generator
from rl.schemes import scheme
from rl.self_play_engine import Engine, _prepared, games_at_once
from state_manager import ExactPlay, State, StateManager, make_game
from tests.mcts.opinions import RandomNet
from tests.rl.conftest import Recorder, RunMaker, make_system
from tests.rl.test_batched_nets import BATCHED

ALPHAZERO = (*BATCHED, "rl.scheme=alphazero", "rl.gating_games=0")
GUMBEL = (
    *ALPHAZERO,
    *("mcts.tree_policy=gumbel", "mcts.root_noise=1", "mcts.solver=true", "mcts.look_ahead=true"),
    *("rl.action_choice=greedy", "rl.random_plies=3", "rl.mixed_play=true", "rl.bootstrap=0.5"),
)
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
BOOTSTRAPPED = RLParams(discount=0.9, bootstrap=0.5)


def played(
    words: Sequence[str],
    numbers: Sequence[int],
    rows: int = 3,
    workers: int = 1,
    starts: Sequence[tuple[int, ...]] = (),
) -> dict[int, Episode]:
    """Play episodes in some rows."""
    params = make_system(*words).params
    game = make_game(params.game.name, **params.game.options.model_dump())
    variant = make_variant(params.mcts, params.rl.tree_policy)
    searches = [MCTS(game, variant=variant, evaluate=RandomNet(game), games=rows)] * workers
    searches = [MCTS(game, variant=variant, evaluate=RandomNet(game), games=rows) for _ in searches]
    hard_cases = HardCases(game, params.rl)
    hard_cases.starts = list(starts)
    engine = Engine(scheme(params), ANET(game, params.anet), searches, params, hard_cases)
    assert engine.plays_in_rows
    finished: dict[int, Episode] = {}
    engine.play(numbers, finished)
    return finished


def facts(episode: Episode) -> dict[str, Any]:
    """Return the content of an episode, without measured times."""
    kept = vars(episode) | {
        "states": [state.tolist() for state in episode.states],
        "distributions": [each.tolist() for each in episode.distributions],
    }
    return {k: v for k, v in kept.items() if k not in ("search_seconds", "generator")}


@pytest.mark.parametrize("words", WAYS.values(), ids=WAYS)
def test_an_episode_does_not_depend_on_the_games_beside_it(words: tuple[str, ...]) -> None:
    numbers = range(1, 9)
    together = played(words, numbers, rows=8)
    assert sorted(together) == list(numbers)
    for episodes in (
        played(words, numbers, rows=1),
        played(words, numbers, rows=3),
        played(words, numbers, rows=2, workers=3),
        played(words, [7, 2], rows=5),
    ):
        for number, episode in episodes.items():
            assert facts(episode) == facts(together[number])


class Drawn:
    """A generator that returns noise drawn before."""

    def __init__(self, noise: NDArray[np.float64]) -> None:
        self._noise = noise

    def gumbel(self, size: int) -> NDArray[np.float64]:
        return self._noise

    def standard_gamma(self, shape: float, size: int) -> NDArray[np.float64]:
        return self._noise


def prior_of(game: StateManager, state: State) -> Callable[[int], float]:
    """Return the function from the actions of a state to the net's policy."""
    net = RandomNet(game)
    policy, _ = net.evaluate_one(state, net.legal(state))
    return lambda action: float(policy[action])


def naive_episode(
    words: Sequence[str], number: int, starts: Sequence[tuple[int, ...]]
) -> dict[str, Any]:
    """Play one game with a search of its own before each move."""
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
    variant = make_variant(params.mcts, rl.tree_policy)
    shape = game.max_plies, game.num_actions
    noise = variant.root_noise.drawn(rng, shape) if variant.root_noise else np.zeros(shape)
    found: dict[str, Any] = {key: [] for key in ("distributions", "roots", "explored", "lost")}
    simulations = 0
    while not game.is_final(states[-1]):
        state, ply = states[-1], len(actions)
        search = MCTS(game, variant=variant, evaluate=RandomNet(game))
        drawn_before: Any = Drawn(noise[ply])
        result = search.search_all(
            [state], schedule.simulations(params, ply), noise=[drawn_before]
        )[0]
        mover, legal = int(state[0]), game.legal_actions(state).tolist()
        if ply < random_until or draws[ply, 0] < randomness[mover - 1]:
            action = legal[int(draws[ply, 1] * len(legal))]
        elif not searching[mover - 1]:
            action = max(
                search.tree.edges[edges_of(search.tree, ROOT)].action.tolist(),
                key=prior_of(game, state),
            )
        elif schedule.actual_temperature(params, ply) > 0:
            weights = result.distribution ** (1 / schedule.actual_temperature(params, ply))
            shares = np.cumsum(weights) / weights.sum()
            action = int(np.searchsorted(shares, draws[ply, 1], side="right"))
        else:
            action = result.best_action
        found["distributions"].append(result.distribution.tolist())
        found["roots"].append(result.value)
        found["explored"].append(action != result.best_action)
        found["lost"].append(result.outcome == 3 - mover)
        simulations += int(result.visit_counts.sum())
        actions.append(action)
        states.append(game.child_state(state, action))
    return {
        **found,
        "number": number,
        "starting_player": first,
        "actions": actions,
        "states": [state.tolist() for state in states],
        "labelled": list(range(len(opening), len(actions))),
        "values": [
            value if state[0] == 1 else -value
            for value, state in zip(found["roots"], states[len(opening) :], strict=False)
        ],
        "winner": game.winner(states[-1]),
        "simulations": simulations,
    }


@pytest.mark.parametrize("starts", [(), STARTS], ids=["", "with starts"])
@pytest.mark.parametrize("words", WAYS.values(), ids=WAYS)
def test_an_episode_equals_that_of_the_twin(
    words: tuple[str, ...], starts: Sequence[tuple[int, ...]]
) -> None:
    words = (*words, "rl.exploiter=[1]", "rl.exploiter_starts=0.6")
    for number, episode in played(words, range(1, 9), starts=starts).items():
        assert facts(episode) == naive_episode(words, number, starts)


def test_mixed_play_and_random_plies_vary_the_games() -> None:
    words = (*GUMBEL, "mcts.root_noise=0", "game.starting_player=1")
    games = played(words, range(1, 25), rows=8).values()
    assert len({episode.actions[0] for episode in games}) > 4
    assert {winner.winner for winner in games} == {1, 2}
    assert any(any(episode.explored) for episode in games)
    assert any(any(episode.lost) for episode in games)
    plain = [word for word in words if not word.startswith(("rl.random", "rl.mixed"))]
    alike = played(plain, range(1, 9)).values()
    assert len({tuple(episode.actions) for episode in alike}) == 1
    assert not any(any(episode.explored) for episode in alike)


def test_positions_marked_as_lost_are_lost() -> None:
    game = make_game("hex", size=3)
    exact = ExactPlay(game)
    for episode in played(GUMBEL, range(1, 9)).values():
        for state, lost, value in zip(
            episode.states[:-1], episode.lost, episode.roots, strict=True
        ):
            assert not lost or (exact.outcome(state) != state[0] and value == -1.0)


def test_a_random_number_selects_in_proportion_to_d_at_a_temperature() -> None:
    distribution = np.array([0.0, 0.5, 0.0, 0.25, 0.25])
    at = [drawn(distribution, 1.0, number) for number in (0.0, 0.49, 0.51, 0.74, 0.76, 0.999999)]
    assert at == [1, 1, 3, 3, 4, 4]
    colder = [drawn(distribution, 0.5, number) for number in (0.66, 0.67, 0.83, 0.84)]
    assert colder == [1, 3, 3, 4]  # in proportion to 4, 1, 1
    assert drawn(np.array([0.0, 1e-300, 0.0]), 0.01, 0.5) == 1


def test_finished_games_of_a_checkpoint_keep_their_search_results() -> None:
    game = make_game("hex", size=3)
    for episode in played(GUMBEL, [1, 2, 3]).values():
        plain = {key: getattr(episode, key) for key in _KEPT}
        again = _episode(game, plain, np.array(episode.distributions))
        assert facts(again) == facts(episode)
        for name in ("roots", "explored", "lost"):
            wrong = {**plain, name: plain[name][:-1]}
            with pytest.raises(ValueError, match="not as it was played"):
                _episode(game, wrong, np.array(episode.distributions))
        older = {key: plain[key] for key in plain if key not in ("roots", "explored", "lost")}
        assert _episode(game, older, np.array(episode.distributions)).roots == []


@pytest.mark.parametrize("batch", [1, 2, 6])
def test_an_observer_receives_every_game_afterwards(make_run: RunMaker, batch: int) -> None:
    recorder = Recorder()
    run = make_run("run", *GUMBEL, f"rl.episodes_per_update={batch}", "rl.minibatches=1")
    run.train([recorder])
    games = read_jsonl(run.run.path / "games.jsonl")
    assert recorder.games == [game["actions"] for game in games]
    assert recorder.winners == [game["winner"] for game in games]
    assert recorder.starts == [game["starting_player"] for game in games]
    assert recorder.titles == [f"episode {number} of 6" for number in range(1, 7)]


def test_a_batch_that_is_smaller_than_the_rows_is_played() -> None:
    assert sorted(played(GUMBEL, [4, 5], rows=6)) == [4, 5]


def test_a_gpu_evaluates_larger_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    words = *ALPHAZERO, "anet.network=pooled", "game.size=11", "rl.episodes_per_update=2000"
    system = make_system(*words)
    for has_gpu, games in ((False, 16), (True, 512)):
        monkeypatch.setattr(torch.cuda, "is_available", lambda has_gpu=has_gpu: has_gpu)
        assert games_at_once(system.game, system.params) == games


def test_a_machine_without_a_gpu_plays_for_one_that_has_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    words = "anet.device=cuda", "anet.runtime=torch", "anet.precision=bfloat16"
    prepared = _prepared(make_system(*ALPHAZERO, *words).params)
    assert prepared.anet.params.precision == "float32"
    assert prepared.anet.policy([prepared.anet.game.initial_state(1)]).any()


def hex_episode(winner: int, **kept: Any) -> tuple[StateManager, Episode]:
    """Return an episode of three moves of Hex; the actions do not matter."""
    game = make_game("hex", size=3)
    states = [game.initial_state(1)]
    for action in (0, 1, 2):
        states.append(game.child_state(states[-1], action))
    plies = [0, 1, 2]
    uniform = [np.full(9, 1 / 9)] * 3
    return game, Episode(1, 1, states, [0, 1, 2], plies, uniform, winner=winner, **kept)


@pytest.mark.parametrize(
    ("explored", "winner", "expected"),
    [
        # From the end: 0.5 * 0.8 + 0.5 * 0.9 * 1; -> its opponent; and so on.
        ([False, False, False], 1, [0.5 * 0.2 + 0.45 * 0.58250, -0.58250, 0.85]),
        ([False, True, False], 1, [0.5 * 0.2 + 0.45 * 0.4, -0.4, 0.85]),
        ([False, False, True], 2, [0.5 * 0.2 + 0.45 * 0.56, -0.56, 0.8]),
        ([False, False, False], 2, [0.5 * 0.2 + 0.45 * 0.1775, -0.1775, -0.05]),
        ([False, False, False], 3, [0.5 * 0.2 + 0.45 * 0.38, -0.38, 0.4]),
    ],
)
def test_a_bootstrapped_target_mixes_the_search_and_the_next_target(
    explored: list[bool], winner: int, expected: list[float]
) -> None:
    _, episode = hex_episode(winner, roots=[0.2, -0.4, 0.8], explored=explored, lost=[False] * 3)
    values = [case.value for case in episode.cases(BOOTSTRAPPED)]
    assert values == pytest.approx(expected)


@pytest.mark.parametrize(
    ("explored", "known"), [([False] * 3, 3), ([True, False, False], 2), ([True, False, True], 0)]
)
def test_clean_values_are_those_of_states_after_the_last_explored_move(
    explored: list[bool], known: int
) -> None:
    _, episode = hex_episode(1, roots=[0.2, -0.4, 0.8], explored=explored, lost=[False] * 3)
    others = [case.value for case in episode.cases(BOOTSTRAPPED)]
    cleaned = BOOTSTRAPPED.model_copy(update={"clean_values": True})
    clean = [case.value for case in episode.cases(cleaned)]
    assert clean == pytest.approx([np.nan] * (3 - known) + others[3 - known :], nan_ok=True)


def test_a_lost_position_is_a_case_for_the_value_alone() -> None:
    lost = [False, True, False]
    _, episode = hex_episode(1, roots=[0.2, -1.0, 0.8], explored=[False] * 3, lost=lost)
    assert [case.weight for case in episode.cases(BOOTSTRAPPED)] == [1.0, 0.0, 1.0]
    _, older = hex_episode(1)
    assert [case.weight for case in older.cases(BOOTSTRAPPED)] == [1.0] * 3
    assert [case.value for case in older.cases(BOOTSTRAPPED)] == pytest.approx([0.729, -0.81, 0.9])

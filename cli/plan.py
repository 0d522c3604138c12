"""Fit a training run and its TOPP into a given time."""

import tempfile
import time
from contextlib import closing, suppress
from pathlib import Path
from typing import Any, NamedTuple

from agents.match import play_game
from base.params import Params
from cli.outputs import draw_curves
from display.boards.cells import Coordinates
from hex_mcts.system import System
from rl import cached_nets

_EPISODES = 200
_LEAST_EPISODES = 3  # between two nets
_PRACTICE_EPISODES, _PRACTICE_GAMES = 20, 20
_SHOWN_GAMES = 4  # three of training, and one of the last net against the first
_SHARE_OF_SHOWN_GAMES, _SHARE_OF_TRAINING = 0.25, 0.5
_CLOSING_SECONDS = 1.0  # tables, and the end of the process
_MARGIN, _SMALL_MARGIN = 1.5, 1.2
"""Allowed slowdown of the tournament, against practice, and against a new measurement."""


class Speed(NamedTuple):
    """The speed of training on this machine, in seconds."""

    simulation_seconds: float  # for one simulation
    plies: float  # moves in a game
    other_seconds: float  # for an episode without its simulations, mostly to train the net
    topp_game_seconds: float
    picture_seconds: float  # for the first one, which loads; as long as for two later ones


class Plan(NamedTuple):
    """A training run that fits into the time."""

    episodes: int  # about
    episodes_per_update: int
    simulations: int  # M
    delay: float  # seconds between the moves of a shown game, at most ``display.delay``
    training_seconds: float  # which leave time for the rest

    @property
    def overrides(self) -> list[str]:
        """The plan as overrides of the command line."""
        return [
            f"rl.minutes={self.training_seconds / 60}",
            "rl.save_interval=null",
            f"rl.episodes_per_update={self.episodes_per_update}",
            f"mcts.simulations={self.simulations}",
        ]


class _StopError(Exception):
    """The practice run has taken its time."""


def measure(system: System, simulations: int, at_most: float) -> Speed:
    """Measure a practice run, its second half alone: a net's rollouts soon become shorter."""
    mcts = system.params.mcts
    decay = mcts.rollout_epsilon_decay
    shares = [mcts.rollout_epsilon * decay**episode for episode in range(_EPISODES)]
    practice = system.with_overrides(
        [
            f"mcts.simulations={simulations}",
            f"mcts.rollout_epsilon={sum(shares) / _EPISODES}",
            *("mcts.rollout_epsilon_decay=1", "mcts.simulations_growth=1"),
            *("rl.minutes=null", f"rl.episodes={_PRACTICE_EPISODES}"),
            *("rl.cached_nets=2", "rl.save_interval=1", "rl.episodes_per_update=1"),
            "rl.gating_games=0",
        ]
    )
    records: list[dict[str, Any]] = []

    def on_update(record: dict[str, Any]) -> None:
        records.append(record)
        if len(records) > 1 and record["seconds"] > at_most:
            raise _StopError

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with closing(practice.rl_system(folder)) as rl_system, suppress(_StopError):
            rl_system.train(on_update=on_update)
        began = time.perf_counter()
        draw_curves(folder, Coordinates(system.game))
        drawn = time.perf_counter() - began
        return Speed(*speed_of(records, simulations), topp_game_seconds(practice, folder), drawn)


def topp_game_seconds(system: System, folder: Path) -> float:
    """Return the seconds of a game between the last and the first net of a run."""
    nets = cached_nets(folder)
    topp = system.with_overrides([f"topp.games={_PRACTICE_GAMES}"]).topp([nets[0], nets[-1]])
    play_game(topp.game, topp.agents(0, 0, (0, 1)))  # loads and compiles
    began = time.perf_counter()
    topp.play()
    return (time.perf_counter() - began) / _PRACTICE_GAMES


def practice_simulations(system: System, seconds: float) -> int:
    """Return the M for which all practice searches take this long; compile their kernels."""
    from agents.nets import search_of
    from anet import ANET

    params = system.params
    evaluator = ANET(system.game, params.anet, seed=params.seed).evaluator()
    simulations, sigma = 200 if evaluator.facts.plays_rollouts else 50, params.rl.sigma
    given: dict[str, Any] = {"simulations": simulations, "rollout_epsilon": 0.5}
    given |= {"time_limit": None, "exploration": None}
    search = search_of(system.game, params.search.model_copy(update=given), evaluator, sigma=sigma)
    search.search(system.game.initial_state())  # the first one loads and compiles
    search.reset()
    result = search.search(system.game.initial_state())
    searches = _PRACTICE_EPISODES * system.game.max_plies
    return int(min(5000, max(10, seconds / searches * result.simulations / result.seconds)))


def speed_of(records: list[dict[str, Any]], simulations: int) -> tuple[float, float, float]:
    """Compute the first three fields of ``Speed`` from two episodes or more of M simulations."""
    middle = len(records) // 2
    counted, seconds = records[middle:], records[-1]["seconds"] - records[middle - 1]["seconds"]
    plies = sum(record["plies"] for record in counted)
    spent = sum(each["plies"] * simulations / each["simulations_per_second"] for each in counted)
    other = max(0.0, seconds - spent)
    return spent / (plies * simulations), plies / len(counted), other / len(counted)


def fit(params: Params, speed: Speed, seconds: float, watched: bool) -> Plan:
    """Choose M and the training's time for the remaining seconds; 0 or less give the smallest plan.

    In trials, 200 episodes with as large an M as the time allows, up to 20 times that of the
    parameters, gave the greatest differences in strength between the cached nets. On 4x4, nets of
    more episodes, or of a larger M, are equally good. ``watched`` is whether shown games wait
    between moves.
    """
    seconds, nets, rl = max(0.0, seconds), params.rl.cached_nets, params.rl
    tournament = _MARGIN * params.topp.games * _round_seconds(speed, nets)
    shown_plies = _SHOWN_GAMES * (speed.plies + 1) if watched else 0.0
    delay = params.display.delay
    if shown_plies * delay > _SHARE_OF_SHOWN_GAMES * seconds:
        delay = _SHARE_OF_SHOWN_GAMES * seconds / shown_plies
    shown = shown_plies * delay
    closing = _CLOSING_SECONDS + speed.picture_seconds + tournament
    # Where the tournament takes longer, it has fewer games.
    available = max(seconds * _SHARE_OF_TRAINING, seconds - closing - shown)
    # Move n of a game has M * growth^n simulations.
    searches = sum(params.mcts.simulations_growth**ply for ply in range(round(speed.plies)))
    gates = rl.gating_games / min(rl.episodes_per_update, _EPISODES)  # for each episode
    games_per_episode = 1 + (gates if rl.scheme == "alphazero" else 0)
    per_simulation = searches * speed.simulation_seconds * games_per_episode

    def fitting(episodes: int) -> float:
        return (available / episodes - speed.other_seconds) / per_simulation

    m, intervals = params.mcts.simulations, nets - 1
    least = min(m / 10, fitting(_LEAST_EPISODES * intervals))
    simulations = int(min(20 * m, max(fitting(_EPISODES), least, 1)))
    episode_seconds = simulations * per_simulation + speed.other_seconds
    training = max(intervals * episode_seconds, min(available, _EPISODES * episode_seconds))
    episodes = round(training / episode_seconds)
    per_update = min(rl.episodes_per_update, max(1, episodes // (_LEAST_EPISODES * intervals)))
    training += shown * (1 - 1 / _SHOWN_GAMES)
    return Plan(episodes, per_update, simulations, delay, training)


def fitting_games(params: Params, speed: Speed, nets: int, seconds: float) -> int:
    """Return how many games of each pair fit into the remaining seconds, at most ``topp.games``."""
    left = seconds - _CLOSING_SECONDS - speed.picture_seconds / 2
    fitting = int(left / (_SMALL_MARGIN * _round_seconds(speed, nets)))
    return min(params.topp.games, max(2, fitting // 2 * 2))


def _round_seconds(speed: Speed, nets: int) -> float:
    return nets * (nets - 1) / 2 * speed.topp_game_seconds

"""Fit a training run and its TOPP into a given time."""

import shutil
import tempfile
import time
from contextlib import closing, suppress
from pathlib import Path
from typing import Any, NamedTuple

from base.params import Params
from commands.train import StopError, draw_curves
from display.boards.cells import Coordinates
from hex_mcts.system import System
from rl import cached_nets

_EPISODES = 200
_PRACTICE_EPISODES, _PRACTICE_GAMES = 20, 10
_SHOWN_GAMES = 4  # three of training, and one of the last net against the first
_SHARE_OF_SHOWN_GAMES = 0.25
_PICTURES = 2  # learning curves and standings
_CLOSING_SECONDS = 2.5  # reading the nets, their regret, tables, and the end of the process
_CLOSING_MARGIN = 1.5  # allowed slowdown of pictures and tournament against practice
_MARGIN = 1.0  # planned share of the training time; practice rather overestimates what it takes


class Speed(NamedTuple):
    """The speed of training on this machine, in seconds."""

    simulation_seconds: float  # for one simulation
    plies: float  # moves in a game
    other_seconds: float  # for an episode without its simulations, mostly to train the net
    topp_move_seconds: float
    picture_seconds: float  # for learning curves or standings


class Plan(NamedTuple):
    """A training run that fits into the time."""

    episodes: int
    simulations: int  # M
    delay: float  # seconds between the moves of a shown game, at most ``display.delay``
    training_seconds: float  # limit, which leaves time for the rest; at least 0

    @property
    def overrides(self) -> list[str]:
        """The plan as overrides of the command line."""
        return [f"rl.episodes={self.episodes}", f"mcts.simulations={self.simulations}"]


def measure(system: System, simulations: int, at_most: float) -> Speed:
    """Measure a practice run of ``at_most`` seconds, or two episodes; then draw and play off.

    Only the second half of the training counts, when the net has learned something: its rollouts
    then end sooner than those of an untrained net.
    """
    mcts = system.params.mcts
    shares = [
        mcts.rollout_epsilon * mcts.rollout_epsilon_decay**episode for episode in range(_EPISODES)
    ]
    practice = system.with_overrides(
        [
            f"mcts.simulations={simulations}",
            f"mcts.rollout_epsilon={sum(shares) / _EPISODES}",
            *("mcts.rollout_epsilon_decay=1", "mcts.simulations_growth=1"),
            f"rl.episodes={_PRACTICE_EPISODES}",
            *("rl.cached_nets=2", "rl.episodes_per_update=1", "rl.gating_games=0"),
            f"topp.games={_PRACTICE_GAMES}",
        ]
    )
    records: list[dict[str, Any]] = []

    def on_update(record: dict[str, Any]) -> None:
        records.append(record)
        if len(records) > 1 and record["seconds"] > at_most:
            raise StopError

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with closing(practice.rl_system(folder)) as rl_system, suppress(StopError):
            rl_system.train(on_update=on_update)
        _draw_and_play_off(practice, folder)  # the first call loads and compiles
        return Speed(*speed_of(records, simulations), *_draw_and_play_off(practice, folder))


def _draw_and_play_off(practice: System, folder: Path) -> tuple[float, float]:
    """Return the seconds of a move in a tournament, and of a picture."""
    began = time.perf_counter()
    draw_curves(folder, Coordinates(practice.game))
    drawn = time.perf_counter()
    net = cached_nets(folder)[0]
    topp = practice.topp([net, shutil.copyfile(net, folder / "opponent.pt")])
    playing = time.perf_counter()
    topp.play()
    moves = sum(len(game.record.actions) for game in topp.records)
    return (time.perf_counter() - playing) / moves, drawn - began


def practice_simulations(system: System, seconds: float) -> int:
    """Return the M for which all practice searches take this long; compile their kernels."""
    from agents.nets import search_parts
    from anet import ANET
    from mcts import MCTS, make_variant

    params = system.params
    anet = ANET(system.game, params.anet, seed=params.seed)
    variant, simulations = None, 200
    if not anet.facts.plays_rollouts:
        variant = make_variant(
            params.mcts, params.tree_policy.name, rollout_probability=params.rl.sigma
        )
        simulations = 50
    search = MCTS(system.game, simulations, variant=variant, **search_parts(anet, 0.5))
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
    searching = sum(
        record["plies"] * simulations / record["simulations_per_second"] for record in counted
    )
    other = max(0.0, seconds - searching)
    return searching / (plies * simulations), plies / len(counted), other / len(counted)


def fit(params: Params, speed: Speed, seconds: float, watched: bool) -> Plan:
    """Choose episodes and simulations for the remaining seconds; 0 or less give the smallest plan.

    In trials, 200 episodes with as large an M as the time allows, up to 20 times that of the
    parameters, gave the greatest differences in strength between the cached nets. On 4x4, nets of
    more episodes, or of a larger M, are equally good. ``watched`` is whether shown games wait
    between moves.
    """
    seconds, nets, rl = max(0.0, seconds), params.rl.cached_nets, params.rl
    games = params.topp.games * nets * (nets - 1) / 2
    tournament = games * speed.plies * speed.topp_move_seconds
    closing = _CLOSING_SECONDS + _CLOSING_MARGIN * (tournament + _PICTURES * speed.picture_seconds)
    shown_plies = _SHOWN_GAMES * (speed.plies + 1) if watched else 0.0
    delay = params.display.delay
    if shown_plies * delay > _SHARE_OF_SHOWN_GAMES * seconds:
        delay = _SHARE_OF_SHOWN_GAMES * seconds / shown_plies
    available = max(seconds * 0.5, _MARGIN * (seconds - closing - shown_plies * delay))
    # Move n of a game has M * growth^n simulations.
    searches = sum(params.mcts.simulations_growth**ply for ply in range(round(speed.plies)))
    gates = rl.gating_games / min(rl.episodes_per_update, _EPISODES)  # for each episode
    games_per_episode = 1 + (gates if rl.scheme == "alphazero" else 0)
    per_simulation = searches * speed.simulation_seconds * games_per_episode
    fitting = (available / _EPISODES - speed.other_seconds) / per_simulation
    m = params.mcts.simulations
    simulations = int(min(20 * m, max(m / 10, fitting, 1)))
    episode_seconds = simulations * per_simulation + speed.other_seconds
    intervals = nets - 1
    fitting = min(_EPISODES, int(available / episode_seconds))
    episodes = max(intervals, fitting // intervals * intervals)
    last_game = shown_plies * delay / _SHOWN_GAMES
    return Plan(episodes, simulations, delay, max(0.0, seconds - closing - last_game))

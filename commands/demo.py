"""``demo``: a short training run and its TOPP, fitted into a given time."""

from __future__ import annotations

import argparse
import time
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from commands.files import game_stem, new_folder
from commands.system import System
from commands.topp import play_with_display
from commands.train import train_with_display

if TYPE_CHECKING:
    from display import Display
    from topp import TOPP

_OTHER_SECONDS = 8.0
"""Start-up, measuring, pictures, and the tournament of a few small nets."""
_EPISODES = 200
_SHOWN_GAMES = 4
"""Three games of training, and one of the last net against the first."""


_SPEED_UP = 2.5
"""How much faster searches get while a net learns, since its rollouts end sooner; trials say 3."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Say what the command line may hold."""
    parser.add_argument(
        "--seconds", type=_seconds, default=120.0, metavar="S", help="time for all of it (120)"
    )


def _seconds(text: str) -> float:
    """Read a time."""
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 20.0 <= seconds <= 86_400.0:
        raise argparse.ArgumentTypeError(f"expected 20 to 86400 seconds, got {text!r}")
    return seconds


def params_file(arguments: argparse.Namespace) -> Path | None:
    """The demo reads the usual parameters."""
    return None


@dataclass(frozen=True)
class Plan:
    """What fits into the time."""

    episodes: int
    simulations: int

    @property
    def overrides(self) -> list[str]:
        """The plan as words of the command line."""
        return [f"rl.episodes={self.episodes}", f"mcts.simulations={self.simulations}"]


def run(system: System, arguments: argparse.Namespace) -> int:
    """Measure, train, play off, and say what to try next."""
    from display import make_display
    from rl import cached_nets

    started = time.perf_counter()
    game = system.game
    folder = new_folder(f"demo-{game_stem(game.name, game.params)}")
    with make_display(system.params.display, game, folder / "games") as display:
        display.message(f"Measuring how fast this machine plays {game!r} ...")
        plan = fit(system, arguments.seconds)
        chosen = system.with_overrides(plan.overrides)
        display.message(
            f"In {arguments.seconds:.0f} seconds: {plan.episodes} episodes with "
            f"{plan.simulations} simulations a move, {chosen.params.rl.cached_nets} cached nets, "
            f"{chosen.params.topp.games} games between each two."
        )
        with closing(chosen.rl_system(folder)) as rl_system:
            train_with_display(rl_system, display, every=max(1, plan.episodes // 2))
        nets = cached_nets(folder)
        topp = chosen.topp(nets)
        if display.enabled:
            _show_last_against_first(topp, display)
        play_with_display(topp, display, 0, folder)
        display.message(f"{time.perf_counter() - started:.0f} seconds in all. To try next:")
        for line in next_steps(folder, nets[-1]):
            display.message(f"  {line}")
    return 0


def fit(system: System, seconds: float) -> Plan:
    """Choose episodes and simulations by a short measurement.

    Trials say that 200 episodes, with as many simulations as there is time for, set the cached
    nets furthest apart: nets of many more episodes are equally good on 5x5. M may grow to 20 times
    that of the parameters before episodes do.
    """
    params = system.params
    game = system.game
    simulations_per_second, update_seconds = measure(system)
    simulations_per_second *= _SPEED_UP
    plies = round(0.75 * game.max_plies)
    shown = _SHOWN_GAMES * plies * params.display.delay
    available = max(seconds * 0.5, seconds - _OTHER_SECONDS - shown)
    searches = sum(params.mcts.simulations_growth**ply for ply in range(plies))  # of M simulations
    fitting = (available / _EPISODES - update_seconds) * simulations_per_second / plies
    most = 20 * params.mcts.simulations
    simulations = int(min(most, max(params.mcts.simulations / 10, fitting, 1)))
    episode_seconds = searches * simulations / simulations_per_second + update_seconds
    intervals = params.rl.cached_nets - 1
    episodes = max(intervals, int(available / episode_seconds) // intervals * intervals)
    return Plan(episodes, simulations)


def measure(system: System) -> tuple[float, float]:
    """Return simulations per second with an untrained net, and the seconds of one update."""
    import numpy as np

    from anet import ANET
    from mcts import MCTS
    from rl.replay_buffer import Case, ReplayBuffer

    game, params = system.game, system.params
    anet = ANET(game, params.anet, seed=params.seed)
    search = MCTS(game, 1_000, rollout_policy=anet.rollout_policy(epsilon=0.5))
    state = game.initial_state()
    result = search.search(state)
    buffer = ReplayBuffer(game, params.rl.minibatch_size, params.rl.symmetry)
    for _ in range(params.rl.minibatch_size):
        buffer.add(Case(state, result.distribution, 0.0))
    rng = np.random.default_rng(params.seed)
    anet.train(buffer.random_minibatch(params.rl.minibatch_size, rng))  # loads what torch needs
    started = time.perf_counter()
    for _ in range(params.rl.minibatches):
        anet.train(buffer.random_minibatch(params.rl.minibatch_size, rng))
    return result.simulations / result.seconds, time.perf_counter() - started


def _show_last_against_first(topp: TOPP, display: Display) -> None:
    """Show a game of the last net, as player 1, against the untrained one."""
    import numpy as np

    from match import play_game

    seeds = np.random.SeedSequence(0).spawn(2)
    last, first = topp.entrants[-1], topp.entrants[0]
    display.show_first(1)
    display.new_series()
    play_game(
        topp.game,
        (last.agent(seeds[0]), first.agent(seeds[1])),
        starting_player=2,
        observers=display.observers,
        title=f"{last.name} against {first.name}, who starts",
    )


def next_steps(folder: Path, net: Path) -> list[str]:
    """Return three commands to go on with."""
    return [
        f"python main.py play --first human --second anet:{net}",
        f"python main.py topp --run {folder} topp.action_choice=probabilistic topp.games=50",
        "python main.py train anet.activation=tanh anet.optimizer=rmsprop mcts.simulations=200",
    ]

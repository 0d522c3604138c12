"""``engine``: a player for HexGui and other programs with the Hex Text Protocol."""

import argparse
import sys
from functools import lru_cache
from importlib.metadata import version

from agents import AgentSpec, make_agent, parse_agent, searches
from agents.agent import Agent, AgentKind
from agents.best import BEST, with_best_net
from commands.exits import UsageError
from commands.named_agents import game_of
from formats.htp import Engine
from hex_mcts.system import System
from state_manager import make_game


def run(system: System, arguments: argparse.Namespace) -> None:
    """Answer commands, line by line, until ``quit`` or the end of the input."""
    spec = parse_agent(arguments.agent or BEST)
    if arguments.net is not None:
        spec = AgentSpec("mcts", arguments.net)
    if spec.kind == "human":
        raise UsageError("--agent: expected an agent other than human")
    played = game_of(system, [spec])
    if not played.has_hex_formats:
        raise UsageError(f"expected a player of hex, got one of {played!r}")
    swaps = played.swap_action is not None
    params = system.params.for_games(1)

    @lru_cache(maxsize=1)
    def made(size: int) -> tuple[AgentKind, AgentSpec]:
        game = make_game(played.name, size=size, swap=swaps)
        chosen = with_best_net(spec, game)
        return make_agent(chosen, game, seed=params.seed, defaults=params), chosen

    is_limited = False

    def players(size: int, seconds: float | None) -> Agent:
        nonlocal is_limited
        if is_limited and seconds is None:
            made.cache_clear()  # the limit of a clock is over
            is_limited = False
        agent, chosen = made(size)
        is_free = searches(chosen) and "simulations" not in chosen.options
        if seconds is not None and is_free:
            agent.limit_time(min(seconds, chosen.time_limit or seconds))
            is_limited = True
        return agent

    players(played.board_shape[0], None)  # loads and compiles before a clock runs
    name = f"hex-mcts {spec.name}"
    engine = Engine(
        players, played.board_shape[0], name, version("hex-mcts"), swaps, arguments.resign
    )
    for line in sys.stdin:
        sys.stdout.write(engine.answer(line))
        sys.stdout.flush()
        if not engine.is_open:
            break

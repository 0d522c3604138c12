"""The command line, and the wiring: everything is built here from one file of parameters."""

from __future__ import annotations

import argparse
import gc
import importlib
import io
import os
import re
import sys
import time
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import TYPE_CHECKING

from commands.errors import UsageError, check_command, error_line, exit_status, words_of
from commands.missing import missing_package
from commands.parser import Parser, flush_output, forget_output
from commands.stopping import stop_signals

if TYPE_CHECKING:
    from base.params import Params
    from rl import RLSystem
    from state_manager import StateManager
    from topp import TOPP

DEFAULT_PARAMS = Path(__file__).resolve().parent / "params.yaml"

_NO_MATTER_TO_NETS: dict[str, bool | set[str]] = {
    **dict.fromkeys(("display", "oht", "oht_server", "play", "topp"), True),
    "rl": {"cached_nets", "episodes", "workers"},
}

PROGRAM = "main.py"
_OVERRIDE = re.compile(r"\w+(\.\w+)*=")

_SPELLED_OUT = "game.name=nim game.stones=21"

COMMANDS = {
    "demo": ("commands.demo", "a short training run, then its TOPP", "demo --seconds 60"),
    "train": ("commands.train", "train a net by self-play (rl.scheme)", "train rl.episodes=100"),
    "topp": ("commands.topp", "play off the cached nets of a run", "topp --run runs/mine"),
    "play": (
        "commands.play",
        "games between any two agents",
        "play --first human --second mcts",
    ),
    "compare": (
        "commands.compare",
        "a round robin of any agents, with intervals, ratings and speeds",
        "compare mcts:tree_policy=uct mcts:tree_policy=uct_rave --simulations 500 --games 100",
    ),
    "oht": (
        "commands.oht",
        "play the Online Hex Tournament",
        "oht --verify --server localhost:33000 --net nets/hex-5/anet_00200.pt",
    ),
    "oht-server": (
        "commands.oht_server",
        "a tournament server at home",
        "oht-server oht.board_size=7",
    ),
    "show": (
        "commands.show",
        "step through saved games, forwards and backwards",
        "show runs/mine/games.jsonl --game 20",
    ),
    "analyse": (
        "commands.analyse",
        "show what a net has learned, beside a search",
        "analyse --net nets/hex-5/anet_00200.pt",
    ),
}
"""Each command: its module, one line, and an example."""


_MOST_GAMES_AT_ONCE = 128
"""States in a batch: more make an evaluation hardly cheaper."""


class System:
    """The parts of the program, each built on first use.

    Attributes:
        params: The pivotal parameters.
        overrides: The ``section.key=value`` words of the command line.
    """

    def __init__(self, params: Params, overrides: Sequence[str] = ()) -> None:
        """Wire everything from these parameters."""
        self.params = params
        self.overrides = overrides

    @cached_property
    def game(self) -> StateManager:
        """The state manager: all game logic."""
        from state_manager import make_game

        return make_game(self.params.game.name, **self.params.game.options.model_dump())

    def rl_system(self, run: Path) -> RLSystem:
        """The RL system, with an untrained ANET and an MCTS for each worker."""
        from anet import ANET
        from mcts import MCTS, make_variant
        from mcts.memory import memory_share
        from rl import RLSystem, RunDirectory
        from rl.engine import Threads
        from rl.schemes import scheme

        params = self.params
        # Net files tell nothing of what changes no net: the same nets are then the same bytes.
        kept = params.model_dump(mode="json", exclude=dict(_NO_MATTER_TO_NETS))
        anet = ANET(self.game, params.anet, seed=params.seed, run_params=kept)
        workers = params.rl.workers if anet.plays_rollouts else 1
        variant = make_variant(
            params.mcts.model_copy(update={"memory": memory_share(params.mcts.memory, workers)}),
            params.rl.tree_policy,
            exploration=params.mcts.exploration,
        )
        searches = [
            MCTS(
                self.game,
                params.mcts.simulations,
                variant=variant,
                answer=None if anet.plays_rollouts else anet.evaluate_checked,
                games=1
                if anet.plays_rollouts
                else min(params.rl.episodes_per_update, _MOST_GAMES_AT_ONCE),
                time_limit=params.mcts.time_limit,
            )
            for _ in range(workers)
        ]
        engine = Threads(scheme(params), anet, searches, params)
        return RLSystem(self.game, engine, anet, params, RunDirectory(run))

    def topp(self, nets: Sequence[Path]) -> TOPP:
        """The tournament of these nets; they say which game is played, unless it is overridden."""
        from topp import TOPP, load_entrants

        overridden = any(word.startswith("game.") for word in self.overrides)
        game = self.game if overridden else None
        params = self.params.topp
        game, entrants = load_entrants(nets, params.action_choice, params.epsilon, game)
        return TOPP(game, entrants, params, self.params.seed)

    def with_overrides(self, overrides: Sequence[str]) -> System:
        """The system with some parameters replaced."""
        return System(self.params.with_overrides(overrides), [*self.overrides, *overrides])


def main(words: Sequence[str] | None = None) -> int:
    """Run one command; return the exit status.

    0 done, 1 failed, 2 wrong usage or parameters, 130 interrupted (143 by SIGTERM, 129 by SIGHUP).
    """
    words = list(sys.argv[1:] if words is None else words)
    name = f"{PROGRAM} {words[0]}" if words and words[0] in COMMANDS else PROGRAM
    if sys.stdin is None:  # it was closed: there is nobody to answer, and that is all
        sys.stdin = os.fdopen(os.open(os.devnull, os.O_RDONLY))
    for stream, errors in (
        (sys.stdin, "replace"),
        (sys.stdout, "backslashreplace"),
        (sys.stderr, "backslashreplace"),
    ):
        # What is typed need not be UTF-8, and what is shown may be more than the terminal knows.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=errors)
    try:
        with stop_signals() as heard:
            status = _run(words, name)
        return 128 + heard[0] if heard and status == 130 else status
    except ModuleNotFoundError as error:
        missing = missing_package(error)
        if missing is None:
            raise
        sys.stderr.write(error_line(name, missing))
        return 1


def _run(words: Sequence[str], name: str) -> int:
    """Run one command, and say in one line what was wrong with it."""
    began = time.perf_counter()
    try:
        parser = _parser(words)
        if not words:
            parser.print_help()
            return 0
        check_command(words[0], list(COMMANDS))
        arguments, rest = parser.parse_known_args(words)
        arguments.given, arguments.began = list(words), began
        rest = [*arguments.words, *rest]
        command = importlib.import_module(COMMANDS[arguments.command][0])
        overrides = _overrides(arguments, rest)
        system = System(_params(command, arguments, overrides), overrides)
        _show_what_is_compiled()
        finished = int(command.run(system, arguments))
        flush_output()  # here, where a reader that has left is expected
        return finished
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        return 1  # whoever read our output has left
    except Exception as error:
        status = exit_status(error)
        if status is None:
            raise
        sys.stderr.write(error_line(name, words_of(error)))
        return status
    finally:
        forget_output()


def _show_what_is_compiled() -> None:
    """Let the display say what the user waits for when kernels are compiled."""
    from base.jit import watch_compiling
    from display import show_compiling

    watch_compiling(show_compiling)


def _overrides(arguments: argparse.Namespace, rest: Sequence[str]) -> list[str]:
    """Return the ``section.key=value`` words; the others are nets or agents, for who takes such."""
    for word in rest:
        if word.startswith("-"):
            raise UsageError(f"unknown option {word.partition('=')[0]} ({_hint(word, arguments)})")
    overrides = [word for word in rest if _OVERRIDE.match(word)]
    others = [word for word in rest if not _OVERRIDE.match(word)]
    taken = next((name for name in ("nets", "agents", "files") if hasattr(arguments, name)), None)
    if others and any("={" in word for word in overrides):
        # A section in one word, which the shell has cut at its blanks.
        raise UsageError(
            f"command line: expected section.key=value for each key, such as {_SPELLED_OUT}, "
            f"got {' '.join(rest)!r}"
        )
    if others and taken is None:
        raise UsageError(f"expected section.key=value, got {others[0]!r}")
    if taken is not None:
        setattr(arguments, taken, others)
    return overrides


def _hint(word: str, arguments: argparse.Namespace) -> str:
    """Say which option was meant, or which there are."""
    from base.params.errors import nearest, one_of

    names = [option.lstrip("-") for option in arguments.options]
    near = nearest(word.partition("=")[0].lstrip("-"), names)
    return f"did you mean --{near}?" if near else f"expected {one_of(arguments.options)}"


def _params(command: ModuleType, arguments: argparse.Namespace, overrides: Sequence[str]) -> Params:
    """Load the parameters: of ``--params``, of the run that the command is about, or the usual."""
    from base.params import load_params
    from state_manager import game_names, game_schema

    chosen = command.params_file(arguments)
    schemas = SimpleNamespace(names=game_names, schema=game_schema)
    file = arguments.params or chosen or DEFAULT_PARAMS
    return load_params(file, overrides, game_schemas=schemas)


def _parser(words: Sequence[str]) -> argparse.ArgumentParser:
    """Describe the command line; only the command that is asked for is imported."""
    parser = Parser(
        prog=PROGRAM,
        description="Learn Hex, and other games for two, by Monte Carlo tree search and self-play.",
        epilog="Any key of params.yaml can be set as section.key=value, as in game.size=4.",
    )
    subparsers = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, (module, line, example) in COMMANDS.items():
        subparser = subparsers.add_parser(
            name,
            help=f"{line}; e.g. python main.py {example}",
            description=f"{line[0].upper()}{line[1:]}.",
            epilog=f"Example: python main.py {example}",
        )
        if words and words[0] == name:
            importlib.import_module(module).add_arguments(subparser)
        subparser.add_argument("--params", type=Path, metavar="FILE", help="instead of params.yaml")
        subparser.add_argument(
            "words", nargs="*", metavar="section.key=value", help="any key of params.yaml"
        )
        subparser.set_defaults(options=subparser.options())
    return parser


if __name__ == "__main__":
    status = main()
    gc.freeze()  # else Python takes a second to look for what nobody needs, on its way out
    sys.exit(status)

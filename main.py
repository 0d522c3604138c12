"""The command line: which command is run, on which parameters, and how it ends."""

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
from pathlib import Path
from types import ModuleType
from typing import NoReturn

from base.storage import excerpt
from base.words import nearest, one_of
from commands.arguments import Parser, add_arguments
from commands.exits import (
    UsageError,
    error_line,
    exit_status,
    flush_output,
    forget_output,
    missing_package,
    stop_signals,
    words_of,
)
from commands.folders import overrides_of, params_file, presets_of
from commands.shell import CALL, PROGRAM
from hex_mcts.system import DEFAULT_PARAMS as DEFAULT_PARAMS
from hex_mcts.system import System, read_params

_OVERRIDE = re.compile(r"\w+(\.\w+)*=")

_WORDS = ("nets", "agents", "files", "topics")
"""What commands call the words that are no overrides."""
_START_UP_SECONDS = 0.5
"""What goes by before the program begins to count: Python starts."""
_SPELLED_OUT = "game.name=nim game.stones=21"

COMMANDS = {
    "demo": ("a short training run, then its TOPP", "demo --seconds 60"),
    "train": ("train a net by self-play (rl.scheme)", "train rl.episodes=100"),
    "topp": ("play off the cached nets of a run", "topp --run runs/mine"),
    "play": ("games between any two agents", "play --first human --second mcts"),
    "compare": (
        "a round robin of any agents, with intervals, ratings and speeds",
        "compare mcts:tree_policy=uct mcts:tree_policy=uct_rave --simulations 500 --games 100",
    ),
    "oht": (
        "play the Online Hex Tournament",
        "oht --verify --server localhost:33000 --net nets/hex-5/anet_00200.pt",
    ),
    "oht-server": ("a local tournament server", "oht-server oht.board_size=7"),
    "show": (
        "step through saved games, forwards and backwards",
        "show runs/mine/games.jsonl --game 20",
    ),
    "analyse": (
        "show what a net has learned, or where a game was lost",
        "analyse --net nets/hex-5/anet_00200.pt",
    ),
    "explain": (
        "one search, step by step: the four processes on the board and in the tree",
        "explain game.size=4 --simulations 20",
    ),
    "certify": (
        "prove or refute that a net holds every won game against all replies",
        "certify --net nets/hex-5/anet_00200.pt",
    ),
    "engine": (
        "a player for HexGui, in the Hex Text Protocol",
        "engine --net nets/hex-5/anet_00200.pt",
    ),
    "export": (
        "a net for others: one HTML file that plays it, or an ONNX file",
        "export --html nets/hex-7/anet_49152.pt",
    ),
    "serve": ("the page: play, review and watch in a browser", "serve --port 8765"),
    "params": ("explain every parameter, with range and default", "params rl.episodes"),
    "completion": (
        "complete commands, options and parameters with the key Tab",
        "completion bash",
    ),
}
"""Each command: one line and an example; ``command_module`` imports its module."""
_ABOUT_PARAMS = {
    "params": ("section.key", "a key, or a section, or all if nothing is said"),
    "completion": ("SHELL", "bash or zsh"),
}
"""Commands that read no file of parameters; what they are told instead, and what that is."""


def command_module(name: str) -> ModuleType:
    """Return the module of a command: ``commands.oht_server`` for ``oht-server``."""
    return importlib.import_module(f"commands.{name.replace('-', '_')}")


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
    began = time.perf_counter() - _START_UP_SECONDS
    try:
        parser = _parser(words)
        if not words:
            parser.print_help()
            return 0
        if not words[0].startswith("-") and words[0] not in COMMANDS:
            near = nearest(words[0], list(COMMANDS))
            hint = f" (did you mean {near}?)" if near else ""
            got = f"{excerpt(words[0])}{hint}"
            raise UsageError(f"expected a command, {one_of(COMMANDS)}, got {got}")
        arguments, rest = parser.parse_known_args(words)
        arguments.given, arguments.began = list(words), began
        rest = [*arguments.words, *rest]
        overrides = _overrides(arguments, rest)
        if arguments.command in _ABOUT_PARAMS:
            arguments.topics += overrides
            finished = int(command_module(arguments.command).run(arguments))
            flush_output()
            return finished
        # Some commands are about a run, which has parameters of its own.
        chosen = params_file(arguments)
        file = arguments.params or chosen or DEFAULT_PARAMS
        overrides += overrides_of(arguments, file, overrides)
        presets = presets_of(arguments, file, overrides, file == DEFAULT_PARAMS)
        params = read_params(
            file, overrides, presets, file == DEFAULT_PARAMS, of_run=chosen is not None
        )
        from base.jit import watch_compiling
        from display.live.screen import show_compiling

        watch_compiling(show_compiling)  # so that the user sees what is waited for
        command = command_module(arguments.command)
        finished = int(command.run(System(params, overrides), arguments))
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


def _overrides(arguments: argparse.Namespace, rest: Sequence[str]) -> list[str]:
    """Return the ``section.key=value`` words; the others are nets or agents, for who takes such."""
    for word in rest:
        if word.startswith("-"):
            raise UsageError(f"unknown option {word.partition('=')[0]} ({_hint(word, arguments)})")
    overrides = [word for word in rest if _OVERRIDE.match(word)]
    others = [word for word in rest if not _OVERRIDE.match(word)]
    taken = next((name for name in _WORDS if hasattr(arguments, name)), None)
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
    names = [option.lstrip("-") for option in arguments.options]
    near = nearest(word.partition("=")[0].lstrip("-"), names)
    return f"did you mean --{near}?" if near else f"expected {one_of(arguments.options)}"


def _parser(words: Sequence[str]) -> argparse.ArgumentParser:
    """Describe the command line; only the command that is asked for is imported."""
    parser = Parser(
        prog=PROGRAM,
        description="Learn Hex, and other games for two, by Monte Carlo tree search and self-play.",
        epilog="Any key of params.yaml can be set as section.key=value, as in game.size=4.",
    )
    subparsers = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, (line, example) in COMMANDS.items():
        subparser = subparsers.add_parser(
            name,
            help=f"{line}; e.g. {CALL} {example}",
            description=f"{line[0].upper()}{line[1:]}.",
            epilog=f"Example: {CALL} {example}",
        )
        if words and words[0] == name:
            add_arguments(name, subparser)
        metavar, words_help = "section.key=value", "any key of params.yaml"
        if name in _ABOUT_PARAMS:
            metavar, words_help = _ABOUT_PARAMS[name]
            subparser.set_defaults(topics=[])
        else:
            file_help = "instead of params.yaml"
            subparser.add_argument("--params", type=Path, metavar="FILE", help=file_help)
        subparser.add_argument("words", nargs="*", metavar=metavar, help=words_help)
        subparser.set_defaults(options=subparser.options(), commands=list(COMMANDS))
    return parser


def run_and_exit() -> NoReturn:
    """Run the command that the command line names, and exit with its status."""
    status = main()
    gc.freeze()  # else Python takes a second to collect garbage on its way out
    sys.exit(status)


if __name__ == "__main__":
    run_and_exit()

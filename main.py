"""The command line: which command is run, on which parameters, and how it ends."""

import signal

if __name__ == "__main__" and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # no traceback from the imports below

import argparse
import gc
import importlib
import io
import os
import re
import sys
import time
from collections.abc import Sequence
from types import ModuleType
from typing import NoReturn

from base.project import PREFIX
from base.storage import excerpt
from base.words import nearest, one_of
from cli import exits
from cli.arguments import COMMANDS as COMMANDS
from cli.arguments import GROUPS, Parser, add_arguments
from cli.params_files import read_start
from cli.shell import CALL, PROGRAM
from hex_mcts.system import DEFAULT_PARAMS as DEFAULT_PARAMS
from hex_mcts.system import GAMES

_OVERRIDE = re.compile(r"\w+(\.\w+)*=")

_START_UP_SECONDS = 0.5
"""Start-up time of Python, before the program can measure time."""
_EXAMPLE = "game.name=nim game.stones=21"


def command_module(name: str) -> ModuleType:
    """Return the module of a command: ``commands.oht_server`` for ``oht-server``."""
    return importlib.import_module(f"{PREFIX}commands.{name.replace('-', '_')}")


def main(words: Sequence[str] | None = None) -> int:
    """Run one command; return the exit status.

    0 done, 1 failed, 2 wrong usage or parameters, 130 interrupted (143 by SIGTERM, 129 by SIGHUP).
    """
    words = list(sys.argv[1:] if words is None else words)
    name = f"{PROGRAM} {words[0]}" if words and words[0] in COMMANDS else PROGRAM
    if sys.stdin is None:  # closed
        sys.stdin = os.fdopen(os.open(os.devnull, os.O_RDONLY))
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        # Input may not be UTF-8, and output may hold characters that the terminal lacks.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace" if stream is sys.stdin else "backslashreplace")
    try:
        with exits.stop_signals() as received, exits.loading_line(name):
            status = _run(words, name)
        return 128 + received[0] if received and status == 130 else status
    except ModuleNotFoundError as error:
        missing = exits.missing_package(error)
        if missing is None:
            raise
        sys.stderr.write(exits.error_line(name, missing))
        return 1


def _run(words: Sequence[str], name: str) -> int:
    """Run one command; report an error in one line."""
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
            raise exits.UsageError(f"expected a command, {one_of(COMMANDS)}, got {got}")
        arguments, rest = parser.parse_known_args(words)
        arguments.given, arguments.began = list(words), began
        overrides = _take_overrides(arguments, [*arguments.words, *rest])
        if not COMMANDS[arguments.command].reads_params:
            arguments.words += overrides
            status = command_module(arguments.command).run(arguments) or 0
        else:
            start = read_start(arguments, overrides)
            from base.jit import watch_compiling
            from display.live.screen import show_compiling

            watch_compiling(show_compiling)
            status = command_module(arguments.command).run(start, arguments) or 0
        exits.flush_output()  # here, where a closed pipe is expected
        return int(status)
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        return 1  # the reader of the output has closed it
    except Exception as error:
        if (failed := exits.exit_status(error)) is None:
            raise
        sys.stderr.write(exits.error_line(name, exits.words_of(error)))
        return failed
    finally:
        exits.forget_output()


def _take_overrides(arguments: argparse.Namespace, given: Sequence[str]) -> list[str]:
    """Return the words ``section.key=value``; leave the others to commands that take any."""
    for word in given:
        if word.startswith("-"):
            option, hint = word.partition("=")[0], _hint(word, arguments)
            raise exits.UsageError(f"unknown option {option} ({hint})")
    overrides = [word for word in given if _OVERRIDE.match(word)]
    arguments.words = [word for word in given if not _OVERRIDE.match(word)]
    if arguments.words and any("={" in word for word in overrides):
        # A section in one word, split by the shell.
        raise exits.UsageError(
            f"command line: expected section.key=value for each key, such as {_EXAMPLE}, "
            f"got {' '.join(given)!r}"
        )
    if arguments.words and not COMMANDS[arguments.command].word:
        raise exits.UsageError(f"expected section.key=value, got {arguments.words[0]!r}")
    return overrides


def _hint(word: str, arguments: argparse.Namespace) -> str:
    """Return the options or parameters that a word such as ``--size=5`` may mean."""
    name, command = word.partition("=")[0].lstrip("-"), arguments.command
    found = []
    if COMMANDS[command].reads_params:
        from base.params.check import parameters_named

        named = parameters_named(name.replace("-", "_"), GAMES)
        found = [each for each in named if command[:3] == "oht" or each[:3] != "oht"]
    if found:
        return f"did you mean {one_of(f'{each}=VALUE' for each in found)}?"
    near = nearest(name, [option.lstrip("-") for option in arguments.options])
    return f"did you mean --{near}?" if near else f"expected {one_of(arguments.options)}"


def _parser(words: Sequence[str]) -> argparse.ArgumentParser:
    parser = Parser(
        prog=PROGRAM,
        usage=f"{PROGRAM} [-h] COMMAND ...",
        description="Learn Hex, and other games for two, by Monte Carlo tree search and self-play.",
        epilog="Any key of params.yaml can be set as section.key=value, as in game.size=4.",
    )
    about = {name: f"{each.about}; e.g. {CALL} {each.example}" for name, each in COMMANDS.items()}
    for heading, names in GROUPS.items():
        listed = [argparse.Action([], name, help=about[name]) for name in names]
        parser.add_argument_group(heading)._group_actions += listed
    subparsers = parser.add_subparsers(
        dest="command", required=True, prog=PROGRAM, help=argparse.SUPPRESS
    )
    for name, command in COMMANDS.items():
        subparser = subparsers.add_parser(
            name,
            description=f"{command.about[0].upper()}{command.about[1:]}.",
            epilog=f"Example: {CALL} {command.example}",
        )
        if words and words[0] == name:
            add_arguments(name, subparser)
        subparser.set_defaults(options=subparser.options(), commands=list(COMMANDS))
    return parser


def run_and_exit() -> NoReturn:
    """Run the command that the command line names, and exit with its status."""
    gc.set_threshold(10_000)  # by default, collections take a tenth of the start
    if signal.getsignal(signal.SIGINT) is signal.SIG_DFL:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    status = main()
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl-C again: threads are not waited for
    gc.freeze()  # else Python takes a second to collect garbage on its way out
    sys.exit(status)


if __name__ == "__main__":
    run_and_exit()

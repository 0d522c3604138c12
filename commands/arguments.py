"""The parser of the command line, the options of each command, and parsers of their values."""

from __future__ import annotations

import argparse
import sys
import unicodedata
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from base.storage import excerpt, naming_file
from commands.agent_words import agents_in_words
from commands.exits import error_line, flush_output

if TYPE_CHECKING:
    from _typeshed import SupportsWrite

_MOST_GAMES = 100_000
_MOST_SIMULATIONS = 10_000_000
_MOST_WORKERS = 256
_MOST_RECORDED = 1000
_MOST_POSITIONS = 10**9
_MOST_DIGITS = 20
"""Limit of a number's digits; Python refuses numbers of thousands of digits."""


Add = Callable[..., argparse.Action]


class Parser(argparse.ArgumentParser):
    """A parser with errors of one line, like the rest of the program."""

    def options(self) -> list[str]:
        """Return all options in their long form."""
        words = [word for action in self._actions for word in action.option_strings]
        return [word for word in words if word.startswith("--")]

    def error(self, message: str) -> NoReturn:
        """End the program."""
        self.exit(2, error_line(self.prog, message))

    def _print_message(self, message: str, file: SupportsWrite[str] | None = None) -> None:
        """Write to a stream; argparse would hide a full disk."""
        if message and (stream := file or sys.stderr) is not None:
            with naming_file("standard output"):
                stream.write(message)
            flush_output()


def add_arguments(command: str, parser: Parser) -> None:
    """Add the options of a command to its parser, and names for words other than overrides."""
    if command in _OPTIONS:
        _OPTIONS[command](parser, parser.add_argument)


def _demo(parser: Parser, add: Add) -> None:
    seconds = _number("20 to 86400 seconds", lambda seconds: 20 <= seconds <= 86_400)
    words = "time for all of it, at most (120); compiling, the first time, comes on top"
    add("--seconds", type=seconds, default=120.0, metavar="S", help=words)


def _train(parser: Parser, add: Add) -> None:
    add("--run", type=_folder, metavar="DIR", help="the run directory to write")
    add("--resume", action="store_true", help="go on with the run in --run DIR")
    words = "begin with this net's weights; its game, scheme and anet section are the defaults"
    add("--from", dest="start", type=_folder, metavar="NET", help=words)
    minutes = _number("minutes above 0", lambda minutes: minutes > 0)
    words = "how long it trains, instead of rl.episodes; short for rl.minutes=M"
    add("--minutes", type=minutes, metavar="M", help=words)


def _save(add: Add) -> None:
    words = "keep the games in a new file, which show and analyse --game read; as SGF in one.sgf"
    add("--save", type=Path, metavar="FILE", help=words)


def _json(add: Add) -> None:
    words = "print the result as JSON (docs/formats.md), and all else on standard error"
    add("--json", action="store_true", help=words)


def _topp(parser: Parser, add: Add) -> None:
    _json(add)
    words = "play off the nets of this run; without it and without NETs, of the newest run"
    add("--run", type=_folder, metavar="DIR", help=words)
    _save(add)
    parser.set_defaults(nets=[], newest=False)
    parser.usage = (
        f"{parser.prog} [-h] [--run DIR | NET NET ...] [--save FILE] [--json]\n"
        "         [--params FILE] [section.key=value ...]"
    )


def _play(parser: Parser, add: Add) -> None:
    add("--first", metavar="AGENT", help="player 1 (in Hex red); human if none is given, else best")
    add("--second", metavar="AGENT", help="player 2 (in Hex black); best if not given")
    games = _whole_number(_MOST_GAMES, "a number of games")
    add("--games", type=games, default=1, metavar="G", help="how many (1)")
    starters, words = ("1", "2", "alternate"), "who moves first (game.starting_player)"
    add("--starting-player", choices=starters, help=words)
    _save(add)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = f"{agents_in_words()}\n\n{parser.epilog}"


def _compare(parser: Parser, add: Add) -> None:
    add("--agents", dest="file", type=Path, metavar="FILE", help="a YAML list of more agents")
    words = "games of each two agents (each first move from both sides)"
    add("--games", type=_whole_number(_MOST_GAMES), metavar="G", help=words)
    words = "only the first agent meets all others, instead of everyone everyone"
    add("--gauntlet", action="store_true", help=words)
    words = "the first agent plays what theory says is won: the empty board and each first move"
    add("--won-starts", action="store_true", help=words)
    effort, words = parser.add_mutually_exclusive_group(), "for each move of all who search"
    simulations = _whole_number(_MOST_SIMULATIONS)
    effort.add_argument("--simulations", type=simulations, metavar="N", help=words)
    effort.add_argument("--seconds", type=_SECONDS, metavar="S", help=words)
    workers, words = _whole_number(_MOST_WORKERS), "games played at a time (one a core)"
    add("--workers", type=workers, metavar="W", help=words)
    add("--out", type=_folder, metavar="DIR", help="where the results go")
    _json(add)
    parser.set_defaults(agents=[])
    parser.usage = (
        f"{parser.prog} [-h] AGENT AGENT ... [--agents FILE] [--games G]\n"
        "         [--gauntlet | --won-starts] [--simulations N | --seconds S] [--workers W]\n"
        "         [--out DIR] [--json] [--params FILE] [section.key=value ...]"
    )
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = (
        "FILE holds a list of agents, each as its word or as {name: ..., agent: ...}.\n\n"
        f"{agents_in_words(people=False)}\n\n{parser.epilog}"
    )


def _oht(parser: Parser, add: Add) -> None:
    add("--net", type=Path, metavar="NET", help="what the agent plays with")
    add("--nickname", metavar="NAME", help="shown to others; asked for if not given")
    kind, words = parser.add_mutually_exclusive_group(), "a tournament for practice"
    official = "spend an official attempt, or try to qualify"
    kind.add_argument("--official", action="store_true", help=official)
    kind.add_argument("--verify", action="store_true", help=words)
    add("--server", metavar="HOST:PORT", help="instead of oht.server")
    add("--protocol", choices=("1", "2"), help="instead of oht.protocol")
    words = "do not log in; check server, certificate and move time"
    kind.add_argument("--check", action="store_true", help=words)


def _show(parser: Parser, add: Add) -> None:
    words = "which game, from 1; the last one if not given"
    add("--game", type=_GAME_NUMBER, metavar="N", help=words)
    words = "write that game, or all of them, as SGF, and show none"
    add("--sgf", type=Path, metavar="NEW", help=words)
    parser.set_defaults(files=[])
    parser.usage = (
        f"{parser.prog} [-h] FILE [--game N] [--sgf NEW] [--params FILE] [section.key=value ...]"
    )
    parser.epilog = (
        "FILE is what play --save has kept, or a games.jsonl of train, compare or oht, or the "
        "folder with it, or SGF of any Hex program. Keys: n and p, or the arrows right and left, "
        "for a move, home, end, down and up for another game, q. "
        f"Without a terminal the game is printed. {parser.epilog}"
    )


def _analyse(parser: Parser, add: Add) -> None:
    add("--net", type=Path, metavar="NET", help="the net's file; needed unless --game is given")
    for name, most, words in (
        ("positions", 100, "positions to draw, spread over the plies (10)"),
        ("games", 10_000, "games of the net against itself, which everything is taken from (20)"),
        ("simulations", _MOST_SIMULATIONS, "of each search (2000; without a net 20000)"),
    ):
        add(f"--{name}", type=_whole_number(most), metavar="N", help=words)
    words = "for the picture of temperatures, ascending (0.2,0.5,1,2)"
    add("--temperatures", type=_temperatures, metavar="T,T...", help=words)
    words = "say where a saved game was lost instead; FILE as for show"
    add("--game", type=Path, metavar="FILE", help=words)
    add("--number", type=_GAME_NUMBER, metavar="N", help="which game of FILE (the last one)")
    words = "for the exact judge on a position of a game; then the search says who wins (5)"
    add("--seconds", type=_SECONDS, metavar="S", help=words)
    add("--out", type=_folder, metavar="DIR", help="the folder to write; by default a new one")


def _certify(parser: Parser, add: Add) -> None:
    who = parser.add_mutually_exclusive_group(required=True)
    who.add_argument("--net", type=Path, metavar="NET", help="the net's file; it plays alone")
    words = "who plays, such as mcts:NET,simulations=100; nothing may be left to chance"
    who.add_argument("--agent", metavar="AGENT", help=words)
    words = "verify a certificate of the net afresh, by other means (Hex)"
    add("--check", type=Path, metavar="CERTIFICATE", help=words)
    words = "the certificate to write; by default it lies beside the net"
    add("--out", type=Path, metavar="FILE", help=words)
    most = _whole_number(_MOST_POSITIONS, "a number of positions")
    words = "give up when there are more (4000000, which take 1 to 2 GB)"
    add("--positions", type=most, default=4_000_000, metavar="N", help=words)
    _json(add)


def _engine(parser: Parser, add: Add) -> None:
    who = parser.add_mutually_exclusive_group()
    who.add_argument("--net", type=Path, metavar="NET", help="searches with this net")
    who.add_argument("--agent", metavar="AGENT", help="who plays (best); as in play")


def _explain(parser: Parser, add: Add) -> None:
    add("--agent", default="mcts", metavar="AGENT", help="who searches (mcts); as in play")
    words = "what is searched: moves such as 'c2 b3' (none), or a file of games, as for show"
    add("--game", metavar="GAME", help=words)
    add("--number", type=_GAME_NUMBER, metavar="N", help="which game of the file (the last one)")
    plies = _number("a number of moves", lambda number: number >= 0, int)
    add("--ply", type=plies, metavar="P", help="after so many moves of it (half of a file's)")
    simulations = _whole_number(_MOST_RECORDED)
    add("--simulations", type=simulations, metavar="N", help="how many are run (30)")
    steps = _number("the number of a step from 1", lambda number: number >= 1, int)
    add("--step", type=steps, metavar="K", help="print this step alone")
    words = (
        "write an animation (.gif; of a step's simulation), the picture of a step (.png), or .json"
    )
    add("--save", type=Path, metavar="NEW", help=words)


def _serve(parser: Parser, add: Add) -> None:
    ports = _number("a port from 0 to 65535", lambda port: 0 <= port <= 65_535, int)
    add("--port", type=ports, default=8765, metavar="N", help="where it listens (8765; 0: any)")
    words = "the address it listens at (127.0.0.1: only this machine); others get a secret link"
    add("--host", default="127.0.0.1", metavar="H", help=words)
    add("--runs", type=_folder, metavar="DIR", help="the folder with run directories (runs)")
    words = "an agent that the page may name, whatever it does; may be given several times"
    add("--agent", dest="given_agents", action="append", default=[], metavar="AGENT", help=words)


def _export(parser: Parser, add: Add) -> None:
    kind = parser.add_mutually_exclusive_group(required=True)
    words = "write the net as an ONNX file, for other programs"
    kind.add_argument("--onnx", type=Path, metavar="NET", help=words)
    words = "write a page that plays the net (Hex) in any browser, without a server"
    kind.add_argument("--html", type=Path, metavar="NET", help=words)
    words = "the file to write; by default it is named after game and net, in this folder"
    add("--out", type=Path, metavar="FILE", help=words)


_OPTIONS: dict[str, Callable[[Parser, Add], None]] = {
    **{"demo": _demo, "train": _train, "topp": _topp, "play": _play, "compare": _compare},
    **{"oht": _oht, "show": _show, "analyse": _analyse, "certify": _certify},
    **{"engine": _engine, "serve": _serve, "explain": _explain, "export": _export},
}


def _folder(text: str) -> Path:
    """Read the name of a folder; refuse an empty name, which would mean the current folder.

    Also refuse line ends and escape sequences, which every message with the name would repeat.
    """
    if not text.strip() or any(unicodedata.category(each) == "Cc" for each in text):
        raise argparse.ArgumentTypeError(f"expected a folder, got {excerpt(text)}")
    return Path(text)


def _number(
    expected: str, fits: Callable[[float], bool], kind: type[float] = float
) -> Callable[[str], float]:
    """Return a parser of numbers that pass ``fits``; ``expected`` describes them in errors."""

    def read(text: str) -> float:
        with suppress(ValueError):
            readable = len(text) <= _MOST_DIGITS and (kind is float or text.isdecimal())
            if readable and fits(value := kind(text)):
                return value
        raise argparse.ArgumentTypeError(f"expected {expected}, got {excerpt(text)}")

    return read


def _whole_number(most: int, what: str = "a number") -> Callable[[str], float]:
    return _number(f"{what} from 1 to {most}", lambda value: 1 <= value <= most, int)


_GAME_NUMBER = _number("the number of a game from 1", lambda number: number >= 1, int)
_SECONDS = _number("seconds above 0 and up to 3600", lambda seconds: 0 < seconds <= 3600)


def _temperatures(text: str) -> tuple[float, ...]:
    """Read temperatures; they must strictly ascend."""
    with suppress(ValueError):
        temperatures = {float(word) for word in text.split(",")}
        if all(0.01 <= each <= 100 for each in temperatures):
            return tuple(sorted(temperatures))
    raise argparse.ArgumentTypeError(
        f"expected temperatures from 0.01 to 100 such as 0.5,1,2, got {text!r}"
    )

"""The parser of the command line, and the options of each command."""

from __future__ import annotations

import argparse
import re
import sys
import unicodedata
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from base.storage import excerpt, naming_file
from base.words import nearest, one_of
from commands.exits import error_line, flush_output
from hex_mcts.system import PRESETS

if TYPE_CHECKING:
    from _typeshed import SupportsWrite

_MOST_DIGITS = 20
"""Limit of a number's digits; Python refuses numbers of thousands of digits."""
_COMMANDS = """\
demo: a short training run, then its TOPP
e.g. demo --seconds 60
--seconds S            time limit in seconds (120), without the first compilation

train: train a net by self-play (rl.scheme)
e.g. train rl.episodes=100
--run DIR              the run directory to write
--resume               continue the run in --run DIR
--preset NAME          a file of parameters that comes with the program, instead of params.yaml
--from NET             start with the weights and the architecture of a net, and on its board unless
                       --params or --preset is named
--minutes M            training time instead of rl.episodes; short for rl.minutes=M

topp: play the TOPP of a run's cached nets
e.g. topp --run runs/mine
--json                 print the result as JSON (docs/formats.md), all else on standard error
--run DIR              the run of the nets; without it and without NETs, the newest run
--save FILE            save the games in a new file for show and analyse --game; NAME.sgf is SGF

play: games between any two agents
e.g. play --first human --second mcts
--first AGENT          player 1 (in Hex red); human if no agent is given, else best
--second AGENT         player 2 (in Hex black); best by default
--games G              number of games (1)
--starting-player {1,2,alternate}  the player with the first move (game.starting_player)
--save FILE            save the games in a new file for show and analyse --game; NAME.sgf is SGF

compare: a round robin of any agents, with intervals, ratings and speeds
e.g. compare mcts:tree_policy=uct mcts:tree_policy=uct_rave --simulations 500 --games 100
--agents FILE          a YAML list of more agents
--games G              games of each pair of agents (each opening from both sides)
--gauntlet             pair only the first agent with each other one
--won-starts           the first agent plays every start that is won in theory: the winning side of
                       the empty board and after each first move
--simulations N        simulations per move of all agents that search
--seconds S            seconds per move of all agents that search
--workers W            number of games in parallel (one per core)
--out DIR              folder for the results
--json                 print the result as JSON (docs/formats.md), all else on standard error

oht: play the Online Hex Tournament
e.g. oht --verify --server localhost:33000 --net nets/hex-5/anet_00200.pt
--net NET              the net of the agent
--nickname NAME        the name for other players; the program prompts for it if missing
--official             use an official attempt, or try to qualify
--verify               play a tournament for practice
--server HOST:PORT     instead of oht.server
--protocol {1,2}       instead of oht.protocol
--check                check server, certificate and move time without a log-in

oht-server: a local tournament server
e.g. oht-server oht.board_size=7

show: step through saved games, forwards and backwards
e.g. show runs/mine/games.jsonl --game 20
--game N               number of the game, from 1 (the last one)
--sgf NEW              write this game, or without --game all games, as SGF instead

analyse: show what a net has learned, or where a game was lost
e.g. analyse --net nets/hex-5/anet_00200.pt
--net NET              the net's file; required without --game
--positions N          positions to draw, spread over the plies (10)
--games N              games of the net against itself, the source of all positions (20)
--simulations N        simulations of each search (2000; without a net 20000)
--temperatures T,T...  temperatures of the picture, ascending (0.2,0.5,1,2)
--game FILE            find the mistakes of a saved game instead; FILE as for show
--number N             number of the game in FILE (the last one)
--seconds S            time limit of the exact judge for a position, then a search decides (5)
--out DIR              the folder to write; a new one by default

explain: one search, step by step: the four processes on the board and in the tree
e.g. explain game.size=4 --simulations 20
--agent AGENT          the agent that searches, as in play (mcts)
--game GAME            position to search: moves such as 'c2 b3' (none), or a file as for show
--number N             number of the game in the file (the last one)
--ply P                number of its moves before the search (half of a file's game)
--simulations N        number of simulations (30)
--step K               print only this step
--save NEW             write an animation (.gif; with --step of its simulation), the picture of a
                       step (.png), or .json

certify: prove or refute that a net holds every won game against all replies
e.g. certify --net nets/hex-5/anet_00200.pt
--net NET              the net's file; it plays without a search
--agent AGENT          a player with a net and without chance, such as mcts:NET,simulations=100
--check CERTIFICATE    verify a certificate of the net with independent code (Hex)
--out FILE             the certificate to write; beside the net by default
--side SIDE            only this side: empty, or a first move such as a1; repeat it for more sides
--positions N          largest number of positions (30000000, which take about 3 GB)
--json                 print the result as JSON (docs/formats.md), all else on standard error

engine: a player for HexGui, in the Hex Text Protocol
e.g. engine --net nets/hex-5/anet_00200.pt
--net NET              search with this net
--agent AGENT          the player, as in play (best)
--resign               resign when the judge or the solver knows that the game is lost

export: a net for others: one HTML file that plays it, or an ONNX file
e.g. export --html best
--onnx NET             write the net as an ONNX file, for other programs
--html NET             write a page that plays the net (Hex) in any browser, without a server; best
                       is the net of all boards, unless game.size names one
--sizes A-B            the boards of the page, such as 5-9, for a pooled net (its own board; 3-13 if
                       it learned several)
--out FILE             the file to write; by default in this folder, named after game and net

serve: the page: play, review and watch in a browser
e.g. serve --port 8765
--port N               the port to listen at (8765; 0: any)
--host H               the address to listen at (127.0.0.1: only this machine); for others, the
                       link holds a secret
--runs DIR             the folder of run directories (runs)
--watch DIR            open a browser on this run, in Watch; beside it are the other runs
--ladder DIR           the nets (*.pt) in this folder play each other; see the assistant's page
--agent AGENT          an agent that the page may name, without limits; repeat it for more agents

params: explain every parameter, with range and default
e.g. params rl.episodes
--markdown             print Markdown, as in docs/parameters.md

completion: complete commands, options and parameters with the key Tab
e.g. completion bash
"""
"""Each command with an example and its options, in the words of the help."""
COMMANDS: dict[str, tuple[str, str]] = {}
"""Each command: one line and an example."""
GROUPS = {
    "Train": ("demo", "train", "topp"),
    "Play": ("serve", "play", "show", "engine", "export"),
    "Measure": ("compare", "analyse", "explain", "certify"),
    "Tournament and tools": ("oht", "oht-server", "params", "completion"),
}
"""The commands under their headings in the help."""
_OPTIONS: dict[str, str] = {}
for _block in _COMMANDS.split("\n\n"):
    _head, _example, *_options = _block.split("\n", 2)
    _name, _, _line = _head.partition(": ")
    COMMANDS[_name] = _line, _example.removeprefix("e.g. ")
    _OPTIONS[_name] = "".join(_options)
_OPTION = re.compile(r"^(--\S+)(?: (?:\{(\S+)\}|(\S+)))? {2,}(.+(?:\n +.+)*)$", re.MULTILINE)
"""Its name, its choices or its metavar, and its help."""
_EXCLUSIVE: dict[str, list[tuple[str, ...]]] = {
    "compare": [("--simulations", "--seconds")],
    **{"oht": [("--official", "--verify", "--check")], "export": [("--onnx", "--html")]},
    "train": [("--preset", "--params")],
    **{"certify": [("--net", "--agent")], "engine": [("--net", "--agent")]},
    "serve": [("--runs", "--watch")],
}
"""Options that exclude each other."""
_ONE_REQUIRED = ("certify", "export")
_SETTINGS: dict[str, dict[str, Any]] = {
    "demo --seconds": {"default": 120.0},
    "train --from": {"dest": "start"},
    "train --preset": {"nargs": "?", "const": "", "choices": PRESETS},
    "play --games": {"default": 1},
    "explain --agent": {"default": "mcts"},
    "certify --positions": {"default": 30_000_000},
    "certify --side": {"action": "append", "default": []},
    "serve --port": {"default": 8765},
    "serve --host": {"default": "127.0.0.1"},
    "serve --agent": {"action": "append", "default": []},
}
"""More settings of options for argparse."""
WITHOUT_PARAMS = ("params", "completion")
"""Commands that read no parameters."""
WORDS = {
    **{"topp": "NET", "compare": "AGENT", "show": "FILE"},
    **{"params": "section.key", "completion": "SHELL"},
}
"""The words that a command takes besides overrides of parameters."""
_HELP_ON_WORDS = {
    "topp": "nets in place of a run's, and any key of params.yaml",
    "compare": "agents, and any key of params.yaml",
    "show": "a saved game, and any key of params.yaml",
    "params": "a key or a section; all by default",
    "completion": "bash or zsh",
}
_EPILOGS = {
    "compare": "FILE holds a list of agents, each as its word or as {name: ..., agent: ...}.\n\n",
    "show": "FILE is a file of play --save, a games.jsonl of train, compare or oht, its folder, or "
    "SGF of any Hex program. Keys: n and p (right and left) go one move, home and end to the first "
    "and the last position, down and up to another game; q ends. Without a terminal the game is "
    "printed. ",
}

_NET = "nets/hex-5/anet_00200.pt"
_EXAMPLES = {
    "anet": f"anet:{_NET},choice=probabilistic",
    "mcts": f"mcts:{_NET},simulations=500,time_limit=0.5",
    "nrpa": "nrpa:level=3,iterations=10",
    "engine": "engine:COMMAND  (the whole text after the colon)",
}
_EPSILONS = {
    "epsilon": ": share of random moves in its games, for epsilon_greedy",
    "rollout_epsilon": ": share of random moves in its rollouts",
}


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
    """Add the options and the words of a command to its parser."""
    group_of = {}
    for names in _EXCLUSIVE.get(command, ()):
        group = parser.add_mutually_exclusive_group(required=command in _ONE_REQUIRED)
        group_of.update(dict.fromkeys(names, group))
    for name, choices, metavar, words in _OPTION.findall(_OPTIONS[command]):
        key, given = f"{command} {name}", dict[str, Any](help=" ".join(words.split()))
        if choices:
            given["choices"] = choices.split(",")
        elif metavar:
            read = next((_READERS[each] for each in (key, name, metavar) if each in _READERS), str)
            given |= {"metavar": metavar, "type": read}
        else:
            given["action"] = "store_true"
        group_of.get(name, parser).add_argument(name, **given, **_SETTINGS.get(key, {}))
    metavar = WORDS.get(command, "")
    about = _HELP_ON_WORDS.get(command, "any key of params.yaml")
    if command not in WITHOUT_PARAMS:
        words = "instead of params.yaml"
        one_of_them = group_of.get("--params", parser)
        one_of_them.add_argument("--params", type=Path, metavar="FILE", help=words)
        metavar = f"{metavar}|section.key=value".removeprefix("|")
    parser.add_argument("words", nargs="*", metavar=metavar, help=about)
    if command in ("play", "compare"):
        parser.formatter_class = argparse.RawDescriptionHelpFormatter
        parser.epilog = f"{_agents_in_words(people=command == 'play')}\n\n{parser.epilog}"
    if command == "train":
        parser.formatter_class = argparse.RawDescriptionHelpFormatter
        parser.epilog = f"{_presets_in_words()}\n\n{parser.epilog}"
    if command in _EPILOGS:
        parser.epilog = f"{_EPILOGS[command]}{parser.epilog}"


def _presets_in_words() -> str:
    """Return a list of the presets, each with the first line of its file."""
    firsts = {name: file.read_text(encoding="utf-8")[2:] for name, file in PRESETS.items()}
    return "\n".join(
        ["presets:", *(f"  {name:<22} {text.splitlines()[0]}" for name, text in firsts.items())]
    )


def _agents_in_words(people: bool = True) -> str:
    """Return a list of agents with their options; ``people`` adds humans."""
    from agents import AGENTS, agent_kind
    from base.params import describe

    lines = [
        "agents, each with options as in AGENT:name=value,name=value; for a net, best is the best",
        "one for the board in nets/",
        "",
        "  best  (the best net alone if proven, else mcts with it, if any; the options of mcts)",
    ]
    told = {"best"} if people else {"best", "human"}
    for name in [name for name in AGENTS if name not in told]:
        kind = agent_kind(name)
        lines += ["", f"  {_EXAMPLES.get(name, name)}"]
        if kind.net_use == "optional":
            lines[-1] += "  (the net may be left out)"
        lines += [
            f"      {option:<16} {describe(field)}{_EPSILONS.get(option, '')}"
            for option, field in kind.Options.model_fields.items()
            if name != "engine"  # its word has no options
        ]
    return "\n".join(lines)


def _folder(text: str) -> Path:
    """Read the name of a folder: not empty, which would mean the current one; without controls."""
    if not text.strip() or any(unicodedata.category(each) == "Cc" for each in text):
        raise argparse.ArgumentTypeError(f"expected a folder, got {excerpt(text)}")
    return Path(text)


def _number(
    expected: str, fits: Callable[[float], bool], kind: type[float] = float
) -> Callable[[str], float]:
    """Return a reader of numbers that pass ``fits``; ``expected`` describes them in errors."""

    def read(text: str) -> float:
        with suppress(ValueError):
            readable = len(text) <= _MOST_DIGITS and (kind is float or text.isdecimal())
            if readable and fits(value := kind(text)):
                return value
        raise argparse.ArgumentTypeError(f"expected {expected}, got {excerpt(text)}")

    return read


def _whole_number(most: int, what: str = "a number") -> Callable[[str], float]:
    return _number(f"{what} from 1 to {most}", lambda value: 1 <= value <= most, int)


def _temperatures(text: str) -> tuple[float, ...]:
    """Read temperatures; they must strictly ascend."""
    with suppress(ValueError):
        temperatures = {float(word) for word in text.split(",")}
        if all(0.01 <= each <= 100 for each in temperatures):
            return tuple(sorted(temperatures))
    raise argparse.ArgumentTypeError(
        f"expected temperatures from 0.01 to 100 such as 0.5,1,2, got {text!r}"
    )


def _sizes(text: str) -> range:
    """Read sizes of boards, one or a range."""
    first, _, last = text.partition("-")
    if all(each.isdecimal() and len(each) < 3 for each in (first, last or first)):
        sizes = range(int(first), int(last or first) + 1)
        if sizes and sizes[0] >= 3 and sizes[-1] <= 19:
            return sizes
    raise argparse.ArgumentTypeError(
        f"expected sizes from 3 to 19 such as 9 or 3-13, got {excerpt(text)}"
    )


def _preset(text: str) -> str:
    """Read the name of a preset."""
    if text in PRESETS:
        return text
    near = nearest(text, list(PRESETS))
    got = f"{excerpt(text)}{f' (did you mean {near}?)' if near else ''}" if text else "none"
    raise argparse.ArgumentTypeError(f"expected {one_of(PRESETS)}, got {got}")


_GAME_NUMBER = _number("the number of a game from 1", lambda number: number >= 1, int)
_READERS: dict[str, Callable[[str], object]] = {
    **{"DIR": _folder, "--from": _folder, "T,T...": _temperatures, "A-B": _sizes},
    **dict.fromkeys(("CERTIFICATE", "FILE", "NET", "NEW"), Path),
    **dict.fromkeys(("show --game", "--number"), _GAME_NUMBER),
    "--preset": _preset,
    "demo --seconds": _number("20 to 86400 seconds", lambda seconds: 20 <= seconds <= 86_400),
    "--minutes": _number("minutes above 0", lambda minutes: minutes > 0),
    "--seconds": _number("seconds above 0 and up to 3600", lambda seconds: 0 < seconds <= 3600),
    "play --games": _whole_number(100_000, "a number of games"),
    "compare --games": _whole_number(100_000),
    "analyse --games": _whole_number(10_000),
    "--workers": _whole_number(256),
    "explain --simulations": _whole_number(1000),
    "--simulations": _whole_number(10_000_000),
    "analyse --positions": _whole_number(100),
    "certify --positions": _whole_number(10**9, "a number of positions"),
    "--port": _number("a port from 0 to 65535", lambda port: 0 <= port <= 65_535, int),
    "--ply": _number("a number of moves", lambda number: number >= 0, int),
    "--step": _number("the number of a step from 1", lambda number: number >= 1, int),
}
"""Readers of values, by command and option, by option, or by metavar; others stay text."""

"""The commands and their options."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from base.storage import naming_file
from cli import readers as read
from cli.exits import error_line, flush_output
from cli.help_texts import agents_in_words, agents_to_compare, files_of_games, presets_in_words
from hex_mcts.system import PRESETS

if TYPE_CHECKING:
    from _typeshed import SupportsWrite

GROUPS = {
    "Train": ("demo", "train", "topp"),
    "Play": ("serve", "play", "show", "engine", "export"),
    "Measure": ("compare", "analyse", "explain", "certify"),
    "Tournament and tools": ("oht", "oht-server", "arena", "playhex", "params", "completion"),
}
"""The commands under their headings in the help."""

_AS_JSON = "print the result as JSON (docs/formats.md), all else on standard error"
_SAVE = "save the games in a new file for show and analyse --game; NAME.sgf is SGF"
_NET = "nets/hex-5/anet_00200.pt"


class Parser(argparse.ArgumentParser):
    """A parser with errors of one line, like the rest of the program."""

    @cached_property
    def _groups(self) -> dict[str, argparse._MutuallyExclusiveGroup]:
        return {}

    def add(
        self,
        name: str,
        about: str,
        read: Callable[[str], object] = str,
        either: str = "",
        **more: Any,
    ) -> None:
        """Add an option such as ``--resume`` or ``--run DIR``, whose value is read by a function.

        Options with the same word ``either`` exclude each other; if it ends with ``!``, one of them
        is required.
        """
        if either and either not in self._groups:
            self._groups[either] = self.add_mutually_exclusive_group(required=either[-1] == "!")
        name, _, metavar = name.partition(" ")
        how = {"metavar": metavar, "type": read, **more} if metavar else more
        how = how or {"action": "store_true"}
        (self._groups[either] if either else self).add_argument(name, help=about, **how)

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


Add = Callable[..., None]
"""``Parser.add`` of a command's parser."""


class Command(NamedTuple):
    """A command in the words of its help."""

    add_options: Callable[[Add], None]
    about: str
    example: str
    word: str = ""
    """The name of the words that it takes besides overrides of parameters, if any."""
    about_words: str = "any key of params.yaml"
    reads_params: bool = True
    more: Callable[[], str] = str
    """Returns a text to put before the example; its lines, if it has several, stay as they are."""


COMMANDS: dict[str, Command] = {}


def _command(*about: str, **more: Any) -> Callable[[Callable[..., Any]], None]:
    """Register a command, named like the function that adds its options; see ``Command``."""

    def register(add_options: Callable[..., Any]) -> None:
        name = add_options.__name__.strip("_").replace("_", "-")
        COMMANDS[name] = Command(add_options, *about, **more)  # type: ignore[arg-type]

    return register


def add_arguments(name: str, parser: Parser) -> None:
    """Add the options and the words of a command to its parser."""
    command = COMMANDS[name]
    command.add_options(parser.add)
    metavar = command.word
    if command.reads_params:
        parser.add("--params FILE", "instead of params.yaml", Path, "params")
        metavar = f"{metavar}|section.key=value".removeprefix("|")
    parser.add_argument("words", nargs="*", metavar=metavar, help=command.about_words)
    if text := command.more():
        divider = " "
        if "\n" in text:
            divider, parser.formatter_class = "\n\n", argparse.RawDescriptionHelpFormatter
        parser.epilog = f"{text}{divider}{parser.epilog}"


@_command("a short training run, then its TOPP", "demo --seconds 60")
def _demo(add: Add) -> None:
    about = "time limit in seconds (120), without the first compilation"
    add("--seconds S", about, read.demo_seconds, default=120.0)


@_command("train a net by self-play (rl.scheme)", "train rl.episodes=100", more=presets_in_words)
def _train(add: Add) -> None:
    add("--run DIR", "the run directory to write", read.folder)
    add("--resume", "continue the run in --run DIR")
    about = "a file of parameters that comes with the program, instead of params.yaml"
    add("--preset NAME", about, read.preset, "params", nargs="?", const="", choices=PRESETS)
    board = "on its board unless --params or --preset is named"
    about = f"start with the weights and the architecture of a net, and {board}"
    add("--from NET", about, read.folder, dest="start")
    add("--minutes M", "training time instead of rl.episodes; short for rl.minutes=M", read.minutes)


@_command(
    "play the TOPP of a run's cached nets",
    "topp --run runs/mine",
    "NET",
    "nets in place of a run's, random for a random player, and any key of params.yaml",
)
def _topp(add: Add) -> None:
    add("--json", _AS_JSON)
    about = "the run of the nets; without it and without NETs, the newest run"
    add("--run DIR", about, read.folder)
    add("--save FILE", _SAVE, Path)


@_command("games between any two agents", "play --first human --second mcts", more=agents_in_words)
def _play(add: Add) -> None:
    add("--first AGENT", "player 1 (in Hex red); human if no agent is given, else best")
    add("--second AGENT", "player 2 (in Hex black); best by default")
    games = read.whole_number(100_000, "a number of games")
    add("--games G", "number of games (1)", games, default=1)
    about, starters = "the player with the first move (game.starting_player)", "1 2 alternate"
    add("--starting-player", about, choices=starters.split())
    add("--save FILE", _SAVE, Path)


@_command(
    "a round robin of any agents, with intervals, ratings and speeds",
    "compare mcts:tree_policy=uct mcts:tree_policy=uct_rave --simulations 500 --games 100",
    "AGENT",
    "agents, and any key of params.yaml",
    more=agents_to_compare,
)
def _compare(add: Add) -> None:
    add("--agents FILE", "a YAML list of more agents", Path)
    about = "games of each pair of agents (each opening from both sides)"
    add("--games G", about, read.whole_number(100_000))
    add("--gauntlet", "pair only the first agent with each other one")
    sides = "the winning side of the empty board and after each first move"
    add("--won-starts", f"the first agent plays every start that is won in theory: {sides}")
    about = "simulations per move of all agents that search"
    add("--simulations N", about, read.whole_number(10_000_000), "limit")
    add("--seconds S", "seconds per move of all agents that search", read.seconds, "limit")
    add("--workers W", "number of games in parallel (one per core)", read.whole_number(256))
    add("--out DIR", "folder for the results", read.folder)
    add("--json", _AS_JSON)


@_command("play the Online Hex Tournament", f"oht --verify --server localhost:33000 --net {_NET}")
def _oht(add: Add) -> None:
    add("--net NET", "the net of the agent", Path)
    add("--nickname NAME", "the name for other players; the program prompts for it if missing")
    add("--official", "use an official attempt, or try to qualify", either="kind")
    add("--verify", "play a tournament for practice", either="kind")
    add("--server HOST:PORT", "instead of oht.server")
    add("--protocol", "instead of oht.protocol", choices=["1", "2"])
    add("--check", "check server, certificate and move time without a log-in", either="kind")


@_command("a local tournament server", "oht-server oht.board_size=7")
def _oht_server(add: Add) -> None:
    pass


@_command("play in the hexgame arena", "arena --server ws://localhost:8000 --size 7 --length 3")
def _arena(add: Add) -> None:
    add("--server URL", "the arena, such as ws://localhost:8000", required=True)
    add("--agent AGENT", "instead of oht.agent")
    add("--net NET", "the net of the agent", Path)
    add("--seconds S", "time limit of a move, instead of oht.move_time_limit", read.seconds)
    add("--size N", "size of the board (11)", read.whole_number(19))
    add("--length N", "games of a series, at most; an odd number (1)", read.whole_number(99))
    add("--name NAME", "your name for others")
    add("--series N", "number of series (1)", read.whole_number(100_000), "length")
    add("--minutes N", "begin series for this long", read.minutes, "length")
    add("--forever", "begin series until Ctrl-C", either="length")
    slot = read.whole_number(1000)
    add("--slot N", "join the player who waits in this slot", slot, "place")
    add("--reconnect N", "return to a seat in this slot, with its token", slot, "place")
    add("--slots", "list the slots of the server, and leave", either="place")


@_command(
    "bots and analysis for a site of PlayHex, which asks for them at HEX_AI_API",
    "playhex --port 8088 --bot ours=best --seconds 2",
    "",
    argparse.SUPPRESS,
    reads_params=False,
)
def _playhex(add: Add) -> None:
    add("--host H", "the address to listen at (127.0.0.1: only this machine)", default="127.0.0.1")
    add("--port N", "the port to listen at (8088; 0: any)", read.port, default=8088)
    add("--share-port", "share the port with the next server, which begins before this one ends")
    about = "a bot, by the engine of its row; repeat it (easy, club, strong, full, exact)"
    add("--bot NAME=AGENT", about, action="append", default=[])
    about = "seconds a move (2), where the config of a bot's row has no seconds"
    add("--seconds S", about, read.move_seconds, default=2.0)
    add("--resign", "resign lost games, if that is proven; for one bot, set resign in its config")
    about = "pass other engines on to this server; without it, play as mohex and katahex, too"
    add("--else URL", about, dest="another")
    add("--rows NAME", "print the rows in SQL that make this bot on a site, and end", either="way")
    about = "instead, work for the peer server of hex-ai-distributed, as mohex and katahex"
    add("--worker HOST:PORT", about, either="way")
    add("--secondary", "with --worker: work only where no other worker is")


@_command(
    "step through saved games, forwards and backwards",
    "show runs/mine/games.jsonl --game 20",
    "FILE",
    "a saved game, and any key of params.yaml",
    more=files_of_games,
)
def _show(add: Add) -> None:
    add("--game N", "number of the game, from 1 (the last one)", read.game_number)
    add("--sgf NEW", "write this game, or without --game all games, as SGF instead", Path)


@_command("show what a net has learned, or where a game was lost", f"analyse --net {_NET}")
def _analyse(add: Add) -> None:
    add("--net NET", "the net's file; required without --game", Path)
    add("--positions N", "positions to draw, spread over the plies (10)", read.whole_number(100))
    about = "games of the net against itself, the source of all positions (20)"
    add("--games N", about, read.whole_number(10_000))
    about = "simulations of each search (2000; without a net 20000)"
    add("--simulations N", about, read.whole_number(10_000_000))
    about = "temperatures of the picture, ascending (0.2,0.5,1,2)"
    add("--temperatures T,T...", about, read.temperatures)
    add("--game FILE", "find the mistakes of a saved game instead; FILE as for show")
    add("--number N", "number of the game in FILE (the last one)", read.game_number)
    about = "time limit of the exact judge for the whole game; a search decides the rest (10)"
    add("--seconds S", about, read.seconds)
    add("--sgf NEW", "write the game with grades, values and best lines as SGF, too", Path)
    add("--out DIR", "the folder to write; a new one by default", read.folder)


@_command(
    "one search, step by step: the four processes on the board and in the tree",
    "explain game.size=4 --simulations 20",
)
def _explain(add: Add) -> None:
    add("--agent AGENT", "the agent that searches, as in play (mcts)", default="mcts")
    add("--game GAME", "position to search: moves such as 'c2 b3' (none), or as for show")
    add("--number N", "number of the game in the file (the last one)", read.game_number)
    add("--ply P", "number of its moves before the search (half of a file's game)", read.ply_number)
    add("--simulations N", "number of simulations (30)", read.whole_number(1000))
    add("--step K", "print only this step", read.step_number)
    add("--openings", "print which first stone to swap instead, on boards of Hex up to 11x11")
    others = "the picture of a step (.png), or .json"
    about = f"write an animation (.gif; with --step of its simulation), {others}"
    add("--save NEW", about, Path)


@_command(
    "prove or refute that a net holds every won game against all replies", f"certify --net {_NET}"
)
def _certify(add: Add) -> None:
    add("--net NET", "the net's file; it plays without a search", Path, "player!")
    about = "a player with a net and without chance, such as mcts:NET,simulations=100"
    add("--agent AGENT", about, either="player!")
    add("--check CERTIFICATE", "verify a certificate of the net with independent code (Hex)", Path)
    add("--out FILE", "the certificate to write; beside the net by default", Path)
    about = "only this side: empty, or a first move such as a1; repeat it for more sides"
    add("--side SIDE", about, action="append", default=[])
    about = "largest number of positions (30000000, which take about 3 GB)"
    positions = read.whole_number(10**9, "a number of positions")
    add("--positions N", about, positions, default=30_000_000)
    add("--json", _AS_JSON)


@_command("a player for HexGui, in the Hex Text Protocol", f"engine --net {_NET}")
def _engine(add: Add) -> None:
    add("--net NET", "search with this net", Path, "player")
    add("--agent AGENT", "the player, as in play (best)", either="player")
    add("--resign", "resign when the judge or the solver knows that the game is lost")


@_command("a net for others: one HTML file that plays it, or an ONNX file", "export --html best")
def _export(add: Add) -> None:
    add("--onnx NET", "write the net as an ONNX file, for other programs", Path, "kind!")
    best = "best is the net of all boards, unless game.size names one"
    about = f"write a page that plays the net (Hex) in any browser, without a server; {best}"
    add("--html NET", about, Path, "kind!")
    usual = "its own board; 3-13 if it learned several"
    about = f"the boards of the page, such as 5-9, for a pooled net ({usual})"
    add("--sizes A-B", about, read.sizes)
    about = "the file to write; by default in this folder, named after game and net"
    add("--out FILE", about, Path)


@_command("the page: play, review and watch in a browser", "serve --port 8765")
def _serve(add: Add) -> None:
    add("--port N", "the port to listen at (8765; 0: any)", read.port, default=8765)
    others = "for others, the link holds a secret"
    about = f"the address to listen at (127.0.0.1: only this machine); {others}"
    add("--host H", about, default="127.0.0.1")
    add("--runs DIR", "the folder of run directories (runs)", read.folder, "runs")
    about = "open a browser on this run, in Watch; beside it are the other runs"
    add("--watch DIR", about, read.folder, "runs")
    about = "the nets (*.pt) in this folder play each other, shown on the page"
    add("--ladder DIR", about, read.folder)
    add("--uploads", "all who open the page may add nets to the ladder's folder")
    about = "an agent that the page may name, without limits; repeat it for more agents"
    add("--agent AGENT", about, action="append", default=[])


@_command(
    "explain every parameter, with range and default",
    "params rl.episodes",
    "section.key",
    "a key or a section; all by default",
    reads_params=False,
)
def _params(add: Add) -> None:
    add("--markdown", "print Markdown, as in docs/parameters.md")


@_command(
    "complete commands, options and parameters with the key Tab",
    "completion bash",
    "SHELL",
    "bash or zsh",
    reads_params=False,
)
def _completion(add: Add) -> None:
    pass

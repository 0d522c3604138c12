"""``playhex``: the server that a site of PlayHex asks for moves and analysis, or a worker."""

import argparse
import asyncio
import re
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from string import Template

from agents import AgentError, agent_kind, load_net, names_file, parse_agent
from cli.exits import UsageError
from oht_client.server.connection import listen
from online.playhex.bots import Bot, first_choice, spec_of
from online.playhex.positions import SIZES
from online.playhex.server import Desk, PromptProtocol
from online.playhex.worker import Worker
from state_manager import make_game
from web.play.catalogue import WITH_NET, WITHOUT_NET
from web.server.app import page_server

_LEVELS = {"easy": "Easy", "club": "Club", "strong": "Strong", "full": "Full strength"}
"""Names of bots, and their levels on the page."""
_COLOURS, _USUAL_COLOUR = {"easy": 1, "club": 3, "strong": 4, "full": 6, "exact": 6}, 5
_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,20}")
_URL = re.compile(r"http://[\w.-]+(?::\d+)?(?:/\S*)?")
_ROWS = Template("""\
INSERT INTO player (pseudo, slug, publicId, isBot)
  VALUES ('Hex MCTS $name', 'hex-mcts-$name', UUID(), 1);
INSERT INTO ai_config (playerId, engine, label, description, config, isRemote, requireMorePower,
    boardsizeMin, boardsizeMax, relativeLevel, `order`)
  SELECT id, '$name', 'Hex MCTS $name', '$seconds s a move',
    '{"seconds": $seconds}', 1, 0, $least, $most, $colour, $colour
  FROM player WHERE slug = 'hex-mcts-$name';""")
_SETTINGS = {
    **{"http": PromptProtocol, "limit_concurrency": None},
    "timeout_keep_alive": 60,  # where a connection is cut as PlayHex uses it again, the bot loses
    "timeout_graceful_shutdown": 5,  # searches end at once, with the best move so far
}


def run(arguments: argparse.Namespace) -> None:
    """Print rows, or answer until Ctrl-C."""
    bots = _bots(arguments.bot)
    if arguments.words:
        raise UsageError(f"expected options only, got {arguments.words[0]}")
    if arguments.another and not _URL.fullmatch(arguments.another):
        raise UsageError(f"--else: expected http://HOST:PORT, got {arguments.another}")
    if arguments.secondary and arguments.worker is None:
        raise UsageError("--secondary: expected --worker HOST:PORT with it")
    if arguments.rows is not None:
        print(_rows(bots, arguments.rows, arguments.seconds))
        return
    address, tell = _address(arguments.worker), partial(print, flush=True)
    desk = Desk(bots, arguments.seconds, arguments.resign, arguments.another or "", tell)
    try:
        if address is None:
            _serve(desk, bots, arguments, tell)
        else:
            _prepare(desk, bots)
            asyncio.run(Worker(desk, address, arguments.secondary, tell).run())
            raise KeyboardInterrupt
    finally:
        desk.leave_when(lambda: True)
        desk.close()


def _serve(
    desk: Desk, bots: dict[str, Bot], arguments: argparse.Namespace, tell: Callable[[str], None]
) -> None:
    server, host = page_server(desk.app(), **_SETTINGS), arguments.host
    desk.leave_when(lambda: server.should_exit)
    with listen("--port", host, arguments.port, arguments.share_port) as listening:
        where = f"[{host}]" if ":" in host else host
        tell(f"For PlayHex: HEX_AI_API=http://{where}:{listening.getsockname()[1]}")
        _prepare(desk, bots)
        server.run(sockets=[listening])


def _prepare(desk: Desk, bots: dict[str, Bot]) -> None:
    """Load what first moves need, then the rest while they are asked."""
    for size in SIZES:
        game = make_game("hex", size=size)
        first_choice(game, game.initial_state())
    desk.bots.prepare(bots.values())
    desk.analyst.prepare()


def _rows(bots: dict[str, Bot], name: str, seconds: float) -> str:
    """Return the statements that make a bot on a site, which shows all of it to everybody."""
    if name not in bots:
        raise UsageError(f"--rows: expected {', '.join(bots)}, got {name}")
    sizes = list[int]()
    for size in SIZES:
        with suppress(AgentError):
            spec_of(bots[name], make_game("hex", size=size), seconds)
            sizes.append(size)
    if not sizes:
        raise UsageError(f"--rows: expected a bot for a board of 3 to 19 rows, got {name}")
    about = {"least": sizes[0], "most": sizes[-1], "colour": _COLOURS.get(name, _USUAL_COLOUR)}
    return _ROWS.substitute(about, name=name, seconds=f"{seconds:g}")


def _bots(given: list[str]) -> dict[str, Bot]:
    found: dict[str, Bot] = {}
    for each in given:
        name, equals, word = each.partition("=")
        if not equals or not _NAME.fullmatch(name):
            raise UsageError(f"--bot: expected NAME=AGENT, the name of a-z, 0-9 and -, got {each}")
        spec = parse_agent(word)
        if spec.kind == "human":
            raise UsageError("--bot: expected an agent that plays by itself, got human")
        agent_kind(spec.kind)
        if spec.net is not None and names_file(spec):
            load_net(spec.net)
        found[name] = Bot(word, word)
    if found:
        return found
    with_net, without = dict(WITH_NET), dict(WITHOUT_NET)
    levels = {name: Bot(with_net[level], without[level]) for name, level in _LEVELS.items()}
    return {**levels, "exact": Bot("exact", "exact")}


def _address(text: str | None) -> tuple[str, int] | None:
    if text is None:
        return None
    host, _, port = text.rpartition(":")
    if not host or not port.isdecimal() or int(port) > 65_535:
        raise UsageError(f"--worker: expected HOST:PORT, got {text}")
    return host.strip("[]"), int(port)

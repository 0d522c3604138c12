"""``serve``: the page to play, review and watch games in a browser."""

import argparse
import threading
from functools import partial
from pathlib import Path

from agents import agent_kind, parse_agent
from hex_mcts.system import System
from oht_client.server.connection import listen
from web.access_control import AccessControl
from web.agent_pool import AgentPool, Deadline
from web.app import create_app
from web.http_connections import PageServer
from web.requests import GameSpec
from web.rooms import Room


def run(system: System, arguments: argparse.Namespace) -> None:
    """Serve the page until Ctrl-C."""
    for word in arguments.agent:
        agent_kind(parse_agent(word).kind)
    pool = AgentPool(system.params, arguments.runs or Path("runs"), arguments.agent)
    tell = partial(print, flush=True)
    game = system.params.game
    first = {"name": game.name, "params": game.options.model_dump(mode="json")}
    with listen("--port", arguments.host, arguments.port) as listening:
        name = f"[{arguments.host}]" if ":" in arguments.host else arguments.host
        port = listening.getsockname()[1]
        # Links name the port, so each port has its games.
        room = pool.room = Room(pool.runs / f"room-{port}.json", tell)
        access = AccessControl.for_host(arguments.host, room.access)
        room.admission = f"?token={access.token}" if access.token else ""
        link = f"http://{name}:{port}/{room.admission}"
        server = PageServer(create_app(pool, access, first), tell)
        tell(f"The page is at {link}")
        tell(f"All games between two people, for the assistant: {link}#room/{room.assistant}")
        threading.Thread(target=_warm_up, args=[system, pool], daemon=True).start()
        server.run(sockets=[listening])


def _warm_up(system: System, pool: AgentPool) -> None:
    """Load the code for the first requests while the page opens."""
    from web.catalogue import CatalogueRequest, catalogue

    game = GameSpec.model_validate({"name": system.game.name, "params": system.game.params})
    choices = catalogue(pool, CatalogueRequest(game=game), Deadline())
    for word in (choices["levels"][3]["agent"], choices["analyst"]):
        with pool.agent(word, system.game, Deadline()) as agent:
            agent.choose_action(system.game.initial_state())

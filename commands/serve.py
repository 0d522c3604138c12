"""``serve``: the page, to play, review and watch games in a browser."""

from __future__ import annotations

import argparse
import threading
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from hex_mcts.system import System

if TYPE_CHECKING:
    from web.agent_pool import House


def run(system: System, arguments: argparse.Namespace) -> int:
    """Serve the page until Ctrl-C."""
    from agents import agent_kind, parse_agent
    from oht_client.server.connection import listen
    from web.access_control import Door
    from web.agent_pool import House
    from web.app import create_app
    from web.http_connections import PageServer

    for word in arguments.given_agents:
        agent_kind(parse_agent(word).kind)
    door = Door.for_host(arguments.host)
    house = House(system.params, arguments.runs or Path("runs"), arguments.given_agents)
    game = system.params.game
    first = {"name": game.name, "params": game.options.model_dump(mode="json")}
    server = PageServer(create_app(house, door, first), partial(print, flush=True))
    with listen("--port", arguments.host, arguments.port) as listening:
        name = f"[{arguments.host}]" if ":" in arguments.host else arguments.host
        link = f"http://{name}:{listening.getsockname()[1]}/"
        print(f"The page is at {link}{f'?token={door.token}' if door.token else ''}", flush=True)
        threading.Thread(target=_warm_up, args=[system, house], daemon=True).start()
        server.run(sockets=[listening])
    return 0


def _warm_up(system: System, house: House) -> None:
    """Load the code for the first requests while the page opens."""
    from web.agent_pool import Patience
    from web.catalogue import CatalogueAsked, catalogue
    from web.requests import GameAsked

    game = GameAsked.model_validate({"name": system.game.name, "params": system.game.params})
    known = catalogue(house, CatalogueAsked(game=game), Patience())
    for word in (known["levels"][3]["agent"], known["analyst"]):
        with house.agent(word, system.game, Patience()) as agent:
            agent.choose_action(system.game.initial_state())

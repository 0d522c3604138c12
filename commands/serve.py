"""``serve``: the page, to play, review and watch games in a browser."""

from __future__ import annotations

import argparse
import threading
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from hex_mcts.system import System

if TYPE_CHECKING:
    from display.web.house import House


def run(system: System, arguments: argparse.Namespace) -> int:
    """Serve the page until Ctrl-C."""
    from agents import agent_kind, parse_agent
    from display.web.connections import PageServer
    from display.web.door import Door
    from display.web.house import House
    from display.web.server import create_app
    from oht_client.server.connection import listen

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
    from display.web.asked import GameAsked
    from display.web.catalogue import CatalogueAsked, catalogue
    from display.web.house import Patience

    game = GameAsked.model_validate({"name": system.game.name, "params": system.game.params})
    known = catalogue(house, CatalogueAsked(game=game), Patience())
    for word in (known["levels"][3]["agent"], known["analyst"]):
        with house.agent(word, system.game, Patience()) as agent:
            agent.choose_action(system.game.initial_state())

"""``serve``: the page, to play, review and watch games in a browser."""

from __future__ import annotations

import argparse
import socket
import threading
from pathlib import Path

from commands.system import System


def run(system: System, arguments: argparse.Namespace) -> int:
    """Serve the page until Ctrl-C."""
    import uvicorn

    from display.web.door import Door
    from display.web.house import House
    from display.web.server import create_app

    door = Door.for_host(arguments.host)
    house = House(system.params, arguments.runs or Path("runs"), arguments.given_agents)
    family = socket.AF_INET6 if ":" in arguments.host else socket.AF_INET
    with socket.create_server((arguments.host, arguments.port), family=family) as listening:
        name = f"[{arguments.host}]" if ":" in arguments.host else arguments.host
        link = f"http://{name}:{listening.getsockname()[1]}/"
        print(f"The page is at {link}{f'?token={door.token}' if door.token else ''}", flush=True)
        app = create_app(house, door)
        threading.Thread(target=_warm_up, args=[system], daemon=True).start()
        config = uvicorn.Config(app, log_level="error", access_log=False, server_header=False)
        uvicorn.Server(config).run(sockets=[listening])
    return 0


def _warm_up(system: System) -> None:
    """Load what the first game needs while the page is opened."""
    system.game.legal_actions(system.game.initial_state())

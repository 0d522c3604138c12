"""``serve``: the page to play, review and watch games in a browser."""

import argparse
import os
import sys
import threading
import webbrowser
from contextlib import ExitStack, nullcontext, suppress
from functools import partial
from pathlib import Path
from urllib.parse import quote

from agents import agent_kind, parse_agent
from cli.exits import UsageError
from cli.shell import CALL
from hex_mcts.system import System
from judge import shared_judge
from oht_client.server.connection import listen
from web.friends.rooms import Room
from web.ladder.ladder import Ladder
from web.server.access_control import AccessControl
from web.server.agent_pool import AgentPool, Deadline
from web.server.app import create_app, page_server
from web.server.requests import GameSpec, RequestError


def run(system: System, arguments: argparse.Namespace) -> None:
    """Serve the page until Ctrl-C; with ``--watch``, open it in a browser, on this run."""
    watched = arguments.watch
    if watched is not None and not watched.is_dir():
        raise UsageError(f"--watch: expected the folder of a run, got {watched}")
    for word in arguments.agent:
        agent_kind(parse_agent(word).kind)
    runs = arguments.runs or (watched.absolute().parent if watched else Path("runs"))
    pool = AgentPool(system.params, runs, arguments.agent)
    tell = partial(print, flush=True)
    game = system.params.game
    params = game.options.model_dump(mode="json")
    if "swap" in params.keys() - game.options.model_fields_set:
        params["swap"] = None  # left open; the page decides it by the size
    first = {"name": game.name, "params": params}
    if arguments.ladder is not None:
        pool.ladder = Ladder(arguments.ladder, system.game, tell)
        pool.ladder.takes_nets = arguments.uploads
        pool.ladder.arena = f"{CALL} arena --server ws://localhost:8000"
    elif arguments.uploads:
        raise UsageError("--uploads: expected --ladder DIR, which takes the nets")
    with ExitStack() as stack:
        listening = stack.enter_context(listen("--port", arguments.host, arguments.port))
        name = f"[{arguments.host}]" if ":" in arguments.host else arguments.host
        port = listening.getsockname()[1]
        # Links name the port, so each port has its games.
        room = pool.room = stack.enter_context(Room.opened(pool.runs / f"room-{port}.json", tell))
        access = AccessControl.for_host(arguments.host, room.access)
        room.admission = f"?token={access.token}" if access.token else ""
        link = f"http://{name}:{port}/{room.admission}"
        server = page_server(create_app(pool, access, first))
        shown = f"{link}#watch/{quote(watched.absolute().name, safe='')}" if watched else link
        tell(f"The page is at {shown}")
        tell(f"All games between two people, for the assistant: {link}#room/{room.assistant}")
        deadline = Deadline()
        # No daemon: ended inside a library's code, it would end the process with an error.
        warming = threading.Thread(target=_warm_up, args=[system, pool, deadline])
        # A browser would open a window, and not run in this terminal.
        screens = map(os.environ.get, ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"))
        if watched and (sys.platform in ("darwin", "win32") or any(screens)):
            threading.Thread(target=webbrowser.open, args=[shown], daemon=True).start()
        try:
            warming.start()
            with pool.ladder.running() if pool.ladder else nullcontext():
                server.run(sockets=[listening])
        finally:
            deadline.cancel()
            pool.training.stop(for_good=True)
            if warming.is_alive():
                tell("Ends when the nets are loaded. Ctrl-C ends it at once.")


def _warm_up(system: System, pool: AgentPool, deadline: Deadline) -> None:
    from web.play.catalogue import CatalogueRequest, catalogue

    game = GameSpec.model_validate({"name": system.game.name, "params": system.game.params})
    choices = catalogue(pool, CatalogueRequest(game=game), deadline)
    for word in (choices["levels"][3]["agent"], choices["analyst"]):
        with suppress(RequestError), pool.agent(parse_agent(word), system.game, deadline) as agent:
            agent.choose_action(system.game.initial_state())
    shared_judge(system.game)

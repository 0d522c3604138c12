"""A default training on 3x3, its TOPP, and an online tournament, as plain Python.

``NUMBA_DISABLE_JIT=1 python -m tests.profiled FOLDER`` prints all functions of the project that
were called, as ``file:function``.
"""

import contextlib
import io
import os
import sys
import threading
from pathlib import Path
from types import FrameType
from unittest.mock import Mock

import main
from oht_client.transport import Server
from online.lineup import Lineup
from online.player import TournamentPlayer
from online.results import TournamentRecord
from tests.oht_client.home import home_params, running
from tests.oht_client.scripted_server import play_with, session_options
from tests.project import ROOT

called: set[tuple[str, str]] = set()


def hook(frame: FrameType, event: str, argument: object) -> None:
    if event == "call":
        called.add((frame.f_code.co_filename, frame.f_code.co_qualname))


def run(*words: str) -> None:
    with contextlib.redirect_stdout(io.StringIO()):
        assert main.main([*words, "display.mode=off"]) == 0


def play_online() -> None:
    ours, theirs = Path("player"), Path("server")
    ours.mkdir()
    theirs.mkdir()
    opponents = "oht_server.opponents=[random]"
    words = (opponents, "oht_server.verification_games=2", "oht.agent=random")
    with running(theirs, *words) as home, contextlib.closing(TournamentRecord(ours)) as record:
        player = TournamentPlayer(Lineup(home_params(*words), None), record, Mock())
        server = Server("localhost", home.ports["text"], home.certificate)
        options = session_options(lambda prompt: "n" if "qualify" in prompt else "Ada", str)
        play_with(1, server, player, options)


if __name__ == "__main__":
    os.chdir(sys.argv[1])
    threading.setprofile(hook)
    sys.setprofile(hook)
    run("train", "--run", "run", "game.size=3", "rl.episodes=2", "mcts.simulations=10")
    run("topp", "--run", "run", "topp.games=2")
    play_online()
    sys.setprofile(None)
    for file, name in sorted(called):
        if Path(file).is_relative_to(ROOT):
            sys.stdout.write(f"{Path(file).relative_to(ROOT).as_posix()}:{name}\n")

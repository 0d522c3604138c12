"""The server of the hexgame arena: it runs on loopback and is gone after its test."""

from __future__ import annotations

import subprocess
import sys

import pytest
from websockets.sync.client import connect

from tests.arena_client.hexgame_server import running_server


def test_the_arenas_server_plays_a_series_and_is_gone_at_the_end() -> None:
    with running_server() as address:
        words = ["random", "--board-size", "7", "--move-delay", "0", "--seed", "1"]
        players = [
            subprocess.Popen(
                [sys.executable, "-m", "hexgame", *words, "--server", address],
                stdout=subprocess.PIPE,
                text=True,
            )
            for _ in range(2)
        ]
        for player in players:
            output, _ = player.communicate()
            assert (player.returncode, output.count("'series_over'")) == (0, 1)
    with pytest.raises(OSError, match="refused"), connect(address):
        pass

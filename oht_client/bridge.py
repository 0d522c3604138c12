"""Runs the course's own client, unmodified, in a process of its own; ``official`` is the parent.

A script that imports nothing of this program. Its only argument is a job in JSON: the ``module``
with a class of that name, the class's ``arguments``, the ``method`` that plays a tournament, and
the ``method_arguments``. Each hook, and each question to a person, is a line of JSON to the parent,
who answers it with another one. What the client prints goes to the standard error stream.
"""

from __future__ import annotations

import builtins
import getpass
import importlib
import io
import json
import os
import sys
from collections.abc import Sequence
from typing import Any, ClassVar


class Parent:
    """The process that started this one, at the other end of two pipes."""

    def __init__(self) -> None:
        """Take the pipes out of the client's reach."""
        self._answers = os.fdopen(os.dup(0), encoding="ascii")
        self._calls = os.fdopen(os.dup(1), "w", encoding="ascii")
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(2, 1)
        if isinstance(sys.stdout, io.TextIOWrapper):
            sys.stdout.reconfigure(errors="backslashreplace", line_buffering=True)

    def call(self, name: str, *arguments: object) -> Any:
        """Tell the parent something, and return what it answers."""
        self._calls.write(json.dumps([name, *arguments], default=repr) + "\n")
        self._calls.flush()
        answer = self._answers.readline()
        if not answer:
            sys.exit("the parent process has gone")
        return json.loads(answer)

    def ask(self, prompt: object = "", stream: object = None) -> str:
        """Ask the parent as ``input`` and ``getpass`` ask a person."""
        return str(self.call("ask", str(prompt)))


class Forwarding:
    """The hooks of both generations, named as the second one calls them."""

    parent: ClassVar[Parent]

    def handle_series_start(
        self,
        unique_id: int,
        series_id: int,
        player_map: Sequence[Sequence[int]],
        num_games: int,
        game_params: Sequence[int],
    ) -> None:
        """A series starts; the parent finds out the series id by itself."""
        self.parent.call("series_start", unique_id, player_map, num_games, game_params)

    def handle_game_start(self, start_player: int) -> None:
        """A game starts."""
        self.parent.call("game_start", start_player)

    def handle_get_action(self, state: Sequence[int]) -> tuple[int, int]:
        """Return the parent's move."""
        row, column = self.parent.call("get_action", state)
        return row, column

    def handle_game_over(self, winner: int, end_state: Sequence[int]) -> None:
        """A game has ended."""
        self.parent.call("game_over", winner, end_state)

    def handle_series_over(self, stats: Sequence[Sequence[int]]) -> None:
        """A series has ended."""
        self.parent.call("series_over", stats)

    def handle_tournament_over(self, score: float) -> None:
        """The tournament has ended."""
        self.parent.call("tournament_over", score)

    def handle_illegal_action(self, state: Sequence[int], illegal_action: object) -> None:
        """The server refused a move; the second generation does not call this."""
        self.parent.call("illegal_action", state, illegal_action)


def main() -> None:
    """Do the job."""
    job = json.loads(sys.argv.pop())
    parent = Parent()
    builtins.input = getpass.getpass = parent.ask
    sys.path.insert(0, os.getcwd())
    official = getattr(importlib.import_module(job["module"]), job["module"])
    actor = type("Actor", (Forwarding, official), {"parent": parent})
    try:
        getattr(actor(**job["arguments"]), job["method"])(*job["method_arguments"])
    except SystemExit as end:  # how the first generation's client ends when all went well
        if end.code:
            raise
    parent.call("end")


if __name__ == "__main__":
    main()

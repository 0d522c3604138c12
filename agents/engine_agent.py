"""An agent that runs another program over the Hex Text Protocol."""

from __future__ import annotations

import queue
import shlex
import subprocess
import threading
import time
import weakref
from contextlib import suppress
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from agents.agent import Agent, Decision, Resign
from agents.options import AgentOptions
from agents.spec import AgentError
from base.storage import excerpt, printable
from state_manager import IllegalActionError

if TYPE_CHECKING:
    from state_manager import State

_COLOURS = ("black", "white")
ANSWER_LIMIT = 60.0  # seconds for the response to a command


class EngineOptions(AgentOptions):
    """The program's ``command`` line, split as in a shell, but run without one."""

    command: str = ""


class EngineAgent(Agent):
    """Plays the program's moves; ``pid`` is its process."""

    Options = EngineOptions
    batch_key = None  # each agent has its own process

    def _prepare(self) -> None:
        if not self._game.has_hex_formats:
            raise AgentError(f"expected a game of hex, got {self._game!r}")
        words = shlex.split(self._options.command)
        if not words:
            raise AgentError("expected a command, as in engine:mohex, got none")
        try:
            how: dict[str, Any] = {"text": True, "encoding": "utf-8", "errors": "replace"}
            how |= dict.fromkeys(("stdin", "stdout"), subprocess.PIPE)
            how |= {"stderr": subprocess.DEVNULL, "start_new_session": True}  # without Ctrl-C
            self._program: subprocess.Popen[str] = subprocess.Popen(words, **how)
        except OSError as error:
            raise AgentError(f"{words[0]}: cannot be started: {error.strerror}") from None
        self.pid = self._program.pid
        weakref.finalize(self, _end, self._program)
        assert self._program.stdout is not None
        self._lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        given = self._program.stdout, self._lines
        threading.Thread(target=_read, args=given, daemon=True).start()
        self._size = self._game.board_shape[0]
        self._known: State | None = None
        self._ask(f"boardsize {self._size} {self._size}")

    def choose_action(self, state: State) -> Decision:
        """Return the program's move; an ``AgentError`` if it is illegal, late or missing."""
        self._catch_up(state)
        cell = self._ask(f"genmove {_COLOURS[int(state[0]) - 1]}").strip()
        if cell.lower() == "resign":
            return Resign()
        with suppress(IllegalActionError):
            action = self._game.parse_action(cell)
            if action in self._game.legal_actions(state):
                # After a swap the stones are sent anew: not every program moves the first one.
                is_swap = action == self._game.swap_action
                self._known = None if is_swap else self._game.child_state(state, action)
                return action
        raise AgentError(f"{self._who}: expected a legal move, got {excerpt(cell)}")

    def _catch_up(self, state: State) -> None:
        cells = slice(1, 1 + self._size**2)
        board, known = state[cells], self._known
        if known is None or ((known[cells] != board) & (known[cells] != 0)).any():
            self._ask("clear_board")
            known = np.zeros_like(state)
        # The game is not over, so the stones may be sent in any order in which colours alternate.
        left = {p: np.flatnonzero((board == p) & (known[cells] == 0)).tolist() for p in (1, 2)}
        mover = int(state[0])
        player = mover if len(left[mover]) == len(left[3 - mover]) else 3 - mover
        while any(left.values()):
            if left[player]:
                self._play(player, left[player].pop())
            player = 3 - player

    def _play(self, player: int, cell: int) -> None:
        self._ask(f"play {_COLOURS[player - 1]} {self._game.move_name(cell)}")

    def _ask(self, command: str) -> str:
        """Return the response to a command without the program's thoughts, or an ``AgentError``."""
        assert self._program.stdin is not None
        deadline = time.monotonic() + ANSWER_LIMIT
        answer: list[str] = []
        try:
            self._program.stdin.write(f"{command}\n")
            self._program.stdin.flush()
            while True:
                line = self._lines.get(timeout=max(0.0, deadline - time.monotonic()))
                if line is None:
                    raise BrokenPipeError
                if answer and not line.strip():
                    break
                if answer or line.startswith(("=", "?")):
                    answer.append(line.rstrip("\n"))
        except queue.Empty:
            limit = f"within {ANSWER_LIMIT:g} s"
            raise AgentError(f"{self._who}: expected an answer to {command!r} {limit}") from None
        except OSError:
            raise AgentError(f"{self._who}: it ended before it answered {command!r}") from None
        text = "\n".join(answer)
        if not text.startswith("="):
            raise AgentError(f"{self._who}: {command!r} got {excerpt(text)}")
        return text[1:].strip()

    @property
    def _who(self) -> str:
        return printable(f"engine {self._options.command}", 100)


def _read(stream: IO[str], lines: queue.SimpleQueue[str | None]) -> None:
    with suppress(ValueError):  # the stream was closed
        for line in stream:
            lines.put(line)
    lines.put(None)


def _end(program: subprocess.Popen[str]) -> None:
    program.kill()
    program.wait()
    for stream in filter(None, (program.stdin, program.stdout)):
        with suppress(OSError):
            stream.close()

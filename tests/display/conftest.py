"""Games to show, and consoles to show them on."""

import io
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure
from numpy.typing import NDArray
from rich.console import Console

from base.params import DisplayParams
from display.boards.moment import GameView
from display.live.display import Display
from state_manager import StateManager, make_game


@dataclass(frozen=True)
class PlayedGame:
    """A whole game: n + 1 states and n actions."""

    game: StateManager
    states: list[NDArray[np.int8]]
    actions: list[int]

    def views(self, title: str = "", players: tuple[str, str] = ("", "")) -> list[GameView]:
        return [
            GameView(self.game, state, title, players, moves, action, self.game.winner(state))
            for moves, (state, action) in enumerate(
                zip(self.states, [None, *self.actions], strict=True)
            )
        ]

    def announce(
        self, display: Display, title: str = "episode 1 of 3", toggled_at: Sequence[int] = ()
    ) -> None:
        """Send all events to a display, as a match does; toggle it before some of the moves."""
        display.on_game_start(title, ("ANET 50", "MCTS"), self.states[0])
        for ply, action in enumerate(self.actions, start=1):
            if ply in toggled_at:
                display.toggle()
            display.on_move(self.states[ply], action)
        display.on_game_over(self.states[-1], self.game.winner(self.states[-1]))


class TerminalText(io.StringIO):
    """A text stream that claims to be a terminal."""

    def isatty(self) -> bool:
        return True


def played(game: StateManager, seed: int = 3) -> PlayedGame:
    rng = np.random.default_rng(seed)
    states, actions = [game.initial_state(1)], []
    while not game.is_final(states[-1]):
        actions.append(int(rng.choice(game.legal_actions(states[-1]))))
        states.append(game.child_state(states[-1], actions[-1]))
    return PlayedGame(game, states, actions)


@pytest.fixture(scope="session")
def hex_game() -> PlayedGame:
    """A random game of Hex on 4 x 4."""
    return played(make_game("hex", size=4))


@pytest.fixture(scope="session")
def nim_game() -> PlayedGame:
    return played(make_game("nim", stones=7, max_take=3))


def params(**changes: Any) -> DisplayParams:
    """Return parameters that show every game without delay, with changes."""
    return DisplayParams(**{"mode": "terminal", "every": 1, "delay": 0.0, **changes})


@pytest.fixture
def plain_console() -> Console:
    return Console(file=io.StringIO(), width=80, highlight=False)


@pytest.fixture
def terminal_console() -> Console:
    """A console that writes to a terminal with colours, 80 x 40."""
    return Console(
        file=TerminalText(),
        force_terminal=True,
        color_system="truecolor",
        width=80,
        height=40,
        highlight=False,
        _environ={"TERM": "xterm-256color"},
    )


@pytest.fixture
def figures(monkeypatch: pytest.MonkeyPatch) -> list[Figure]:
    """Return a list that will hold the figures that are saved, as small pictures to save time."""
    saved: list[Figure] = []
    save = Figure.savefig

    def savefig(figure: Figure, *args: Any, **options: Any) -> None:
        saved.append(figure)
        save(figure, *args, **{**options, "dpi": 20})

    monkeypatch.setattr(Figure, "savefig", savefig)
    return saved

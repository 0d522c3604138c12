"""Players of tournaments on small boards, simple agents, and a diary of what is reported."""

from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import pytest

from agents import Agent, foreign
from anet import ANET
from base.params import ANETParams, Params, load_params
from online.lineup import Lineup
from online.player import TournamentPlayer
from online.results import TournamentRecord
from state_manager import State, game_names, game_schema, make_game
from tests.project import ROOT

US, THEM = 1234567, 2020
EMPTY = [1, *[0] * 9]
"""A board of 3x3, player 1 to move."""


def constant(action: int) -> Agent:
    return foreign(lambda state: action, "constant")


def broken(state: State) -> int:
    raise RuntimeError("no idea")


class Diary(Mock):
    @property
    def messages(self) -> list[str]:
        return [call.args[0] for call in self.tell.call_args_list]


def params_with(*words: str) -> Params:
    usual = ("oht.board_size=3", "oht.agent=mcts:simulations=20", "oht.move_time_limit=60")
    schemas = SimpleNamespace(names=game_names, schema=game_schema)
    return load_params(ROOT / "params.yaml", [*usual, *words], game_schemas=schemas)


class Team:
    """Our side of a tournament: its players, the record in a new folder, and the diary."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        folder.mkdir()
        self.record = stack.enter_context(closing(TournamentRecord(folder)))
        self.diary, self._stack = Diary(), stack

    def lineup(self, *words: str, net: Path | None = None, size: int | None = None) -> Lineup:
        return self._stack.enter_context(closing(Lineup(params_with(*words), net, size)))

    def player(self, *words: str, **chosen: Any) -> TournamentPlayer:
        return TournamentPlayer(self.lineup(*words, **chosen), self.record, self.diary)


@pytest.fixture
def team(tmp_path: Path) -> Iterator[Team]:
    with ExitStack() as stack:
        yield Team(tmp_path / "run", stack)


@pytest.fixture
def net(tmp_path: Path) -> Path:
    path = tmp_path / "net.pt"
    ANET(make_game("hex", size=3), ANETParams(hidden_layers=(4,)), seed=1).save(path)
    return path


def start_series(player: TournamentPlayer, games: int = 1, us: int = 1, size: int = 3) -> None:
    player.handle_series_start(US, us, [(US, us), (THEM, 3 - us)], games, [size])


def play_game(player: TournamentPlayer, us: int = 1, starter: int = 1, size: int = 3) -> int:
    """Play a game against the first empty cell, as the server would; return the winner."""
    game = make_game("hex", size=size)
    state = game.initial_state(starter)
    player.handle_game_start(starter)
    while not game.is_final(state):
        if game.to_play(state) == us:
            row, column = player.handle_get_action(tuple(game.to_flat(state)))
            action = row * size + column
        else:
            action = int(game.legal_actions(state)[0])
        state = game.child_state(state, action)
    player.handle_game_over(game.winner(state), game.to_flat(state))
    return game.winner(state)

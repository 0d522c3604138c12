"""Our agents in the client of the hexgame arena."""

import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

import hex_mcts.hexgame_model as module
from hex_mcts.hexgame_model import Model
from judge import shared_judge
from state_manager import State, make_game
from tests.online.arena.hexgame_server import running_server
from tests.project import ROOT, TIMEOUT

GAME = make_game("hex", size=3)


def as_board(state: State) -> list[list[int]]:
    cells = [(0, 1, -1)[cell] for cell in state[1:10]]
    return [cells[row : row + 3] for row in range(0, 9, 3)]


@pytest.mark.parametrize("ours", [1, 2])
def test_a_model_finds_out_whose_turn_it_is_game_after_game(ours: int) -> None:
    drawn, judge, model = random.Random(ours), shared_judge(GAME), Model("exact")
    for beginner in (1, 2, 2, 1, 1, 2):
        state, is_won = GAME.initial_state(beginner), False
        while not GAME.is_final(state):
            legal = GAME.legal_actions(state).tolist()
            action = drawn.choice(legal)
            if state[0] == ours:
                is_won = is_won or judge.winner(state) == ours
                row, column = model.agent(as_board(state), [divmod(each, 3) for each in legal])
                action = 3 * row + column
            state = GAME.child_state(state, action)
        assert GAME.winner(state) == ours or not is_won
        assert is_won or beginner != ours


@pytest.mark.parametrize("size", [4, 7, 9, 11, 13, 19])
def test_the_first_move_is_as_good_for_either_player(size: int) -> None:
    row, column = Model("random").agent([[0] * size] * size, ())
    assert row == column == size // 2


def test_a_position_without_a_known_stone_is_played_for_the_player_who_begins() -> None:
    model = Model("exact")
    model.agent([[0] * 19] * 19, ())
    board = [[1, 0, 1], [-1, -1, 0], [0, 0, 0]]
    assert model.agent(board, ()) == (1, 2)


def test_a_word_that_is_no_agent_ends_the_client_with_a_line(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HEX_MCTS_AGENT", "bset")
    with pytest.raises(SystemExit, match=r"HEX_MCTS_AGENT: .*expected .* got 'bset'"):
        module.agent  # noqa: B018
    with pytest.raises(AttributeError, match="no attribute 'agnet'"):
        module.agnet  # noqa: B018


def test_a_net_for_one_board_of_the_arena_is_enough(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    net = ROOT / "nets" / "hex-7-from-small" / "anet_82713.pt"
    monkeypatch.setenv("HEX_MCTS_AGENT", f"anet:{net}")
    cells = [(row, column) for row in range(7) for column in range(7)]
    board = [[0] * 7 for _ in range(7)]
    board[3][3] = -1
    assert module.agent(board, cells[:24] + cells[25:]) in cells
    assert capfd.readouterr() == ("", "")


def test_our_net_wins_a_series_in_the_arenas_own_client(tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "HEX_MCTS_AGENT": "anet:best"}
    environment["PYTHONUNBUFFERED"] = "1"  # we read its lines while it waits
    usual = ["--board-size", "7", "--series-length", "3", "--move-delay", "0"]
    ours = ["play", "--model-name", "hex_mcts.hexgame_model", "--replay-log", "off"]
    with running_server() as address:
        clients = {}
        for is_ours in (False, True):
            words = ours if is_ours else ["random", "--seed", "1"]
            client = subprocess.Popen(
                [sys.executable, "-m", "hexgame", *words, *usual, "--server", address],
                cwd=tmp_path,
                env=environment,
                stdout=subprocess.PIPE,
                text=True,
            )
            clients[is_ours] = client
            assert client.stdout is not None
            while "joined" not in client.stdout.readline():
                assert client.poll() is None
        for client in clients.values():
            output, _ = client.communicate(timeout=TIMEOUT)
            assert client.returncode == 0
    assert "'player_1_wins': 0, 'player_2_wins': 2, 'wins_required'" in output

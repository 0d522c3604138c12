"""The command that speaks the Hex Text Protocol, as a program of its own."""

import os
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from agents import make_agent
from agents.match import play_game
from agents.mcts_agent import MCTSAgent
from state_manager import State, make_game
from tests.commands.conftest import Call
from tests.forked import main_program, run_python
from tests.project import ROOT, TIMEOUT

NET = ROOT / "nets" / "hex-4" / "anet_03584.pt"
ENGINE = [sys.executable, str(ROOT / "main.py"), "engine"]


def replies(call: Call, agent: str, *lines: str) -> list[str]:
    return call.output("engine", "--agent", agent, typed="\n".join(lines)).split("\n\n")


def test_only_replies_are_printed_even_while_kernels_are_compiled(tmp_path: Path) -> None:
    status, output, _ = run_python(
        main_program(["engine", "--agent", "random"]),
        tmp_path,
        {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)},
        "name\nboardsize 5\nboardsize 3\ngenmove b\n7 quit\nname\n",
    )
    assert status == 0
    replies = output.split("\n\n")
    assert [reply[:1] for reply in replies] == ["=", "=", "=", "=", "=", ""]
    assert (replies[0], replies[4]) == ("= hex-mcts random", "=7")
    assert list(tmp_path.iterdir())  # where the kernels are


@pytest.mark.parametrize("word", ["anet:{}", "mcts:{},simulations=30,judge=true"])
def test_a_net_plays_any_colour_at_any_time(call: Call, word: str) -> None:
    lines = ("play w a4", "play w d1", "genmove w", "genmove w", "genmove b", "genmove b", "undo")
    agent = word.format(ROOT / "nets" / "hex-5" / "anet_00200.pt")
    *found, board, _ = replies(call, agent, *lines, "genmove w", "showboard")
    assert [reply[:1] for reply in found] == ["="] * 8
    assert (board.count("W"), board.count("B")) == (5, 1)


def test_a_net_for_one_board_refuses_another_size(call: Call) -> None:
    lines = ("boardsize 4", "boardsize 5", "reg_genmove b\n")
    first, second, third, _ = replies(call, f"anet:{NET}", *lines)
    assert first == "="
    assert "expected a net for hex(size=5), got one for hex(size=4)" in second
    assert third in {"= d1", "= c2", "= b3", "= a4"}


def test_games_through_the_protocol_equal_direct_games() -> None:
    game = make_game("hex", size=4)
    net = f"mcts:{NET},simulations=30,time_limit=null"
    opponent, played = make_agent(f"anet:{NET}", game), []
    for word in (net, f"engine:{shlex.join([*ENGINE, '--agent', net])}"):
        agent = make_agent(word, game)
        pairs = (opponent, agent), (agent, opponent)
        played.append([play_game(game, pair).actions for pair in pairs])
    assert played[0] == played[1]


@pytest.mark.parametrize(
    ("options", "limit"),
    [
        (":time_limit=null", 12.0),
        ("", 12.0),
        (":time_limit=0.5", 0.5),
        (":simulations=5,time_limit=null", None),  # the fixed number, at any clock
    ],
)
def test_a_clock_limits_an_agent_with_more(call: Call, options: str, limit: float | None) -> None:
    limits = []

    def choose_action(agent: MCTSAgent, state: State) -> int:
        limits.append(agent._options.time_limit)
        return 0

    call.patch.setattr(MCTSAgent, "choose_action", choose_action)
    move = "reg_genmove b"
    clocks = ("time_settings 40 0 0", move, "time_settings 0 0 0", move, "quit\n")
    replies(call, f"mcts{options}", "boardsize 3", move, *clocks)
    before, under_clock, after = limits
    assert (under_clock, after) == (pytest.approx(limit), before)


def test_games_under_a_clock_differ(call: Call) -> None:
    game = ("boardsize 5", "clear_board", "genmove b", "genmove w", "genmove b")
    found = replies(call, "random", "time_settings 40 0 0", *game, *game, "quit\n")
    assert found[3:6] != found[8:11]


def test_the_tree_is_kept_between_moves_under_a_clock(call: Call) -> None:
    visits = []

    def choose_action(agent: MCTSAgent, state: State) -> int:
        agent.search._go_to([state], [agent._rng])
        visits.append(int(agent.search.tree.size.nodes))
        return searched(agent, state)

    searched = MCTSAgent.choose_action
    call.patch.setattr(MCTSAgent, "choose_action", choose_action)
    moves = ("genmove b", "time_left w 1.5 0", "genmove w", "quit\n")
    replies(call, "mcts", "boardsize 5", "time_settings 2 0 0", *moves)
    assert visits[0] <= 1
    assert visits[1] > 10


def test_the_next_line_or_the_end_of_the_input_ends_an_analysis(call: Call) -> None:
    lines = ("boardsize 3", "1 lz-analyze b 1", "2 name", "gogui-gfx-analyze w\n", "3 lz-analyze 5")
    _, first, name, picture, text, last, end = replies(call, "mcts", *lines)
    assert first.startswith("=1\ninfo move ")
    assert (name, picture[:20], text[:2]) == ("=2 hex-mcts mcts", "gogui-gfx:\nkata info", "= ")
    assert last.startswith("=3\ninfo move ")
    assert end == ""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signal")
def test_ctrl_c_ends_an_engine_in_the_middle_of_an_analysis() -> None:
    words = [*ENGINE, "--agent", "mcts", "game.size=3"]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(words, text=True, **pipes) as engine:  # type: ignore[call-overload]
        engine.stdin.write("lz-analyze 1\n")
        engine.stdin.flush()
        assert engine.stdout.readline() == "=\n"
        assert all(engine.stdout.readline().startswith("info move ") for _ in range(3))
        engine.send_signal(signal.SIGINT)
        assert engine.wait(TIMEOUT) == 130
        assert engine.communicate(timeout=TIMEOUT)[1] == ""

"""The command that speaks the Hex Text Protocol, as a program of its own."""

from __future__ import annotations

import io
import os
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from agents import make_agent, parse_agent
from agents.match import play_game
from agents.mcts_agent import MCTSAgent
from base.storage import read_jsonl
from state_manager import State, make_game
from tests.agents.test_engine_agent import program
from tests.commands.conftest import Call
from tests.forked import main_program, run_python
from tests.project import TIMEOUT

ROOT = Path(__file__).parents[2]
NET = ROOT / "nets" / "hex-4" / "anet_03584.pt"
ENGINE = [sys.executable, str(ROOT / "main.py"), "engine"]


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


def test_a_search_reports_its_line_and_visits(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = "name\nboardsize 3\ngenmove b\nvisits\npolicy\npv\nquit\nname\n"
    monkeypatch.setattr("sys.stdin", io.StringIO(lines))
    result = call("engine", "--agent", "mcts:simulations=20,time_limit=null")
    replies = result.output.split("\n\n")
    assert [reply[:1] for reply in replies] == ["=", "=", "=", "=", "?", "=", "=", ""]
    assert (replies[0], replies[4]) == (
        *("= hex-mcts mcts simulations=20 time_limit=null", "? expected a player with a net"),
    )


@pytest.mark.parametrize(
    "word", ["anet:{}", "mcts:{},simulations=30", "mcts:{},simulations=30,judge=true"]
)
def test_a_net_plays_any_colour_at_any_time(
    call: Call, monkeypatch: pytest.MonkeyPatch, word: str
) -> None:
    lines = ("play w a4", "play w d1", "genmove w", "genmove w", "genmove b", "genmove b", "undo")
    monkeypatch.setattr("sys.stdin", io.StringIO("\n".join((*lines, "genmove w", "showboard"))))
    agent = word.format(ROOT / "nets" / "hex-5" / "anet_00200.pt")
    *replies, board, _ = call("engine", "--agent", agent).output.split("\n\n")
    assert [reply[:1] for reply in replies] == ["="] * 8
    assert (board.count("W"), board.count("B")) == (5, 1)


def test_a_net_for_one_board_refuses_another_size(
    call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("boardsize 4\nboardsize 5\nreg_genmove b\n"))
    first, second, third = call("engine", "--net", NET).output.split("\n\n")[:3]
    assert first == "="
    assert "expected a net for hex(size=5), got one for hex(size=4)" in second
    assert third in {"= d1", "= c2", "= b3", "= a4"}
    result = call("engine", "--agent", "human")
    assert (result.status, "expected an agent other than human" in result.errors) == (2, True)
    result = call("engine", "game.name=nim")
    assert (result.status, "expected a player of hex, got one of nim" in result.errors) == (2, True)


def test_games_through_the_protocol_equal_direct_games() -> None:
    game = make_game("hex", size=4)
    net = f"mcts:{NET},simulations=30,time_limit=null"
    opponent, played = make_agent(f"anet:{NET}", game), []
    for word in (net, f"engine:{shlex.join([*ENGINE, '--agent', net])}"):
        agent = make_agent(word, game)
        pairs = (opponent, agent), (agent, opponent)
        played.append([play_game(game, pair).actions for pair in pairs])
    assert played[0] == played[1]


def test_a_comparison_plays_an_engine_as_both_players(call: Call, tmp_path: Path) -> None:
    engine = f"engine:{program(tmp_path)}"  # it takes the first empty cell
    words = ("game.size=4", "--games", 2, "--out", "results", "--workers", 1)
    assert call("compare", "random", engine, *words).status == 0
    records = read_jsonl(Path("results/games.jsonl"))
    name = parse_agent(engine).name
    assert [record["players"].index(name) for record in records] == [1, 0]
    for record in records:
        actions, chosen = record["actions"], 0
        first = len(record["opening"])
        for ply in range(first, len(actions)):
            if (record["starting_player"] - 1 + ply) % 2 == record["players"].index(name):
                assert actions[ply] == min(set(range(16)) - set(actions[:ply]))
                chosen += 1
        assert chosen > 1


@pytest.mark.parametrize(
    ("options", "limit"),
    [
        (":time_limit=null", 12.0),
        ("", 12.0),
        (":time_limit=0.5", 0.5),
        (":simulations=5,time_limit=null", None),  # the fixed number, at any clock
    ],
)
def test_a_clock_limits_an_agent_without_a_shorter_limit(
    call: Call, monkeypatch: pytest.MonkeyPatch, options: str, limit: float | None
) -> None:
    limits = []

    def choose_action(agent: MCTSAgent, state: State) -> int:
        limits.append(agent._options.time_limit)
        return 0

    monkeypatch.setattr(MCTSAgent, "choose_action", choose_action)
    lines = "reg_genmove b\ntime_settings 40 0 0\nreg_genmove b\ntime_settings 0 0 0\n"
    monkeypatch.setattr("sys.stdin", io.StringIO(f"boardsize 3\n{lines}reg_genmove b\nquit\n"))
    assert call("engine", "--agent", f"mcts{options}").status == 0
    before, under_clock, after = limits
    assert (under_clock, after) == (pytest.approx(limit), before)


def test_games_under_a_clock_differ(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    game = "boardsize 5\nclear_board\ngenmove b\ngenmove w\ngenmove b\n"
    monkeypatch.setattr("sys.stdin", io.StringIO(f"time_settings 40 0 0\n{2 * game}quit\n"))
    replies = call("engine", "--agent", "random").output.split("\n\n")
    assert replies[3:6] != replies[8:11]


def test_the_tree_is_kept_between_moves_under_a_clock(
    call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    visits = []
    choose_action = MCTSAgent.choose_action

    def remembering(agent: MCTSAgent, state: State) -> int:
        agent.search._go_to([state], [agent._rng])
        visits.append(int(agent.search.tree.size.nodes))
        return choose_action(agent, state)

    monkeypatch.setattr(MCTSAgent, "choose_action", remembering)
    lines = "boardsize 5\ntime_settings 4 0 0\ngenmove b\ntime_left w 3.5 0\ngenmove w\nquit\n"
    monkeypatch.setattr("sys.stdin", io.StringIO(lines))
    assert call("engine", "--agent", "mcts").status == 0
    assert visits[0] <= 1
    assert visits[1] > 10


def test_the_next_line_or_the_end_of_the_input_ends_an_analysis(
    call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = "boardsize 3\n1 lz-analyze b 1\n2 name\ngogui-gfx-analyze w\n\n3 lz-analyze 5"
    monkeypatch.setattr("sys.stdin", io.StringIO(lines))
    result = call("engine", "--agent", "mcts")
    _, first, name, picture, text, last, end = result.output.split("\n\n")
    assert first.startswith("=1\ninfo move ")
    assert (name, picture[:20], text[:2]) == ("=2 hex-mcts mcts", "gogui-gfx:\nkata info", "= ")
    assert last.startswith("=3\ninfo move ")
    assert (end, result.status, result.errors) == ("", 0, "")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signal")
@pytest.mark.parametrize("ending", ["input", "signal"])
def test_an_engine_ends_in_the_middle_of_an_analysis(ending: str) -> None:
    words = [*ENGINE, "--agent", "mcts", "game.size=3"]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(words, text=True, **pipes) as engine:  # type: ignore[call-overload]
        engine.stdin.write("lz-analyze 1\n")
        engine.stdin.flush()
        assert engine.stdout.readline() == "=\n"
        assert all(engine.stdout.readline().startswith("info move ") for _ in range(3))
        if ending == "signal":
            engine.send_signal(signal.SIGINT)
            assert engine.wait(TIMEOUT) == 130
        output, errors = engine.communicate(timeout=TIMEOUT)
    assert errors == ""
    assert ending == "signal" or (engine.returncode, output.splitlines()[-1]) == (0, "")

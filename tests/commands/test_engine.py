"""The command that speaks the Hex Text Protocol, as a program of its own."""

from __future__ import annotations

import io
import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from agents import AgentSpec, make_agent
from agents.agent import Agent
from state_manager import StateManager
from tests.commands.conftest import Call

ROOT = Path(__file__).parents[2]
NET = ROOT / "nets" / "hex-4" / "anet_03584.pt"
ENGINE = [sys.executable, str(ROOT / "main.py"), "engine"]


def test_nothing_but_answers_is_printed_even_where_kernels_are_compiled(tmp_path: Path) -> None:
    done = subprocess.run(
        [*ENGINE, "--agent", "random"],
        input="name\nboardsize 5\nboardsize 3\ngenmove b\n7 quit\nname\n",
        cwd=tmp_path,
        env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    answers = done.stdout.split("\n\n")
    assert [answer[:1] for answer in answers] == ["=", "=", "=", "=", "=", ""]
    assert (answers[0], answers[4]) == ("= hex-mcts random", "=7")
    assert list(tmp_path.iterdir())  # where the kernels are


def test_a_search_says_what_it_has_found(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = "name\nboardsize 3\ngenmove b\nvisits\npolicy\npv\nquit\nname\n"
    monkeypatch.setattr("sys.stdin", io.StringIO(lines))
    result = call("engine", "--agent", "mcts:simulations=20,time_limit=null")
    answers = result.output.split("\n\n")
    assert [answer[:1] for answer in answers] == ["=", "=", "=", "=", "?", "=", "=", ""]
    assert (answers[0], answers[4]) == (
        *("= hex-mcts mcts simulations=20 time_limit=null", "? expected a player with a net"),
    )


def test_a_net_for_one_board_says_so(call: Call, tmp_path: Path) -> None:
    done = subprocess.run(
        [*ENGINE, "--net", str(NET)],
        input="boardsize 4\nboardsize 5\nreg_genmove b\n",
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    first, second, third = done.stdout.split("\n\n")[:3]
    assert first == "="
    assert "expected a net for hex(size=5), got one for hex(size=4)" in second
    assert third in {"= d1", "= c2", "= b3", "= a4"}
    result = call("engine", "--agent", "human")
    assert (result.status, "expected an agent other than human" in result.errors) == (2, True)
    result = call("engine", "game.name=nim")
    assert (result.status, "expected a player of hex, got one of nim" in result.errors) == (2, True)


def test_a_match_through_the_protocol_is_the_same_match(call: Call, tmp_path: Path) -> None:
    games = []
    net = f"mcts:{NET},simulations=30,time_limit=null"
    for out, second in (
        ("direct", net),
        ("engine", f"engine:{shlex.join([*ENGINE, '--agent', net])}"),
    ):
        words = ("game.size=4", "--games", 2, "--out", out, "--workers", 1)
        assert call("compare", f"anet:{NET}", second, *words).status == 0
        lines = (tmp_path / out / "games.jsonl").read_text().splitlines()
        games.append([json.loads(line)["actions"] for line in lines])
    assert games[0] == games[1]
    assert len(games[0]) == 2


@pytest.mark.parametrize(
    ("options", "limit"),
    [
        (":time_limit=null", "9.00"),
        ("", "9.00"),
        (":time_limit=0.5", "0.50"),
        (":simulations=5,time_limit=null", "null"),  # as many as are asked for, whatever the clock
    ],
)
def test_a_clock_limits_who_has_no_shorter_limit_of_its_own(
    call: Call, monkeypatch: pytest.MonkeyPatch, options: str, limit: str
) -> None:
    made = []

    def make(spec: AgentSpec, game: StateManager, **others: object) -> Agent:
        made.append(spec.options.get("time_limit"))
        return make_agent("random", game)

    monkeypatch.setattr("commands.engine.make_agent", make)
    lines = "boardsize 3\ntime_settings 40 0 0\nreg_genmove b\nquit\n"
    monkeypatch.setattr("sys.stdin", io.StringIO(lines))
    assert call("engine", "--agent", f"mcts{options}").status == 0
    assert made[-1] == limit

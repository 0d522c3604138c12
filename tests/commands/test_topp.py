"""The command that plays off nets."""

import json
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

from base.storage import read_jsonl, write_json
from commands import topp
from tests.commands.conftest import Call

QUIET = ("display.mode=off", "topp.games=2")
TOPP = ("topp", "--run", "run", *QUIET)


def test_the_standings_do_not_wait_for_the_regret(call: Call, run: Path) -> None:
    call.patch.setattr("commands.topp.measure_regret", Mock(side_effect=KeyboardInterrupt))
    result = call(*TOPP)
    assert result.status == 130
    assert "Standings" in result.output
    assert json.loads((run / "standings.json").read_text())["total"] == 6


def test_the_standings_so_far_can_be_read_while_games_are_played(call: Call, run: Path) -> None:
    seen, write, running = list[int](), write_json, run / "standings_running.json"
    games = running.with_suffix(".jsonl")

    def watched(file: Path, data: Any) -> None:
        write(file, data)
        if running.exists():
            seen.append(json.loads(running.read_text())["total"])
            assert len(read_jsonl(games)) == len(seen)

    call.patch.setattr(topp, "_SECONDS_BETWEEN", 0.0)
    call.patch.setattr("commands.topp.write_json", watched)
    call.output(*TOPP)
    assert seen == sorted(seen)
    assert (len(seen), seen[-1]) == (6, 6), "games that advance together end together"
    assert not running.exists()
    assert not games.exists()


@pytest.mark.usefixtures("draw_real_pictures")
def test_standings_are_kept_when_others_follow(call: Call, run: Path) -> None:
    def kinds_of(name: str) -> list[bytes]:
        return [(run / f"{name}.{kind}").read_bytes() for kind in ("json", "jsonl", "png")]

    (run / "standings.json").write_text("mine")
    words = (*TOPP, "topp.action_choice=probabilistic")
    call.output(*words)
    first = kinds_of("standings")
    assert "earlier tournament" not in call.output(*words), "the same one is not kept twice"
    assert kinds_of("standings") == first
    output = call.output(*words, "seed=2")
    assert f"Those of an earlier tournament are now {run / 'standings_2'}.json and" in output
    assert kinds_of("standings_2") == first
    assert kinds_of("standings")[0] != first[0]
    assert (run / "standings_1.json").read_bytes() == b"mine"
    assert len(list(run.glob("standings*.json"))) == 3

"""The command that compares agents."""

import json
import shlex
import threading
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from agents.match import GameRecord
from agents.match.game import play_together
from base.storage import read_jsonl
from tests.commands.conftest import Call
from tests.commands.test_json import assert_documented, only_json, rows
from tests.project import TIMEOUT

TWO = ("mcts:simulations=20", "random")
SMALL = ("game.size=3", "--games", "4", "--workers", "1", "--out", "out")


def results(folder: Path | str = "out") -> dict[str, Any]:
    data: dict[str, Any] = json.loads(Path(folder, "compare.json").read_text(encoding="utf-8"))
    return data


@pytest.mark.usefixtures("draw_real_pictures")
def test_the_results_hold_every_input_and_are_printed_and_kept_as_documented(call: Call) -> None:
    words = ("compare", *TWO, *SMALL[:-2], "seed=7")
    result = call(*words, "--json")
    (folder,) = Path("runs").iterdir()
    assert folder.name.startswith("compare-hex-3-")
    files = {"compare.json", "compare.csv", "compare_pairs.csv", "compare.png", "games.jsonl"}
    assert {path.name for path in folder.iterdir()} == files
    with Image.open(folder / "compare.png") as picture:
        assert picture.width > 1500
        assert len(picture.convert("RGB").getcolors(1 << 24) or []) > 100
    data = only_json(result)
    assert data == results(folder)
    assert "games were distinct" in result.errors
    assert_documented(data, "Arena")
    setup = data["setup"]
    assert setup["command"] == f"python main.py {shlex.join(words)} --json"
    assert (setup["seed"], setup["games_per_pair"], setup["workers"]) == (7, 4, 1)
    assert (setup["game"], setup["game_params"]) == ("hex", {"size": 3})
    assert setup["versions"].keys() == {"python", "numba", "numpy", "torch"}
    assert (data["total"], data["planned"], data["distinct"]) == (4, 4, 4)
    search, random = data["agents"]
    assert (search["name"], search["agent"]) == ("mcts simulations=20", "mcts:simulations=20")
    assert search["wins"] == random["losses"] == data["wins"][0][1] == data["pairs"][0]["wins"]
    assert 0 <= search["low"] <= search["win_rate"] <= search["high"] <= 1
    assert random["elo_low"] < random["elo"] < random["elo_high"]
    assert search["effort"]["simulations_per_move"] == 20
    assert random["effort"]["simulations_per_second"] is None
    agents, pairs = rows(folder / "compare.csv"), rows(folder / "compare_pairs.csv")
    assert [row["agent"] for row in agents] == [*TWO]
    assert int(agents[0]["effort.simulations"]) == search["effort"]["simulations"]
    assert [row["games"] for row in pairs] == ["4"]
    games = read_jsonl(folder / "games.jsonl")
    won = sum(game["players"][game["winner"] - 1] == search["name"] for game in games)
    assert (len(games), won) == (4, search["wins"])


def test_equal_simulations_and_equal_seconds_are_really_spent(call: Call) -> None:
    agents = ("mcts", "mcts:tree_policy=uct_rave", "random")
    call.output("compare", *agents, *SMALL, "--simulations", 33)
    data = results()
    assert data["setup"]["simulations"] == 33
    counts = [row["effort"]["simulations_per_move"] for row in data["agents"]]
    assert counts == [33, 33, None]
    assert data["agents"][0]["agent"] == "mcts:simulations=33,time_limit=null"
    words = (*SMALL, "--games", 2, "--seconds", 0.02, "--out", "timed")
    call.output("compare", "mcts", "random", *words)
    search, random = results("timed")["agents"]
    assert search["effort"]["seconds_per_move"] >= 0.02
    assert random["effort"]["seconds_per_move"] < 0.02


def test_each_game_is_kept_once_and_in_order_whichever_ends_first(call: Call) -> None:
    call("compare", *TWO, *SMALL)
    expected = Path("out/games.jsonl").read_bytes()
    first, over = threading.Lock(), threading.Semaphore(0)

    def last_the_longest(*arguments: Any) -> Iterable[tuple[int, GameRecord]]:
        if first.acquire(blocking=False):
            for _ in range(3):
                assert over.acquire(timeout=TIMEOUT)
        records = list(play_together(*arguments))
        over.release()
        return records

    call.patch.setattr("agents.match.series.play_together", last_the_longest)
    call.output("compare", *TWO, *SMALL, "--workers", 2, "--out", "two")
    assert Path("two/games.jsonl").read_bytes() == expected

"""The command that compares agents."""

from __future__ import annotations

import json
import re
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
from tests.project import TIMEOUT

TWO = ("mcts:simulations=20", "random")
SMALL = ("game.size=3", "--games", "4", "--workers", "1")


def results(folder: Path) -> dict[str, Any]:
    """Return the results in a folder."""
    data: dict[str, Any] = json.loads((folder / "compare.json").read_text(encoding="utf-8"))
    return data


def without_times(data: Any) -> Any:
    """Return results without the values that differ between runs."""
    clocks = {"command", "workers", "wall_seconds", "seconds_per_move", "search_seconds"}
    clocks |= {"simulations_per_second"}
    if isinstance(data, dict):
        kept = {key: value for key, value in data.items() if key not in clocks}
        if "moves" in kept:
            del kept["seconds"]
        return {key: without_times(value) for key, value in kept.items()}
    return [without_times(item) for item in data] if isinstance(data, list) else data


@pytest.mark.usefixtures("draw_real_pictures")
def test_a_comparison_ends_with_tables_and_files(call: Call, tmp_path: Path) -> None:
    result = call("compare", *TWO, "mcts:simulations=5", *SMALL)
    assert (result.status, result.errors) == (0, "")
    (folder,) = (tmp_path / "runs").iterdir()
    assert folder.name.startswith("compare-hex-3-")
    files = {"compare.json", "compare.csv", "compare_pairs.csv", "compare.png", "games.jsonl"}
    assert {path.name for path in folder.iterdir()} == files
    for text in (
        "3 agents on hex(size=3), 4 games of each pair, 1 at a time",
        "Comparison",
        "Each two",
        "Effort",
        "mcts simulations=20",
        "Elo",
        "simulations",
        "of 12 games were distinct.",
        "compare.json, compare.png and games.jsonl.",
    ):
        assert text in result.output
    assert "drawn" not in result.output
    with Image.open(folder / "compare.png") as picture:
        assert picture.width > 1500
        assert len(picture.convert("RGB").getcolors(1 << 24) or []) > 100


def test_the_results_hold_every_input_of_the_comparison(call: Call, tmp_path: Path) -> None:
    words = ("compare", *TWO, *SMALL, "--out", "out", "seed=7")
    assert call(*words).status == 0
    data = results(tmp_path / "out")
    setup = data["setup"]
    assert setup["command"] == f"python main.py {shlex.join(words)}"
    assert (setup["seed"], setup["games_per_pair"], setup["workers"]) == (7, 4, 1)
    assert (setup["game"], setup["game_params"]) == ("hex", {"size": 3})
    assert (setup["simulations"], setup["seconds"]) == (None, None)
    assert setup["versions"].keys() == {"python", "numba", "numpy", "torch"}
    assert (data["total"], data["planned"], data["distinct"]) == (4, 4, 4)
    search, random = data["agents"]
    assert (search["name"], search["agent"]) == ("mcts simulations=20", "mcts:simulations=20")
    assert search["wins"] == random["losses"] == data["wins"][0][1] == data["pairs"][0]["wins"]
    assert 0 <= search["low"] <= search["win_rate"] <= search["high"] <= 1
    assert random["elo_low"] < random["elo"] < random["elo_high"]
    assert search["effort"]["simulations_per_move"] == 20
    assert search["effort"]["simulations_per_second"] > 0
    assert random["effort"]["simulations_per_second"] is None
    games = read_jsonl(tmp_path / "out" / "games.jsonl")
    assert len(games) == 4
    won = sum(game["players"][game["winner"] - 1] == search["name"] for game in games)
    assert won == search["wins"]


def test_without_a_number_of_games_each_first_move_is_played_from_both_sides(
    call: Call, tmp_path: Path
) -> None:
    call("compare", "random", "random", "game.size=3", "--out", "out")
    games = read_jsonl(tmp_path / "out" / "games.jsonl")
    starts = [(game["players"][game["starting_player"] - 1], game["opening"]) for game in games]
    assert len(starts) == 18
    for name in ("random", "random #2"):
        assert sorted(opening for agent, opening in starts if agent == name) == [
            [n] for n in range(9)
        ]


def test_in_a_gauntlet_the_first_agent_meets_all_others(call: Call, tmp_path: Path) -> None:
    words = ("random", "random", "random", "--gauntlet", "--games", "4", "game.size=3")
    result = call("compare", *words, "--out", "out")
    assert result.status == 0
    data = json.loads((tmp_path / "out" / "compare.json").read_text())
    pairs = [{pair["first"], pair["second"]} for pair in data["pairs"]]
    assert pairs == [{"random", "random #2"}, {"random", "random #3"}]
    assert [row["games"] for row in data["agents"]] == [8, 4, 4]


def test_won_starts_report_held_wins_and_show_lost_games(call: Call, tmp_path: Path) -> None:
    agents = ("exact", "random", "mcts:judge=true,simulations=5,time_limit=null")
    result = call("compare", *agents, "--won-starts", "game.size=3", "--out", "out")
    assert (result.status, result.errors) == (0, "")
    assert "3 agents on hex(size=3), 10 games of the first agent with" in result.output
    assert "exact holds 10 of 10 against random." in result.output
    assert "exact holds 10 of 10 against mcts judge=true" in result.output
    assert "Lost against" not in result.output
    data = results(tmp_path / "out")
    assert (data["total"], data["setup"]["won_starts"]) == (20, True)

    result = call("compare", "random", "exact", "--won-starts", "game.size=3")
    found = re.search(r"random holds (\d+) of 10 against exact; lost: (.*)\.", result.output)
    assert found is not None
    lost = found[2].split(", ")
    assert len(lost) == 10 - int(found[1])
    board = result.output.partition("Lost against exact after each of these first moves")[2]
    stones = board.partition("columns")[2].partition("games were distinct")[0].count("●")
    assert stones == len(set(lost) - {"the empty board"})


def test_the_number_of_workers_changes_no_result(call: Call, tmp_path: Path) -> None:
    agents = ("mcts:simulations=20,choice=probabilistic", "random", "mcts:tree_policy=uct_rave")
    found = []
    for workers in (1, 3):
        out = f"with-{workers}"
        words = ("play.time_limit=null", "play.simulations=30", "game.size=3", "--games", 6)
        assert call("compare", *agents, *words, "--workers", workers, "--out", out).status == 0
        games = (tmp_path / out / "games.jsonl").read_bytes()
        found.append((without_times(results(tmp_path / out)), games))
    assert found[0] == found[1]


def test_equal_simulations_are_really_run(call: Call, tmp_path: Path) -> None:
    agents = ("mcts", "mcts:tree_policy=uct_rave", "random")
    assert call("compare", *agents, *SMALL, "--simulations", 33, "--out", "out").status == 0
    data = results(tmp_path / "out")
    assert data["setup"]["simulations"] == 33
    counts = [row["effort"]["simulations_per_move"] for row in data["agents"]]
    assert counts == [33, 33, None]
    names = [row["name"] for row in data["agents"]]
    assert names == ["mcts", "mcts tree_policy=uct_rave", "random"]
    assert data["agents"][0]["agent"] == "mcts:simulations=33,time_limit=null"


def test_equal_seconds_are_really_spent(call: Call, tmp_path: Path) -> None:
    words = ("compare", "mcts", "random", *SMALL, "--games", 2)
    assert call(*words, "--seconds", 0.02, "--out", "out").status == 0
    search, random = results(tmp_path / "out")["agents"]
    assert search["effort"]["seconds_per_move"] >= 0.02
    assert random["effort"]["seconds_per_move"] < 0.02


def test_draws_have_a_column_and_count_as_half_a_win(call: Call, tmp_path: Path) -> None:
    agents = ("mcts:simulations=300", "mcts:simulations=300")
    words = ("game.name=tic_tac_toe", "--out", "out")
    result = call("compare", *agents, *words)
    assert result.status == 0
    assert "drawn" in result.output
    data = results(tmp_path / "out")
    for row in data["agents"]:
        assert row["draws"] > 0
        assert row["games"] == row["wins"] + row["losses"] + row["draws"] == 18
        assert row["win_rate"] == (row["wins"] + row["draws"] / 2) / 18


def test_a_file_may_list_agents_with_names_of_their_own(call: Call, tmp_path: Path) -> None:
    (tmp_path / "list.yaml").write_text(
        "- random\n- {name: small  search, agent: 'mcts:simulations=5'}\n- agent: random\n"
    )
    result = call("compare", "mcts:simulations=20", "--agents", "list.yaml", *SMALL, "--out", "out")
    assert (result.status, result.errors) == (0, "")
    names = [row["name"] for row in results(tmp_path / "out")["agents"]]
    assert names == ["mcts simulations=20", "random", "small search", "random #2"]


def test_nets_set_the_game_and_the_results_hold_their_paths(
    call: Call, trained: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "anet_00004.pt").write_bytes((trained / "anet_00004.pt").read_bytes())
    agents = (f"anet:{trained / 'anet_00004.pt'}", f"anet:{other / 'anet_00004.pt'}")
    search = f"mcts:{trained / 'anet_00000.pt'}"
    words = ("--simulations", 10, "--games", 2, "--out", "out")
    result = call("compare", *agents, search, *words)
    assert (result.status, result.errors) == (0, "")
    data = results(tmp_path / "out")
    assert data["setup"]["game_params"] == {"size": 3}
    assert [row["name"] for row in data["agents"]] == [*agents, "mcts anet_00000"]


def test_ctrl_c_shows_and_keeps_the_games_that_are_finished(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[int] = []

    def interrupted(*arguments: Any) -> Iterable[tuple[int, GameRecord]]:
        started.append(1)
        if len(started) == 4:
            raise KeyboardInterrupt
        return play_together(*arguments)

    monkeypatch.setattr("agents.match.series.play_together", interrupted)
    result = call("compare", *TWO, *SMALL, "--out", "out")
    assert (result.status, result.errors) == (130, "")
    assert "Ended early: 3 of 4 games were played." in result.output
    data = results(tmp_path / "out")
    assert (data["total"], data["planned"]) == (3, 4)
    assert len(read_jsonl(tmp_path / "out" / "games.jsonl")) == 3
    assert (tmp_path / "out" / "compare.png").exists()


def test_ctrl_c_before_the_first_game_is_over_leaves_nothing(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*arguments: Any) -> Iterable[tuple[int, GameRecord]]:
        raise KeyboardInterrupt

    monkeypatch.setattr("agents.match.series.play_together", interrupted)
    result = call("compare", *TWO, *SMALL)
    assert (result.status, result.errors) == (130, "")
    assert list(tmp_path.iterdir()) == []


def test_each_game_is_kept_once_and_in_order_whichever_ends_first(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    call("compare", *TWO, *SMALL, "--out", "one")
    expected = (tmp_path / "one" / "games.jsonl").read_bytes()
    first, over = threading.Lock(), threading.Semaphore(0)

    def last_the_longest(*arguments: Any) -> Iterable[tuple[int, GameRecord]]:
        if first.acquire(blocking=False):
            for _ in range(3):
                assert over.acquire(timeout=TIMEOUT)
        records = list(play_together(*arguments))
        over.release()
        return records

    monkeypatch.setattr("agents.match.series.play_together", last_the_longest)
    assert call("compare", *TWO, *SMALL, "--workers", 2, "--out", "two").status == 0
    assert (tmp_path / "two" / "games.jsonl").read_bytes() == expected


def test_games_are_shown_only_on_request(call: Call) -> None:
    words = ("compare", "random", "random", "mcts:simulations=5", *SMALL)
    assert " wins in " not in call(*words).output
    output = call(*words, "display.games=2", "display.delay=0").output
    titles = re.findall(r"^\s*(\S.*) against (\S.*), game (\d) of 4", output, re.MULTILINE)
    assert output.count(" wins in ") == 6
    assert sorted(number for _, _, number in titles) == ["1"] * 3 + ["2"] * 3

"""Runs that are watched through their files."""

import json
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from base.storage import locked
from tests.web.conftest import Post
from web.server.agent_pool import AgentPool
from web.runs.run_files import records_of, standings_of, state_of

WON = [0, 1, 3, 4, 6]
PARAMS = "game: {name: hex, size: 3}\nrl: {episodes: 40, minutes: null}\nanet: {of_later: 1}\n"


STANDINGS = {
    "rows": [
        {"name": "anet_0", "episode": 0, "win_rate": 0.25, "elo": 0.0},
        {"name": "anet_9", "episode": 9, "win_rate": 0.75, "elo": 190.4},
    ],
    "wins": [[0, 1], [3, 0]], "games": [[0, 4], [4, 0]], "total": 4, "planned": 4,
}  # fmt: skip


BUDGETS = "minutes: .nan", "episodes: 0"
WRONG: list[dict[str, Any]] = [
    {"rows": [{"name": 3}]},
    {"wins": [[1]]},
    {"setup": {"game": [], "game_params": 3}},
]


def lines(records: list[dict[str, Any]]) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


def update(episode: int) -> dict[str, Any]:
    return {"episode": episode, "loss": 1 / episode, "entropy": 0.1, "seconds": 2.0 * episode}


def episode(number: int) -> dict[str, Any]:
    return {"episode": number, "starting_player": 1, "actions": WON, "winner": 1}


def write_run(folder: Path, episodes: Sequence[int] = (1, 2)) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "params.yaml").write_text(PARAMS)
    (folder / "metrics.jsonl").write_text(lines([update(n) for n in episodes]))
    (folder / "games.jsonl").write_text(lines([episode(n) for n in episodes]))
    return folder


@pytest.fixture
def run(pool: AgentPool) -> Path:
    """Return a run of ten episodes out of forty, in the pool."""
    folder = write_run(pool.runs / "watched", [1, 2, 3, *range(5, 11)])
    (folder / "metrics.jsonl").write_text(lines([update(n) for n in range(1, 11)]))
    (folder / "anet_00010.pt").touch()
    return folder


def test_a_game_on_another_board_is_shown_on_it(post: Post, run: Path) -> None:
    with (run / "games.jsonl").open("a") as log:
        log.write(lines([episode(11) | {"size": 4}]))
    found = post("run_game", run="watched", number=11)
    assert found["game"] == {"name": "hex", "params": {"size": 4}}
    assert found["shape"]["columns"] == 4
    assert post("run_game", run="watched", number=10)["shape"]["columns"] == 3


def test_a_run_is_returned_whole_and_later_only_if_it_has_grown(post: Post, run: Path) -> None:
    assert "watched" in [each["name"] for each in post("runs")["runs"]]
    found = post("run", run="watched")
    (newest,) = found["newest"]
    assert newest["game"] == {"name": "hex", "params": {"size": 3}}
    assert found["progress"] == {
        "episode": 10, "seconds": 20.0, "done": 10, "whole": 40, "unit": "episode",
        "left": 60.0, "interval": 2.0, "over": False,
    }  # fmt: skip
    assert found["nets"] == [10]
    assert "of_later" in found["params"]
    loss = found["panels"][0]["curves"][0]
    assert loss["points"][-1][:2] == [10, 0.1]
    assert newest["number"] == 10
    assert newest["states"][-1]["winner"] == 1
    assert newest["names"][0] == "a1"
    again = post("run", run="watched", stamp=found["stamp"])
    assert set(again) == {"stamp", "age", "idle", "state"}
    with (run / "games.jsonl").open("a") as log:
        log.write(lines([episode(11)]))
    assert post("run", run="watched", stamp=found["stamp"])["newest"][0]["number"] == 11


@pytest.mark.parametrize("name", ["nobody", "..", ".", "watched/..", "/etc", "w\0", "x" * 300])
def test_run_names_reach_no_other_folder(post: Post, run: Path, name: str) -> None:
    assert post("run", 400, run=name)
    assert post("run_game", 400, run=name, number=1)


@pytest.mark.parametrize(
    ("file", "texts"),
    [
        ("params.yaml", ("game: [1", "- 1", "game: {name: chess}", "rl:\n")),
        ("params.yaml", [f"game: {{name: hex}}\nrl: {{{each}}}" for each in BUDGETS]),
        ("metrics.jsonl", ('{"loss": 1}\n', '{"episode": 1}\nno record\n[1]\n{"half')),
        ("metrics.jsonl", ('{"episode": 1, "loss": "\\ud800", "entropy": [1], "seconds": 1e300}\n',)),
        ("games.jsonl", ("no game at all", '{"episode": 11, "actions": [1e30]}\n')),
        ("games.jsonl", ('{"episode": 11, "starting_player": 1, "actions": [1e30]}\n',)),
        ("standings.json", ("[]", *(json.dumps(STANDINGS | each) for each in WRONG))),
    ],
)
def test_damaged_files_hide_no_file(post: Post, run: Path, file: str, texts: Sequence[str]) -> None:
    for text in texts:
        (run / file).write_text(text)
        assert post("run", run="watched")["nets"] == [10], text
    (run / "standings.json").unlink(missing_ok=True)


def test_the_whole_records_of_a_log_are_read_as_it_grows_or_is_begun_anew(tmp_path: Path) -> None:
    file = tmp_path / "metrics.jsonl"
    assert records_of(file) == []
    for text, episodes in (
        (lines([update(1)]) + '{"episode"', [1]),
        (lines([update(1), update(2)]), [1, 2]),
        (lines([update(5)]) + "no record\n[1]\n" + lines([update(6)]), [5, 6]),
    ):
        file.write_text(text)
        assert [each["episode"] for each in records_of(file)] == episodes
    file.unlink()
    file.mkdir()
    assert records_of(file) == []


def test_an_unfinished_tournament_comes_first(tmp_path: Path) -> None:
    for name, total in (("standings.json", 9), ("standings_running.json", 5)):
        (tmp_path / name).write_text(json.dumps(STANDINGS | {"total": total}))
    for age, expected in ((5, (5, True)), (50, (9, False))):
        written = time.time() - age
        os.utime(tmp_path / "standings_running.json", (written, written))
        found = standings_of(tmp_path)
        assert found is not None
        assert (found.total, found.running) == expected
        assert state_of(tmp_path) == ("running" if found.running else "")


@pytest.mark.parametrize("lock", [".lock", ".compare.lock"])
def test_locks_tell_whether_a_process_writes_or_died(post: Post, run: Path, lock: str) -> None:
    def told() -> tuple[str, bool]:
        (listed,) = (each for each in post("runs")["runs"] if each["name"] == "watched")
        return post("run", run="watched")["state"], listed["running"]

    assert told() == ("", False)
    with locked(run / lock):
        assert told() == ("running", True)
    assert told() == ("", False)
    (run / lock).touch()  # as a killed process leaves it
    if sys.platform != "win32":
        assert told() == ("crashed", False)
    (run / lock).unlink()


def test_games_and_results_of_a_comparison_are_shown(pool: AgentPool, post: Post) -> None:
    folder = pool.runs / "compared"
    folder.mkdir()
    rows = [{"name": each, "win_rate": 0.5, "elo": None} for each in ("weak, 9", "strong")]
    results = {
        **{"agents": rows, "wins": STANDINGS["wins"], "games": STANDINGS["games"]},
        **{"total": 4, "planned": 40, "setup": {"game": "hex", "game_params": {"size": 3}}},
    }
    games = [
        {"players": ["weak, 9", "strong"][:: 1 if n % 2 else -1], "starting_player": 1}
        | {"opening": WON[:1], "actions": WON, "winner": 1}
        for n in range(1, 12)
    ]
    (folder / "games.jsonl").write_text(lines(games))
    assert post("run", run="compared")["newest"] == [], "its game is not known yet"
    (folder / "compare_running.json").write_text(json.dumps(results))
    with locked(folder / ".compare.lock"):
        found = post("run", run="compared")
    assert (found["standings"]["running"], found["progress"]) == (True, None)
    assert [each["name"] for each in found["standings"]["rows"]] == ["weak, 9", "strong"]
    (newest,) = found["newest"]
    assert (newest["number"], newest["players"]) == (11, ["weak, 9", "strong"])
    game = post("run_game", run="compared", number=9)
    assert (game["number"], game["actions"]) == (9, WON)
    assert post("run_game", run="compared", number=10)["players"] == ["strong", "weak, 9"]
    assert post("run_game", 400, run="compared", number=12)
    (folder / "compare_running.json").rename(folder / "compare.json")
    again = post("run", run="compared")
    assert (again["standings"]["running"], again["newest"]) == (False, [newest])


def test_games_of_a_topp_are_shown_beside_those_of_training(post: Post, run: Path) -> None:
    os.utime(run / "games.jsonl", (1e9, 1e9))
    setup = {"game": "hex", "game_params": {"size": 4}}
    played = [0, 1, 4, 5, 8, 9, 12]
    record = {"players": ["anet_9", "anet_0"], "starting_player": 1, "actions": played}
    running, log = (run / f"standings_running.{kind}" for kind in ("json", "jsonl"))
    running.write_text(json.dumps(STANDINGS | {"setup": setup}))
    log.write_text(lines([record] * 3))
    found = post("run", run="watched")
    assert [(each["topp"], each["number"]) for each in found["newest"]] == [(True, 3), (False, 10)]
    assert found["newest"][0]["game"]["params"] == {"size": 4}
    game = post("run_game", run="watched", number=2, topp=True)
    assert (game["players"], game["actions"]) == (["anet_9", "anet_0"], played)
    assert post("run_game", run="watched", number=2)["actions"] == WON
    assert post("run_game", 400, run="watched", number=4, topp=True)
    log.write_text(lines([record] * 4))
    found = post("run", run="watched", stamp=found["stamp"])
    assert found["newest"][0]["number"] == 4
    running.unlink()
    log.unlink()
    assert [each["topp"] for each in post("run", run="watched")["newest"]] == [False]
    assert post("run_game", 400, run="watched", number=2, topp=True)


def test_the_strength_of_nets_is_a_curve_after_a_tournament(post: Post, run: Path) -> None:
    file = run / "standings.json"
    file.write_text(json.dumps(STANDINGS))
    for name in ("params.yaml", "games.jsonl", "metrics.jsonl"):
        os.utime(run / name, (1e9, 1e9))
    found = post("run", run="watched")
    panels = found["panels"]
    assert found["idle"] > found["age"] + 1e6, "a tournament is no training"
    file.unlink()
    (curve,) = next(panel["curves"] for panel in panels if panel["label"].startswith("strength"))
    assert curve["points"] == [[0, 0, 0], [9, 190, 190]]


def test_a_run_that_cannot_be_read_hides_no_other(pool: AgentPool, post: Post, run: Path) -> None:
    folder = pool.runs / "strange"
    for name in ("params.yaml", "games.jsonl", "metrics.jsonl", "standings.json"):
        (folder / name).mkdir(parents=True)
    if sys.platform != "win32":
        os.mkfifo(folder / "standings_running.json")
    (pool.runs / "odd").mkdir()
    (pool.runs / "odd" / "metrics.jsonl").write_text('{"episode": "\\ud800"}\n')
    assert {each["name"] for each in post("runs")["runs"]} >= {"watched", "odd"}
    assert "expected files" in post("run", 400, run="strange")
    assert "expected the number" in post("run_game", 400, run="strange", number=1)

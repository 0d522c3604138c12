"""The command that plays off nets."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from agents.match import GameRecord
from agents.match.game import GameInPlay
from base.storage import read_jsonl, write_json
from commands import topp
from tests.commands.conftest import Call, tree

QUIET = ("display.mode=off", "topp.games=4")


@pytest.fixture
def run(trained: Path, tmp_path: Path) -> Path:
    """Return a copy of a finished run, to write to."""
    return Path(shutil.copytree(trained, tmp_path / "run"))


@pytest.mark.usefixtures("draw_real_pictures")
def test_a_tournament_ends_with_tables_a_conclusion_and_files(call: Call, run: Path) -> None:
    result = call("topp", "--run", run, *QUIET)
    assert (result.status, result.errors) == (0, "")
    for text in (
        "Standings",
        "anet_00000",
        "anet_00002",
        "anet_00004",
        "95 %",
        "Elo",
        "Wins of the row",
        "of 12 games were distinct. Greedy choice; each series starts from",
        "Order of training and order of strength",
        f"Saved in {run / 'standings.json'} and .png.",
    ):
        assert text in result.output
    assert ".." not in result.output
    standings = json.loads((run / "standings.json").read_text())
    assert "anet_00004" in json.dumps(standings)
    with Image.open(run / "standings.png") as picture:
        assert picture.format == "PNG"


def test_a_random_player_is_rated_with_the_nets_of_a_run(call: Call, run: Path) -> None:
    result = call("topp", "random", "--run", run, *QUIET)
    assert (result.status, result.errors) == (0, "")
    rows = json.loads((run / "standings.json").read_text())["rows"]
    assert [row["name"] for row in rows] == ["random", "anet_00000", "anet_00002", "anet_00004"]
    assert {row["games"] for row in rows} == {12}


def test_a_tournament_takes_the_parameters_of_its_run(call: Call, run: Path) -> None:
    params = run / "params.yaml"
    params.write_text(params.read_text().replace("games: 60", "games: 6"))
    result = call("topp", "--run", run, "display.mode=off")
    assert "of 18 games were distinct" in result.output


def test_nets_in_files_need_no_run_and_nothing_is_written_beside_them(
    call: Call, run: Path, tmp_path: Path
) -> None:
    before = tree(run)
    nets = [run / "anet_00000.pt", run / "anet_00004.pt"]
    result = call("topp", nets[0], "topp.games=4", nets[1], "display.mode=off")
    assert (result.status, result.errors) == (0, "")
    assert "of 4 games were distinct" in result.output
    assert tree(run) == before
    folders = list((tmp_path / "runs").iterdir())
    assert [folder.name.startswith("topp-hex-3-") for folder in folders] == [True]
    assert {path.name for path in folders[0].iterdir()} == {
        f"standings.{kind}" for kind in ("json", "jsonl", "csv", "png")
    }
    games = folders[0] / "standings.jsonl"
    assert "anet_0000" in call("show", games, "--game", 4, "display.mode=off").output
    assert len(read_jsonl(games)) == 4


def test_the_same_seed_gives_the_same_standings(call: Call, run: Path) -> None:
    words = ("topp", "--run", run, *QUIET, "topp.action_choice=probabilistic")
    first, again, other = (
        (call(*words, f"seed={seed}"), (run / "standings.json").read_text())[1]
        for seed in (1, 1, 2)
    )
    assert first == again
    assert first != other


def test_the_first_games_of_each_series_are_shown(call: Call, run: Path) -> None:
    words = ("display.mode=terminal", "display.games=1", "topp.games=3")
    result = call("topp", "--run", run, *words)
    assert result.status == 0
    assert result.output.count(" wins in ") == 3
    assert "anet_00000 against anet_00002, game 1 of 3" in result.output
    assert "game 2 of 3" not in result.output


def test_ctrl_c_shows_and_keeps_the_games_that_are_finished(
    call: Call, run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    call("topp", "--run", run, *QUIET)
    complete = (run / "standings.json").read_text()
    ended, end = list[int](), GameInPlay.end

    def interrupted(one: GameInPlay) -> GameRecord:
        ended.append(1)
        if len(ended) == 5:
            raise KeyboardInterrupt
        return end(one)

    monkeypatch.setattr(GameInPlay, "end", interrupted)
    result = call("topp", "--run", run, *QUIET)
    assert result.status == 130
    assert "No verdict: 4 of 12 games were played." in result.output
    assert "of 4 games were distinct" in result.output
    assert (run / "standings_incomplete.json").exists()
    assert (run / "standings.json").read_text() == complete


def test_the_standings_do_not_wait_for_the_regret(
    call: Call, run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(tournament: object) -> None:
        raise KeyboardInterrupt

    whole = call("topp", "--run", run, *QUIET).output
    assert re.search(r"Regret, .* throws away: [\d.]+%, [\d.]+%, [\d.]+%\.\n", whole)
    (run / "standings.json").unlink()
    monkeypatch.setattr("commands.topp.measure_regret", interrupted)
    result = call("topp", "--run", run, *QUIET)
    assert result.status == 130
    assert "Standings" in result.output
    assert json.loads((run / "standings.json").read_text())["total"] == 12


def test_the_standings_so_far_can_be_read_while_games_are_played(
    call: Call, run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen, write, running = list[int](), write_json, run / "standings_running.json"
    log = running.with_suffix(".jsonl")

    def watched(file: Path, data: Any) -> None:
        write(file, data)
        if running.exists():
            seen.append(json.loads(running.read_text())["total"])
            assert len(read_jsonl(log)) == len(seen)

    monkeypatch.setattr(topp, "_SECONDS_BETWEEN", 0.0)
    monkeypatch.setattr("commands.topp.write_json", watched)
    assert call("topp", "--run", run, *QUIET).status == 0
    assert seen == sorted(seen)
    assert (len(seen), seen[-1]) == (12, 12), "games that advance together end together"
    assert not running.exists()
    assert not log.exists()


def standings_files(run: Path) -> dict[str, bytes]:
    """Return the files of all standings in a run, without their suffixes."""
    return {path.stem: path.read_bytes() for path in run.glob("standings*.json")}


@pytest.mark.usefixtures("draw_real_pictures")
def test_standings_are_kept_when_others_follow(call: Call, run: Path) -> None:
    call("topp", "--run", run, *QUIET)
    first = standings_files(run)["standings"]
    games, picture = ((run / f"standings.{kind}").read_bytes() for kind in ("jsonl", "png"))
    result = call("topp", "--run", run, *QUIET, "seed=2")
    kept = run / "standings_1"
    assert f"Those of an earlier tournament are now {kept}.json and" in result.output
    second = standings_files(run)
    assert second.keys() == {"standings", "standings_1"}
    assert second["standings_1"] == first != second["standings"]
    assert kept.with_suffix(".png").read_bytes() == picture
    assert kept.with_suffix(".jsonl").read_bytes() == games
    call("topp", "--run", run, *QUIET, "topp.games=2")
    third = standings_files(run)
    assert third.keys() == {"standings", "standings_1", "standings_2"}
    assert third["standings_2"] == second["standings"]
    assert third["standings_1"] == first


def test_the_same_tournament_again_keeps_nothing_twice(call: Call, run: Path) -> None:
    for _ in range(2):
        result = call("topp", "--run", run, *QUIET)
        assert "earlier tournament" not in result.output
    assert standings_files(run).keys() == {"standings"}


def test_a_file_that_holds_no_standings_is_not_overwritten(call: Call, run: Path) -> None:
    (run / "standings.json").write_text("mine")
    assert call("topp", "--run", run, *QUIET).status == 0
    assert (run / "standings_1.json").read_text() == "mine"


def test_without_a_run_the_newest_is_taken_and_named_first(
    call: Call, run: Path, tmp_path: Path
) -> None:
    (tmp_path / "runs").mkdir()
    run.rename(tmp_path / "runs" / "mine")
    result = call("topp", *QUIET)
    expected = f"Nets of {Path('runs/mine')}, the newest run; another: --run DIR\n"
    assert result.output.startswith(expected)
    assert "the newest run" not in call("topp", "--run", "runs/mine", *QUIET).output

"""The command that plays off nets."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from agents.match import GameRecord
from agents.match.game import GameInPlay
from base.storage import read_jsonl, write_json
from commands import topp
from tests.commands.conftest import Call, tree

QUIET = ("display.mode=off", "topp.games=2")
TOPP = ("topp", "--run", "run", *QUIET)


@pytest.mark.usefixtures("draw_real_pictures")
def test_a_tournament_ends_with_tables_a_conclusion_and_files(call: Call, run: Path) -> None:
    output = call.output(*TOPP)
    distinct = "of 6 games were distinct. Greedy choice; each series starts from"
    verdict, saved = "Order of training and order of strength", f"Saved in {run / 'standings.json'}"
    assert all(
        text in output for text in ("Standings", "Wins of the row", distinct, verdict, saved)
    )
    assert ".." not in output
    assert re.search(r"Regret, .* throws away: [\d.]+%, [\d.]+%, [\d.]+%\.\n", output)
    rows = json.loads((run / "standings.json").read_text())["rows"]
    assert [row["name"] for row in rows] == ["anet_00000", "anet_00002", "anet_00004"]
    assert all(row["name"] in output for row in rows)
    with Image.open(run / "standings.png") as picture:
        assert picture.format == "PNG"


def test_a_tournament_of_a_run_has_its_parameters_and_may_have_a_random_player(
    call: Call, run: Path
) -> None:
    params = run / "params.yaml"
    params.write_text(params.read_text().replace("games: 60", "games: 2"))
    call.output("topp", "random", "--run", run, "display.mode=off")
    rows = json.loads((run / "standings.json").read_text())["rows"]
    assert [row["name"] for row in rows] == ["random", "anet_00000", "anet_00002", "anet_00004"]
    assert {row["games"] for row in rows} == {6}


def test_nets_in_files_need_no_run_and_nothing_is_written_beside_them(
    call: Call, trained: Path
) -> None:
    before = tree(trained)
    nets = [trained / "anet_00000.pt", trained / "anet_00004.pt"]
    output = call.output("topp", nets[0], "topp.games=4", nets[1], "display.mode=off")
    assert "of 4 games were distinct" in output
    assert tree(trained) == before
    (folder,) = Path("runs").iterdir()
    assert folder.name.startswith("topp-hex-3-")
    kinds = ("json", "jsonl", "csv", "png")
    assert {path.name for path in folder.iterdir()} == {f"standings.{kind}" for kind in kinds}
    games = folder / "standings.jsonl"
    assert "anet_0000" in call.output("show", games, "--game", 4, "display.mode=off")


def test_ctrl_c_shows_and_keeps_the_games_that_are_finished(
    call: Call, run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (run / "standings.json").write_text("complete")
    ended, end = list[int](), GameInPlay.end

    def interrupted(one: GameInPlay) -> GameRecord:
        ended.append(1)
        if len(ended) == 5:
            raise KeyboardInterrupt
        return end(one)

    monkeypatch.setattr(GameInPlay, "end", interrupted)
    result = call(*TOPP)
    assert result.status == 130
    assert "No verdict: 4 of 6 games were played." in result.output
    assert "of 4 games were distinct" in result.output
    assert (run / "standings_incomplete.json").exists()
    assert (run / "standings.json").read_text() == "complete"


def test_the_standings_do_not_wait_for_the_regret(
    call: Call, run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(tournament: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("commands.topp.measure_regret", interrupted)
    result = call(*TOPP)
    assert result.status == 130
    assert "Standings" in result.output
    assert json.loads((run / "standings.json").read_text())["total"] == 6


def test_the_standings_so_far_can_be_read_while_games_are_played(
    call: Call, run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen, write, running = list[int](), write_json, run / "standings_running.json"
    games = running.with_suffix(".jsonl")

    def watched(file: Path, data: Any) -> None:
        write(file, data)
        if running.exists():
            seen.append(json.loads(running.read_text())["total"])
            assert len(read_jsonl(games)) == len(seen)

    monkeypatch.setattr(topp, "_SECONDS_BETWEEN", 0.0)
    monkeypatch.setattr("commands.topp.write_json", watched)
    call.output(*TOPP)
    assert seen == sorted(seen)
    assert (len(seen), seen[-1]) == (6, 6), "games that advance together end together"
    assert not running.exists()
    assert not games.exists()


def standings_files(run: Path) -> dict[str, bytes]:
    return {path.stem: path.read_bytes() for path in run.glob("standings*.json")}


@pytest.mark.usefixtures("draw_real_pictures")
def test_standings_are_kept_when_others_follow(call: Call, run: Path) -> None:
    (run / "standings.json").write_text("mine")
    words = (*TOPP, "topp.action_choice=probabilistic")
    call.output(*words)
    first = standings_files(run)
    assert first["standings_1"] == b"mine"
    games, picture = ((run / f"standings.{kind}").read_bytes() for kind in ("jsonl", "png"))
    assert "earlier tournament" not in call.output(*words), "the same one is not kept twice"
    assert standings_files(run) == first
    output = call.output(*words, "seed=2")
    kept = run / "standings_2"
    assert f"Those of an earlier tournament are now {kept}.json and" in output
    second = standings_files(run)
    assert second.keys() == {"standings", "standings_1", "standings_2"}
    assert second["standings_2"] == first["standings"] != second["standings"]
    assert second["standings_1"] == b"mine"
    assert kept.with_suffix(".png").read_bytes() == picture
    assert kept.with_suffix(".jsonl").read_bytes() == games

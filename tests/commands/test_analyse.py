"""The command that shows what a net has learned."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from anet import ANET
from base.params import ANETParams
from state_manager import make_game
from tests.commands.conftest import Call, save_a_dot, tree

SMALL = ("--games", "3", "--simulations", "30", "--positions", "2")


def test_every_picture_has_a_file_with_its_numbers(call: Call, trained: Path) -> None:
    net = trained / "anet_00004.pt"
    result = call("analyse", "--net", net, "--out", "out", *SMALL)
    assert (result.status, result.errors) == (0, "")
    stems = ["position_01", "position_02", "positions", "statistics", "temperature"]
    files = sorted(f"{stem}.{kind}" for stem in stems for kind in ("json", "png"))
    assert sorted(path.name for path in Path("out").iterdir()) == files
    for stem in stems:
        data = json.loads(Path(f"out/{stem}.json").read_text())
        setup = data["setup"]
        assert (setup["net"], setup["simulations"]) == (net.as_posix(), 30)
        assert (setup["games"], setup["episode"]) == (3, 4)
    positions = json.loads(Path("out/positions.json").read_text())["positions"]
    assert len(positions) == 2
    statistics = json.loads(Path("out/statistics.json").read_text())
    assert statistics["games"] == 3
    assert statistics["positions"] >= 9
    effects = json.loads(Path("out/temperature.json").read_text())["effects"]
    assert [each["temperature"] for each in effects] == [0.2, 0.5, 1.0, 2.0]
    for words in ("entropy of the net", "same first choice", "net plays a best move"):
        assert words in result.output
    assert "The search's value against the outcome: Brier score " in result.output
    assert "Saved in out: 2 positions" in result.output


@pytest.mark.usefixtures("draw_real_pictures")
def test_the_same_seed_draws_the_same_pictures_whatever_the_threads(
    call: Call, trained: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    net = trained / "anet_00004.pt"
    for name, words in (("a", ["play.workers=1"]), ("b", ["play.workers=3"]), ("c", ["seed=2"])):
        if name == "c":
            monkeypatch.setattr("matplotlib.figure.Figure.savefig", save_a_dot)
        assert call("analyse", "--net", net, "--out", name, *SMALL, *words).status == 0
    assert tree(Path("a")) == tree(Path("b"))
    assert tree(Path("a"))["statistics.json"] != tree(Path("c"))["statistics.json"]


def test_results_go_to_a_new_folder_and_never_beside_the_net(call: Call, trained: Path) -> None:
    before = tree(trained)
    words = ("--net", trained / "anet_00004.pt", "--games", "1", "--simulations", "5")
    assert call("analyse", *words, "--positions", "1", "--temperatures", "1").status == 0
    (folder,) = Path("runs").iterdir()
    assert folder.name.startswith("analyse-hex-3-")
    assert tree(trained) == before


def saved(net: ANET, name: str = "net.pt") -> Path:
    net.save(name)
    return Path(name)


def test_the_report_of_a_net_with_a_critic_holds_its_value(call: Call) -> None:
    params = ANETParams(hidden_layers=(4,), critic=True)
    net = saved(ANET(make_game("tic_tac_toe"), params, seed=1))
    result = call("analyse", "--net", net, "--out", "out", *SMALL)
    assert (result.status, result.errors) == (0, "")
    assert "The critic's value against the outcome: Brier score " in result.output
    data = json.loads(Path("out/position_01.json").read_text())
    assert -1 <= data["net_value"] <= 1


def test_a_game_without_a_choice_is_refused(call: Call) -> None:
    game = make_game("nim", stones=3, max_take=1)
    net = saved(ANET(game, ANETParams(hidden_layers=(4,)), seed=1))
    result = call("analyse", "--net", net, "--out", "out", *SMALL)
    assert result.status == 2
    assert result.errors == (
        "main.py analyse: expected a game with a choice between two moves, "
        "got nim(stones=3, max_take=1)\n"
    )
    assert not Path("out").exists()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--net", "nowhere.pt"], "nowhere.pt: no such file"),
        ([], "expected --net NET or --game FILE, got neither"),
        (["--net", "NET", "--number", "1"], "--number: expected it with --game FILE"),
        (["--net", "NET", "--positions", "0"], "expected a number from 1 to 100, got '0'"),
        (["--net", "NET", "--games", "many"], "expected a number from 1 to 10000, got 'many'"),
        (["--net", "NET", "--temperatures", "0,1"], "expected temperatures from 0.01 to 100 such "),
        (["--net", "NET", "--temperatures", "x"], "expected temperatures from 0.01 to 100 such as"),
        (["--net", "NET", "--out", " "], "expected a folder, got ' '"),
        (["--net", "NET", "--out", "NET"], "expected a folder, got a file"),
        (["--net", "NET", "game.size=4"], ": expected a net for hex(size=4), got one for hex("),
        (["--net", "NET", "--gmes", "3"], "did you mean --games?"),
    ],
)
def test_a_mistake_is_reported_in_one_line(
    call: Call, trained: Path, words: list[str], message: str
) -> None:
    net = str(trained / "anet_00004.pt")
    result = call("analyse", *(net if word == "NET" else word for word in words))
    assert result.status == 2
    assert message in result.errors
    assert result.errors.startswith("main.py analyse: ")
    assert result.errors.count("\n") == 1
    assert not Path("runs").exists()


def test_an_earlier_analysis_is_not_replaced(call: Call, trained: Path) -> None:
    words = ("--net", trained / "anet_00004.pt", "--out", "out", *SMALL)
    assert call("analyse", *words).status == 0
    again = call("analyse", *words)
    assert again.status == 2
    assert "out: holds statistics.json already; name another --out DIR" in again.errors

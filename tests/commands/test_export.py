"""The commands that write a net for others, or a search, to files."""

import json
from importlib.util import find_spec
from pathlib import Path

import onnxruntime
import pytest

from anet import ANET
from base.params import ANETParams
from state_manager import make_game
from tests.commands.conftest import Call
from tests.project import ROOT

NET = ROOT / "nets" / "hex-5" / "anet_00200.pt"


def page(file: str) -> str:
    return Path(file).read_text(encoding="utf-8")


def test_a_net_becomes_a_page_or_an_onnx_file(call: Call) -> None:
    output = call.output("export", "--html", NET)
    assert output.startswith("hex-5-anet_00200.html: hex(size=5), ")
    assert "<title>Hex 5x5</title>" in page("hex-5-anet_00200.html")
    assert "hex-5/anet_00200" in page("hex-5-anet_00200.html")
    call.output("export", "--onnx", NET, "--out", "mine.onnx")
    session = onnxruntime.InferenceSession("mine.onnx")
    assert session.get_modelmeta().custom_metadata_map["net"] == "hex-5/anet_00200"


def test_a_net_of_several_boards_becomes_one_page_for_them(call: Call) -> None:
    params = ANETParams(network="pooled", channels=4, blocks=1, hidden_layers=(4,), critic=True)
    run = {"rl": {"sizes": {"3": 1.0, "4": [1.0, 2.0]}}}
    ANET(make_game("hex", size=4), params, run_params=run).save(Path("net.pt"))
    output = call.output("export", "--html", "net.pt")
    assert output.startswith("hex-net.html: hex, sizes 3 to 4, ")
    assert [f">{size}x{size}<" in page("hex-net.html") for size in range(2, 6)] == [0, 1, 1, 0]
    one = call.output("export", "--html", "net.pt", "game.size=4", "--out", "one.html")
    assert one.startswith("one.html: hex(size=4), ")
    output = call.output("export", "--html", "best", "--sizes", "5-6")
    assert output.startswith("hex-anet_33682.html: hex, sizes 5 to 6, ")
    assert "<title>Hex</title>" in page("hex-anet_33682.html")


def test_what_a_trial_has_found_is_said_before_the_games(call: Call) -> None:
    server = find_spec("hexgame_server")
    if server is None or not server.submodule_search_locations:
        pytest.skip("hexgame-server is not installed")
    net = Path(server.submodule_search_locations[0], "static", "models", "dqn_5x5.onnx")
    said = "dqn_5x5.onnx: planes=mover_opponent,joins=columns,policy=q_values,seen_by=none (20 of"
    words = ("display.mode=off", "play.workers=1")
    agents = f"onnx:{net}", f"mcts:{net},simulations=2"
    for line in (
        ("play", "--first", agents[0], "--second", "random", "--games", 1),
        ("compare", *agents, "--games", 2, "--out", "c"),
    ):
        assert " ".join(call.output(*line, *words).split()).count(said) == 1, line
    known = f"onnx:{net},planes=mover_opponent,joins=columns"
    output = call("play", "--first", known, *words, typed="").output
    assert said not in " ".join(output.split())


def test_a_position_of_an_sgf_file_is_explained_with_its_stones(call: Call) -> None:
    Path("game.sgf").write_text("(;SZ[3]AB[b1][c2]AW[b3];W[a2])")
    words = ("--game", "game.sgf", "--ply", 0, "--simulations", 1, "--save", "search.json")
    call.output("explain", *words)
    board = json.loads(Path("search.json").read_text())["steps"][0]["board"]
    assert (board["cells"], board["to_play"]) == ([0, 1, 0, 0, 0, 1, 0, 2, 0], 2)


def test_files_hold_one_step_or_the_whole_search(call: Call) -> None:
    words = ("explain", "game.size=3", "--simulations", 2)
    assert call.output(*words, "--save", "ALL.JSON").startswith("Saved in ALL.JSON.\n")
    assert len(json.loads(Path("ALL.JSON").read_text())["steps"]) == 11
    call.output(*words, "--save", "step.png", "--step", 5)
    assert Path("step.png").exists()

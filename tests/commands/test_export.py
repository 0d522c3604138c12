"""The command that writes a net for others."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import onnxruntime
import pytest

from anet import ANET
from base.params import ANETParams
from state_manager import make_game
from tests.commands.conftest import Call
from tests.commands.test_show import log
from tests.commands.test_usage import assert_one_line
from tests.project import ROOT

NET = ROOT / "nets" / "hex-5" / "anet_00200.pt"


def test_a_net_becomes_a_page_and_an_onnx_file(call: Call) -> None:
    result = call("export", "--html", NET)
    assert (result.status, result.errors) == (0, "")
    assert result.output.startswith("hex-5-anet_00200.html: hex(size=5), ")
    page = Path("hex-5-anet_00200.html").read_text(encoding="utf-8")
    assert "<title>Hex 5x5</title>" in page
    assert "hex-5/anet_00200" in page
    result = call("export", "--onnx", NET, "--out", "mine.onnx")
    assert (result.status, result.errors) == (0, "")
    session = onnxruntime.InferenceSession("mine.onnx")
    assert session.get_modelmeta().custom_metadata_map["net"] == "hex-5/anet_00200"
    assert_one_line(call("export", "--onnx", NET, "--out", "mine.onnx").errors, "already exists")


def test_the_best_net_becomes_one_page_for_all_boards(call: Call) -> None:
    result = call("export", "--html", "best")
    assert result.output.startswith("hex-anet_33682.html: hex, sizes 3 to 13, ")
    page = Path("hex-anet_33682.html").read_text(encoding="utf-8")
    assert "<title>Hex</title>" in page
    assert [f'"{size}">{size}x{size}<' in page for size in range(2, 15)] == [
        False,
        *[True] * 11,
        False,
    ]


def test_the_boards_of_a_page_are_chosen(call: Call) -> None:
    result = call("export", "--html", "best", "game.size=7", "--sizes", "5-6", "--out", "two.html")
    assert result.output.startswith("two.html: hex, sizes 5 to 6, ")
    page = Path("two.html").read_text(encoding="utf-8")
    assert ">5x5<" in page
    assert ">7x7<" not in page
    for arguments, expected in [
        (("--html", "best", "--sizes", "2-9"), "expected sizes from 3 to 19"),
        (("--html", "best", "--sizes", "9-5"), "expected sizes from 3 to 19"),
        (("--html", NET, "--sizes", "5-6"), "expected a net for hex(size=6)"),
        (("--onnx", NET, "--sizes", "5"), "--sizes: expected --html"),
    ]:
        assert_one_line(call("export", *arguments).errors, expected)


def test_a_net_that_learned_several_boards_becomes_a_page_for_them(call: Call) -> None:
    params = ANETParams(network="pooled", channels=4, blocks=1, hidden_layers=(4,), critic=True)
    run = {"rl": {"sizes": {"3": 1.0, "4": [1.0, 2.0]}}}
    ANET(make_game("hex", size=4), params, run_params=run).save("net.pt")
    assert call("export", "--html", "net.pt").output.startswith("hex-net.html: hex, sizes 3 to 4, ")
    one = call("export", "--html", "net.pt", "game.size=4", "--out", "one.html")
    assert one.output.startswith("one.html: hex(size=4), ")


@pytest.mark.parametrize("game", ["connect_four", "nim"])
def test_a_net_that_cannot_be_exported_is_named_in_one_line(call: Call, game: str) -> None:
    ANET(make_game(game)).save("net.pt")
    assert_one_line(call("export", "--html", "net.pt").errors, "only Hex is played in such a page")
    if game == "nim":
        assert_one_line(call("export", "--onnx", "net.pt").errors, "has no board of pieces alone")
    assert_one_line(call("export", "--html", "none.pt").errors, "none.pt: no such file")
    assert_one_line(call("export").errors, "one of the arguments --onnx --html is required")
    assert [file.name for file in Path().iterdir()] == ["net.pt"]


def test_an_onnx_file_only_plays(call: Call) -> None:
    call("export", "--onnx", NET, "--out", "mine.onnx")
    only = "expected a net of this program, got an ONNX file, which only plays"
    assert_one_line(call("export", "--onnx", "mine.onnx", "--out", "a.onnx").errors, only)
    assert_one_line(call("export", "--html", "mine.onnx", "--out", "a.html").errors, only)
    assert_one_line(call("train", "--from", "mine.onnx", "--run", "run").errors, "mine.onnx: ")
    assert [path.name for path in Path().iterdir()] == ["mine.onnx"]
    result = call("play", "--first", "onnx:mine.onnx", "--second", f"anet:{NET}", "game.size=6")
    assert_one_line(result.errors, "mine.onnx: expected a net for hex(size=6), got one for")


def test_what_a_trial_has_found_is_said_before_the_games(call: Call, tmp_path: Path) -> None:
    server = find_spec("hexgame_server")
    if server is None or not server.submodule_search_locations:
        pytest.skip("hexgame-server is not installed")
    net = Path(server.submodule_search_locations[0], "static", "models", "dqn_5x5.onnx")
    said = "dqn_5x5.onnx: planes=mover_opponent,joins=columns,policy=q_values,seen_by=none (20 of"
    words = ("display.mode=off", "play.workers=1")
    agents = f"onnx:{net}", f"mcts:{net},simulations=2"
    game = {"players": ["a", "b"], "board_size": 5, "starting_player": 1, "actions": [4, 1, 2]}
    for line in (
        ("play", "--first", agents[0], "--second", "random", "--games", 1),
        ("compare", *agents, "--games", 2, "--out", "c"),
        ("topp", net, net, "topp.games=2", "topp.regret_positions=0"),
        ("explain", "--agent", agents[1], "--step", 1),
        ("analyse", "--game", log(tmp_path, game), "--net", net, "--simulations", 2, "--out", "a"),
    ):
        result = call(*line, *words)
        assert (result.status, result.errors) == (0, "")
        assert " ".join(result.output.split()).count(said) == 1, line
    result = call("play", "--first", f"onnx:{net},planes=mover_opponent,joins=columns", *words)
    assert said not in " ".join(result.output.split())

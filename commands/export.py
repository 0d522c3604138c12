"""``export``: a net as a file for ONNX runtimes, or as a page that plays on its own."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from agents import AgentSpec, names_file, with_best_net
from agents.nets import load_anet
from base.storage import printable, write_bytes
from cli.contestants import game_of
from cli.exits import UsageError
from cli.outputs import check_new_file, game_stem
from hex_mcts.system import System
from state_manager import StateManager, make_game

_BOARDS = range(3, 14)  # the boards of a page with a net that learned several


def run(system: System, arguments: argparse.Namespace) -> None:
    """Write the file."""
    said = AgentSpec("anet", arguments.onnx or arguments.html)
    if arguments.onnx and arguments.sizes:
        raise UsageError("--sizes: expected --html, got --onnx")
    game: StateManager | None = game_of(system, [said])
    if arguments.html and not names_file(said) and system.given_game is None:
        said = with_best_net(said, make_game("hex", size=19))  # its net is for all boards
        game = None
    path = with_best_net(said, game).net if game else said.net
    assert path is not None
    net = load_anet(path, game)
    name = printable(f"{path.parent.name}/{path.stem}".lstrip("/"))
    boards, stem, ending = repr(net.game), game_stem(net.game), "onnx"
    if arguments.html:
        sizes: Sequence[int] = arguments.sizes or (_BOARDS if game is None else ())
        section = net.run_params.get("rl")
        learned = section.get("sizes") if isinstance(section, dict) else None
        if learned and not (sizes or system.given_game or net.game.swap_action):
            sizes = range(min(map(int, learned)), max(map(int, learned)) + 1)
        ending = "html"
        if len(sizes) > 1:
            stem, boards = "hex", f"hex, sizes {sizes[0]} to {sizes[-1]}"
    out = arguments.out or Path(f"{stem}-{path.stem}.{ending}")
    check_new_file(out, "--out")
    if arguments.onnx:
        from anet.onnx import onnx_of

        write_bytes(out, onnx_of(net, name))
    else:
        from web.play.exported_page import page_of

        write_bytes(out, page_of(net, name, sizes).encode())
    print(f"{out}: {boards}, {out.stat().st_size / 1000:,.0f} kB")

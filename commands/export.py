"""``export``: a net as a file for ONNX runtimes, or as a page that plays on its own."""

import argparse
from pathlib import Path

from agents import AgentSpec, load_net, with_best_net
from base.storage import printable, write_bytes
from commands.named_agents import game_of
from commands.outputs import check_new_file, game_stem
from hex_mcts.system import System


def run(system: System, arguments: argparse.Namespace) -> None:
    """Write the file."""
    said = AgentSpec("anet", arguments.onnx or arguments.html)
    game = game_of(system, [said])
    path = with_best_net(said, game).net
    assert path is not None
    net = load_net(path, game)
    name = printable(f"{path.parent.name}/{path.stem}".lstrip("/"))
    ending = "onnx" if arguments.onnx else "html"
    out = arguments.out or Path(f"{game_stem(net.game)}-{path.stem}.{ending}")
    check_new_file(out, "--out")
    if arguments.onnx:
        from anet.onnx import onnx_of

        write_bytes(out, onnx_of(net, name))
    else:
        from web.exported_page import page_of

        write_bytes(out, page_of(net, name).encode())
    print(f"{out}: {net.game!r}, {out.stat().st_size / 1000:,.0f} kB")

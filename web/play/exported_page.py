"""A net as one HTML file that plays on its own, in any browser, without a server or a network."""

import base64
import gzip
import html
import json
import re
from collections.abc import Iterable, Iterator
from hashlib import sha256
from pathlib import Path
from string import Template

import numpy as np

from agents import parse_agent
from anet import ANET, NetError
from anet.evaluator import SwapEvaluator
from anet.graph import Graph, graph_of
from state_manager import make_game, resized
from web.play.catalogue import WITH_NET

_STATIC = Path(__file__).parents[1] / "static"
_STYLES = "board/board.css", "page/page.css", "alone/alone.css"
_DROPPED = r"^import .*\n|^export |^ *//.*\n|^ */\*\*(?s:.*?)\*/\n"
"""Imports, exports and comment lines, as one script holds all modules."""
_SCRIPTS = (
    *("page/svg.js", "page/controls.js", "board/board.js"),
    *("alone/net.js", "alone/hex.js", "alone/alone.js"),
)


def page_of(net: ANET, name: str, sizes: Iterable[int] = ()) -> str:
    """Return an HTML file that plays a net of Hex on its board, or on boards of these sizes.

    Raises:
        NetError: The net cannot be written, or does not fit these boards.
    """
    if not net.game.has_hex_formats:
        raise NetError(f"only Hex is played in such a page, this is a net for {net.game!r}")
    own, offsets = net.game.board_shape[0], dict[bytes, int]()
    boards = {}
    for size in sorted({*sizes} or {own}):
        fitting = net if size == own else net.on(resized(net.game, size))
        graphs = [_described(graph_of(fitting, search), offsets) for search in (False, True)]
        boards[size] = {"graphs": graphs, "openings": _openings(fitting)}
    weights = base64.b64encode(b"".join(offsets)).decode()
    first = min(boards, key=lambda size: abs(size - own))
    levels = list(_levels())
    exponents = {key: exponent for key, _, exponent in levels}
    data = {"size": first, "levels": exponents, "boards": boards, "weights": weights}
    style = "\n".join(_text(file) for file in _STYLES)
    modules = "\n".join(_text(file) for file in _SCRIPTS)
    script = '"use strict";\n' + re.sub(_DROPPED, "", modules, flags=re.MULTILINE)
    return Template(_text("alone/alone.html")).substitute(
        title="Hex" if len(boards) > 1 else f"Hex {first}x{first}",
        net=html.escape(name),
        sizes=_options((size, f"{size}x{size}") for size in boards),
        levels=_options((key, title) for key, title, _ in levels),
        style=style,
        style_digest=_digest(style),
        script=script,
        script_digest=_digest(script),
        data=base64.b64encode(gzip.compress(json.dumps(data).encode(), mtime=0)).decode(),
    )


def _levels() -> Iterator[tuple[str, str, float | None]]:
    """Yield the levels of the served page that do not search: a key, the title, an exponent.

    Moves are drawn in proportion to the net's policy to the power of the exponent; without one, the
    likeliest is played.
    """
    for title, agent in WITH_NET:
        spec = parse_agent(agent)
        if spec.kind == "random":
            yield "random", title, 0.0
        elif spec.options.get("choice") == "probabilistic":
            yield title.lower(), title, 1 / float(spec.options.get("temperature", 1))
        elif spec.kind == "anet":
            yield "0", title, None


def _openings(net: ANET) -> list[dict[str, object]] | None:
    """Return what ``SwapEvaluator`` makes of the empty board, for each player to move."""
    if not net.params.critic:
        return None
    game = make_game("hex", size=net.game.board_shape[0], swap=True)
    states = [game.initial_state(player) for player in (1, 2)]
    policies, values = SwapEvaluator(net.exact, game).evaluate(states)
    assert values is not None
    both = zip(np.round(policies[:, :-1], 6).tolist(), values, strict=True)
    return [{"policy": policy, "value": float(value)} for policy, value in both]


def _options(choices: Iterable[tuple[object, str]]) -> str:
    return "".join(f'<option value="{value}">{title}</option>' for value, title in choices)


def _described(graph: Graph, offsets: dict[bytes, int]) -> dict[str, object]:
    """Return a graph in the format of ``net.js``; add its float arrays to those in ``offsets``."""
    integers, floats = [], []
    for name, array in graph.constants.items():
        if array.dtype == np.float32:
            end = sum(map(len, offsets)) // 4
            offset = offsets.setdefault(array.astype("<f4").tobytes(), end)
            floats.append((name, array.shape, offset))
        else:
            integers.append((name, array.shape, array.ravel().tolist()))
    return {"steps": graph.steps, "integers": integers, "floats": floats}


def _text(file: str) -> str:
    return (_STATIC / file).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    return base64.b64encode(sha256(text.encode()).digest()).decode()

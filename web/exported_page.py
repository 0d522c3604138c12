"""A net as one HTML file that plays on its own, in any browser, without a server or a network."""

from __future__ import annotations

import base64
import html
import json
import re
from hashlib import sha256
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING

import numpy as np

from anet.errors import NetError

if TYPE_CHECKING:
    from anet import ANET
    from anet.graph import Graph

_STATIC = Path(__file__).parent / "static"
_STYLES = "board.css", "page.css", "alone.css"
_SCRIPTS = "board.js", "net.js", "hex.js", "alone.js"


def page_of(net: ANET, name: str) -> str:
    """Return the content of the HTML file.

    Args:
        net: The player.
        name: The name that the page shows.

    Raises:
        NetError: If its game is not Hex, or its network cannot be written as simple steps.
    """
    from anet.graph import graph_of

    if not net.game.has_hex_formats:
        raise NetError(f"only Hex is played in such a page, this is a net for {net.game!r}")
    size, weights = net.game.board_shape[0], _Weights()
    graphs = [weights.described(graph_of(net, for_search)) for for_search in (False, True)]
    data = {"size": size, "alone": graphs[0], "search": graphs[1], "weights": weights.text()}
    style = "\n".join(_text(file) for file in _STYLES)
    script = '"use strict";\n' + "\n".join(_as_plain_script(_text(file)) for file in _SCRIPTS)
    return Template(_text("alone.html")).substitute(
        title=f"Hex {size}x{size}",
        net=html.escape(name),
        style=style,
        style_digest=_digest(style),
        script=script,
        script_digest=_digest(script),
        data=json.dumps(data, separators=(",", ":")).replace("<", r"\u003c"),
    )


class _Weights:
    """The numbers of all graphs in sequence; graphs share equal arrays."""

    def __init__(self) -> None:
        self._places: dict[bytes, int] = {}
        self._length = 0

    def described(self, graph: Graph) -> dict[str, object]:
        """Return a graph in the format of ``net.js``."""
        integers, floats = [], []
        for name, array in graph.constants.items():
            if array.dtype == np.float32:
                data = array.astype("<f4").tobytes()
                if data not in self._places:
                    self._places[data] = self._length
                    self._length += array.size
                floats.append((name, array.shape, self._places[data]))
            else:
                integers.append((name, array.shape, array.ravel().tolist()))
        return {"steps": graph.steps, "integers": integers, "floats": floats}

    def text(self) -> str:
        """Return all numbers, as float32 in base64."""
        return base64.b64encode(b"".join(self._places)).decode()


def _text(file: str) -> str:
    return (_STATIC / file).read_text(encoding="utf-8")


def _as_plain_script(module: str) -> str:
    """Return a module without its imports and exports; one script holds all modules."""
    return re.sub(r"^import .*\n|^export ", "", module, flags=re.MULTILINE)


def _digest(text: str) -> str:
    return base64.b64encode(sha256(text.encode()).digest()).decode()

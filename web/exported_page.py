"""A net as one HTML file that plays on its own, in any browser, without a server or a network."""

import base64
import html
import json
import re
from hashlib import sha256
from pathlib import Path
from string import Template

import numpy as np

from anet import ANET
from anet.errors import NetError
from anet.graph import Graph

_STATIC = Path(__file__).parent / "static"
_STYLES = "board.css", "page.css", "alone.css"
_DROPPED = r"^import .*\n|^export |^ *//.*\n|^ */\*\*(?s:.*?)\*/\n"
_SCRIPTS = "svg.js", "board.js", "net.js", "hex.js", "alone.js"


def page_of(net: ANET, name: str) -> str:
    """Return an HTML file that plays a net of Hex; raise a ``NetError`` if it cannot be written."""
    from anet.graph import graph_of

    if not net.game.has_hex_formats:
        raise NetError(f"only Hex is played in such a page, this is a net for {net.game!r}")
    size, offsets = net.game.board_shape[0], dict[bytes, int]()
    alone, search = (_described(graph_of(net, for_search), offsets) for for_search in (False, True))
    weights = base64.b64encode(b"".join(offsets)).decode()
    data = {"size": size, "alone": alone, "search": search, "weights": weights}
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


def _described(graph: Graph, offsets: dict[bytes, int]) -> dict[str, object]:
    """Return a graph in the format of ``net.js``; add its float arrays to those in ``offsets``."""
    integers, floats = [], []
    for name, array in graph.constants.items():
        if array.dtype == np.float32:
            offset = sum(map(len, offsets)) // 4
            floats.append(
                (name, array.shape, offsets.setdefault(array.astype("<f4").tobytes(), offset))
            )
        else:
            integers.append((name, array.shape, array.ravel().tolist()))
    return {"steps": graph.steps, "integers": integers, "floats": floats}


def _text(file: str) -> str:
    return (_STATIC / file).read_text(encoding="utf-8")


def _as_plain_script(module: str) -> str:
    """Return a module without imports, exports and comment lines; one script holds all modules."""
    return re.sub(_DROPPED, "", module, flags=re.MULTILINE)


def _digest(text: str) -> str:
    return base64.b64encode(sha256(text.encode()).digest()).decode()

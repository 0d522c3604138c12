"""ONNX files, https://onnx.ai/onnx/repo-docs/IR.html, written without any package.

Such a file is a Protocol Buffers message. onnx.proto defines the numbers of its fields.
"""

import numpy as np

from anet.anet import ANET
from anet.graph import FLOAT, INT64, Graph, GraphStep, graph_of

_IR_VERSION, _OPERATORS = 8, 17
_VARINT, _BYTES = 0, 2
_INT, _INTS = 2, 7  # types of attributes


def onnx_of(net: ANET, name: str) -> bytes:
    """Return an ONNX file of ``ANET.evaluate``, see ``graph_of``, with the net's name in words."""
    graph = graph_of(net)
    body = b"".join(_field(1, _node(step)) for step in graph.steps) + _field(2, "net")
    for each, array in graph.constants.items():
        kind = FLOAT if array.dtype == np.float32 else INT64
        dims = b"".join(_field(1, length) for length in array.shape)
        data = array.astype(array.dtype.newbyteorder("<")).tobytes()
        body += _field(5, dims + _field(2, kind) + _field(8, each) + _field(9, data))
    for number, values in ((11, graph.inputs), (12, graph.outputs)):
        body += b"".join(_field(number, _value(each, *of)) for each, of in values.items())
    about = {"net": name, "game": repr(net.game), **_words(net, graph)}
    words = "\n".join(f"{key}: {text}" for key, text in about.items())
    file = _field(1, _IR_VERSION) + _field(2, "hex-mcts") + _field(6, words) + _field(7, body)
    file += _field(8, _field(2, _OPERATORS))
    return file + b"".join(_field(14, _field(1, key) + _field(2, about[key])) for key in about)


def _words(net: ANET, graph: Graph) -> dict[str, str]:
    game = net.game
    (rows, columns), (first, second) = game.board_shape, game.player_names
    names = "; ".join(f"{action} is {game.action_name(action)}" for action in range(3))
    words = {
        "state": f"int8 [boards, {1 + rows * columns}]: the player to move, 1 ({first}) or 2 "
        f"({second}), then the {rows} x {columns} cells, row by row: 0 is empty, 1 and 2 a piece",
        "legal": f"bool [boards, {game.num_actions}]: which actions are legal",
        "policy": f"float [boards, {game.num_actions}]: the probability of each action, 0 where it "
        f"is illegal; action {names}; ...",
        "value": "float [boards]: who wins, from 1 (player 1) to -1 (player 2)",
    }
    if all(game.drawing.sides):
        words["state"] += "; player 1 joins the first row to the last, 2 the columns"
    return {key: words[key] for key in (*graph.inputs, *graph.outputs)}


def _node(step: GraphStep) -> bytes:
    body = b"".join(_field(1, each) for each in step.inputs)
    body += _field(2, step.output) + _field(4, step.operator)
    for name, value in step.attributes.items():
        if isinstance(value, int):
            attribute = _field(3, value) + _field(20, _INT)
        else:
            attribute = b"".join(_field(8, each) for each in value) + _field(20, _INTS)
        body += _field(5, _field(1, name) + attribute)
    return body


def _value(name: str, kind: int, length: int) -> bytes:
    """Describe an input or an output: `[B, length]`, or `[B]` if the length is 0."""
    shape = _field(1, _field(2, "boards"))
    if length:
        shape += _field(1, _field(1, length))
    return _field(1, name) + _field(2, _field(1, _field(1, kind) + _field(2, shape)))


def _field(number: int, value: int | str | bytes) -> bytes:
    if isinstance(value, int):
        return _varint(number << 3 | _VARINT) + _varint(value)
    data = value.encode() if isinstance(value, str) else value
    return _varint(number << 3 | _BYTES) + _varint(len(data)) + data


def _varint(value: int) -> bytes:
    """Return an integer, 7 bits a byte; negative ones as 64 bits."""
    value &= 2**64 - 1
    data = b""
    while value > 127:
        data += bytes([value & 127 | 128])
        value >>= 7
    return data + bytes([value])

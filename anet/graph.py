"""A net as a graph of simple steps, from a board to a policy and a value, for other programs.

The steps are a few operators of ONNX, version 17 (https://onnx.ai/onnx/operators). ``onnx.py``
writes them to a file; the exported page runs them in the browser.

Letters: B boards, C cells, I inputs of the network, A actions, V images of each board that the
network evaluates: the board and, if ``anet.symmetric``, its symmetric images.
"""

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import fx, nn

from anet.anet import ANET
from anet.convolutional import pooled, without_normalizations
from anet.errors import NetError

FLOAT, INT8, INT64, BOOL = 1, 3, 7, 9  # ONNX's numbers of element types

_NEVER = np.array([-1e30], np.float32)
"""Replaces the logits of illegal actions: so low that their probability is 0."""


class GraphStep(NamedTuple):
    """An operator: the names of its inputs and output, and its attributes."""

    operator: str
    inputs: tuple[str, ...]
    output: str
    attributes: dict[str, int | list[int]]


@dataclass
class Graph:
    """Steps in an order in which they can run."""

    inputs: dict[str, tuple[int, int]] = field(default_factory=dict)  # type, n of `[B, n]`
    outputs: dict[str, tuple[int, int]] = field(default_factory=dict)  # `[B]` for n = 0
    steps: list[GraphStep] = field(default_factory=list)
    constants: dict[str, NDArray[Any]] = field(default_factory=dict)  # float32, int64

    def add(
        self, operator: str, *given: str | NDArray[Any], name: str = "", **attributes: Any
    ) -> str:
        """Add a step; return the name of its output. Arrays in ``given`` become constants."""
        names = []
        for each in given:
            if not isinstance(each, str):
                self.constants[f"c{len(self.constants)}"] = each
                each = f"c{len(self.constants) - 1}"
            names.append(each)
        output = name or f"s{len(self.steps)}"
        self.steps.append(GraphStep(operator, tuple(names), output, attributes))
        return output


def graph_of(net: ANET, for_search: bool = False) -> Graph:
    """Return the graph of ``ANET.evaluate`` for states that are not final, else a ``NetError``.

    With ``for_search``, that of ``ANET.evaluate_batch``, which evaluates each board only once. Its
    input ``state`` is `[B, 1 + C]`, the flat form: the player to move, then the board row by row.
    If the game's actions are not just pieces on empty cells, it also has the input ``legal``, `[B,
    A]`. Its outputs are ``policy``, `[B, A]`, and, with a critic, ``value``, `[B]`, seen from
    player 1.
    """
    game, view = net.game, net.view
    if not game.has_piece_planes or game.swap_action is not None:
        raise NetError(f"{game!r} has no board of pieces alone, so its nets cannot be exported")
    layouts = view.layouts[:1] if for_search else view.layouts
    cells = (game.num_features - 2) // 2
    graph = Graph({"state": (INT8, 1 + cells)})
    state = graph.add("Cast", "state", to=FLOAT)
    player = graph.add("Gather", "state", np.array(0), axis=1)
    mover = graph.add("Add", graph.add("Cast", player, to=INT64), np.array([-1]))  # [B]

    # An input of the network is 1 where a number of the state has a certain value.
    where = np.array([0, 0, *range(1, 1 + cells), *range(1, 1 + cells), 0, 0])
    value = np.repeat([1, 2, 1, 2, 0], [1, 1, cells, cells, 2]).astype(np.float32)  # 0: never
    sources = np.stack([each.sources for each in layouts], axis=1)  # [2, V, I]
    always = (sources == game.num_features + 1).astype(np.float32)

    def of_mover(table: NDArray[Any]) -> str:
        return graph.add("Gather", table.reshape(2, -1), mover, axis=0)

    looked_at = graph.add("GatherElements", state, of_mover(where[sources]), axis=1)
    active = graph.add("Equal", looked_at, of_mover(value[sources]))
    seen = graph.add("Add", graph.add("Cast", active, to=FLOAT), of_mover(always))
    seen = graph.add("Reshape", seen, np.array([-1, view.num_inputs]))  # [B * V, I]
    outputs, judged = _add_network(graph, net.network, seen)

    offsets = game.num_actions * np.arange(len(layouts))[:, np.newaxis]
    order = np.stack([each.outputs for each in layouts], axis=1) + offsets
    outputs = graph.add("Reshape", outputs, np.array([-1, order[0].size]))
    outputs = graph.add("GatherElements", outputs, of_mover(order), axis=1)
    outputs = graph.add("Reshape", outputs, np.array([-1, *order.shape[1:]]))  # [B, V, A]
    outputs = graph.add("ReduceMean", outputs, axes=[1], keepdims=0)
    if game.only_adds:
        board = graph.add("Gather", state, np.arange(1, 1 + game.num_actions), axis=1)
        legal = graph.add("Equal", board, np.zeros(1, np.float32))
    else:
        legal = "legal"
        graph.inputs[legal] = BOOL, game.num_actions
    graph.add("Softmax", graph.add("Where", legal, outputs, _NEVER), name="policy", axis=-1)
    graph.outputs["policy"] = FLOAT, game.num_actions
    if judged is not None:
        judged = graph.add("Reshape", judged, np.array([-1, len(layouts)]))
        judged = graph.add("ReduceMean", judged, axes=[1], keepdims=0)
        sign = graph.add("Gather", np.array([1, -1], np.float32), mover, axis=0)
        graph.add("Mul", judged, sign, name="value")
        graph.outputs["value"] = FLOAT, 0
    return graph


def _add_network(graph: Graph, network: nn.Module, inputs: str) -> tuple[str, str | None]:
    """Add the steps of a network; return the names of the logits and of the values, if any."""
    network = without_normalizations(network).cpu()
    names: dict[fx.Node, Any] = {}
    for node in fx.Tracer(autowrap_functions=(pooled,)).trace(network).nodes:
        given = fx.node.map_arg(node.args, names.__getitem__)
        if node.op == "placeholder":
            names[node] = inputs
        elif node.op == "output":
            logits, values = given[0]
        elif node.op == "get_attr":
            names[node] = network.get_buffer(node.target).numpy()
        elif node.op == "call_module":
            names[node] = _add_layer(graph, network.get_submodule(node.target), *given)
        else:
            target = node.target if isinstance(node.target, str) else node.target.__name__
            names[node] = _add_operation(graph, target, *given)
    return logits, values


def _add_layer(graph: Graph, layer: nn.Module, given: str) -> str:
    match layer:
        case nn.Linear():
            product = graph.add("MatMul", given, _array(layer.weight.t()))
            return graph.add("Add", product, _array(layer.bias))
        case nn.Conv2d():
            pads = [int(each) for each in layer.padding] * 2
            arrays = [_array(each) for each in (layer.weight, layer.bias) if each is not None]
            size = list(layer.kernel_size)
            return graph.add("Conv", given, *arrays, kernel_shape=size, pads=pads)
        case nn.ReLU():
            return graph.add("Relu", given)
        case nn.Sigmoid() | nn.Tanh():
            return graph.add(type(layer).__name__, given)
        case nn.Identity():
            return given
    raise NetError(f"a network with {type(layer).__name__} cannot be exported")


def _add_operation(graph: Graph, name: str, given: Any, *more: Any) -> Any:
    """Add an operation between a network's layers; ``name`` is torch's or Python's."""
    match name:
        case "add" | "add_":
            return graph.add("Add", given, *more)
        case "tanh":
            return graph.add("Tanh", given)
        case "cat":
            return graph.add("Concat", *given, axis=1)
        case "pooled":
            both = "ReduceMean", "ReduceMax"
            reduced = [graph.add(each, given, axes=[2, 3], keepdims=0) for each in both]
            return graph.add("Concat", *reduced, axis=1)
        case "permute":
            return graph.add("Transpose", given, perm=list(more))
        case "index_select":
            return graph.add("Gather", given, more[1], axis=more[0])
        case "view":
            return graph.add("Reshape", given, np.array([-1, *more[1:]]))
        case "flatten":
            # Not a Reshape: of no boards, it cannot infer the length.
            return graph.add("Flatten", given, axis=more[0])
        case "squeeze":
            return graph.add("Reshape", given, np.array([-1]))
        case "getitem" if isinstance(more[0], tuple):  # a number for each plane, [:, :, None, None]
            return graph.add("Reshape", given, np.array([0, 0, 1, 1]))
        case "getattr" | "getitem":  # the number of boards, which no step needs
            return None
    raise NetError(f"a network that calls {name} cannot be exported")


def _array(weights: torch.Tensor) -> NDArray[Any]:
    return np.ascontiguousarray(weights.numpy())

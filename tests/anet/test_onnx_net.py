"""Nets in ONNX files: ours, and those of strangers, whose layout is found by trial."""

import importlib.util
import pickle
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import numpy as np
import onnxruntime
import pytest
from numpy.typing import NDArray

import anet.onnx_net
from agents import AgentError, load_net, make_agent
from agents.nets import load_anet
from anet import ANET, NetError
from anet.card import Card
from anet.onnx import onnx_of
from anet.onnx_net import OnnxNet
from anet.runtimes.openvino_runtime import Model
from state_manager import make_game
from tests.anet.conftest import BOARDS, states_of
from tests.anet.test_networks import NETWORKS, small_net
from tests.project import ROOT, Patch

GAME = make_game("hex", size=5)
PERFECT = ROOT / "nets" / "hex-5-perfect" / "anet_51200.pt"
NETS = ["alphazero_5x5", "alphazero_9x9", "dqn_5x5", "dqn_11x11"]


def of_server(name: str) -> Path:
    found = importlib.util.find_spec("hexgame_server")
    if found is None or not found.submodule_search_locations:
        pytest.skip("hexgame-server is not installed")
    return Path(found.submodule_search_locations[0], "static", "models", f"{name}.onnx")


@pytest.mark.parametrize("name", NETS)
def test_the_layout_of_a_net_of_the_server_is_found(name: str) -> None:
    size = int(name.rpartition("x")[2])
    net = load_net(of_server(name), make_game("hex", size=size))
    assert isinstance(net, OnnxNet)
    assert (net.layout.planes, net.layout.joins) == ("mover_opponent", "columns")
    assert net.layout.seen_by == ("mover" if name.startswith("alpha") else "none")
    assert "of 20 games won against random moves" in net.note
    assert "joins=either" in net.note or "joins=rows" in net.note, "the next layout"


def test_a_net_for_one_mover_sees_the_transposed_board_of_the_other() -> None:
    net = load_net(of_server("alphazero_5x5"), GAME)
    swap = GAME.colour_swap
    assert swap is not None
    state = GAME.from_flat([1, *([0] * 7), 1, 0, 2, *([0] * 15)])
    board = np.array(state[1:26]).reshape(5, 5)
    turned = GAME.from_flat([2, *np.array([0, 2, 1])[board.T].reshape(-1)])
    policies, values = net.evaluate(np.stack([state, turned]))
    assert policies[1][swap.actions] == pytest.approx(policies[0], abs=1e-6)
    assert values is not None
    assert values[1] == pytest.approx(-values[0], abs=1e-6)
    assert np.ptp(policies[0]) > 0


def stranger(planes: str, joins: str, seen_by: str) -> Model:
    """Return the perfect net of 5x5 as a stranger's, with an input of these planes.

    Its value is 1 for a mover who can win at once, else 0.1. It plays badly if a plane with the
    player to move is not the same in all cells.
    """
    ours, words = ANET.load(PERFECT, GAME), planes.split("_")

    def run_one(inputs: NDArray[Any]) -> tuple[NDArray[Any], ...]:
        shown = dict(zip(words, inputs[0].astype(int), strict=True))
        mover = {"rows": 1, "columns": 2}.get(joins) or (
            1 + shown["turn2"].max() if "turn2" in shown else 2 - shown["turn1"].max()
        )
        if "signed" in shown:
            shown |= {"mover": shown["signed"] == 1, "opponent": shown["signed"] == -1}
        if "mover" in shown:
            board = mover * shown["mover"] + (3 - mover) * shown["opponent"]
        else:
            board = shown["player1"] + 2 * shown["player2"]
        state = GAME.from_flat([mover, *board.reshape(-1)])
        outcomes = [GAME.winner(child) for _, child in GAME.children(state)]
        policy = ours.policy(state)
        if any(np.ptp(shown[word]) > 0 for word in words if "turn" in word):
            policy = 1.0 - policy
        value = (1.0 if mover in outcomes else 0.1) * _SIGN[seen_by][mover - 1]
        return np.array([value]), np.log(policy + 1e-9)[np.newaxis]

    return Model((1, len(words), 5, 5), ("worth", "moves"), run_one)


_SIGN = {"mover": (1, 1), "opponent": (-1, -1), "player1": (1, -1), "player2": (-1, 1)}


@pytest.mark.parametrize(
    ("planes", "joins", "seen_by"),
    [
        ("signed", "columns", "mover"),
        ("mover_opponent", "rows", "opponent"),
        ("mover_opponent_turn2", "either", "player1"),
        ("player1_player2_turn1", "either", "player2"),
    ],
)
def test_a_layout_is_found_by_trial_and_plays_as_the_net_does(
    planes: str, joins: str, seen_by: str, monkeypatch: Patch
) -> None:
    model = stranger(planes, joins, seen_by)
    monkeypatch.setattr(anet.onnx_net, "model_of", lambda data: model)
    net, ours = OnnxNet(b"", "x.onnx", Card()), ANET.load(PERFECT, GAME)
    # A net that sees the turn may be shown the same player to move in all boards.
    same = {(planes, joins)}
    if "turn" in planes:
        same = {("mover_opponent_ones", "rows"), ("mover_opponent_ones", "columns")}
    assert (net.layout.planes, net.layout.joins) in same
    assert net.layout.policy == "moves"
    states = np.array(states_of(GAME))
    policies, values = net.evaluate(states)
    assert policies == pytest.approx(ours.policy(states), abs=1e-3)
    assert values is not None
    for state, value in zip(states, values, strict=True):
        wins = state[0] in [GAME.winner(child) for _, child in GAME.children(state)]
        assert value == (1.0 if wins else 0.1) * (1 if state[0] == 1 else -1)


INPUTS = {
    ("mover_opponent", None, (2, 2, 2)): "1000 0010",
    ("mover_opponent", "last", (2, 2, 2)): "10 00 01 00",
    ("mover_opponent", None, (8,)): "1000 0010",
    ("mover_opponent", "last", (8,)): "10 00 01 00",
    ("ones_mover_opponent", None, (9,)): "1 1000 0010",
    ("mover_opponent_ones_zeros", "last", (10,)): "10 00 01 00 10",
    ("empty_mover_opponent", "last", (2, 2, 3)): "010 100 001 100",
    ("numbers", None, (2, 2)): "1020",
    ("numbers_ones", None, (5,)): "10201",
    ("state", None, (5,)): "11020",
}


@pytest.mark.parametrize(("planes", "order", "shape"), INPUTS)
def test_planes_are_first_last_or_a_vector(planes: str, order: Any, shape: tuple[int, ...]) -> None:
    boards, movers = np.array([[[1, 0], [2, 0]]]), np.array([[[1]]])
    card = Card(planes=planes, order=order, joins="rows")
    inputs = card.inputs(boards, movers, shape)
    assert inputs.shape == (1, *shape)
    expected = INPUTS[planes, order, shape].replace(" ", "")
    assert "".join(str(int(each)) for each in inputs.reshape(-1)) == expected
    assert card.fits(shape, 2)
    assert card in Card(joins="rows").layouts(shape, 2), "it is tried"
    assert not Card(planes="mover_opponent_empty").fits(shape[:1], 2)


@pytest.mark.parametrize(("shape", "moves"), [((5, 5, 2), 25), ((50,), 26)])
def test_a_net_of_keras_plays_well(shape: tuple[int, ...], moves: int, monkeypatch: Patch) -> None:
    """Its planes are last, and it may have a pass, which it likes best."""
    usual = stranger("mover_opponent", "rows", "mover")

    def run_one(inputs: NDArray[Any]) -> tuple[NDArray[Any], ...]:
        planes = inputs.reshape(1, 5, 5, 2).transpose(0, 3, 1, 2).astype(bool)
        planes[:, 1] &= ~planes[:, 0]  # where a wrong layout is tried
        value, logits = usual.run_one(planes)
        return value, np.append(logits, [9.0])[:moves]

    model = Model((1, *shape), usual.outputs, run_one)
    monkeypatch.setattr(anet.onnx_net, "model_of", lambda data: model)
    net, ours = OnnxNet(b"", "x.onnx", Card()), ANET.load(PERFECT, GAME)
    states = np.array(states_of(GAME))
    assert net.evaluate(states)[0] == pytest.approx(ours.policy(states), abs=1e-3)
    assert (net.layout.order, net.layout.joins) == ("last", "rows")


def exported(net: ANET, path: Path) -> Path:
    path.write_bytes(onnx_of(net, "mine"))
    return path


@pytest.mark.parametrize(
    "how", [{"critic": True}, {"view": "mover", "symmetric": True}, {"network": "pooled"}], ids=str
)
def test_an_exported_file_agrees_with_its_net(how: dict[str, Any], tmp_path: Path) -> None:
    game = make_game("hex", size=4)
    net = small_net(game, steps=2, **how)
    other = load_net(exported(net, tmp_path / "x.onnx"), game)
    states = np.array(states_of(game, games=6))
    for found, expected in zip(other.evaluate(states), net.evaluate(states), strict=True):
        assert found == pytest.approx(expected, abs=1e-5)
    assert isinstance(other, OnnxNet)
    assert other.note == "", "nothing is tried"


def test_other_processes_get_the_net_and_the_layout_that_was_found() -> None:
    net = load_net(of_server("dqn_5x5"), GAME)
    other = pickle.loads(pickle.dumps(net))
    assert isinstance(other, OnnxNet)
    states = np.array(states_of(GAME))
    assert np.array_equal(net.policy(states), other.policy(states))
    assert other.note == "", "nothing is tried anew"


def test_the_word_goes_before_the_card_beside_the_file(tmp_path: Path) -> None:
    file = tmp_path / "x.onnx"
    file.write_bytes(of_server("alphazero_5x5").read_bytes())
    card = tmp_path / "x.yaml"
    card.write_text("planes: mover_opponent\njoins: columns\nseen_by: opponent\n")
    nets = [load_net(file, GAME), load_net(file, GAME, Card(seen_by="mover"))]
    values = [float(net.value(GAME.initial_state())) for net in nets]
    assert values[0] == pytest.approx(-values[1])
    assert values[0] != 0
    assert [net.note for net in nets] == ["", ""]
    card.write_text("seen_by: none\n")
    assert load_net(file, GAME).evaluate(GAME.initial_state())[1] is None, "the new card counts"


@pytest.mark.parametrize(
    ("word", "card", "expected"),
    [
        ("joins=rows", "", "no layout plays well"),
        ("planes=mover", "", "expected 2 for this net, got mover"),
        ("planes=state", "", "expected 2 for this net, got state"),
        ("planes=mover_foe", "", "expected mover, opponent, "),
        ("joins=diagonals", "", "joins: expected null, rows, columns or either, got 'diagonals'"),
        ("policy=value", "", "policy: expected an output with 9 to 361 cells, got value"),
        ("policy=moves", "", "got moves: {'policy_logits': 25, 'value': 1}"),
        ("seen_by=me", "", "seen_by: expected null, mover"),
        ("simulations=5", "", "unknown option"),
        ("", "planes: mover_opponent_ones", "planes: expected 2 for this net"),
        ("", "joins: colums", "x.yaml:1: joins: expected null, rows, columns or either, got 'col"),
        ("", "plane: mover", "x.yaml:1: plane: unknown key (did you mean planes?)"),
        ("", "- mover", "x.yaml:1: expected keys with values"),
        ("", "planes: [mover]", "x.yaml:1: planes: expected null or a text"),
    ],
)
def test_a_word_or_a_card_that_does_not_fit_the_net_is_one_line(
    word: str, card: str, expected: str, tmp_path: Path
) -> None:
    (tmp_path / "x.onnx").write_bytes(of_server("alphazero_5x5").read_bytes())
    (tmp_path / "x.yaml").write_text(card)
    for kind in ["onnx"] if word else ["onnx", "mcts"]:
        with pytest.raises(AgentError) as caught:
            make_agent(f"{kind}:{tmp_path / 'x.onnx'}{',' * bool(word)}{word}", GAME)
        assert expected in str(caught.value)
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (lambda data: b"", "expected an ONNX file"),
        (lambda data: b"hello" * 100, "expected an ONNX file"),
        (lambda data: data[: len(data) // 2], "expected an ONNX file"),
        (lambda data: data + b"\x0a\x08location", "expected all weights in this one file"),
        (lambda data: onnx_of(small_net(make_game("connect_four")), "x"), "expected an ONNX file"),
        (lambda data: onnx_of(small_net(make_game("hex", size=4)), "x"), "one for hex(size=4)"),
    ],
)
def test_a_wrong_file_is_one_line(change: Any, expected: str, tmp_path: Path) -> None:
    file = tmp_path / "x.onnx"
    file.write_bytes(change(onnx_of(small_net(GAME), "mine")))
    with pytest.raises(AgentError) as caught:
        load_net(file, GAME)
    assert expected in str(caught.value)
    assert str(caught.value).startswith(str(file))
    assert "\n" not in str(caught.value)


def test_inputs_and_outputs_of_other_kinds_are_refused(monkeypatch: Patch) -> None:
    zeros, shapes = [0.0] * 25, ((8, 2, 5, 5), (1, 2, 4, 5), (1, 57), (1,))
    numbers = "expected numbers from this net, got nan or inf"
    for shape, moves, expected in (
        *((shape, zeros, r"expected an (input of one board|output with)") for shape in shapes),
        *(((1, 2, 5, 5), [bad, *zeros[1:]], numbers) for bad in (np.nan, np.inf)),
        ((1, 4, 5, 5), zeros, "planes: expected a card"),
    ):
        model = Model(shape, ("moves",), Mock(return_value=(np.array([moves]),)))
        monkeypatch.setattr(anet.onnx_net, "model_of", Mock(return_value=model))
        with pytest.raises(NetError, match=expected):
            OnnxNet(b"", "x.onnx", Card()).policy(GAME.initial_state())


def test_a_card_describes_an_input_of_four_planes(monkeypatch: Patch) -> None:
    model = Model((1, 4, 5, 5), ("moves",), lambda inputs: (inputs[:, 1],))
    monkeypatch.setattr(anet.onnx_net, "model_of", lambda data: model)
    card = Card(planes="ones_empty_mover_zeros", joins="either")
    assert OnnxNet(b"", "x.onnx", card).policy(GAME.initial_state()) == pytest.approx(1 / 25)


def test_what_needs_weights_refuses_a_strangers_net() -> None:
    net = load_net(of_server("dqn_5x5"))
    with pytest.raises(AgentError, match="expected a net of this program, got an ONNX file"):
        load_anet(of_server("dqn_5x5"))
    with pytest.raises(NetError, match="plays no rollouts"):
        net.rollout_policy()


def session_of(net: ANET) -> onnxruntime.InferenceSession:
    return onnxruntime.InferenceSession(onnx_of(net, "mine"), providers=["CPUExecutionProvider"])


def assert_same(net: ANET) -> None:
    game, session = net.game, session_of(net)
    states = np.array(states_of(game))
    given: dict[str, Any] = {"state": np.array([game.to_flat(state) for state in states], np.int8)}
    if not game.only_adds:
        given["legal"] = game.legal_mask(states)
    policies, *values = session.run(None, given)
    expected, expected_values = net.evaluate(states)
    assert policies == pytest.approx(expected, abs=1e-5)
    assert np.array_equal(policies > 0, game.legal_mask(states))
    assert len(values) == (expected_values is not None)
    for each in values:
        assert each == pytest.approx(expected_values, abs=1e-5)
    # One board alone is a batch, too.
    alone, *_ = session.run(None, {name: batch[3:4] for name, batch in given.items()})
    assert alone[0] == pytest.approx(policies[3], abs=1e-5)
    # So is none.
    none = session.run(None, {name: batch[:0] for name, batch in given.items()})
    assert [len(each) for each in none] == [0] * (1 + len(values))


@pytest.mark.parametrize("network", NETWORKS)
@pytest.mark.parametrize(
    "how",
    [
        {"view": "mover", "symmetric": True, "padded_size": 5},
        {"batch_normalization": False, "critic": False, "activation": "tanh"},
        {"symmetric": True, "activation": "sigmoid"},
    ],
    ids=["mover", "plain", "symmetric"],
)
def test_onnxruntime_returns_the_evaluations_of_the_net(network: str, how: dict[str, Any]) -> None:
    assert_same(small_net(make_game("hex", size=4), network=network, steps=2, **how))


def test_nets_of_other_games_are_exported_if_these_have_a_board_of_pieces() -> None:
    for name in BOARDS.keys() - {"hex"}:
        game = make_game(name, **BOARDS[name])
        assert_same(small_net(game, view="mover", symmetric=True, steps=2))
        assert_same(small_net(game, network="residual", steps=2))
    for game in (make_game("nim", stones=9), make_game("ledge")):
        with pytest.raises(NetError, match="has no board of pieces"):
            onnx_of(small_net(game), "mine")


def test_the_file_describes_the_encoding_of_a_position() -> None:
    about = session_of(small_net(make_game("connect_four"))).get_modelmeta()
    words = about.custom_metadata_map
    assert words.keys() == {"net", "game", "state", "legal", "policy", "value"}
    assert words["game"] == "connect_four(rows=6, columns=7)"
    assert "int8 [boards, 43]: the player to move, 1 (red) or 2 (black)" in words["state"]
    assert "0 is column 0; 1 is column 1" in words["policy"]
    assert all(text in about.description for text in words.values())

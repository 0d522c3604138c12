"""The command that proves or refutes that a net wins every won game."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from anet import ANET
from base.params import ANETParams
from base.storage import write_json
from proofs.certificate import Findings, examine
from proofs.enumeration import Proof, PureStrategy, greedy
from state_manager import StateManager, make_game
from state_manager.sides import Side
from tests.commands.conftest import Call
from tests.commands.test_usage import assert_one_line
from tests.perfect import perfect_net


@pytest.fixture(scope="module")
def perfect(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("nets") / "perfect.pt"
    perfect_net(make_game("hex", size=3)).save(path)
    return path


def untrained(name: str = "weak.pt", game: str = "hex", **options: int) -> Path:
    params = ANETParams(hidden_layers=(8,), symmetric=True)
    ANET(make_game(game, **options), params, seed=2).save(name)
    return Path(name)


def interrupted(game: StateManager, player: PureStrategy, *arguments: Any) -> Findings:
    """Examine until the third batch of positions."""
    count = 0

    def on_batch(positions: int) -> None:
        nonlocal count
        count += 1
        if count == 3:
            raise KeyboardInterrupt

    return examine(game, replace(player, on_batch=on_batch), *arguments)


def test_a_perfect_net_is_proven_and_its_certificate_is_confirmed(
    call: Call, perfect: Path
) -> None:
    result = call("certify", "--net", perfect)
    assert (result.status, result.errors) == (0, "")
    for words in ("Sides proven: 10 of 10\n", "Positions visited: ", "us (batches of 128)\n"):
        assert words in result.output
    assert "either player begins" in result.output
    file = perfect.with_name("perfect.certificate.json")
    data = json.loads(file.read_text())
    assert (data["game"], data["sides"], data["proven"]) == ("hex", 10, 10)
    result = call("certify", "--net", perfect, "--check", file)
    assert (result.status, result.errors) == (0, "")
    assert f"Confirmed: 10 of 10 sides are held, {data['positions']} positions" in result.output
    assert "whose probability is within 0.01% of the highest" in result.output
    changes = {"net": "0" * 64, "positions": 1, "digest": "0" * 64, "proven": 9, "near_tie": 0.0}
    for key, value in changes.items():
        write_json("tampered.json", {**data, key: value})
        result = call("certify", "--net", perfect, "--check", "tampered.json")
        assert result.status == 1
        assert f"Wrong: {key}: " in result.output
    for key, value, words in (
        ("game", "nim", "expected a certificate for hex, which alone can be checked afresh"),
        ("agent", "mcts:simulations=3", "expected a certificate for a net alone"),
    ):
        write_json("tampered.json", {**data, key: value})
        result = call("certify", "--net", perfect, "--check", "tampered.json")
        assert result.status == 2
        assert_one_line(result.errors, words)


def test_an_untrained_net_is_refuted_on_a_diamond(call: Call) -> None:
    result = call("certify", "--net", untrained(size=3), "--out", "c.json")
    assert (result.status, result.errors) == (1, "")
    assert result.output.count("Refuted: ") == 3
    assert result.output.count("Moves: ") == 3
    assert "winning path" in result.output
    assert " more sides are refuted." in result.output
    data = json.loads(Path("c.json").read_text())
    assert data["proven"] < data["sides"] == 10
    result = call("certify", "--net", "weak.pt", "--check", "c.json")
    assert (result.status, result.errors) == (1, "")
    assert f"Confirmed: {data['proven']} of 10 sides are held" in result.output


def test_some_sides_alone_are_proven_and_confirmed(call: Call, perfect: Path) -> None:
    call("certify", "--net", perfect, "--out", "all.json")
    sides = ("--side", "empty", "--side", "b2")
    result = call("certify", "--net", perfect, "--out", "some.json", *sides)
    assert (result.status, result.errors) == (0, "")
    assert "Sides proven: 2 of 2\n" in result.output
    assert not list(Path().glob("*.part"))
    whole, some = (json.loads(Path(name).read_text()) for name in ("all.json", "some.json"))
    assert some["held"] == [each for each in whole["held"] if each["opening"] in ([], [4])]
    assert (some["sides"], some["proven"]) == (10, 2)
    assert some["positions"] < whole["positions"]
    for more, status in ((sides, 0), (("--side", "empty"), 0), (("--side", "a1"), 1), ((), 1)):
        result = call("certify", "--net", perfect, "--check", "some.json", *more)
        assert (result.status, result.errors) == (status, "")
        assert "Confirmed: 2 of 10 sides are held" in result.output
        assert ("Not in the certificate: " in result.output) == bool(status)


def test_a_certificate_of_another_board_does_not_replace_that_of_the_net(call: Call) -> None:
    params = ANETParams(network="pooled", channels=4, blocks=1, hidden_layers=(4,), critic=True)
    ANET(make_game("hex", size=4), params).save("net.pt")
    assert call("certify", "--net", "net.pt").status == 1
    assert call("certify", "--net", "net.pt", "game.size=3").status == 1
    for name, size in (("net.certificate.json", 4), ("net.hex-3.certificate.json", 3)):
        assert json.loads(Path(name).read_text())["game_params"]["size"] == size


def test_a_certificate_of_some_sides_does_not_replace_one_of_all(call: Call, perfect: Path) -> None:
    call("certify", "--net", perfect)
    whole = perfect.with_name("perfect.certificate.json")
    before = whole.read_bytes()
    call("certify", "--net", perfect, "--side", "empty", "--side", "b2")
    assert json.loads(perfect.with_name("perfect.empty.b2.certificate.json").read_text())
    assert whole.read_bytes() == before


def test_the_refuted_positions_of_a_side_are_counted(call: Call) -> None:
    result = call("certify", "--net", untrained(size=3), "--side", "empty")
    assert (result.status, result.errors) == (1, "")
    assert "Sides proven: 0 of 1\n" in result.output
    game = make_game("hex", size=3)
    proof = Proof(game, greedy(ANET.load("weak.pt", game).exact), [Side((), 1, (1,))])
    refuted = sum(len(places) for _, places in proof.refuted())
    assert f"Refuted positions: {refuted} of {proof.positions}; by plies: 1 of 1 after 0, " in (
        result.output
    )
    lost = 1 + len(game.legal_actions(game.initial_state(1)))
    assert lost > refuted > 1


def test_an_interrupted_certificate_is_continued(
    call: Call, perfect: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    call("certify", "--net", perfect, "--out", "whole.json")
    with monkeypatch.context() as patch:
        patch.setattr("proofs.enumeration._BATCH", 16)
        patch.setattr("commands.certify.examine", interrupted)
        assert call("certify", "--net", perfect, "--out", "parts.json").status == 130
        assert Path("parts.json.part").stat().st_size > 0
        patch.undo()
    assert call("certify", "--net", perfect, "--out", "parts.json").status == 0
    assert Path("parts.json").read_bytes() == Path("whole.json").read_bytes()
    assert not Path("parts.json.part").exists()


def test_a_search_with_a_perfect_net_is_examined_position_by_position(
    call: Call, perfect: Path
) -> None:
    agent = f"mcts:{perfect},simulations=20,tree_policy=puct,sigma=0"
    result = call("certify", "--agent", agent, "--out", "c.json")
    assert result.errors == ""
    assert "Sides proven: " in result.output
    assert json.loads(Path("c.json").read_text())["near_tie"] == 0.0


def test_a_net_alone_has_one_certificate_under_each_of_its_names(call: Call, perfect: Path) -> None:
    file = perfect.with_name("perfect.certificate.json")
    call("certify", "--net", perfect)
    certificate = file.read_bytes()
    assert call("certify", "--agent", f"anet:{perfect}").errors == ""
    assert file.read_bytes() == certificate
    call("certify", "--agent", f"anet:{perfect},choice=greedy")
    assert file.read_bytes() == certificate


@pytest.mark.parametrize(("game", "sides"), [("hexapawn", 4), ("tic_tac_toe", 20)])
def test_other_games_are_examined_too(call: Call, game: str, sides: int) -> None:
    result = call("certify", "--net", untrained(game=game))
    assert (result.status, result.errors) == (1, "")
    assert f" of {sides}\n" in result.output


def test_an_enumeration_that_is_too_long_is_stopped(call: Call) -> None:
    result = call("certify", "--net", untrained(size=3), "--positions", "3")
    assert (result.status, result.errors) == (1, "")
    assert "Gave up after 3 positions: neither proven nor refuted." in result.output
    assert not Path("weak.certificate.json").exists()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--net", "nowhere.pt"], "nowhere.pt: no such file"),
        (["--net", "NET", "--side", "d1"], "--side: expected empty or a first move such as a1"),
        ([], "one of the arguments --net --agent is required"),
        (["--net", "NET", "--out", "."], "expected a file to write, got a folder"),
        (["--net", "NET", "--check", "none.json"], "none.json: no such file"),
        (["--agent", "mcts:NET", "--check", "NET"], "--check: expected --net NET with it"),
        (["--agent", "random"], "--agent: expected an agent with a net, such as mcts:NET"),
        (["--agent", "human"], "--agent: expected an agent with a net, such as mcts:NET"),
        (["--agent", "mcts:NET,sigma=0.5"], "leaves nothing to chance or to the clock"),
        (["--agent", "anet:NET,choice=probabilistic"], "leaves nothing to chance or to the clock"),
        (["--agent", "mcts:NET,sigma=0,time_limit=1"], "leaves nothing to chance or to the clock"),
        (["--net", "NET", "game.size=4"], ": expected a net for hex(size=4), got one for hex("),
        (["--net", "LARGE"], "is too large for the exact judge, which needs the winner"),
    ],
)
def test_a_mistake_is_reported_in_one_line(
    call: Call, perfect: Path, words: list[str], message: str
) -> None:
    large = untrained("large.pt", size=8)
    names = {"NET": str(perfect), "LARGE": str(large)}
    for name, path in names.items():
        words = [word.replace(name, path) for word in words]
    result = call("certify", *words)
    assert result.status == 2
    assert_one_line(result.errors, message)

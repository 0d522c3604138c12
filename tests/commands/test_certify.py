"""The command that proves or refutes that a net wins every won game."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import main
from base.storage import write_json
from proofs.certificate import Findings, examine
from proofs.enumeration import PureStrategy
from state_manager import StateManager, make_game
from tests.commands.conftest import Call
from tests.perfect import perfect_net


@pytest.fixture(scope="module")
def perfect(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("nets") / "perfect.pt"
    perfect_net(make_game("hex", size=3)).save(path)
    assert main.main(["certify", "--net", str(path)]) == 0
    return path


def interrupted(game: StateManager, player: PureStrategy, *arguments: Any) -> Findings:
    left = [None] * 2

    def on_batch(positions: int) -> None:
        if not left:
            raise KeyboardInterrupt
        left.pop()

    return examine(game, replace(player, on_batch=on_batch), *arguments)


def test_a_perfect_net_is_proven_and_its_certificate_confirmed(call: Call, perfect: Path) -> None:
    output = call.output("certify", "--agent", f"anet:{perfect}", "--out", "new.json")
    for words in ("Sides proven: 10 of 10\n", "Positions visited: ", "us (batches of 128)\n"):
        assert words in output
    assert "either player begins" in output
    assert Path("new.json").read_bytes() == perfect.with_suffix(".certificate.json").read_bytes()
    data = json.loads(Path("new.json").read_text())
    assert (data["game"], data["sides"], data["proven"]) == ("hex", 10, 10)
    check = ("--net", perfect, "--check")
    output = call.output("certify", *check, "new.json")
    assert f"Confirmed: 10 of 10 sides are held, {data['positions']} positions" in output
    assert "whose probability is within 0.01% of the highest" in output
    for key, value, words in (
        ("game", "nim", "expected a certificate for hex, which alone can be checked afresh"),
        ("agent", "mcts:simulations=3", "expected a certificate for a net alone"),
    ):
        write_json("tampered.json", {**data, key: value})
        assert words in call.error("certify", *check, "tampered.json")


def test_an_interrupted_certificate_is_continued(call: Call, perfect: Path) -> None:
    words = ("certify", "--net", perfect, "--out", "parts.json")
    with call.patch.context() as patch:
        patch.setattr("proofs.enumeration._BATCH", 16)
        patch.setattr("commands.certify.examine", interrupted)
        assert call(*words).status == 130
        assert Path("parts.json.part").stat().st_size > 0
    call.output(*words)
    assert Path("parts.json").read_bytes() == perfect.with_suffix(".certificate.json").read_bytes()
    assert not Path("parts.json.part").exists()

"""Certificates: proofs are confirmed by other means, and tampering is detected."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from anet import ANET
from anet.evaluator import NetEvaluator
from base.params import ANETParams
from base.storage import write_json
from judge import shared_judge
from proofs.certificate import (
    Certificate,
    CertificateError,
    Findings,
    HeldSide,
    digest_of,
    examine,
    positions_of,
    read_certificate,
)
from proofs.enumeration import NEAR_TIE, greedy
from proofs.recheck import has_joined, recheck
from state_manager import make_game
from state_manager.sides import sides_of
from tests.perfect import all_states, perfect_net, perfect_player


def certificate_for(net: ANET, findings: Findings) -> Certificate:
    count, digest = digest_of(positions_of(findings.held))
    sides = findings.sides
    return Certificate(
        game=net.game.name,
        game_params=net.game.params,
        agent="anet",
        net="0" * 64,
        near_tie=NEAR_TIE,
        sides=10,
        proven=len(sides),
        held=tuple(HeldSide(opening=side.opening, player=side.player) for side in sides),
        positions=count,
        digest=digest,
    )


def found_for(net: ANET) -> Findings:
    game = net.game
    return examine(game, greedy(net.exact), sides_of(game, shared_judge(game).winner), 10**6)


@pytest.fixture(scope="module", params=[False, True], ids=["plain", "symmetric"])
def net(request: pytest.FixtureRequest) -> ANET:
    return perfect_net(make_game("hex", size=3), symmetric=request.param)


@pytest.fixture(scope="module")
def certificate(net: ANET) -> Certificate:
    findings = found_for(net)
    assert findings.refuted == []
    certificate = certificate_for(net, findings)
    assert findings.visited == certificate.positions
    return certificate


def test_a_proof_is_confirmed_without_the_kernels_of_the_prover(
    net: ANET, certificate: Certificate, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(net.game, "rules", None)
    monkeypatch.setattr(NetEvaluator, "evaluate_batch", None)
    monkeypatch.setattr(net.view, "inputs", None)
    calls: list[tuple[int, str]] = []
    assert recheck(net, certificate, lambda *call: calls.append(call)) == []
    assert sum(sides for sides, _ in calls) == 10


HELD = HeldSide(opening=(0,), player=1)
"""Player 2 wins after the corner a1."""


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"sides": 11}, "sides: stated 11, there are 10"),
        ({"proven": 9}, "proven: stated 9, 10 are listed"),
        ({"positions": 1}, "positions: stated 1, reached "),
        ({"digest": "f" * 64}, "digest: other positions are reached"),
        ({"near_tie": 0.0}, "near_tie: stated 0, at least 0.0001 is a proof"),
        ({"near_tie": NEAR_TIE / 2}, "near_tie: stated 5e-05, at least 0.0001 is a proof"),
        ({"near_tie": 0.99}, "digest: other positions are reached"),
        ({"held": (HELD,)}, "held: some replies beat player 1 after [0]"),
        ({"held": (HELD, HELD)}, "held: an opening is listed twice"),
        ({"held": (HeldSide(opening=(9,), player=1),)}, "held: player 1 after [9] is no side"),
        ({"held": (HeldSide(opening=(), player=3),)}, "held: player 3 after [] is no side"),
    ],
)
def test_tampering_is_detected(
    net: ANET, certificate: Certificate, change: dict[str, Any], words: str
) -> None:
    wrong = recheck(net, certificate.model_copy(update=change))
    assert any(each.startswith(words) for each in wrong), wrong


def test_another_net_is_not_confirmed(net: ANET, certificate: Certificate) -> None:
    other = ANET(net.game, ANETParams(hidden_layers=(8,)), seed=5)
    assert any("some replies beat player" in each for each in recheck(other, certificate))


def test_the_certificate_of_a_weak_net_holds_its_held_sides_only() -> None:
    net = ANET(make_game("hex", size=3), ANETParams(hidden_layers=(8,), symmetric=True), seed=2)
    findings = found_for(net)
    assert len(findings.sides) + len(findings.refuted) == 10
    assert len(findings.refuted) > 0
    certificate = certificate_for(net, findings)
    assert certificate.positions < findings.visited
    assert recheck(net, certificate) == []


def test_wins_are_those_of_the_rules() -> None:
    game = make_game("hex", size=3)
    reached = np.array([child for state in all_states(game) for _, child in game.children(state)])
    states = np.unique(reached, axis=0)
    winners = np.array([game.winner(state) for state in states])
    for player in (1, 2):
        joined = has_joined(states[:, 1:10].reshape(-1, 3, 3), player)
        assert np.array_equal(joined, winners == player)
        assert 0 < joined.sum() < len(states)


def test_sides_of_the_same_length_are_settled_ply_by_ply() -> None:
    game = make_game("hex", size=3)
    empty = game.initial_state(1)
    settled: list[int] = []
    player = perfect_player(game, {empty.tobytes(): 0})
    sides = sides_of(game, shared_judge(game).winner)
    findings = examine(game, player, sides, 10**6, settled.append)
    assert [side.opening for side, _ in findings.refuted] == [()]
    assert sum(settled) == 10


def test_a_certificate_is_read_as_it_was_written(tmp_path: Path, certificate: Certificate) -> None:
    write_json(tmp_path / "c.json", certificate.model_dump(mode="json"))
    assert read_certificate(tmp_path / "c.json") == certificate


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, "no such file"),
        ("{", "expected a certificate, got a file that is no JSON"),
        ("[]", "expected a certificate; the file: "),
        ('{"game": 3}', "expected a certificate; game: "),
    ],
)
def test_a_file_that_is_no_certificate_is_refused_in_one_line(
    tmp_path: Path, content: str | None, words: str
) -> None:
    path = tmp_path / "c.json"
    if content is not None:
        path.write_text(content)
    with pytest.raises(CertificateError) as error:
        read_certificate(path)
    assert f"c.json: {words}" in str(error.value)
    assert "\n" not in str(error.value)

"""The table of ``best`` against what ``pip`` installs."""

from __future__ import annotations

import re
from importlib.util import find_spec

import pytest

import benchmarks.peers
from benchmarks.peers import matches


@pytest.mark.skipif(not find_spec("hexgame_server"), reason="hexgame-server is not installed")
def test_each_net_is_met_greedy_and_one_with_a_critic_by_a_search() -> None:
    found = [(ours, theirs.partition(":")[0], games) for ours, theirs, games in matches(5, 20)]
    search = "mcts:best,simulations=100"
    assert found[:3] == [("anet:best", "onnx", None), (search, "mcts", 20), found[0]]
    nets = [theirs for _, theirs, _ in matches(15, 20) if "onnx" in theirs]
    assert ["dqn_15x15" in each for each in nets] == [True]


def test_a_match_is_a_row_with_what_theory_knows(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(benchmarks.peers, "PLAIN_SIMULATIONS", 5)
    monkeypatch.setattr("sys.argv", ["peers", "--sizes", "4", "--games", "8"])
    benchmarks.peers.main()
    rows = re.findall(r"4x4 .*? (\d) of 8 .*? (\d) of (\d) ", capsys.readouterr().out)
    assert len(rows) == (2 if find_spec("pyspiel") else 1)
    for won, held, starts in rows:
        assert int(won) >= int(held) == int(starts) == 4, "best plays 4x4 perfectly"

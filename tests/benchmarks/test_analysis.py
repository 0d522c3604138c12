"""The time of an analysis, beside another checkout."""

from pathlib import Path
from typing import Any

import pytest

from benchmarks import analysis


def test_each_game_is_compared_with_the_other_checkout_and_drawn(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    moves = [{"loss": 0.0, "after": {"exact": False}}, {"loss": 12.5, "after": {"exact": True}}]
    review: dict[str, Any] = {
        "setup": {"game_params": {"size": 7}},
        "moves": moves,
        "costliest": [2],
    }
    turns = iter([(99.0, review)] * 2 + [(30.0, review), (12.0, review)])
    monkeypatch.setattr(analysis, "analysed", lambda folder, game, net: next(turns))
    picture = tmp_path / "times.png"
    words = ["a.sgf", "--against", str(tmp_path), "--picture", str(picture)]
    monkeypatch.setattr("sys.argv", ["analysis", *words])
    analysis.main()
    lines = capsys.readouterr().out.splitlines()
    (theirs,), (ours,) = (
        [line for line in lines if words in line] for words in (" 30.0 ", " 12.0 ")
    )
    assert "7x7, 2 moves" in theirs
    assert all(words in ours for words in ("2.5", "1 of 2", "2 (12.5 %)"))
    assert picture.read_bytes().startswith(b"\x89PNG")

"""The costs of an update of a preset, beside another checkout."""

from pathlib import Path

import pytest

from benchmarks import update


def test_play_and_learning_of_an_update_are_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    words = "anet.device=cpu anet.runtime=torch anet.learning_precision=float32 rl.sizes={}"
    monkeypatch.setattr(update, "WORDS", f"{words} mcts.simulations=2")
    played, learned = update.costs("hex-7", 2)
    assert played > 0
    assert learned > 0


def test_the_least_of_the_turns_is_compared_with_the_other_checkout(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    turns = iter([(99.0, 99.0)] * 2 + [(4.0, 7.0), (4.0, 2.0), (5.0, 4.0), (9.0, 3.0)])
    monkeypatch.setattr(update, "measured", lambda folder, preset, games: next(turns))
    words = ["--against", str(tmp_path), "--turns", "2", "--presets", "hex-11"]
    monkeypatch.setattr("sys.argv", ["update", *words])
    update.main()
    rows = [line.split() for line in capsys.readouterr().out.splitlines() if "hex-11" in line]
    assert [[cell for cell in row if cell[0].isdigit()] for row in rows] == [
        ["4.0", "4.0", "8.0", "1.00"],
        ["4.0", "2.0", "6.0", "0.75"],
    ]

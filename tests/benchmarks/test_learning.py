"""Two checkouts that learn: here this one and itself."""

from pathlib import Path

import pytest

import benchmarks.learning
from tests.project import ROOT

AGAINST = "--against", str(ROOT)


def call(monkeypatch: pytest.MonkeyPatch, *words: str) -> None:
    monkeypatch.setattr("sys.argv", ["benchmarks.learning", *words])
    benchmarks.learning.main()


def test_nets_of_the_same_processor_time_meet_and_are_not_trained_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    words = *AGAINST, "--minutes", "0.05", "--seeds", "5", "--simulations", "3", "--games", "4"
    fixed = "--fixed", "random", "--out", str(tmp_path)
    board = "--set", "game.size=4", "mcts.simulations=9"
    call(monkeypatch, *words, *fixed, *board)
    first = capsys.readouterr().out
    assert all(name in first for name in ("ours-5", "theirs-5", "greedy", "3 simulations"))
    nets = {file: file.stat().st_mtime_ns for file in tmp_path.rglob("*.pt")}
    call(monkeypatch, *words, *fixed, *board)
    assert {file: file.stat().st_mtime_ns for file in tmp_path.rglob("*.pt")} == nets
    assert capsys.readouterr().out == first
    assert (tmp_path / "curves.png").stat().st_size > 5000
    with pytest.raises(SystemExit, match="try another --out"):
        call(monkeypatch, *words, *fixed, *board, "rl.epsilon=0.2")
    assert {file: file.stat().st_mtime_ns for file in tmp_path.rglob("*.pt")} == nets


@pytest.mark.parametrize(
    ("words", "mistake"),
    [
        (("--against", "nowhere"), "expected a checkout of this program"),
        ((*AGAINST, "--preset", "hex-99"), "there is no preset hex-99"),
        ((*AGAINST, "--seeds", "3", "3"), "expected different ones"),
        ((*AGAINST, "--ours", "rl.nonsense=1"), "rl.nonsense: unknown key"),
        ((*AGAINST, "--set", "mcts.memory=0.5"), "mcts.memory"),
    ],
)
def test_a_mistake_is_one_line_before_any_training(
    words: tuple[str, ...], mistake: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(SystemExit, match=mistake) as error:
        call(monkeypatch, *words, "--out", str(tmp_path / "out"))
    assert str(error.value).count("\n") == 0
    assert not (tmp_path / "out").exists()

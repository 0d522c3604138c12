"""The match against MoHex, with a small program in MoHex's place."""

import sys
from collections import Counter
from collections.abc import Callable
from functools import reduce
from pathlib import Path
from typing import Any

import pytest

import benchmarks.mohex
from base.storage import read_jsonl
from benchmarks.mohex import Timed, spread
from formats.sgf import action_of
from state_manager import make_game

FIRST_EMPTY_CELL = """#!{python}
import sys
from pathlib import Path
words = sys.argv[1:]
number = len(list(Path({folder!r}).glob("start-*")))
config = Path(words[words.index("--config") + 1]).read_text()
Path({folder!r}, f"start-{{words[-1]}}").write_text(" ".join(words) + "\\n" + config)
for line in sys.stdin:
    command, *words = line.split()
    answer = "="
    if command == "boardsize":
        size = int(words[0])
        empty = [f"{{column}}{{row + 1}}" for row in range(size) for column in "abcdefgh"[:size]]
    elif command == "play":
        empty.remove(words[1])
    elif command == "genmove":
        answer = f"= {{empty.pop(0)}}"
        {deed}
    print(answer, end="\\n\\n", flush=True)
"""
"""Writes a file for each start: its words, and the settings that it reads."""

START = make_game("hex", size=3).initial_state(1)
LOST_BY_BLACK = {"a1", "b1", "b3", "c3"}
"""The openings of 3x3 after which White wins."""

Play = Callable[..., str]


@pytest.fixture
def play(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Play:
    """Run the benchmark on 3x3 with these words, and return its output.

    ``deed`` follows each move of the program, which has begun ``number`` games before.
    """

    def run(*words: str, deed: str = "pass") -> str:
        program = tmp_path / "mohex"
        values = {"python": sys.executable, "folder": str(tmp_path), "deed": deed}
        program.write_text(FIRST_EMPTY_CELL.format(**values))
        program.chmod(0o755)
        given = ["--mohex", str(program), "--size", "3", "--out", str(tmp_path / "out.jsonl")]
        monkeypatch.setattr(sys, "argv", ["mohex", *given, *words])
        benchmarks.mohex.main()
        return capsys.readouterr().out

    return run


def games(folder: Path) -> list[dict[str, Any]]:
    return read_jsonl(folder / "out.jsonl")[1:]


def starts(folder: Path) -> list[str]:
    return [file.read_text() for file in folder.glob("start-*")]


def check_table(output: str, lines: list[dict[str, Any]]) -> list[bool]:
    """Compare the table with the games; return whether we won each game that theory gives us."""
    rows = [line.split("│")[1:-1] for line in output.splitlines() if "│" in line]
    for (name, wins, _, held, taken), players in zip(rows, ({1}, {2}, {1, 2}), strict=True):
        outcomes: dict[bool, list[bool]] = {True: [], False: []}
        for line in lines:
            if line["player"] in players:
                holds = (line["opening"] in LOST_BY_BLACK) == (line["player"] == 2)
                outcomes[holds].append(line["winner"] == line["player"])
        every = outcomes[True] + outcomes[False]
        expected = [f"{sum(each)} of {len(each)}" for each in (every, *outcomes.values())]
        assert [wins.strip(), held.strip(), taken.strip()] == expected, name
    return outcomes[True]


def test_the_table_counts_wins_by_seat_and_by_theory(play: Play, tmp_path: Path) -> None:
    output = play("--agent", "exact", "--games", "8")
    assert all(check_table(output, games(tmp_path)))


def test_a_line_has_the_whole_game_with_its_times_and_mohex_its_settings(
    play: Play, tmp_path: Path
) -> None:
    output = play("--agent", "random", "--seconds", "2.5", "--seed", "4")
    lines, game = games(tmp_path), make_game("hex", size=3)
    check_table(output, lines)
    assert f"{len({line['moves'] for line in lines})} of 18 games are distinct" in output
    assert len({(line["opening"], line["player"]) for line in lines}) == len(lines) == 18
    for line in lines:
        moves = line["moves"].split()
        state = reduce(game.child_state, (action_of(each, 3) or 0 for each in moves), START)
        assert (game.winner(state), moves[0]) == (line["winner"], line["opening"])
        by_white, by_black = len(moves) // 2, (len(moves) - 1) // 2
        counts = (by_black, by_white) if line["player"] == 1 else (by_white, by_black)
        assert (len(line["seconds"]), len(line["mohex_seconds"])) == counts
    words, settings = zip(*(text.split("\n", 1) for text in starts(tmp_path)), strict=True)
    assert len(set(words)) == len(words) == 18
    assert all(each.startswith("--quiet --use-logfile 0 --config ") for each in words)
    expected = "max_time 2.5|num_threads 1|use_time_management 0|reuse_subtree 0|ponder 0|"
    expected += "perform_pre_search 1|max_memory 200000000"
    assert set(settings) == {"".join(f"param_mohex {each}\n" for each in expected.split("|"))}


def test_a_match_goes_on_where_it_stopped_even_in_half_a_line(play: Play, tmp_path: Path) -> None:
    words, file = ("--agent", "random", "--games"), tmp_path / "out.jsonl"
    assert "2 of 2 games" in play(*words, "2")
    text, before = file.read_text(), starts(tmp_path)
    file.write_text(text + '{"opening": "c1", "pl')
    assert "6 of 6 games" in play(*words, "6")
    assert file.read_text().startswith(text)
    assert (len(before), len(starts(tmp_path)), len(games(tmp_path))) == (2, 6, 6)
    assert read_jsonl(file)[0]["clock"] == "process_time"
    finished = sorted(line["moves"] for line in games(tmp_path))
    file.unlink()
    play(*words, "6", "--workers", "2")
    assert sorted(line["moves"] for line in games(tmp_path)) == finished


def test_an_interruption_loses_only_the_running_game(
    play: Play, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    choose, calls = Timed.choose_action, Counter[str]()

    def interrupted(self: Timed, state: Any) -> Any:
        calls["moves"] += 1
        if calls["moves"] == 20:
            raise KeyboardInterrupt
        return choose(self, state)

    monkeypatch.setattr(Timed, "choose_action", interrupted)
    with pytest.raises(SystemExit, match="the same command continues the match"):
        play("--agent", "random")
    kept = games(tmp_path)
    assert sum(len(line["moves"].split()) - 1 for line in kept) < 20
    assert len(kept) == len(starts(tmp_path)) - 1 > 0
    play("--agent", "random")
    assert (games(tmp_path)[: len(kept)], len(games(tmp_path))) == (kept, 18)


def test_a_file_of_another_match_is_refused(play: Play, tmp_path: Path) -> None:
    play("--agent", "random", "--games", "2")
    file = tmp_path / "out.jsonl"
    before = file.read_text()
    for words, message in (
        (["--seconds", "2"], "expected max_time=2.0, got max_time=1.0"),
        (["--seed", "2"], "expected seed=2, got seed=1"),
        (["--agent", "exact"], "expected agent=exact, got agent=random"),
        (["--size", "4"], "expected size=4, got size=3"),
    ):
        with pytest.raises(SystemExit) as caught:
            play("--agent", "random", *words)
        assert caught.value.code == f"benchmarks.mohex: {file}: {message}"
        assert file.read_text() == before


def test_a_broken_program_ends_the_match_and_keeps_its_games(play: Play, tmp_path: Path) -> None:
    with pytest.raises(SystemExit) as caught:
        play("--agent", "random", deed="if number == 2: sys.exit(3)")
    assert str(caught.value.code).startswith("benchmarks.mohex: engine ")
    kept = games(tmp_path)
    assert len(kept) == 2
    play("--agent", "random", "--games", "6")
    assert (games(tmp_path)[:2], len(games(tmp_path))) == (kept, 6)


def test_a_game_that_finished_before_an_earlier_one_is_kept(play: Play, tmp_path: Path) -> None:
    others_begun = "len(list(Path(sys.argv[0]).parent.glob('start-*'))) > 2"
    wait = f"while sys.argv[-1] == '1001': {others_begun} and sys.exit(3)"
    with pytest.raises(SystemExit, match="it ended before it answered"):
        play("--agent", "random", "--workers", "2", deed=wait)
    assert games(tmp_path)
    assert ("a1", 1) not in {(line["opening"], line["player"]) for line in games(tmp_path)}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--games", "3"], "--games: expected an even number, got 3"),
        (["--seconds", "0.5"], "--seconds: expected at least 1, got 0.5"),
    ],
)
def test_impossible_words_are_refused(
    play: Play, capsys: pytest.CaptureFixture[str], words: list[str], message: str
) -> None:
    with pytest.raises(SystemExit):
        play(*words)
    assert message in capsys.readouterr().err


@pytest.mark.parametrize("size", [3, 7, 11, 19])
def test_the_first_openings_are_spread_over_rows_and_columns(size: int) -> None:
    cells = spread(size * size)
    assert sorted(cells) == list(range(size * size))
    first = cells[: 3 * size]
    for lines in (Counter(cell // size for cell in first), Counter(cell % size for cell in first)):
        assert set(lines) == set(range(size))
        assert max(lines.values()) <= 6

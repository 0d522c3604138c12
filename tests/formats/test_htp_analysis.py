"""HexGui's solver buttons, and continuous analysis."""

import random
import re
from pathlib import Path

import pytest

from agents import make_agent
from formats.htp import HTPEngine
from formats.sgf import cell_name
from judge.exhaustive import ExactPlay
from state_manager import StateManager, make_game
from tests.formats.conftest import replies
from tests.formats.tables import answer
from tests.project import ROOT


def searching(
    game: StateManager, word: str = "mcts:simulations=90", swaps: bool = False
) -> HTPEngine:
    """Return an engine whose player searches, on the board of a game."""
    agent = make_agent(word, game)
    return HTPEngine(lambda size, seconds: agent, game.board_shape[0], word, "1", swaps)


def parts_until(engine: HTPEngine, line: str, parts: int, typed: str = "name\n") -> list[str]:
    """Return the parts of a response; after some of them, the next line is typed."""
    found: list[str] = []
    for part in engine.responses(line, lambda _: typed if len(found) >= parts else None):
        found.append(part)
    return found


NET_4 = ROOT / "nets" / "hex-4" / "anet_03584.pt"
NET_5 = ROOT / "nets" / "hex-5" / "anet_00200.pt"


@pytest.mark.parametrize("swap", [False, True])
def test_everything_that_is_listed_works(tmp_path: Path, swap: bool) -> None:
    (tmp_path / "game.sgf").write_text("(;GM[11]SZ[4];B[a1])")
    given = {
        **{"boardsize": "4", "genmove": "b", "known_command": "name", "komi": "0"},
        **{"loadsgf": str(tmp_path / "game.sgf"), "play": "b b1", "reg_genmove": "w"},
        **{"time_left": "b 0 0", "time_settings": "0 0 0"},
    }
    engine = searching(make_game("hex", size=4, swap=swap), f"mcts:{NET_4},simulations=50", swap)
    names = replies(engine, "list_commands")[0].removeprefix("= ").splitlines()
    entries = replies(engine, "hexgui-analyze_commands")[0].removeprefix("= ").splitlines()
    shown = [entry.split("/") for entry in entries]
    assert {len(parts) for parts in shown} == {3}  # HexGui divides them by slashes
    commands = [command.replace("%m", "w") for _, _, command in shown]
    assert {command.split()[0] for command in commands} <= {*names}
    for line in (*commands, *(f"{name} {given.get(name, '')}" for name in names)):
        replies(engine, "clear_board", "play b a1", "play w c2", "genmove b")
        assert re.match(r"=|gogui-gfx:\n[^\n]+\n\n=", answer(engine, line)), line


def test_solved_positions_are_those_of_exhaustive_search() -> None:
    drawn, game = random.Random(2), make_game("hex", size=4)
    exhaustive, engine = ExactPlay(game), searching(game)
    for _ in range(10):
        cells = drawn.sample(range(16), 6)
        board = [cells.index(cell) % 2 + 1 if cell in cells else 0 for cell in range(16)]
        stones = [f"play {'.bw'[board[cell]]} {cell_name(cell, 4)}" for cell in cells]
        assert replies(engine, "clear_board", *stones) == ["="] * 7
        for player, colour in ((1, "black"), (2, "white")):
            state = game.initial_state(player, board)
            winner = exhaustive.outcome(state)
            best = sorted(exhaustive.best_actions(state)) if winner == player else []
            moves = "".join(f" {cell_name(action, 4)}" for action in best)
            lines = f"dfpn-solve-state {colour}", f"dfpn-solver-find-winning {colour}"
            asked = replies(engine, *lines)
            assert asked == [f"= {('black', 'white')[winner - 1]}", f"={moves}"]


def test_hexgui_can_stop_the_judge() -> None:
    engine = searching(make_game("hex", size=7))
    replies(engine, "play b a2")
    (refusal,) = parts_until(engine, "dfpn-solver-find-winning w", 0, "# interrupt\n")
    assert refusal.startswith("? the exact judge could not decide this")
    assert replies(engine, "dfpn-solve-state w") == ["= white"]


def test_the_swap_counts_where_the_player_knows_it_and_is_no_move_of_an_analysis() -> None:
    engine = searching(make_game("hex", size=3, swap=True), swaps=True)
    replies(engine, "play b b2")
    assert replies(engine, "dfpn-solve-state w") == ["= white"]
    assert replies(engine, "dfpn-solver-find-winning w")[0].startswith("? the swap wins")
    first, *reports, last = parts_until(engine, "lz-analyze w 5", 3)
    assert (first, last) == ("=\n", "\n")
    assert all(part.startswith("info move ") for part in reports)
    assert "swap" not in "".join(reports)


MOVE = (
    r"info move (\w+) visits (\d+) winrate (\d+)(?: prior (\d+))?"
    r" order (\d+) pv ([\w ]+?)(?= info|$)"
)


@pytest.mark.parametrize("word", ["mcts", f"mcts:{NET_5}"])
def test_a_continuous_analysis_reports_until_the_next_line_comes(word: str) -> None:
    engine = searching(make_game("hex", size=5), word)
    replies(engine, "play b c3")
    first, *reports, last = parts_until(engine, "7 lz-analyze w 2", 4)
    assert (first, last, len(reports)) == ("=7\n", "\n", 3)
    empty = {*replies(engine, "all_legal_moves")[0].removeprefix("= ").split()}
    most = 0
    for report in reports:
        moves = re.findall(MOVE, report.rstrip("\n"))
        assert report == " ".join(match[0] for match in re.finditer(MOVE, report)) + "\n"
        assert [int(move[4]) for move in moves] == list(range(len(moves)))
        assert 1 <= len(moves) <= 10
        for cell, _, wins, prior, _, line in moves:
            assert line.split()[0] == cell
            assert {*line.split()} <= empty
            assert 0 <= int(wins) <= 10_000
            assert (prior == "") == (word == "mcts")
        visits = [int(move[1]) for move in moves]
        assert visits[1:] == sorted(visits[1:], reverse=True)
        assert sum(visits) >= most
        most = sum(visits)
    assert replies(engine, "pv")[0] == f"= {moves[0][5]}"  # of the position that was analysed
    assert replies(engine, "genmove w", "8 name")[1] == f"=8 {word}"


def test_hexgui_draws_an_analysis_as_pictures() -> None:
    engine = searching(make_game("hex", size=5))
    *pictures, last = parts_until(engine, "gogui-gfx-analyze black 2", 3)
    assert last.startswith("= ")
    assert len(pictures) == 3
    for picture in pictures:
        assert picture.startswith("gogui-gfx:\nkata info move ")
        assert picture.endswith("\n\n")
        assert picture.count("\n\n") == 1
        words = picture.split()
        chances = [float(words[at + 1]) for at, word in enumerate(words) if word == "winrate"]
        assert all(0 <= each <= 1 for each in chances)
        assert words.count("scoreLead") == words.count("order") == len(chances)


def test_an_analysis_of_a_decided_position_waits_for_the_next_report() -> None:
    engine = searching(make_game("hex", size=3), "mcts:simulations=90,solver=true")
    replies(engine, "play b b2", "play w a1")
    waits: list[float] = []

    def next_line(seconds: float) -> str | None:
        waits.append(seconds)
        return None if sum(seconds > 0 for seconds in waits) < 3 else ""

    *_, report, _ = engine.responses("lz-analyze b 100", next_line)
    assert " winrate 10000 " in report
    assert max(waits) > 0.01


def test_an_analysis_has_chances_of_the_colour_that_moves() -> None:
    engine = searching(make_game("hex", size=3))
    replies(engine, "play b a1", "play b b2", "play b c1", "play b b1")  # black cannot lose
    for colour, is_good in (("b", True), ("w", False)):
        _, report, _ = engine.responses(f"lz-analyze {colour} 5")
        assert (int(re.findall(MOVE, report.strip())[0][2]) > 5000) == is_good


@pytest.mark.parametrize(
    ("words", "count", "named"),
    [
        ("b interval 5 minmoves 12", 12, None),
        ("interval 5 maxmoves 2", 2, None),
        ("b 5 avoid b a1,b2,pass 1 avoid w c3 1", 10, {"a1", "b2"}),
        ("b 5 allow b a1,b2 1 ownership true", 2, {"a1", "b2"}),
    ],
)
def test_an_analysis_takes_the_words_of_leela_zero_and_katago(
    words: str, count: int, named: set[str] | None
) -> None:
    engine = searching(make_game("hex", size=4))
    for name in ("lz-analyze", "kata-analyze"):
        *_, report, last = parts_until(engine, f"{name} {words}", 4)
        cells = re.findall(r"info move (\w+) visits \d+ winrate", report)
        assert len(cells) == count
        assert named is None or ({*cells} == named if "allow" in words else not {*cells} & named)
        shares = [float(each) for each in re.findall(r"winrate (\S+)", report)]
        assert (max(shares) > 1) == (name == "lz-analyze")
        assert ("scoreLead" in report) == (name == "kata-analyze")
        assert last == "\n"

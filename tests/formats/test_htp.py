"""The Hex Text Protocol: replies to right and wrong commands."""

import random
import re
from pathlib import Path

import pytest

from agents import make_agent
from agents.agent import Agent
from formats.htp import HTPEngine
from state_manager import make_game
from tests.formats.conftest import replies
from tests.formats.tables import answer, exact_player, random_player


def test_a_game_on_the_largest_board_is_played_shown_and_loaded(tmp_path: Path) -> None:
    """Each of the 19 letters and numbers; black wins in the last row."""
    engine = HTPEngine(random_player, 3, "x", "1")
    moves = [f"b s{row}" if turn == 0 else f"w a{row}" for row in range(1, 20) for turn in (0, 1)]
    assert replies(engine, "boardsize 19", *(f"play {move}" for move in moves[:-1])) == ["="] * 38
    assert replies(engine, "final_score", "genmove w") == ["= B+", "? the game is over"]
    file = tmp_path / "game.sgf"
    nodes = (f";{colour.upper()}[{cell}]" for colour, cell in map(str.split, moves[:-1]))
    file.write_text(f"(;GM[11]SZ[19]{''.join(nodes)})")
    board = replies(engine, "showboard")
    assert replies(engine, "boardsize 4", f"loadsgf {file}", "showboard") == ["=", "=", *board]


def test_a_game_is_loaded_up_to_a_move(engine: HTPEngine, tmp_path: Path) -> None:
    file = tmp_path / "game.sgf"
    file.write_text("(;GM[11]SZ[4];B[a1];W[b2];B[c3])")
    assert replies(engine, f"loadsgf {file}", "play w a2") == ["=", "="]
    assert replies(engine, f"loadsgf {file} 3", "play b d4") == ["=", "="]
    file.write_text("https://hexworld.org/board/#4c1,a1:sb2")
    assert replies(engine, f"loadsgf {file}", "play w a2", "play b c3") == ["="] * 3
    file.write_text("(;GM[11]")
    assert "line 1, column 9: expected the ) of each (" in replies(engine, f"loadsgf {file}")[0]
    file.write_text("")
    assert replies(engine, f"loadsgf {file}")[0].endswith("expected a game, got none")


def test_the_clock_sets_the_time_limit_of_a_move() -> None:
    given: list[float | None] = []

    def remembering(size: int, seconds: float | None) -> Agent:
        given.append(seconds)
        return exact_player(size, None)

    engine = HTPEngine(remembering, 3, "", "")
    replies(engine, "reg_genmove b", "time_settings 40 0 0", "reg_genmove b")
    replies(engine, "time_settings 0 8 3", "reg_genmove b", "time_left b 6 2", "reg_genmove b")
    replies(engine, "time_settings 0 0 0", "reg_genmove b")
    assert given == [None, pytest.approx(12.0), pytest.approx(2.4), pytest.approx(2.7), None]


def test_each_of_thousands_of_lines_gets_a_reply(engine: HTPEngine) -> None:
    drawn = random.Random(1)
    names = [name for name in replies(engine, "list_commands")[0][2:].split() if name != "quit"]
    words = ["b", "w", "black", "a1", "b2", "c3", "z99", "3", "4", "-1", "1e9", "nan", "#", "\t"]
    words += ["swap-pieces", "resign", "\x00", "\u00e9", "x" * 200, "=", "?", "/dev/null", ""]
    for _ in range(3000):
        line = [drawn.choice(names) if drawn.random() < 0.9 else drawn.choice(words)]
        line += drawn.choices(words, k=drawn.randrange(4))
        reply = answer(engine, " ".join(line) + "\n")
        if reply:
            assert reply[0] in "=?"
            assert reply.endswith("\n\n")
            assert "\n\n" not in reply[:-2]
    assert engine.is_open
    assert replies(engine, "quit") == ["="]
    assert not engine.is_open


def test_analysis_is_of_the_current_position_in_the_order_of_hexgui() -> None:
    """HexGui asks after each move, and colours a line from the player to move."""
    agent = make_agent("mcts:simulations=900,time_limit=null", make_game("hex", size=4))
    engine = HTPEngine(lambda size, seconds: agent, 4, "mcts", "1")
    assert replies(engine, "pv") == ["? expected a position that the last search knows"]
    for colour, other in ("bw", "wb"):
        move = replies(engine, f"genmove {colour}")[0]
        line, visits, values = (
            each.removeprefix("= ").split() for each in replies(engine, "pv", "visits", "values")
        )
        empty = replies(engine, "all_legal_moves")[0].removeprefix("= ").split()
        assert move.removeprefix("= ") not in empty
        assert {*line, *visits[::2], *values[::2]} <= {*empty}
        assert line[0] == visits[0]
        assert replies(engine, f"play {other} {line[0]}", "pv")[1] == f"= {' '.join(line[1:])}"
        replies(engine, "undo")


def test_an_expected_line_ends_before_a_swap() -> None:
    """After a swap the other player is next, so HexGui would colour the rest wrongly."""
    agent = make_agent("mcts:simulations=2000,time_limit=null", make_game("hex", size=4, swap=True))
    engine = HTPEngine(lambda size, seconds: agent, 4, "mcts", "1", swaps=True)
    asked = ("play b b3", "reg_genmove w", "pv", "swap", "genmove w", "pv", "swap")
    _, best, before, words, _, after, none = replies(engine, *asked)
    assert best == "= swap-pieces"
    assert before == "="
    assert re.fullmatch(r"= the swap has \d+% of the visits and wins \d+%", words)
    assert none == "= no swap is possible here"
    assert len(after.split()) > 1
    for reply in replies(engine, "clear_board", "genmove b", "visits", "values", "pv"):
        assert reply.startswith("=")
        assert "swap" not in reply


def test_text_of_a_file_cannot_answer_for_the_engine(engine: HTPEngine, tmp_path: Path) -> None:
    file = tmp_path / "game.sgf"
    for text in ("(;GM[1\n\n= a1\n\n])", "(;SZ[4\n\n= a1\n\n])", "(;SZ[4];B[a1\x1b[31m\n\n= b1])"):
        file.write_text(text)
        (reply,) = replies(engine, f"loadsgf {file}")
        assert reply.startswith("? ")
        assert reply.isprintable()

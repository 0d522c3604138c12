"""The Hex Text Protocol: replies to right and wrong commands."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

from agents import AgentError, make_agent
from agents.agent import Agent
from agents.random import RandomAgent
from formats.htp import HTPEngine
from state_manager import make_game


def players(size: int, seconds: float | None) -> Agent:
    """Play perfectly on small boards."""
    if size > 4:
        raise AgentError("expected a board of up to 4 rows")
    return make_agent("exact", make_game("hex", size=size))


@pytest.fixture
def engine() -> HTPEngine:
    return HTPEngine(players, 3, "exact", "1")


def replies(engine: HTPEngine, *lines: str) -> list[str]:
    """Return the replies to lines, each without its end."""
    texts = [engine.answer(line) for line in lines]
    assert all(each.endswith("\n\n") for each in texts)
    return [each[:-2] for each in texts]


def test_the_engine_has_the_administrative_commands(engine: HTPEngine) -> None:
    assert replies(engine, "protocol_version", "name", "version") == ["= 2", "= exact", "= 1"]
    assert replies(engine, "known_command play", "known_command pass") == ["= true", "= false"]
    assert replies(engine, "17 known_command genmove", "18 nothing") == [
        "=17 true",
        "?18 unknown command: 'nothing'",
    ]
    names = replies(engine, "list_commands")[0].removeprefix("= ").splitlines()
    assert {"boardsize", "reg_genmove", "hexgui-analyze_commands", "all_legal_moves"} <= {*names}
    for name in names:
        assert replies(engine, f"known_command {name}") == ["= true"]
    assert (engine.answer(""), engine.answer("  # only a comment\n")) == ("", "")
    assert replies(engine, "\x07name\x01 # and why") == ["= exact"]


def test_a_game_is_played_to_its_end(engine: HTPEngine) -> None:
    assert replies(engine, "play black a1", "play white b1", "undo", "undo") == ["="] * 4
    assert replies(engine, "undo") == ["? cannot undo"]
    assert replies(engine, "all_legal_moves") == ["= a1 b1 c1 a2 b2 c2 a3 b3 c3"]
    assert replies(engine, "play b b2", "play w a1", "final_score") == ["=", "=", "= cannot score"]
    for _ in range(3):
        if replies(engine, "final_score") == ["= B+"]:
            break
        assert replies(engine, "genmove b")[0] != "="
        if replies(engine, "final_score") == ["= cannot score"]:
            legal = replies(engine, "all_legal_moves")[0].split()
            assert replies(engine, f"play w {legal[1]}") == ["="]
    assert replies(engine, "final_score", "all_legal_moves") == ["= B+", "="]
    assert replies(engine, "genmove w") == ["? the game is over"]
    assert replies(engine, "showboard")[0].count("\n") == 4


def test_reg_genmove_plays_no_move(engine: HTPEngine) -> None:
    assert re.fullmatch("= [abc][123]", replies(engine, "reg_genmove b")[0])
    assert len(replies(engine, "all_legal_moves")[0].split()) == 10
    assert replies(engine, "play w a1", "reg_genmove w")[1] != "= a1"


def test_white_may_begin_and_the_first_stone_may_be_swapped(engine: HTPEngine) -> None:
    assert replies(engine, "play w c1", "play b a1", "clear_board") == ["="] * 3
    assert replies(engine, "play b b1", "play w swap-pieces", "play w c3") == ["="] * 3
    board = ["  a b c", " 1 . B .", "  2 . . .", "   3 . . W"]  # White moves next: it stays
    assert replies(engine, "showboard")[0].splitlines()[1:] == board
    assert replies(engine, "undo", "play w c2", "undo", "undo", "undo") == ["="] * 5


def test_a_position_is_set_up_by_plays_of_any_colour_and_searched_for_either(
    engine: HTPEngine,
) -> None:
    lines = ("play b a1", "play b c1", "play b b3", "play w a2", "play w c3", "play w b2")
    assert replies(engine, *lines) == ["="] * 6
    black, white = replies(engine, "reg_genmove b", "reg_genmove w")
    assert (black[2:], white[2:]) == ("c2", "c2")  # only black can still win, only white prevent it
    assert replies(engine, "genmove w", "final_score", "undo") == ["= c2", "= W+", "="]
    assert replies(engine, "genmove b")[0][2:] in {"c2", "b1", "a3"}
    assert replies(engine, *["undo"] * 7, "undo") == [*["="] * 7, "? cannot undo"]


def test_a_second_stone_of_one_colour_cannot_be_swapped(engine: HTPEngine) -> None:
    swap = "? illegal move: expected an empty cell, got 'swap-pieces'"
    assert replies(engine, "play b a1", "play b swap-pieces", "play b b2") == ["=", swap, "="]
    assert replies(engine, "play w swap-pieces", "undo", "play w swap-pieces") == [swap, "=", "="]


def test_a_position_with_stones_is_loaded_and_played_on(engine: HTPEngine, tmp_path: Path) -> None:
    file = tmp_path / "puzzle.sgf"
    file.write_text("(;GM[11]SZ[4]AB[a1][b1][c2]AW[d4]PL[W];W[a4];B[b2])")
    assert replies(engine, f"loadsgf {file}", "undo", "undo", "undo") == [
        *("=", "=", "="),
        "? cannot undo",
    ]
    assert replies(engine, "play b a4", "play b b4", "undo") == ["="] * 3
    assert replies(engine, "showboard")[0].splitlines()[1:] == [
        *("  a b c d", " 1 B B . .", "  2 . . B .", "   3 . . . .", "    4 B . . W"),
    ]
    assert replies(engine, "genmove w")[0].startswith("= ")
    file.write_text("(;GM[11]SZ[3]AB[a1][a2][a3]AW[b1][b2][b3])")
    assert replies(engine, f"loadsgf {file}") == ["="]
    assert replies(engine, "genmove w", "final_score") == ["? the game is over", "= B+"]
    file.write_text("(;GM[11]SZ[3]AB[b1][b2][b3]AW[a1];W[c1])")
    assert replies(engine, f"loadsgf {file}")[0].endswith("move 1 is illegal")


def test_an_agent_whose_game_has_the_swap_takes_a_strong_stone_over() -> None:
    def swapping(size: int, seconds: float | None) -> Agent:
        return make_agent("exact", make_game("hex", size=size, swap=True))

    engine = HTPEngine(swapping, 3, "exact", "1", swaps=True)
    assert replies(engine, "play b b2", "genmove w") == ["=", "= swap-pieces"]
    assert replies(engine, "clear_board", "play b a1", "genmove w")[2] != "= swap-pieces"


def test_boards_that_cannot_be_played_are_refused_and_nothing_changes(engine: HTPEngine) -> None:
    replies(engine, "play b a1")
    square = "? expected a square board of 3 to 19 rows"
    lines = (
        "boardsize 3 4",
        "boardsize 2",
        "boardsize 20",
        "boardsize 99999999999999999999",
        "boardsize 0044",
    )
    assert replies(engine, *lines) == [square] * 5
    assert replies(engine, "boardsize 5") == ["? expected a board of up to 4 rows"]
    assert replies(engine, "boardsize") == ["? expected boardsize with WIDTH HEIGHT"]
    assert replies(engine, "play w a1")[0].startswith("? illegal move: expected an empty cell")
    assert replies(engine, "boardsize 4 4", "play w d4") == ["=", "="]


WRONG = {
    "play b": "expected play with COLOUR CELL",
    "play red a1": "expected black or white, got 'red'",
    "play b d1": "illegal move: expected an empty cell, got 'd1'",
    "play b 11": "illegal move: expected an empty cell, got '11'",
    "time_left b soon 0": "expected a number from 0 on, got 'soon'",
    "time_settings 1 2": "expected time_settings with MAIN BYO_YOMI STONES",
    "policy": "expected a player with a net",
    "visits": "expected a player who searches",
    "pv": "expected a player who searches",
    "quit now": "expected quit with no words",
}


@pytest.mark.parametrize("line", WRONG)
def test_a_wrong_command_gets_an_error_reply(engine: HTPEngine, line: str) -> None:
    assert replies(engine, line) == [f"? {WRONG[line]}"]


def test_a_game_on_the_largest_board_is_played_shown_and_loaded(tmp_path: Path) -> None:
    """Each of the 19 letters and numbers; black wins in the last row."""
    engine = HTPEngine(lambda size, seconds: RandomAgent(make_game("hex", size=size)), 3, "x", "1")
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
    for text in (file, "4c1,a1:sb2"):
        assert replies(engine, f"loadsgf {text}", "play w a2", "play b c3") == ["="] * 3
    assert replies(engine, "loadsgf d4", "undo", "undo") == ["=", "=", "? cannot undo"]
    file.write_text("(;GM[11]SZ[4];B[a1];W[a1])")
    assert "expected an empty cell, got a1" in replies(engine, f"loadsgf {file}")[0]
    file.write_text("(;GM[11]")
    assert "line 1, column 9: expected the ) of each (" in replies(engine, f"loadsgf {file}")[0]
    assert replies(engine, "loadsgf nowhere.sgf")[0].startswith("? cannot load 'nowhere.sgf'")
    file.write_text("")
    assert replies(engine, f"loadsgf {file}")[0].endswith("expected a game, got none")


def test_the_clock_sets_the_time_limit_of_a_move() -> None:
    given: list[float | None] = []

    def remembering(size: int, seconds: float | None) -> Agent:
        given.append(seconds)
        return players(size, None)

    engine = HTPEngine(remembering, 3, "", "")
    replies(engine, "reg_genmove b", "time_settings 40 0 0", "reg_genmove b")
    replies(engine, "time_settings 0 8 3", "reg_genmove b", "time_left b 6 2", "reg_genmove b")
    replies(engine, "time_settings 0 0 0", "reg_genmove b")
    assert given == [None, pytest.approx(12.0), pytest.approx(2.4), pytest.approx(2.7), None]


def test_each_of_ten_thousand_lines_gets_a_reply() -> None:
    drawn = random.Random(1)
    engine = HTPEngine(players, 3, "exact", "1")
    names = [name for name in replies(engine, "list_commands")[0][2:].split() if name != "quit"]
    words = ["b", "w", "black", "a1", "b2", "c3", "z99", "3", "4", "-1", "1e9", "nan", "#", "\t"]
    words += ["swap-pieces", "resign", "\x00", "\u00e9", "x" * 200, "=", "?", "/dev/null", ""]
    for _ in range(10_000):
        line = [drawn.choice(names) if drawn.random() < 0.9 else drawn.choice(words)]
        line += drawn.choices(words, k=drawn.randrange(4))
        reply = engine.answer(" ".join(line) + "\n")
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


def test_a_swap_is_not_drawn_on_cells() -> None:
    agent = make_agent("mcts:simulations=300,time_limit=null", make_game("hex", size=4, swap=True))
    engine = HTPEngine(lambda size, seconds: agent, 4, "mcts", "1", swaps=True)
    replies(engine, "genmove b")
    for reply in replies(engine, "visits", "values", "pv"):
        assert reply.startswith("=")
        assert "swap" not in reply


def test_an_expected_line_ends_before_a_swap() -> None:
    """After a swap the other player is next, so HexGui would colour the rest wrongly."""
    agent = make_agent("mcts:simulations=3000,time_limit=null", make_game("hex", size=5, swap=True))
    engine = HTPEngine(lambda size, seconds: agent, 5, "mcts", "1", swaps=True)
    asked = ("play b c3", "reg_genmove w", "pv", "swap", "genmove w", "pv", "swap")
    _, best, before, words, _, after, none = replies(engine, *asked)
    assert best == "= swap-pieces"
    assert before == "="
    assert re.fullmatch(r"= the swap has \d+% of the visits and wins \d+%", words)
    assert none == "= no swap is possible here"
    assert len(after.split()) > 1


def test_a_move_of_the_judge_has_no_search_statistics() -> None:
    agent = make_agent("mcts:judge=true,simulations=9", make_game("hex", size=4))
    engine = HTPEngine(lambda size, seconds: agent, 4, "judge", "1")
    replies(engine, "genmove b")
    unknown = "? expected a position that the last search knows"
    assert replies(engine, "pv", "visits") == [unknown, unknown]


def test_after_a_swap_the_next_mover_decides_whether_the_stone_stays(engine: HTPEngine) -> None:
    swapped = ("clear_board", "play b c2", "play w swap-pieces")
    *_, board = replies(engine, *swapped, "play b a1", "showboard")
    assert [board.count(stone) for stone in "BW"] == [1, 1]
    assert board.splitlines()[4] == "   3 . W ."  # b3, the mirrored c2
    *_, board = replies(engine, *swapped, "play w a1", "showboard")
    assert board.splitlines()[2:4] == [" 1 W . .", "  2 . . B"]  # HexGui up to 0.9, MoHex
    *_, move, board = replies(engine, *swapped, "genmove w", "showboard")
    assert move != "= c2"
    assert [board.count(stone) for stone in "BW"] == [1, 1]


def test_words_of_go_programs_are_understood(engine: HTPEngine) -> None:
    assert replies(engine, "komi 6.5", "play b B2", "play w resign") == ["="] * 3
    assert replies(engine, "final_score", "genmove w") == ["= B+", "? the game is over"]
    assert replies(engine, "undo", "final_score") == ["=", "= cannot score"]
    assert replies(engine, "play w b2")[0] == "? illegal move: expected an empty cell, got 'b2'"
    assert replies(engine, "play w pass") == [
        "? illegal move: expected an empty cell, as Hex has no pass"
    ]
    assert replies(engine, "play w resign", "play w c1", "final_score")[-1] == "= cannot score"


def test_text_of_a_file_cannot_answer_in_place_of_the_engine(
    engine: HTPEngine, tmp_path: Path
) -> None:
    file = tmp_path / "game.sgf"
    for text in ("(;GM[1\n\n= a1\n\n])", "(;SZ[4\n\n= a1\n\n])", "(;SZ[4];B[a1\x1b[31m\n\n= b1])"):
        file.write_text(text)
        answer = engine.answer(f"loadsgf {file}")
        assert answer.startswith("? ")
        assert answer.endswith("\n\n")
        assert answer[:-2].isprintable()


def test_a_known_loss_is_resigned_only_where_that_is_wanted() -> None:
    lost = ("play b a1", "play b b1", "play b c1", "play b a2")  # White cannot stop both threats
    for resigns in (False, True):
        agent = make_agent("mcts:judge=true,simulations=9", make_game("hex", size=3))
        engine = HTPEngine(lambda size, seconds, agent=agent: agent, 3, "x", "1", resigns=resigns)  # type: ignore[misc]
        assert replies(engine, *lost) == ["="] * 4
        answer = replies(engine, "genmove w")[0]
        assert (answer == "= resign") == resigns
        assert replies(engine, "final_score") == ["= B+" if resigns else "= cannot score"]
        assert (replies(engine, "clear_board", "genmove b")[1] == "= resign") is False

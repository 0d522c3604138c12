"""SGF: round trips, files of other programs, and files with a wrong bracket."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.match import GameRecord
from formats.links import hexworld_link
from formats.sgf import (
    SgfError,
    SGFNode,
    cell_name,
    parse,
    parse_games,
    read_game,
    record_of,
    tree_of,
    write,
)
from state_manager import StateManager, make_game

TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\r"), max_size=20)


@st.composite
def records(draw: st.DrawFn) -> tuple[StateManager, GameRecord]:
    game = make_game("hex", size=draw(st.integers(3, 19)), swap=draw(st.booleans()))
    size = game.board_shape[0]
    actions = draw(st.lists(st.integers(0, size * size - 1), unique=True, max_size=20))
    setup: list[int] = []
    if game.swap_action is not None and actions and draw(st.booleans()):
        mirrored = actions[0] % size * size + actions[0] // size
        others = [action for action in actions[1:] if action != mirrored]
        actions = [actions[0], game.swap_action, *others]
    elif draw(st.booleans()):
        setup = draw(st.lists(st.integers(0, 2), min_size=size * size, max_size=size * size))
        actions = [action for action in actions if setup[action] == 0]
    winner, starter = draw(st.sampled_from((0, 1, 2))), draw(st.sampled_from((1, 2)))
    record = GameRecord((draw(TEXTS), draw(TEXTS)), starter, (), tuple(actions), winner)
    comments = draw(st.lists(TEXTS, min_size=len(actions) + 1, max_size=len(actions) + 1))
    return game, replace(
        record,
        setup=tuple(setup) if any(setup) else (),
        comments=tuple(comments) if any(comments) else (),
    )


@given(records(), TEXTS)
def test_a_record_that_is_written_is_read_again(
    case: tuple[StateManager, GameRecord], comment: str
) -> None:
    game, record = case
    [root] = parse(write([tree_of(record, game, comment)]))
    assert root.get("GC") == comment
    params, found = record_of(root)
    names = (record.players[0] or "Black", record.players[1] or "White")
    assert (make_game("hex", **params), found.players) == (game, names)
    assert (found.starting_player, found.actions, found.winner) == (
        *(record.starting_player, record.actions),
        record.winner,
    )
    assert (found.setup, found.comments) == (record.setup, record.comments)


VALUES = st.lists(TEXTS, min_size=1, max_size=3)
NAMES = st.sampled_from(["B", "W", "C", "LB", "XY"])
TREES = st.recursive(
    st.builds(
        lambda values: SGFNode(properties=values), st.dictionaries(NAMES, VALUES, max_size=3)
    ),
    lambda below: st.builds(
        lambda values, children: SGFNode(properties={"C": values}, children=children),
        VALUES,
        st.lists(below, max_size=3),
    ),
    max_leaves=12,
)


def facts(node: SGFNode) -> object:
    return node.properties, [facts(child) for child in node.children]


@given(st.lists(TREES, max_size=3))
def test_variations_and_comments_and_any_other_property_are_kept(games: list[SGFNode]) -> None:
    assert [facts(each) for each in parse(write(games))] == [facts(each) for each in games]


def test_a_game_of_many_thousand_moves_is_no_deeper_than_another() -> None:
    text = "(" + "".join(f";C[{number}]" for number in range(50_000)) + ")\n"
    assert write(parse(text)) == text
    nested = "(;" * 20_000 + ")" * 20_000
    assert sum(1 for _ in parse(nested)[0].main_line()) == 20_000


def test_a_file_of_hexgui_is_read_by_its_main_line() -> None:
    text = """(;AP[HexGui:0.9]FF[4]GM[11]SZ[11]PB[Ann]PW[Bob]RE[B+Resign]
        ;B[a10]C[The \\] of a comment];W[f6](;B[g5];W[ e7 ];B[resign])(;B[h4]))"""
    [root] = parse(text)
    params, record = record_of(root)
    assert (params, record.players, record.winner) == ({"size": 11}, ("Ann", "Bob"), 1)
    assert record.actions == (9 * 11, 5 * 11 + 5, 4 * 11 + 6, 6 * 11 + 4)
    assert root.children[0].get("C") == "The ] of a comment"
    assert [child.get("B") for child in root.children[0].children[0].children] == ["g5", "h4"]


@pytest.mark.parametrize(
    ("result", "winner", "ending"),
    [("B+T", 1, "T"), ("W+R", 2, "R"), ("W+F", 2, "F"), ("B+", 1, ""), ("0", 0, ""), ("", 0, "")],
)
def test_the_result_says_how_a_game_ended(result: str, winner: int, ending: str) -> None:
    _, record = record_of(parse(f"(;GM[11]SZ[5]RE[{result}];B[c2])")[0])
    assert (record.winner, record.ending) == (winner, ending)
    assert tree_of(record, make_game("hex", size=5)).get("RE") == (result if winner else "")
    assert record_of(parse(f"(;GM[11]SZ[5]RE[{result.lower()}ime])")[0])[1].winner == winner


@pytest.mark.parametrize(
    ("text", "starter", "actions"),
    [
        ("B[c2];W[SWAP];W[e4];B[a1]", 1, (7, 18, 0)),
        ("B[c2];W[SWAP];B[e4];W[a1]", 1, (7, 25, 18, 0)),
        ("B[c2];W[swap-pieces];C[thinks]W[e4]", 1, (7, 18)),
        ("B[c2];W[swap-pieces]", 1, (7, 25)),
        ("W[b3];B[swap];B[e4]", 2, (11, 18)),
    ],
)
def test_the_colour_of_the_next_move_tells_which_swap_is_meant(
    text: str, starter: int, actions: tuple[int, ...]
) -> None:
    params, record = record_of(parse(f"(;GM[11]SZ[5];{text})".replace("e4", "d4"))[0])
    assert params == {"size": 5, "swap": True}
    assert (record.starting_player, record.actions) == (starter, actions)


def test_a_game_of_little_golem_is_begun_by_the_first_player_under_the_name_of_white() -> None:
    text = "(;FF[4]EV[hex.x.1]PB[Ann]PW[Bob]SZ[5]RE[B]GC[game #1];W[cb];B[swap];W[de];B[resign])"
    params, record = record_of(parse(text)[0])
    assert (params, record.players, record.winner) == ({"size": 5, "swap": True}, ("Ann", "Bob"), 1)
    assert (record.starting_player, record.actions) == (1, (5 + 2, 25, 4 * 5 + 3))
    _, plain = record_of(parse("(;GM[11]SZ[5];B[cb];W[de])")[0])
    assert (plain.starting_player, plain.actions) == (1, (5 + 2, 4 * 5 + 3))


@pytest.mark.parametrize(
    ("text", "starter", "setup", "comments"),
    [
        ("AB[a1][c3]AW[b2]", 2, "1...2...1", ()),
        ("AB[a1]\n[B2] AW[c3]", 2, "1...1...2", ()),
        ("AB[a1:b2]AW[c1:c3]", 2, "112112..2", ()),
        ("PL[W];AB[a1]AW[b2]", 2, "1...2....", ()),
        ("AB[a1]PL[black];C[one];C[two]", 1, "1........", ("one\ntwo",)),
        ("AB[a1][a2];AE[a1]AW[a3];W[resign]", 1, "...1..2..", ()),
        ("AB[a1]C[one]AB[a2]C[two]", 2, "1..1.....", ("one\ntwo",)),
        ("PL[B]AB[a1];W[b1]C[out of turn]", 2, "1........", ("", "out of turn")),
        ("AE[a1]", 1, "", ()),
    ],
)
def test_stones_that_are_set_up_come_before_the_moves(
    text: str, starter: int, setup: str, comments: tuple[str, ...]
) -> None:
    _, record = record_of(parse(f"(;GM[11]SZ[3]{text})")[0])
    assert (record.starting_player, record.comments) == (starter, comments)
    assert "".join(".12"[cell] for cell in record.setup) == setup


@pytest.mark.parametrize(
    ("text", "starter", "setup", "actions", "note"),
    [
        ("B[a1];W[b1];AB[c1]AE[a1];W[a3]", 2, ".21......", (6,), "AB after a move, so the 2 moves"),
        ("B[a1];W[b1];AW[c1]", 1, "122......", (), "AW after a move"),
        ("B[a1];W[b1];AE[a1]PL[W]", 2, ".2.......", (), "AE after a move"),
        ("B[a1];B[b1];W[c1]", 1, "1........", (1, 2), "B moves twice in a row, so the move"),
        ("B[a1];W[pass];B[b1]", 1, "1........", (1,), "W passed, so the move before is"),
        ("W[a1];B[];W[b1];W[c1]", 2, "22.......", (2,), "W moves twice in a row, so the 2 moves"),
        ("B[a1];W[b1];W[c2]AE[b1];B[b1]", 2, "1........", (5, 1), "AE after a move"),
        ("B[b1];W[swap];B[c1];B[c3]", 1, "..12.....", (8,), "so the 3 moves"),
    ],
)
def test_where_turns_are_broken_the_position_is_set_up_and_a_line_says_so(
    text: str, starter: int, setup: str, actions: tuple[int, ...], note: str
) -> None:
    params, record, _, notes = read_game(parse(f"(;SZ[3];{text})")[0])
    assert (params, record.starting_player, record.actions) == ({"size": 3}, starter, actions)
    assert "".join(".12"[cell] for cell in record.setup) == setup
    assert len(notes) == 1
    assert note in notes[0]


@pytest.mark.parametrize(
    ("text", "column"), [("B[a1]", 2), ("AB[a1];W[b1]", 8), ("B[a1];W[b1];AB[c1];W[a3]", 20)]
)
def test_a_game_begins_at_the_node_with_its_stones(text: str, column: int) -> None:
    assert read_game(parse(f"(;SZ[3];{text})")[0]).begin.at == (1, column)


def test_comments_of_moves_that_are_set_up_stay_with_the_position() -> None:
    text = "(;SZ[3]C[start];B[a1]C[one];W[b1]C[two];AB[c1]C[three];W[a3]C[four])"
    assert record_of(parse(text)[0])[1].comments == ("start\none\ntwo\nthree", "four")


@pytest.mark.parametrize(
    ("text", "actions"),
    [
        ("B[c2];W[b3]AE[c2];B[c3]", (7, 25, 12)),
        ("B[c3];W[c3]AE[c3];B[a1]", (12, 25, 0)),
    ],
)
def test_the_swap_of_sabaki_is_the_mirrored_stone_and_the_first_one_removed(
    text: str, actions: tuple[int, ...]
) -> None:
    params, record, _, notes = read_game(parse(f"(;SZ[5]AP[Sabaki:0.60.0];{text})")[0])
    assert (params, record.actions) == ({"size": 5, "swap": True}, actions)
    assert (record.setup, notes) == ((), ())


def test_a_pass_at_the_end_changes_nothing() -> None:
    _, record, _, notes = read_game(parse("(;SZ[3];B[a1];W[pass])")[0])
    assert (record.actions, record.setup, notes) == ((0,), (), ())


def test_a_file_without_a_size_is_of_the_usual_board() -> None:
    params, record = record_of(parse("(;GM[11];B[k11])")[0])
    assert (params, record.actions) == ({"size": 11}, (120,))


@pytest.mark.parametrize(
    ("text", "winner", "ending"),
    [
        ("B[a1];W[resign]", 1, "R"),
        ("B[forfeit]", 2, "F"),
        ("RE[W+];B[resign]", 2, "R"),
        ("RE[B+T];W[resign]", 1, "T"),
        ("RE[B];B[resign]", 1, ""),
        ("B[cb];W[de];B[resign]", 2, "R"),
        ("W[cb];B[de];W[resign]", 2, "R"),
    ],
)
def test_a_player_who_resigns_has_lost(text: str, winner: int, ending: str) -> None:
    _, record = record_of(parse(f"(;SZ[5]{';' * (text[:2] != 'RE')}{text})")[0])
    assert (record.winner, record.ending) == (winner, ending)


def test_moves_after_the_end_are_left_out_and_a_line_says_so() -> None:
    _, record, _, notes = read_game(parse("(;SZ[3];B[a1];W[resign];B[b1];W[c1])")[0])
    assert (record.actions, record.winner) == ((0,), 1)
    assert notes == ("line 1, column 24: the moves after the end are left out.",)


def test_text_before_the_first_game_is_skipped() -> None:
    for text in ("Dear (old) friend; see below\n(;{})", "\ufeff ( ;{})", "GIF (( ;{}))"):
        [root] = parse(text.format("SZ[3];B[a1]"))
        assert record_of(root)[1].actions == (0,)


def test_a_game_with_many_breaks_is_read_in_a_moment() -> None:
    text = "(;SZ[19]" + ";B[a1]C[x];AE[a1]" * 50_000 + ")"
    _, record, _, notes = read_game(parse(text)[0])
    assert (len(record.comments), len(notes)) == (1, 1)
    assert "50000 moves" in notes[0]


def test_a_position_that_was_set_up_has_a_link_in_which_players_pass() -> None:
    _, record = record_of(parse("(;GM[11]SZ[4]AB[a1][b1][c1]AW[a4];W[d4];B[a2])")[0])
    link = "https://hexworld.org/board/#4c1,a1a4b1:pc1:p:pd4a2"
    assert hexworld_link(record, 4) == link


@pytest.mark.parametrize(
    ("text", "moves"),
    [
        ("B[c1];W[swap];B[c3];W[d2]", "c1:sc3d2"),
        ("W[c1];B[swap];W[c3];B[d2]", "a3c3d2"),
        ("W[c1];B[c3]", ":pc1c3"),
        ("B[c1];W[resign]", "c1:rw"),
        ("B[c1];W[c3];B[resign]", "c1c3:rb"),
        ("RE[W+F];B[c1]", "c1:fb"),
        ("RE[B+T];B[c1]", "c1:fw"),
        ("RE[B+];B[c1]", "c1"),
    ],
)
def test_a_link_to_hexworld_has_the_swap_and_the_resignation(text: str, moves: str) -> None:
    _, record = record_of(parse(f"(;SZ[5]{';' * (text[:2] != 'RE')}{text})")[0])
    assert hexworld_link(record, 5) == f"https://hexworld.org/board/#5c1,{moves}"


MENDED = {
    # No last bracket, or a download that broke off.
    "(;SZ[5];B[c2];W[d4]\n": ("", "c2 d4", "line 2, column 1: expected the ) of each ("),
    "(;SZ[5];B[c2](;W[d4](;B[b3": ("", "c2 d4", "line 1, column 27: expected the ) of each ("),
    "(;SZ[5];B[c2]C[It was": ("", "c2", "line 1, column 22: expected the ) of each ("),
    "(;SZ[5];B[c2];W": ("", "c2", "line 1, column 16: expected the ) of each ("),
    # A ] in a text.
    "(;SZ[5]PB[Ann [3d]];B[c2])": ("Ann [3d]", "c2", "line 1, column 18: a ] without \\"),
    "(;SZ[5]PB[[3d] Ann];B[c2])": ("[3d] Ann", "c2", "line 1, column 14: a ] without \\"),
    "(;SZ[5]PB[Ann]];B[c2])": ("Ann]", "c2", "line 1, column 14: a ] without \\"),
    "(;SZ[5]PB[Ann];B[c2]C[Now [d4]; or [B]!])": ("Ann", "c2", "line 1, column 30: a ]"),
    "(;SZ[5]PB[Ann];B[c2]C[See [1] OK (:]) ])": ("Ann", "c2", "line 1, column 29: a ]"),
    # No ] after a text.
    "(;SZ[5]PB[Ann;B[c2];W[d4])": ("Ann;B[c2", "d4", "a ] may be missing"),
}


@pytest.mark.parametrize("text", MENDED)
def test_a_file_with_one_wrong_bracket_is_read_with_a_note(text: str) -> None:
    (root,) = parse(text)
    _, record, _, notes = read_game(root)
    assert (root.get("PB"), " ".join(cell_name(each, 5) for each in record.actions)) == (
        MENDED[text][:2]
    )
    assert len(notes) == 1
    assert MENDED[text][2] in notes[0]
    assert facts(parse(write([root]))[0]) == facts(root)


def test_a_game_without_its_last_bracket_does_not_swallow_the_next_one() -> None:
    games = parse("(;SZ[5];B[a1]\n(;FF[4]SZ[5];B[b1](;W[c1])(;W[d1]))\n(;SZ[5];B[e1])")
    assert [game.children[0].get("B") for game in games] == ["a1", "b1", "e1"]
    assert [len(game.notes) for game in games] == [1, 0, 0]
    (root,) = parse("(;SZ[5];B[a1](;EV[Facts may be in a variation];W[b1])(;W[c1]))")
    assert (len(root.children[0].children), root.notes) == (2, [])


@pytest.mark.parametrize(
    "text",
    [
        "(;SZ[5]" + ";C[a] b]" * 20_000 + ")",
        "(;SZ[5];C[a]" + " " * 300_000 + "b])",
        "(;SZ[5];C[a]" + "A" * 300_000 + "b])",
        "(;SZ[5];C[a]" + "([b]" * 80_000 + "c",
        "\n(;SZ[5];B[a1]" * 20_000,
    ],
    ids=lambda text: text[9:22],
)
def test_a_long_file_is_mended_in_a_moment_with_few_notes(text: str) -> None:
    games, _ = parse_games(text)
    assert all(len(game.notes) <= 4 for game in games)


@given(st.text(alphabet="();[]\\ABW[]a1 \n", max_size=60))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        games = parse(text)
    except SgfError:
        return
    assert [facts(each) for each in parse(write(games))] == [facts(each) for each in games]

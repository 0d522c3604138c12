"""SGF: round trips, files of other programs, and files with a wrong bracket."""

from contextlib import suppress
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.match import GameRecord
from formats import sgf, sgf_text
from formats.sgf import read_game
from formats.sgf_text import SgfError, SGFNode, parse, write
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
def test_a_written_record_is_readable(case: tuple[StateManager, GameRecord], comment: str) -> None:
    game, record = case
    [root] = parse(write([sgf.tree_of(record, game, comment)]))
    assert root.get("GC") == comment
    params, found, *_ = read_game(root)
    names = (record.players[0] or "Black", record.players[1] or "White")
    assert make_game("hex", **params) == game
    assert replace(found, players=record.players) == record
    assert found.players == names


VALUES = st.lists(TEXTS, min_size=1, max_size=3)
NAMES = st.sampled_from(["B", "W", "C", "LB", "XY"])
PLACE = st.just((1, 1))
TREES = st.recursive(
    st.builds(SGFNode, PLACE, st.dictionaries(NAMES, VALUES, max_size=3)),
    lambda below: st.builds(
        SGFNode, PLACE, st.fixed_dictionaries({"C": VALUES}), st.lists(below, max_size=3)
    ),
    max_leaves=12,
)


def facts(node: SGFNode) -> object:
    return node.properties, [facts(child) for child in node.children]


@given(st.lists(TREES, max_size=3))
def test_variations_and_comments_and_any_other_property_are_kept(games: list[SGFNode]) -> None:
    assert [*map(facts, parse(write(games)))] == [*map(facts, games)]


def test_a_game_of_many_thousand_moves_is_no_deeper_than_another() -> None:
    text = "(" + "".join(f";C[{number}]" for number in range(10_000)) + ")\n"
    assert write(parse(text)) == text
    nested = "(;" * 20_000 + ")" * 20_000
    assert sum(1 for _ in parse(nested)[0].main_line()) == 20_000


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
    games, _ = sgf_text.parse_games(text)
    assert all(len(game.notes) <= 4 for game in games)


def test_a_game_with_many_breaks_is_read_in_a_moment() -> None:
    text = "(;SZ[19]" + ";B[a1]C[x];AE[a1]" * 10_000 + ")"
    _, record, _, [note] = sgf.read_game(parse(text)[0])
    assert (len(record.comments), "10000 moves" in note) == (1, True)


@given(st.text(alphabet="();[]\\ABW[]a1 \n", max_size=60), st.binary(max_size=40))
def test_any_text_is_read_or_refused_and_any_bytes_are_decoded(text: str, content: bytes) -> None:
    for begin in (b"", b"(;CA[GB2312]PB[", b"(;CA[utf-7]PB[", b"\xff\xfe"):
        sgf_text.decoded(begin + content)
    with suppress(SgfError):
        games = parse(text)
        assert [*map(facts, parse(write(games)))] == [*map(facts, games)]


def test_the_result_is_written_as_it_was_read() -> None:
    for result in ("B+T", "W+R", "W+F", "B+", ""):
        _, record, *_ = read_game(parse(f"(;GM[11]SZ[5]RE[{result}];B[c2])")[0])
        assert sgf.tree_of(record, make_game("hex", size=5)).get("RE") == result


def test_the_variations_of_a_game_without_its_last_bracket_stay() -> None:
    (root,) = parse("(;SZ[5];B[a1](;EV[Facts may be in a variation];W[b1])(;W[c1]))")
    assert (len(root.children[0].children), root.notes) == (2, [])


def test_a_size_of_many_digits_is_refused_in_a_line() -> None:
    with pytest.raises(SgfError, match=r"^line 1, column 2: expected a square board.{,200}$"):
        read_game(parse(f"(;SZ[{'9' * 5000}])")[0])


WORDS = ["(", ")", ";", "AB", "AW", "AE", "B", "W", "PL", "C", "SZ"]
WORDS += ["[a1]", "[b2]", "[B]", "[swap]"]


@given(st.lists(st.sampled_from(WORDS), max_size=20))
def test_any_game_is_read_or_refused(words: list[str]) -> None:
    with suppress(SgfError):
        _, record, *_ = read_game(parse(f"(;SZ[3]{''.join(words)})")[0])
        assert len(record.setup) in (0, 9)
        assert len(record.comments) in (0, len(record.actions) + 1)

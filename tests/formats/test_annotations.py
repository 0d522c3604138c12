"""Reviews in SGF: the game stays, and grades, values and best lines are where programs look."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from formats.annotations import MoveReview, annotate
from formats.sgf import MoveReader, SGFNode, parse, read_game, record_of, write

FINE, WON, LOST = (MoveReview(value, True, 0.0, "") for value in (0.25, 1.0, -1.0))
GAME = (
    "(;AP[x:1]FF[4]GM[11]SZ[5]PB[a\\]b]EV[cup]C[start]AB[e5]PL[B]"
    ";B[a1]C[a \\] b \\\\];W[c3](;B[b2]IT[]KO[];W[c2];B[b3])(;B[d4]C[var];W[zz]))"
)


def move_nodes(root: SGFNode) -> list[SGFNode]:
    reader = MoveReader(root)
    return [each for each in read_game(root).begin.main_line() if reader.move(each)]


def reviewed(text: str, *reviews: MoveReview) -> SGFNode:
    """Return a game with reviews of its moves, written and read again."""
    [root] = parse(text)
    annotate(root, list(zip(move_nodes(root), reviews, strict=False)))
    [again] = parse(write([root]))
    return again


def moves(node: SGFNode) -> list[str]:
    """Return the moves of the main line from a node on."""
    return [each.get("B") or each.get("W") for each in node.main_line()]


def test_a_grade_a_value_and_the_best_lines_are_beside_the_moves() -> None:
    reviews = [FINE, MoveReview(0.5, False, 25.4, "mistake", (3, 4, 8), (7, 9)), FINE]
    root = reviewed(GAME, *reviews)
    first = root.children[0]
    played, better = first.children
    assert played.get("C") == (
        "Review: mistake, costs 25 %, leaves a winning chance of 25 % (search). "
        "Better: d1 e1 d2. Best reply: c2 e2."
    )
    assert (played.get("BM"), played.get("V"), played.get("SBKV")) == ("1", "0.50", "75.0")
    assert (better.get("TE"), better.get("N"), moves(better)) == ("1", "Better", ["d1", "e1", "d2"])
    assert [child.get("B") for child in played.children] == ["b2", "d4", "c2"]
    assert moves(played.children[2]) == ["c2", "e2"]
    assert [sorted(each.properties) for each in better.main_line()] == [
        ["N", "TE", "W"],
        ["B"],
        ["W"],
    ]


def test_all_of_the_game_stays() -> None:
    bad = MoveReview(-1.0, True, 100.0, "blunder", (3, 4), (9,))
    root = reviewed(GAME, bad, bad, bad, bad, bad)
    [before] = parse(GAME)
    assert root.properties == before.properties
    for old, new in zip(before.main_line(), root.main_line(), strict=True):
        changed = [name for name in old.properties if new.properties[name] != old.properties[name]]
        assert changed in ([], ["C"])
        assert new.get("C").startswith(old.get("C"))
        was, now = ([each.properties for each in node.children[1:]] for node in (old, new))
        assert now[: len(was)] == was
    third = root.children[0].children[0].children[0]
    assert third.properties.keys() & {"BM", "DO", "IT", "TE"} == {"IT"}, "a node has one judgement"


def facts(node: SGFNode) -> tuple[object, ...]:
    """Return the properties of a node, and those of the variations beside it."""
    return node.properties, [each.properties for each in node.children[1:]]


@pytest.mark.parametrize(
    ("grade", "mark"),
    [("blunder", ("BM", "2")), ("mistake", ("BM", "1")), ("inaccuracy", ("DO", ""))],
)
def test_each_grade_has_its_property(grade: str, mark: tuple[str, str]) -> None:
    played = reviewed("(;SZ[3];B[a1])", MoveReview(0.0, False, 50.0, grade)).children[0]
    found = [
        (name, played.get(name)) for name in ("BM", "DO", "TE", "IT") if name in played.properties
    ]
    assert found == [mark]


@pytest.mark.parametrize(
    ("text", "values"),
    [("(;SZ[3];B[a1];W[b1])", ["1.00", "-1.00"]), ("(;SZ[3];W[aa];B[bb])", ["-1.00", "1.00"])],
)
def test_a_value_is_that_of_black_and_a_chance_that_of_the_mover(
    text: str, values: list[str]
) -> None:
    root = reviewed(text, WON, LOST)  # player 1, then player 2: each wins by its move
    nodes = move_nodes(root)
    assert [each.get("V") for each in nodes] == values
    assert [each.get("SBKV") for each in nodes] == [
        f"{50 + 50 * float(each):.1f}" for each in values
    ]
    assert all("chance of 100 % (proven)" in each.get("C") for each in nodes)


def test_lines_have_the_colours_of_the_file() -> None:
    bad = MoveReview(-1.0, True, 100.0, "blunder", (4, 5), (5, 3))
    root = reviewed("(;SZ[3];W[aa];B[bb])", bad)
    lines = [
        [(each.get("W"), each.get("B")) for each in child.main_line()]
        for child in (root.children[1], root.children[0].children[1])
    ]
    assert lines == [[("b2", ""), ("", "c2")], [("", "c2"), ("a2", "")]]
    assert record_of(root)[1].actions == (0, 4)


def test_a_line_joins_what_the_tree_has_and_never_lengthens_the_game() -> None:
    bad = MoveReview(-1.0, True, 100.0, "blunder", (3, 1), (1, 5))
    root = reviewed("(;SZ[3](;B[a1](;W[b1];B[c3])(;W[z9]))(;B[a2];W[c1]))", bad, FINE, bad)
    assert moves(root)[1:] == ["a1", "b1", "c3"]
    one, other = root.children
    assert [each.get("W") for each in other.children] == ["c1", "b1"]
    assert [each.get("B") for each in one.children[0].children] == ["c3", "a2"]
    assert [each.get("W") for each in one.children] == ["b1", "z9"], "not beside a broken move"
    alone = reviewed("(;SZ[3];B[a1])", bad)
    assert moves(alone)[1:] == ["a1"], "a reply to the last move is only in the comment"
    assert "Best reply: b1 c2" in alone.children[0].get("C")


def test_the_reply_to_a_mistake_is_the_better_line_of_the_next_one() -> None:
    first = MoveReview(-1.0, True, 100.0, "blunder", (4, 2), (4, 8))
    second = MoveReview(1.0, True, 100.0, "blunder", (4, 8), (2, 8))
    played = reviewed("(;SZ[3];B[a1];W[b1])", first, second).children[0]
    assert [(each.get("W"), each.get("N")) for each in played.children] == [
        ("b1", ""),
        ("b2", "Better"),
    ]


def test_the_next_review_replaces_the_last_one() -> None:
    bad = MoveReview(-0.5, False, 30.0, "blunder", (3, 1), (1, 5))
    once = reviewed(GAME, bad, bad, FINE)
    again = reviewed(write([once]), bad, bad, FINE)
    assert [*map(facts, again.main_line())] == [*map(facts, once.main_line())]
    better = reviewed(write([once]), FINE, FINE, FINE).children[0]
    assert "BM" not in better.properties
    assert better.get("C").split("\n") == [
        "a ] b \\", "Review: leaves a winning chance of 62 % (proven)."
    ]  # fmt: skip


def test_moves_are_found_behind_a_swap_of_sides_and_a_position_set_up() -> None:
    text = "(;SZ[5];B[a1];B[b1];W[c1];;W[resign])"
    assert [each.get("B") or each.get("W") for each in move_nodes(parse(text)[0])] == ["b1", "c1"]
    text = "(;SZ[5];B[b2];W[swap];W[c3];B[b4])"
    bad = MoveReview(-1.0, True, 100.0, "blunder", (3,), (4,))
    root = reviewed(text, bad, bad, bad)
    assert record_of(root)[1].actions == record_of(parse(text)[0])[1].actions
    assert [each.get("BM") for each in root.main_line()] == ["", "2", "", "2", "2"]


@given(
    st.lists(st.integers(0, 8), unique=True, min_size=1, max_size=9),
    st.lists(
        st.tuples(
            st.floats(-1, 1),
            st.sampled_from(("", "inaccuracy", "mistake", "blunder")),
            st.lists(st.integers(0, 8), max_size=9),
            st.lists(st.integers(0, 8), max_size=9),
        ),
        max_size=9,
    ),
)
def test_the_main_line_is_read_as_before(
    actions: list[int], given: list[tuple[float, str, list[int], list[int]]]
) -> None:
    cells = [f"{'abc'[action % 3]}{action // 3 + 1}" for action in actions]
    text = "(;SZ[3]" + "".join(f";{'BW'[n % 2]}[{cell}]" for n, cell in enumerate(cells)) + ")"
    reviews = [
        MoveReview(value, False, 15.0, grade, tuple(best), tuple(reply))
        for value, grade, best, reply in given
    ]
    root = reviewed(text, *reviews)
    assert record_of(root)[1].actions == tuple(actions)
    for node, review in zip(move_nodes(root), reviews, strict=False):
        assert float(node.get("V")) == pytest.approx(review.value, abs=0.0051)

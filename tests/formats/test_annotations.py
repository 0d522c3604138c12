"""Reviews in SGF: the game stays, and grades, values and best lines are where programs look."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from formats.annotations import MoveReview
from formats.sgf import read_game
from formats.sgf_text import SGFNode, parse, write
from tests.formats.tables import move_nodes, reviewed

CELLS = st.integers(0, 8)
FINE = MoveReview(0.25, True, 0.0, "")
GAME = (
    "(;AP[x:1]FF[4]GM[11]SZ[5]PB[a\\]b]EV[cup]C[start]AB[e5]PL[B]"
    ";B[a1]C[a \\] b \\\\];W[c3](;B[b2]IT[]KO[];W[c2];B[b3])(;B[d4]C[var];W[zz]))"
)


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
    return node.properties, [each.properties for each in node.children[1:]]


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


GRADES = st.sampled_from(("", "inaccuracy", "mistake", "blunder"))
KNOWN, LINES = (st.floats(-1, 1), st.just(False), st.just(15.0)), st.lists(CELLS, max_size=9)
REVIEWS = st.builds(MoveReview, *KNOWN, GRADES, LINES.map(tuple), LINES.map(tuple))


@given(st.lists(CELLS, unique=True, min_size=1, max_size=9), st.lists(REVIEWS, max_size=9))
def test_the_main_line_is_read_as_before(actions: list[int], given: list[MoveReview]) -> None:
    cells = [f"{'abc'[action % 3]}{action // 3 + 1}" for action in actions]
    text = "(;SZ[3]" + "".join(f";{'BW'[n % 2]}[{cell}]" for n, cell in enumerate(cells)) + ")"
    root = reviewed(text, *given)
    assert read_game(root).record.actions == tuple(actions)
    for node, review in zip(move_nodes(root), given, strict=False):
        assert float(node.get("V")) == pytest.approx(review.value, abs=0.0051)

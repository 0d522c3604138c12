"""The page's games as SGF: comments, variations and the date are written and read again."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.web.conftest import Post

COMMENTS = st.text(st.characters(codec="utf-8", exclude_characters="\r"), max_size=20)
ABOUT = {"name": "hex", "params": {"size": 7}}


@st.composite
def trees(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Return nodes in the order of SGF; no move is twice in a line or among siblings."""
    nodes: list[dict[str, Any]] = []
    open_nodes: list[tuple[int, frozenset[int]]] = [(0, frozenset())]
    while open_nodes and len(nodes) < 12:
        parent, used = open_nodes.pop()
        free = [action for action in range(49) if action not in used]
        for action in draw(st.lists(st.sampled_from(free), unique=True, max_size=3)):
            node: dict[str, Any] = {"action": action, "parent": parent}
            if comment := draw(COMMENTS):
                node["comment"] = comment
            nodes.append(node)
            open_nodes.append((len(nodes), used | {action}))
    return _in_order(nodes)


def _in_order(nodes: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return a tree's nodes numbered depth first, as SGF has them."""
    ordered: list[dict[str, Any]] = []

    def add(number: int, parent: int) -> None:
        for child, node in enumerate(nodes, start=1):
            if node["parent"] == number:
                ordered.append({**node, "parent": parent})
                add(child, len(ordered))

    add(0, 0)
    return ordered


@given(trees(), COMMENTS)
def test_a_tree_with_comments_is_read_as_it_was_written(
    post: Post, nodes: list[dict[str, Any]], comment: str
) -> None:
    game = {"game": ABOUT, "players": ["me", "a ] net"], "date": "2026-11-25"}
    written = post("write_sgf", **game, nodes=nodes, comment=comment)["sgf"]
    read = post("read_sgf", text=written)
    for node in read["nodes"]:
        assert node.pop("name")
    assert read == {**game, "nodes": nodes, "start": 1, "setup": [], "comment": comment}
    assert "DT[2026-11-25]" in written


@pytest.mark.parametrize(
    ("date", "read_date"), [("2026-11-25,26", "2026-11-25"), ("in 2026", ""), ("", "")]
)
def test_comments_of_nodes_without_a_move_belong_to_the_move_before(
    post: Post, date: str, read_date: str
) -> None:
    text = f"(;SZ[5]DT[{date}]C[start];C[of it];B[c3]C[one\r\nline];C[two](;W[a1])(;C[three]W[b1]))"
    read = post("read_sgf", text=text)
    assert (read["comment"], read["date"]) == ("start\nof it", read_date)
    comments = [(each["name"], each.get("comment")) for each in read["nodes"]]
    assert comments == [("c3", "one\nline\ntwo"), ("a1", None), ("b1", "three")]


def test_the_largest_tree_is_written_and_read(post: Post) -> None:
    moves = [(parent, action) for parent in range(15) for action in range(361) if action != parent]
    nodes = [{"action": action, "parent": parent} for parent, action in moves[:5000]]
    game = {"name": "hex", "params": {"size": 19}}
    written = post("write_sgf", game=game, nodes=nodes)["sgf"]
    assert len(post("read_sgf", text=written)["nodes"]) == 5000


def test_a_comment_is_limited(post: Post) -> None:
    longest = "x" * 10_000
    node = {"action": 1, "parent": 0, "comment": longest}
    written = post("write_sgf", game=ABOUT, nodes=[node])["sgf"]
    assert post("read_sgf", text=written)["nodes"][0]["comment"] == longest
    longer = {**node, "comment": longest + "x"}
    assert "nodes.0.comment: String" in post("write_sgf", 400, game=ABOUT, nodes=[longer])
    text = written.replace("x]", "x];C[y]")
    assert "comments of at most 10000 characters" in post("read_sgf", 400, text=text)
    assert "date: String" in post("write_sgf", 400, game=ABOUT, date="25 Nov")


def test_a_result_is_that_of_the_board_else_that_of_the_clock(post: Post) -> None:
    won = [{"action": each, "parent": n} for n, each in enumerate([1, 0, 4, 3, 7])]
    for nodes, result in ((won, "B+"), (won[:4], "W+T"), ([], "B+R")):
        about = {"game": {"name": "hex", "params": {"size": 3}}, "nodes": nodes}
        written = post("write_sgf", **about, result=result if nodes != won else "W+T")["sgf"]
        assert f"RE[{result}]" in written
        assert len(post("read_sgf", text=written)["nodes"]) == len(nodes)
    assert "RE[" not in post("write_sgf", game=ABOUT)["sgf"]
    assert "result: String" in post("write_sgf", 400, game=ABOUT, result="B+]")

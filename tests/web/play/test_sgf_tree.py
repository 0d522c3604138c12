"""The page's games as SGF: comments, variations and the date are written and read again."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.web.conftest import Post, hex_game, in_base64

COMMENTS = st.text(st.characters(codec="utf-8", exclude_characters="\r"), max_size=20)
ABOUT, LARGE = hex_game(7), hex_game(19)


def read(post: Post, text: str | bytes, **more: Any) -> Any:
    """Return what the page gets of a file."""
    return post("read_sgf", file=in_base64(text), **more)


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


@settings(max_examples=30)
@given(trees(), COMMENTS)
def test_a_written_tree_is_read_again(
    post: Post, nodes: list[dict[str, Any]], comment: str
) -> None:
    game = {"game": ABOUT, "players": ["me", "a ] net"], "date": "2026-11-25"}
    written = post("write_sgf", **game, nodes=nodes, comment=comment)["sgf"]
    found = read(post, written)
    for node in found["nodes"]:
        assert node.pop("name")
    nothing: dict[str, Any] = {"facts": {}, "games": [], "notes": []}
    if "RE[" in written:
        found["facts"].pop("RE")
    assert found == {**game, "nodes": nodes, "start": 1, "setup": [], "comment": comment, **nothing}
    assert "DT[2026-11-25]" in written


def test_the_largest_tree_is_written_and_read(post: Post) -> None:
    moves = [(parent, action) for parent in range(15) for action in range(361) if action != parent]
    nodes = [{"action": action, "parent": parent} for parent, action in moves[:5000]]
    written = post("write_sgf", game=LARGE, nodes=nodes)["sgf"]
    assert len(read(post, written)["nodes"]) == 5000


def test_a_comment_is_limited(post: Post) -> None:
    longest = "x" * 10_000
    node = {"action": 1, "parent": 0, "comment": longest}
    written = post("write_sgf", game=ABOUT, nodes=[node])["sgf"]
    assert read(post, written)["nodes"][0]["comment"] == longest
    longer = {**node, "comment": longest + "x"}
    assert "nodes.0.comment: String" in post("write_sgf", 400, game=ABOUT, nodes=[longer])
    text = written.replace("x]", "x];C[y]")
    assert "comments of at most 10000 characters" in read(post, text, status=400)


def test_the_page_reads_the_longest_game_that_it_writes_with_reviews(post: Post) -> None:
    line = [360, *range(349, 360)]
    review = {"value": -0.5, "exact": False, "loss": 31.0, "grade": "blunder"}
    review |= {"best": line, "reply": line}
    nodes = [{"action": each, "parent": each, "review": review} for each in range(300)]
    post("read_sgf", file=in_base64(post("write_sgf", game=LARGE, nodes=nodes)["sgf"]))

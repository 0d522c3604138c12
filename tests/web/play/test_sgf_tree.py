"""The page's games as SGF: comments, variations and the date are written and read again."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from formats import sgf, sgf_text
from tests.web.conftest import THREE, WON, Post, hex_game, in_base64

COMMENTS = st.text(st.characters(codec="utf-8", exclude_characters="\r"), max_size=20)
LINE = [{"action": each, "parent": n} for n, each in enumerate(WON)]
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
def test_a_tree_with_comments_is_read_as_it_was_written(
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


@pytest.mark.parametrize(
    ("date", "read_date"), [("2026-11-25,26", "2026-11-25"), ("in 2026", ""), ("", "")]
)
def test_a_comment_without_a_move_is_the_move_before_s(
    post: Post, date: str, read_date: str
) -> None:
    text = f"(;SZ[5]DT[{date}]C[start];C[of it];B[c3]C[one\r\nline];C[two](;W[a1])(;C[three]W[b1]))"
    found = read(post, text)
    assert (found["comment"], found["date"]) == ("start\nof it", read_date)
    comments = [(each["name"], each.get("comment")) for each in found["nodes"]]
    assert comments == [("c3", "one\nline\ntwo"), ("a1", None), ("b1", "three")]


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


def test_a_result_is_that_of_the_board_else_that_of_the_clock(post: Post) -> None:
    for nodes, result in ((LINE, "B+"), (LINE[:4], "W+T"), ([], "B+R")):
        given = "W+T" if nodes == LINE else result
        written = post("write_sgf", game=THREE, nodes=nodes, result=given)["sgf"]
        assert f"RE[{result}]" in written
        assert len(read(post, written)["nodes"]) == len(nodes)
    assert "RE[" not in post("write_sgf", game=ABOUT)["sgf"]


def test_what_a_file_says_about_its_game_stays_when_it_is_saved_again(post: Post) -> None:
    facts = {"RE": "B+R", "EV": "hex.ld.1", "SO": "littlegolem", "PC": "Bergen", "GC": "game 7"}
    written = "".join(f"{name}[{value}]" for name, value in facts.items())
    found = read(post, f"(;SZ[5]AP[x:1]ST[2]{written};B[c2];W[b3])")
    assert found["facts"] == facts
    again = post("write_sgf", game=found["game"], nodes=[], facts=facts)
    assert read(post, again["sgf"])["facts"] == facts
    assert again["link"].endswith("#5c1,:rw")
    assert "RE[B+]" in post("write_sgf", game=THREE, nodes=LINE, facts={"RE": "W+R"})["sgf"]


def test_the_games_of_a_file_are_listed_and_one_is_chosen(post: Post) -> None:
    text = "(;SZ[5];B[z9])\n(;SZ[4]PB[Ann];B[a1])\n(;SZ[3];B[b1];W[b2])\n(;SZ["
    found = read(post, text)
    assert [each["title"] for each in found["games"]] == [
        *("", "Ann against White, 4x4, 1 move", "Black against White, 3x3, 2 moves", ""),
    ]
    errors = [each["error"] for each in found["games"]]
    assert errors[1:3] == ["", ""]
    assert ("z9" in errors[0], "line 4" in errors[3]) == (True, True)
    assert found["game"]["params"]["size"] == 4, "the first that can be read"
    other = read(post, text, game=3)
    assert (other["game"]["params"]["size"], other["games"]) == (3, [])
    assert "z9" in read(post, text, status=400, game=1)
    assert "game 9" in read(post, text, status=400, game=9)


@pytest.mark.parametrize(
    ("text", "setup", "moves", "notes"),
    [
        ("B[a1];W[b1];AB[c1];B[a2]", "121......", ["a2"], ["AB after a move"]),
        ("B[a1];W[b1]AE[a1];B[c1]", "", ["b1", "c1"], ["AE after a move"]),
        ("B[b1];W[a2]AE[b1];B[c1]", "", ["b1", "swap", "c1"], []),
        ("C[x];B[a1];B[b1](;W[c1])(;W[c2])", "1........", ["b1", "c1", "c2"], ["twice"]),
        ("B[a1](;W[b1];AB[c1])(;W[c2])", "121......", [], ["AB after", "variation before the"]),
        ("B[a1](;W[b1])(;AB[c1];W[a2])", "", ["a1", "b1"], ["expected stones before all"]),
        ("B[a1](;W[b1])(;W[a1];B[b2])(;W[z9])", "", ["a1", "b1"], ["got a1", "z9"]),
        ("B[b1];W[a1];B[b2];W[a2];B[b3];W[a3]", "", ["b1", "a1", "b2", "a2", "b3"], ["the end"]),
        ("B[a1](;W[b1])(;B[b2])(;B[b3])(;B[c1])(;B[c2])", "", ["a1", "b1"], ["and 1 more"]),
        ("B[b1];W[resign]C[so];B[a1]", "", ["b1"], ["after the end", "no move after the end"]),
    ],
)
def test_what_the_page_cannot_show_is_left_out_and_named(
    post: Post, text: str, setup: str, moves: list[str], notes: list[str]
) -> None:
    found = read(post, f"(;SZ[3];{text})")
    assert "".join(".12"[cell] for cell in found["setup"]) == setup
    assert [each["name"] for each in found["nodes"]] == moves
    said = " ".join(found["notes"])
    assert all(note in said for note in notes)
    assert bool(said) == bool(notes)


@pytest.mark.parametrize(
    ("text", "size", "moves"),
    [
        ("c2 d4", 7, ["c2", "d4"]),
        ("#5c1,a1:sb2", 5, ["a1", "swap", "b2"]),
        ("#5,b1b1b2", 5, ["a2", "swap", "b2"]),
        ("(;SZ[4];B[a1])", 4, ["a1"]),
        ("a1 k3", 11, ["a1", "k3"]),
    ],
)
def test_pasted_text_is_read(post: Post, text: str, size: int, moves: list[str]) -> None:
    found = read(post, text, size=7)
    assert found["game"]["params"]["size"] == size
    assert [each["name"] for each in found["nodes"]] == moves
    nodes = [{"action": each["action"], "parent": each["parent"]} for each in found["nodes"]]
    written = post("write_sgf", game=found["game"], nodes=nodes)
    for link in (written["link"], written["trmph"]):
        assert read(post, link)["nodes"] == found["nodes"]


def test_a_guessed_size_is_told_and_pasted_text_with_a_mistake_refused(post: Post) -> None:
    assert read(post, "a1 m3")["notes"][0].startswith("Read on 13x13")
    for text, refused in (
        ("(;SZ[4];B[m3])", "expected a cell from a1 to d4, got"),
        ("#5c1,a1a1", "got a1, which B holds"),
        ("t20", "expected a cell from a1 to k11"),
        ("hello", "expected SGF"),
    ):
        assert refused in read(post, text, status=400)


def test_a_position_with_passes_has_no_link_to_trmph(post: Post) -> None:
    written = post("write_sgf", game=ABOUT, start=2, nodes=[{"action": 0, "parent": 0}])
    assert written["link"].endswith("#7c1,:pa1")
    assert written["trmph"] == ""


REVIEW = {"value": -0.5, "exact": False, "loss": 31.0, "grade": "blunder"}


def test_the_reviews_of_moves_are_written_with_their_lines(post: Post) -> None:
    lines = {"best": [3, 0, 6], "reply": [4, 5]}
    first = {"action": 1, "parent": 0, "comment": "hm", "review": REVIEW | lines}
    nodes = [first, {"action": 2, "parent": 1, "review": REVIEW | {"grade": "", "loss": 0}}]
    written = post("write_sgf", game=ABOUT, nodes=nodes)["sgf"]
    found = read(post, written)
    assert [(each["name"], each["parent"]) for each in found["nodes"]] == [
        *(("b1", 0), ("c1", 1), ("e1", 1), ("f1", 3), ("d1", 0), ("a1", 5), ("g1", 6)),
    ]
    comment = "hm\nReview: blunder, costs 31 %, leaves a winning chance of 25 % (search)."
    assert found["nodes"][0]["comment"].startswith(comment)
    assert "75 %" in found["nodes"][1]["comment"], "that of the other player"


def test_the_page_reads_the_longest_game_that_it_writes_with_reviews(post: Post) -> None:
    review = REVIEW | {"best": [360, *range(349, 360)], "reply": [360, *range(349, 360)]}
    nodes = [{"action": each, "parent": each, "review": review} for each in range(300)]
    post("read_sgf", file=in_base64(post("write_sgf", game=LARGE, nodes=nodes)["sgf"]))


def test_sgf_keeps_variations_and_a_swap(post: Post) -> None:
    moves = ((1, 0), (25, 1), (12, 2), (13, 2), (12, 1))
    nodes = [{"action": action, "parent": parent} for action, parent in moves]
    about = hex_game(5, swap=True)
    written = post("write_sgf", game=about, nodes=nodes, players=["me", "a net"])
    assert "W[swap-pieces]" in written["sgf"]
    assert written["link"] == "https://hexworld.org/board/#5c1,b1:sc3"
    params, record, *_ = sgf.read_game(sgf_text.parse(written["sgf"])[0])
    assert (params, record.starting_player, record.actions) == (about["params"], 1, (1, 25, 12))
    found = read(post, written["sgf"])
    assert (found["game"], found["start"], found["players"]) == (about, 1, ["me", "a net"])
    assert [each.pop("name") for each in found["nodes"]] == ["b1", "swap", "c3", "d3", "c3"]
    assert found["nodes"] == nodes
    older = written["sgf"].replace("RU[swap]", "").replace("W[swap-pieces];B[c3]", "W[e5]")
    assert read(post, older)["game"] == about, "a variation has the swap"


def test_sgf_keeps_the_stones_and_whose_turn_it_is(post: Post) -> None:
    cells = [0, 1, 0, 0, 0, 1, 1, 2, 0]
    nodes = [{"action": 4, "parent": 0}, {"action": 3, "parent": 1}, {"action": 3, "parent": 0}]
    tree = {"game": THREE, "start": 2, "setup": cells, "players": ["me", "you"]}
    written = post("write_sgf", **tree, nodes=nodes)
    for words in ("PL[W]", "AB[b1][c2][a3]", "AW[b3]", "RE[B+]"):
        assert words in written["sgf"]
    assert written["link"].startswith("https://hexworld.org/board/#3c1,b1b3c2:pa3")
    [root] = sgf_text.parse(written["sgf"])
    assert sgf.read_game(root).record.setup == tuple(cells)
    found = read(post, written["sgf"])
    assert [each.pop("name") for each in found["nodes"]] == ["b2", "a2", "a2"]
    result = {"facts": {"RE": "B+"}, "games": [], "notes": []}
    assert found == {**tree, "nodes": nodes, "date": "", "comment": "", **result}

"""Reviews of moves in SGF, as comments, properties and variations; docs/formats.md lists them."""

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from formats.sgf import MoveReader, cell_name
from formats.sgf_text import SgfError, SGFNode

LONGEST_LINE = 12
_MARKS = {"blunder": {"BM": ["2"]}, "mistake": {"BM": ["1"]}, "inaccuracy": {"DO": [""]}}
_BEGIN = "Review: "  # of a line in a comment, which the next review replaces
_Line = Annotated[tuple[Annotated[int, Field(ge=0, lt=1000)], ...], Field(max_length=400)]


@dataclass(frozen=True)
class MoveReview:
    """What a review says about a move; lines are of actions."""

    value: Annotated[float, Field(ge=-1, le=1)]  # of the position after it, seen from player 1
    exact: bool  # whether the value is proven
    loss: Annotated[float, Field(ge=0, le=100)]  # of its player's winning chances, in percent
    grade: Annotated[str, Field(pattern="^(inaccuracy|mistake|blunder|)$")]
    best: _Line = ()  # in place of the move
    reply: _Line = ()  # after the move


def annotate(root: SGFNode, reviews: Iterable[tuple[SGFNode, MoveReview]]) -> None:
    """Write reviews into a game's tree, each with the node of its move, in the order of the moves.

    The main line and all that the file says stay, but for ``V``, ``SBKV`` and an earlier review.
    """
    reader, left, parents = MoveReader(root), [root], dict[int, SGFNode]()
    while left:
        node = left.pop()
        parents |= {id(child): node for child in node.children}
        left += node.children
    # From the end: a reply is often the better line of the next move, which then has its marks.
    for node, review in reversed([*reviews]):
        player = reader.player("B" if "B" in node.properties else "W")
        _describe(node, review, player, reader)
        if review.grade:
            with suppress(SgfError):  # beside a broken variation
                _add_line(reader, node, 3 - player, review.reply, N="Best reply")
            with suppress(SgfError):
                before = parents.get(id(node), SGFNode())
                _add_line(reader, before, player, review.best, N="Better", TE="1")


def _describe(node: SGFNode, review: MoveReview, player: int, reader: MoveReader) -> None:
    """Write value and grade of a move as properties, and as a line of its comment."""
    given, chance = node.properties, 50 * (1 + (review.value if player == 1 else -review.value))
    lines = "\n".join(given.get("C", ())).split("\n")
    kept = [line for line in lines if not line.startswith(_BEGIN)]
    if len(kept) < len(lines):
        for name in ("BM", "DO"):
            given.pop(name, None)
    words = f"leaves a winning chance of {chance:.0f} % ({'proven' if review.exact else 'search'})."
    if review.grade:
        words = f"{review.grade}, costs {review.loss:.0f} %, {words}"
        for name, line in (("Better", review.best), ("Best reply", review.reply)):
            moves = " ".join(cell_name(each, reader.size) for each in line[:LONGEST_LINE])
            words += f" {name}: {moves}." if line else ""
        if not given.keys() & {"BM", "DO", "IT", "TE"}:  # a node has one judgement
            given |= _MARKS[review.grade]
    black = review.value if reader.player("B") == 1 else -review.value
    given |= {"V": [f"{black:.2f}"], "SBKV": [f"{50 * (1 + black):.1f}"]}
    if len("".join(kept)) < 9_500:  # the page reads comments of 10,000 letters
        given["C"] = ["\n".join([*kept, _BEGIN + words]) if any(kept) else _BEGIN + words]


def _add_line(reader: MoveReader, node: SGFNode, player: int, line: _Line, **marks: str) -> None:
    """Add a line as the last variation after a node, as far as it is not there.

    At a node without children it would become the main line, and is not added.
    """
    is_new = False
    for action in line[:LONGEST_LINE]:
        found = [each for each in node.children if reader.move(each) == (player, action)]
        if not (found or node.children or is_new):
            return
        if not found:
            colour = "B" if reader.player("B") == player else "W"
            marked = {name: [value] for name, value in marks.items()}
            found = [SGFNode(properties={colour: [cell_name(action, reader.size)], **marked})]
            node.children += found
            is_new = True
        node, player, marks = found[0], 3 - player, {}

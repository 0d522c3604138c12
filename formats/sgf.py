"""Games of Hex in the Smart Game Format, FF[4] GM[11], as used by HexGui and other Hex programs.

Black is player 1 and joins top and bottom, White is player 2. A cell name such as a1 has a letter
for the column and a number for the row, from the top left. Variations, comments and all other
properties are read and written again.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from string import ascii_lowercase
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from agents.match import GameRecord
    from state_manager import StateManager

_TOKEN = re.compile(r"\s*(?:([();])|([A-Z]+)|\[((?:[^\]\\]|\\.)*)\])", re.DOTALL)
_CELL = re.compile(r"([a-z])([1-9]\d?)")
_ESCAPED, _ESCAPE = re.compile(r"([\\\]])"), r"\\\1"
_COLOURS = {"B": 1, "W": 2}
_SETUP = frozenset({"AB", "AW", "AE"})
_ENDS = frozenset({"resign", "forfeit", "pass", ""})
"""Moves that set no stone; the first of them ends a game."""
SWAP, _SWAP_RULE = "swap-pieces", "swap"
"""The move that takes over the first stone, mirrored; and the name of the rule."""


class SgfError(ValueError):
    """A text is not SGF, or its game cannot be played; the message begins with line and column."""


@dataclass
class Node:
    """A node of a game's tree."""

    at: tuple[int, int] = (1, 1)  # line and column, from 1
    properties: dict[str, list[str]] = field(default_factory=dict)  # values without escapes
    children: list[Node] = field(default_factory=list)  # main line first

    def get(self, name: str) -> str:
        """Return the first value of a property, or an empty text."""
        return self.properties.get(name, [""])[0]

    def main_line(self) -> Iterator[Node]:
        """Yield this node and those after it, without variations."""
        node: Node | None = self
        while node is not None:
            yield node
            node = node.children[0] if node.children else None


def parse(text: str) -> list[Node]:
    """Return the roots of all games of a text; raise an ``SgfError`` if it is not SGF."""
    games: list[Node] = []
    open_at: list[Node | None] = []  # the node before each open bracket
    last: Node | None = None
    name = ""
    place, end = 0, len(text.rstrip())
    line_ends = [found.start() for found in re.finditer("\n", text)]
    while place < end:
        found = _TOKEN.match(text, place)
        if found is None:
            raise _error(text, place + len(text[place:]) - len(text[place:].lstrip()), "SGF")
        bracket, word, value = found.groups()
        begin, place = found.start(found.lastindex or 0), found.end()
        if bracket == "(":
            open_at.append(last)
        elif not open_at:
            raise _error(text, begin, "a game, which begins with (")
        elif bracket == ";":
            node = Node(_line_and_column(line_ends, begin))
            (games if last is None else last.children).append(node)
            last, name = node, ""
        elif bracket == ")":
            last, name = open_at.pop(), ""
        elif last is None:
            raise _error(text, begin, "a node, which begins with ;")
        elif word is not None:
            if word in last.properties:
                raise _error(text, begin, f"{word} once in a node")
            name, last.properties[word] = word, []
        else:
            if not name:
                raise _error(text, begin - 1, "a property's name before its value")
            last.properties[name].append(re.sub(r"\\(\r\n|[\r\n])|\\(.)", r"\2", value))
    if open_at:
        raise _error(text, len(text), "the ) of each (")
    return games


def write(games: Iterable[Node]) -> str:
    """Return games as text, each on lines of its own."""
    return "".join(f"({_written(game)})\n" for game in games)


def _written(root: Node) -> str:
    """Return a tree as text; iterative, as a tree may be deeper than the stack."""
    words: list[str] = []
    left: list[Node | str] = [root]
    while left:
        each = left.pop()
        if isinstance(each, str):
            words.append(each)
            continue
        words.append(";")
        for name, values in each.properties.items():
            words.append(name + "".join(f"[{_ESCAPED.sub(_ESCAPE, value)}]" for value in values))
        if len(each.children) == 1:
            left.append(each.children[0])
        for child in reversed(each.children if len(each.children) > 1 else []):
            left += [")", child, "("]
    return "".join(words)


def tree_of(record: GameRecord, game: StateManager, comment: str = "") -> Node:
    """Return a finished game of Hex as a tree, with a comment on the game."""
    root, size = Node(), game.board_shape[0]
    facts = {
        **{"FF": "4", "GM": "11", "CA": "UTF-8", "SZ": str(size)},
        "RU": "" if game.swap_action is None else _SWAP_RULE,
        **{"PB": record.players[0], "PW": record.players[1]},
        "PL": "BW"[record.starting_player - 1],
        "RE": {1: "B+", 2: "W+"}.get(record.winner, ""),
        "GC": comment,
    }
    root.properties = {name: [value] for name, value in facts.items() if value}
    last, player = root, record.starting_player
    for action in record.actions:
        node = Node(properties={"BW"[player - 1]: [cell_name(action, size)]})
        last.children.append(node)
        last, player = node, 3 - player
    return root


def record_of(root: Node) -> tuple[dict[str, int | bool], GameRecord]:
    """Return the parameters of the game of Hex and its main line; else raise an ``SgfError``.

    A file with a swap is of a game with the swap. The swap of sides moves no stone: it names the
    players anew, which is no action.
    """
    from agents.match import GameRecord  # here, as cell names need nothing compiled

    sides = root.get("SZ").split(":")
    if root.get("GM") not in ("", "11"):
        raise _refusal(root, f"a game of Hex, GM[11], got GM[{root.get('GM')}]")
    if not all(side.isdecimal() and len(side) < 4 for side in sides) or len(set(sides)) != 1:
        raise _refusal(root, f"a square board, as in SZ[7], got SZ[{root.get('SZ')[:20]}]")
    size = int(sides[0])
    if size > len(ascii_lowercase):
        raise _refusal(root, f"a board of up to {len(ascii_lowercase)} rows, got {size}")
    actions: list[int] = []
    has_swap, first, player = root.get("RU") == _SWAP_RULE, 0, 0
    for node in root.main_line():
        if setup := _SETUP & node.properties.keys():
            raise _refusal(node, f"a game from an empty board, got stones: {min(setup)}")
        for colour in _COLOURS.keys() & node.properties.keys():
            mover, word = _COLOURS[colour], node.get(colour).strip().lower()
            if word in _ENDS:
                continue
            if word.startswith("swap"):
                if len(actions) != 1:
                    raise _refusal(node, f"{word} as the second move")
                has_swap = True
                if word == "swap-sides":
                    continue
                mover = 3 - player
            elif mover == player:
                raise _refusal(node, f"a move of {'WB'[mover - 1]}, whose turn it is, got {colour}")
            actions.append(_action(node, word, size))
            first, player = first or mover, mover
    winner = {"B": 1, "W": 2}.get(root.get("RE")[:1].upper(), 0)
    players = root.get("PB") or "Black", root.get("PW") or "White"
    params = {"size": size, "swap": True} if has_swap else {"size": size}
    return params, GameRecord(players, first or 1, (), tuple(actions), winner)


def hexworld_link(record: GameRecord, size: int) -> str:
    """Return the HexWorld address of a game; there player 1 begins, or passes.

    A game whose first stone was swapped is one that the other player has begun.
    """
    actions, starter = list(record.actions), record.starting_player
    if actions[1:2] == [size * size]:
        actions[:2], starter = [actions[0] % size * size + actions[0] // size], 3 - starter
    moves = "".join(cell_name(action, size) for action in actions)
    return f"https://hexworld.org/board/#{size}c1,{':p' * (starter == 2)}{moves}"


def cell_name(action: int, size: int) -> str:
    """Return the name of a cell, as in a1; of action ``size * size``, the swap's."""
    row, column = divmod(int(action), size)
    return SWAP if row == size else f"{ascii_lowercase[column]}{row + 1}"


def action_of(name: str, size: int) -> int | None:
    """Return the action of a name from ``cell_name``; ``None`` if there is no such cell."""
    if name.lower() in (SWAP, "swap"):
        return size * size
    found = _CELL.fullmatch(name.lower())
    if found is None:
        return None
    column, row = ascii_lowercase.index(found[1]), int(found[2]) - 1
    return row * size + column if column < size and row < size else None


def _action(node: Node, word: str, size: int) -> int:
    action = action_of(word, size)
    if action is None:
        last = cell_name(size * size - 1, size)
        raise _refusal(node, f"a cell from a1 to {last}, got {word[:20]!r}")
    return action


def _refusal(node: Node, expected: str) -> SgfError:
    line, column = node.at
    return SgfError(f"line {line}, column {column}: expected {expected}")


def _error(text: str, place: int, expected: str) -> SgfError:
    line, column = _line_and_column([found.start() for found in re.finditer("\n", text)], place)
    got = repr(text[place : place + 10]) if place < len(text) else "the end"
    return SgfError(f"line {line}, column {column}: expected {expected}, got {got}")


def _line_and_column(line_ends: Sequence[int], place: int) -> tuple[int, int]:
    """Return line and column of a place in a text, from 1; ``line_ends`` ascend."""
    line = bisect_left(line_ends, place)
    return line + 1, place - (line_ends[line - 1] if line else -1)

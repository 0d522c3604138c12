"""Games of Hex in the Smart Game Format, FF[4] GM[11], as used by HexGui and other Hex programs.

Black is player 1 and joins top and bottom, White is player 2. A cell name such as a1 has a letter
for the column and a number for the row, from the top left. Variations, comments and all other
properties are read and written again. Little Golem writes two letters, column and row, and W for
the first player, who is PB and joins top and bottom.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, zip_longest
from string import ascii_lowercase
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from agents.match import GameRecord
    from state_manager import StateManager

_TOKEN = re.compile(r"\s*(?:([();])|([A-Z]+)|\[((?:[^\]\\]|\\.)*)\])", re.DOTALL)
_CELL = re.compile(r"([a-z])([1-9]\d?)")
_LETTERS = re.compile(r"[a-z]{2}")
_ESCAPED, _ESCAPE = re.compile(r"([\\\]])"), r"\\\1"
_COLOURS = {"B": 1, "W": 2}
SETUP = {"AB": 1, "AW": 2, "AE": 0}
"""The properties that set up stones, or empty cells."""
_ENDS = frozenset({"resign", "forfeit", "pass", ""})
"""Moves that set no stone; the first of them ends a game."""
SWAP, _SWAP_SIDES, _SWAP_RULE = "swap-pieces", "swap-sides", "swap"
"""The move that takes over the first stone, mirrored; the other swap; the name of the rule."""


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
        return next(iter(self.properties.get(name, ())), "")

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
    """Return a game of Hex as a tree, with a comment on the game."""
    root, size = Node(), game.board_shape[0]
    facts = {
        **{"FF": "4", "GM": "11", "CA": "UTF-8", "SZ": str(size)},
        "RU": "" if game.swap_action is None else _SWAP_RULE,
        **{"PB": record.players[0], "PW": record.players[1]},
        "PL": "BW"[record.starting_player - 1],
        "RE": f"{'BW'[record.winner - 1]}+{record.ending}" if record.winner in (1, 2) else "",
        "GC": comment,
    }
    root.properties = {name: [value] for name, value in facts.items() if value}
    for name, player in _COLOURS.items():
        if stones := _stones_of(record, size, player):
            root.properties[f"A{name}"] = stones
    nodes, player = [root], record.starting_player
    for action in record.actions:
        nodes.append(Node(properties={"BW"[player - 1]: [cell_name(action, size)]}))
        nodes[-2].children.append(nodes[-1])
        player = 3 - player
    for node, text in zip(nodes, record.comments, strict=False):
        if text:
            node.properties["C"] = [text]
    return root


class MoveReader:
    """Reads the moves and the stones of a game's nodes.

    Attributes:
        size: The number of rows of the board.
    """

    def __init__(self, root: Node) -> None:
        """Read the size of the board; raise an ``SgfError`` if it is no board of Hex."""
        sides = root.get("SZ").split(":")
        if root.get("GM") not in ("", "11"):
            raise refusal(root, f"a game of Hex, GM[11], got GM[{root.get('GM')}]")
        if not all(side.isdecimal() and len(side) < 4 for side in sides) or len(set(sides)) != 1:
            raise refusal(root, f"a square board, as in SZ[7], got SZ[{root.get('SZ')[:20]}]")
        self.size = int(sides[0])
        if not 1 <= self.size <= len(ascii_lowercase):
            raise refusal(root, f"a board of 1 to {len(ascii_lowercase)} rows, got {self.size}")
        first = next((node for node in root.main_line() if _colour(node)), root)
        self._is_of_little_golem = _LETTERS.fullmatch(_word(first, "W")) is not None

    def move(self, node: Node) -> tuple[int, int] | None:
        """Return the player and the action of a node; ``None`` if it changes no cell.

        After the swap of pieces the other player is next, after that of sides the same colour.
        """
        if not (colour := _colour(node)):
            return None
        mover, word = _COLOURS[colour], _word(node, colour)
        if word in _ENDS:
            return None
        if is_swap(word):
            later = (_colour(each) for child in node.children[:1] for each in child.main_line())
            if word == _SWAP_SIDES or next(filter(None, later), "") == colour:
                return None
        return 3 - mover if self._is_of_little_golem else mover, self._action(node, word)

    def set_up(self, node: Node, cells: list[int]) -> None:
        """Set up the stones of a node on a board, changed in place."""
        seen = set()
        for name, stone in SETUP.items():
            for value in node.properties.get(name, ()):
                for cell in self._rectangle(node, value.strip().lower()):
                    if cell in seen or cell == len(cells):
                        raise refusal(node, f"each cell once in AB, AW and AE, got {name}[{value}]")
                    seen.add(cell)
                    cells[cell] = stone

    def _rectangle(self, node: Node, value: str) -> list[int]:
        """Return the cell of a value such as a1, or the cells between two corners, as in a1:c3."""
        corners = [self._action(node, word) for word in value.split(":", 1)]
        top, left = divmod(corners[0], self.size)
        bottom, right = divmod(corners[-1], self.size)
        if top > bottom or left > right:
            raise refusal(node, f"corners at the top left and the bottom right, got {value}")
        rows, columns = range(top, bottom + 1), range(left, right + 1)
        return [row * self.size + column for row in rows for column in columns]

    def _action(self, node: Node, word: str) -> int:
        if _LETTERS.fullmatch(word):
            word = word[0] + str(ascii_lowercase.index(word[1]) + 1)
        action = self.size**2 if is_swap(word) else action_of(word, self.size)
        if action is None:
            last = cell_name(self.size**2 - 1, self.size)
            raise refusal(node, f"a cell from a1 to {last}, got {word[:20]!r}")
        return action


def record_of(root: Node) -> tuple[dict[str, int | bool], GameRecord]:
    """Return the parameters of the game of Hex and its main line; else raise an ``SgfError``.

    A file with a swap is of a game with the swap. The swap of sides moves no stone: it names the
    players anew, which is no action. Without moves and ``PL``, the player with fewer stones is to
    play.
    """
    from agents.match import GameRecord  # here, as cell names need nothing compiled

    reader = MoveReader(root)
    actions: list[int] = []
    cells, comments = [0] * reader.size**2, [""]
    has_swap, to_play, player = root.get("RU") == _SWAP_RULE, 0, 0
    for node in root.main_line():
        if stones := SETUP.keys() & node.properties.keys():
            if actions:
                raise refusal(node, f"stones before the first move, got {min(stones)} after it")
            reader.set_up(node, cells)
        if (turn := node.get("PL")) and not actions:
            if turn[0].upper() not in _COLOURS:
                raise refusal(node, f"PL[B] or PL[W], got PL[{turn[:20]}]")
            to_play = _COLOURS[turn[0].upper()]
        move = reader.move(node)
        if is_swap(word := _word(node, _colour(node))):
            if len(actions) != 1 or any(cells):
                raise refusal(node, f"{word} as the second move")
            has_swap = True
        if move is not None:
            mover, action = move
            if mover == player:
                turn, got = "WB"[mover - 1], "BW"[mover - 1]
                raise refusal(node, f"a move of {turn}, whose turn it is, got {got}")
            to_play, player = to_play if actions else mover, mover
            actions.append(action)
            comments.append("")
        comments[-1] = "\n".join(filter(None, (comments[-1], node.get("C"))))
    won = re.match(r"([BW])(?:\+([RTF]))?", root.get("RE"), re.IGNORECASE)
    winner, ending = (_COLOURS[won[1].upper()], (won[2] or "").upper()) if won else (0, "")
    players = root.get("PB") or "Black", root.get("PW") or "White"
    params = {"size": reader.size, "swap": True} if has_swap else {"size": reader.size}
    starter = to_play or 1 + (cells.count(1) > cells.count(2))
    record = GameRecord(players, starter, (), tuple(actions), winner, ending=ending)
    setup = tuple(cells) if any(cells) else ()
    return params, replace(record, setup=setup, comments=tuple(comments) if any(comments) else ())


def hexworld_link(record: GameRecord, size: int) -> str:
    """Return the HexWorld address of a game; there both players move in turn, or pass.

    A game whose first stone was swapped is one that the other player has begun.
    """
    actions, starter = list(record.actions), record.starting_player
    stones = (_stones_of(record, size, player) for player in (1, 2))
    setup = "".join(chain.from_iterable(zip_longest(*stones, fillvalue=":p")))
    if actions[1:2] == [size * size]:
        actions[:2], starter = [actions[0] % size * size + actions[0] // size], 3 - starter
    moves = "".join(cell_name(action, size) for action in actions)
    return f"https://hexworld.org/board/#{size}c1,{setup}{':p' * (starter == 2)}{moves}"


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


def is_swap(word: str) -> bool:
    """Return whether a move is a swap, of pieces or of sides."""
    return word.startswith("swap")


def _stones_of(record: GameRecord, size: int, player: int) -> list[str]:
    return [cell_name(cell, size) for cell, held in enumerate(record.setup) if held == player]


def _colour(node: Node) -> str:
    """Return the colour of a node's move, B or W, or an empty text."""
    colours = sorted(_COLOURS.keys() & node.properties.keys())
    if len(colours) > 1:
        raise refusal(node, "one move, got B and W")
    return "".join(colours)


def _word(node: Node, colour: str) -> str:
    return node.get(colour).strip().lower()


def refusal(node: Node, expected: str) -> SgfError:
    """Return the error that a node is not as expected."""
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

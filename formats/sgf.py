"""Games of Hex in the Smart Game Format, FF[4] GM[11], as used by HexGui and other Hex programs.

Black is player 1 and joins top and bottom, White is player 2. A cell name such as a1 has a letter
for the column and a number for the row, from the top left. Variations, comments and all other
properties are read and written again. Little Golem writes two letters, column and row, and W for
the first player, who is PB and joins top and bottom.

A game of the program is a position and moves in turn. Where a file sets up stones after a move, or
a player moves twice, the position there is set up, and the moves begin after it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from string import ascii_lowercase
from typing import TYPE_CHECKING, NamedTuple

from formats.sgf_text import SGFNode, place_of, refusal

if TYPE_CHECKING:
    from agents.match import GameRecord
    from state_manager import StateManager

_CELL = re.compile(r'"?([a-z])0*([1-9]\d?)"?')
"""A cell; PlayHex keeps the zeros and quotes in which some bots answer."""
_LETTERS = re.compile(r"[a-z]{2}")
_COLOURS = {"B": 1, "W": 2}
SETUP = {"AB": 1, "AW": 2, "AE": 0}
"""The properties that set up stones, or empty cells."""
_LAST_WORDS = {"resign": "R", "forfeit": "F"}  # moves that end a game, with their letters in ``RE``
_ENDS = frozenset({*_LAST_WORDS, "pass", ""})  # moves that set no stone
_SIZE = 11  # the size of the board of a file without ``SZ``
SWAP, _SWAP_SIDES, _SWAP_RULE = "swap-pieces", "swap-sides", "swap"
"""The move that takes over the first stone, mirrored; the other swap; the name of the rule."""


def tree_of(record: GameRecord, game: StateManager, comment: str = "") -> SGFNode:
    """Return a game of Hex as a tree, with a comment on the game."""
    root, size = SGFNode(), game.board_shape[0]
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
        if stones := stones_of(record, size, player):
            root.properties[f"A{name}"] = stones
    nodes, player = [root], record.starting_player
    for action in record.actions:
        nodes.append(SGFNode(properties={"BW"[player - 1]: [cell_name(action, size)]}))
        nodes[-2].children.append(nodes[-1])
        player = 3 - player
    for node, text in zip(nodes, record.comments, strict=False):
        if text:
            node.properties["C"] = [text]
    return root


class MoveReader:
    """Reads the moves and the stones of a game's nodes; ``size`` is the number of rows."""

    def __init__(self, root: SGFNode) -> None:
        """Read the size of the board; raise an ``SgfError`` if it is no board of Hex."""
        sides = (root.get("SZ") if "SZ" in root.properties else str(_SIZE)).split(":")
        if root.get("GM") not in ("", "11"):
            raise refusal(root, f"a game of Hex, GM[11], got GM[{root.get('GM')}]")
        if not all(side.isdecimal() and len(side) < 4 for side in sides) or len(set(sides)) != 1:
            raise refusal(root, f"a square board, as in SZ[7], got SZ[{root.get('SZ')[:20]}]")
        self.size = int(sides[0])
        if not 1 <= self.size <= len(ascii_lowercase):
            raise refusal(root, f"a board of 1 to {len(ascii_lowercase)} rows, got {self.size}")
        first = next((node for node in root.main_line() if _colour(node)), root)
        self._is_of_little_golem = _LETTERS.fullmatch(_word(first, "W")) is not None

    def move(self, node: SGFNode, before: Sequence[int] = ()) -> tuple[int, int] | None:
        """Return the player and the action of a node; ``None`` if it changes no cell.

        After the swap of pieces the other player is next, after that of sides the same colour.
        Sabaki writes the swap as the mirrored stone and ``AE`` of the first one; ``before`` are the
        actions before the node, empty if stones are set up.
        """
        if not (colour := _colour(node)):
            return None
        word = _word(node, colour)
        if word in _ENDS:
            return None
        if is_swap(word):
            after = (each for child in node.children[:1] for each in child.main_line())
            later = (_colour(each) for each in after if not self.ends(each))
            if word == _SWAP_SIDES or next(filter(None, later), "") == colour:
                return None
        action = self._action(node, word)
        if len(before) == 1 and SETUP.keys() & node.properties.keys() == {"AE"}:
            emptied = [self._action(node, each.strip().lower()) for each in node.properties["AE"]]
            if [action, *emptied] == [mirrored(before[0], self.size), before[0]]:
                action = self.size**2
        return self.player(colour), action

    def player(self, colour: str) -> int:
        """Return the player with a colour of moves."""
        return 3 - _COLOURS[colour] if self._is_of_little_golem else _COLOURS[colour]

    def ends(self, node: SGFNode) -> bool:
        """Return whether the player of a node resigns or forfeits."""
        return _word(node, _colour(node)) in _LAST_WORDS

    def set_up(self, node: SGFNode, cells: list[int]) -> None:
        """Set up the stones of a node on a board, changed in place."""
        seen = set()
        for name, stone in SETUP.items():
            for value in node.properties.get(name, ()):
                for cell in self._rectangle(node, value.strip().lower()):
                    if cell in seen or cell == len(cells):
                        raise refusal(node, f"each cell once in AB, AW and AE, got {name}[{value}]")
                    seen.add(cell)
                    cells[cell] = stone

    def _rectangle(self, node: SGFNode, value: str) -> list[int]:
        """Return the cell of a value such as a1, or the cells between two corners, as in a1:c3."""
        corners = [self._action(node, word) for word in value.split(":", 1)]
        top, left = divmod(corners[0], self.size)
        bottom, right = divmod(corners[-1], self.size)
        if top > bottom or left > right:
            raise refusal(node, f"corners at the top left and the bottom right, got {value}")
        rows, columns = range(top, bottom + 1), range(left, right + 1)
        return [row * self.size + column for row in rows for column in columns]

    def _action(self, node: SGFNode, word: str) -> int:
        if _LETTERS.fullmatch(word):
            word = word[0] + str(ascii_lowercase.index(word[1]) + 1)
        action = self.size**2 if is_swap(word) else action_of(word, self.size)
        if action is None:
            last = cell_name(self.size**2 - 1, self.size)
            raise refusal(node, f"a cell from a1 to {last}, got {word[:20]!r}")
        return action


class ReadGame(NamedTuple):
    """The main line of a game."""

    params: dict[str, int | bool]  # of the game of Hex
    record: GameRecord
    begin: SGFNode  # the first one that is not before the position of the record's start
    notes: tuple[str, ...]  # one line for each thing that was left out or guessed


@dataclass
class _Line:
    """A position that is set up, and the moves from there on."""

    begin: SGFNode
    setup: list[int]
    board: list[int]  # after the moves
    to_play: int = 0  # in the position, if the file says it
    mover: int = 0  # of the last move
    actions: list[int] = field(default_factory=list)
    comments: list[list[str]] = field(default_factory=lambda: [[]])  # on it and on each move


def read_game(root: SGFNode) -> ReadGame:
    """Return the main line of a game; raise an ``SgfError`` if it breaks the rules of Hex.

    A file with a swap is of a game with the swap. The swap of sides moves no stone: it names the
    players anew, which is no action. Without moves and ``PL``, the player with fewer stones is to
    play.
    """
    reader, notes, moves_before = MoveReader(root), root.notes[:], 0
    empty = [0] * reader.size**2
    line, has_swap, has_passed, resigned, ending = _Line(root, empty, empty[:]), False, False, 0, ""
    for node in root.main_line():
        colour = _colour(node)
        word = _word(node, colour)
        if resigned and colour:
            notes.append(f"{place_of(node)}: the moves after the end are left out.")
            break
        move = reader.move(node, () if any(line.setup) else line.actions)
        stones = SETUP.keys() & node.properties.keys()
        if move is not None and move[1] == len(empty) and not is_swap(word):
            stones = set()  # Sabaki's swap
        if line.actions and not colour and node.get("PL")[:1].upper() == "BW"[line.mover - 1]:
            stones.add("PL")
        if line.actions and (stones or (move is not None and move[0] == line.mover)):
            player, opponent = "BW"[line.mover - 1], "WB"[line.mover - 1]
            why = f"{opponent} passed" if has_passed else f"{player} moves twice in a row"
            why = f"{min(stones)} after a move" if stones else why
            moves_before += len(line.actions)
            many = f"{moves_before} moves before are" if moves_before > 1 else "move before is"
            notes = [*root.notes, f"{place_of(node)}: {why}, so the {many} set up as stones."]
            said = [*chain.from_iterable(line.comments)]
            line = _Line(node, line.board[:], line.board, 3 - line.mover, comments=[said])
            has_swap = False
        if stones:
            reader.set_up(node, line.setup)
            line.board, line.begin = line.setup[:], node
        if (turn := node.get("PL")) and not line.actions:
            if turn[0].upper() not in _COLOURS:
                raise refusal(node, f"PL[B] or PL[W], got PL[{turn[:20]}]")
            line.to_play = _COLOURS[turn[0].upper()]
        if is_swap(word) and (len(line.actions) != 1 or any(line.setup)):
            raise refusal(node, f"{word} as the second move")
        has_swap |= is_swap(word) or (move is not None and move[1] == len(empty))
        if word in _LAST_WORDS:
            resigned, ending = reader.player(colour), _LAST_WORDS[word]
        has_passed = move is None and (has_passed or (word in _ENDS and bool(colour)))
        if move is not None:
            _make(line, node, *move)
        line.comments[-1] += filter(None, node.properties.get("C", ()))
    params: dict[str, int | bool] = {"size": reader.size}
    if has_swap or root.get("RU") == _SWAP_RULE:
        params["swap"] = True
    record = _record(root, line, resigned, ending)
    if resigned and record.winner == resigned:
        notes.append(f"RE[{root.get('RE')}] is read, though {'BW'[resigned - 1]} gives up.")
    return ReadGame(params, record, line.begin, tuple(notes))


def _make(line: _Line, node: SGFNode, mover: int, action: int) -> None:
    size = math.isqrt(len(line.board))
    if action == size**2:
        line.board[line.actions[0]] = 0
        action_taken = mirrored(line.actions[0], size)
    else:
        action_taken = action
        if held := line.board[action]:
            name = cell_name(action, size)
            raise refusal(node, f"an empty cell, got {name}, which {'BW'[held - 1]} holds")
    line.board[action_taken] = mover
    line.mover = mover
    line.actions.append(action)
    line.comments.append([])


def _record(root: SGFNode, line: _Line, resigned: int, ending: str) -> GameRecord:
    """Return the record of a line; player ``resigned`` ended it (0: nobody), as ``ending`` says."""
    from agents.match import GameRecord  # here, as cell names need nothing compiled

    starter = line.to_play or 1 + (line.setup.count(1) > line.setup.count(2))
    if line.actions:
        starter = line.mover if len(line.actions) % 2 else 3 - line.mover
    won = re.match(r"([BW])(?:\+([RTF]))?", root.get("RE"), re.IGNORECASE)
    winner, how = (_COLOURS[won[1].upper()], (won[2] or "").upper()) if won else (0, "")
    if resigned and winner in (0, 3 - resigned):
        winner, how = 3 - resigned, how or ending
    players = root.get("PB") or "Black", root.get("PW") or "White"
    record = GameRecord(players, starter, (), tuple(line.actions), winner, ending=how)
    if any(line.setup):
        record = replace(record, setup=tuple(line.setup))
    if any(line.comments):
        record = replace(record, comments=tuple(map("\n".join, line.comments)))
    return record


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


def mirrored(action: int, size: int) -> int:
    """Return the cell with row and column exchanged, which a swap of pieces takes."""
    return action % size * size + action // size


def stones_of(record: GameRecord, size: int, player: int) -> list[str]:
    """Return the names of the cells that are set up for a player."""
    return [cell_name(cell, size) for cell, held in enumerate(record.setup) if held == player]


def _colour(node: SGFNode) -> str:
    """Return the colour of a node's move, B or W, or an empty text."""
    colours = sorted(_COLOURS.keys() & node.properties.keys())
    if len(colours) > 1:
        raise refusal(node, "one move, got B and W")
    return "".join(colours)


def _word(node: SGFNode, colour: str) -> str:
    return node.get(colour).strip().lower()

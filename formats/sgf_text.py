"""The Smart Game Format as text: its encoding, and trees of nodes with properties.

https://www.red-bean.com/sgf/sgf4.html. Nothing here knows a game.
"""

from __future__ import annotations

import codecs
import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from base.storage import printable

_TOKEN = re.compile(r"\s*(?:([();])|([A-Z]+)|\[((?:[^\]\\]|\\.)*)\])", re.DOTALL)
_BRACKETS = re.compile(r"\([\s(]*(;)?")
_ESCAPED, _ESCAPE = re.compile(r"([\\\]])"), r"\\\1"
_ONCE = frozenset({"B", "W", "PL", "SZ", "GM"})
"""Properties that a node has once; several lists, as of ``AB``, are one."""
_MOST_NOTES = 3  # on brackets in the texts of a game
_NO_TEXT = _ONCE | {"AB", "AW", "AE"}
_GAME = re.compile(r"\(\s*;\s*(?:AP|CA|FF|GM|SZ)\s*\[")
"""The first node of a game, and no variation."""
_AFTER_VALUE = re.compile(
    r"\s*(?:\([\s(]*;|\)(?!\s*\])|;\s*(?:[A-Z]+\s*\[|[;()]|\Z)|(?:[A-Z]+\s*)?\[|\Z)"
)
_MOVE = re.compile(r";\s*[BW]\[")
_IN_TEXT = re.compile(r"\\.|(\])|([A-Z][a-z]*\s*\[)", re.DOTALL)
_CUT_VALUE = re.compile(r"\s*\[(?:[^\]\\]|\\.)*\\?\Z", re.DOTALL)

SUFFIXES = (".sgf", ".hsgf")
"""The ends of names of SGF files; Little Golem's files of Hex have the other one."""
_BOMS = {codecs.BOM_UTF8: "utf-8-sig", codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}
_CHARSET = re.compile(rb"(?<![A-Za-z])CA\s*\[\s*([\w.:-]{1,40})\s*\]")
_CODEC = re.compile(
    r"ascii|utf-8|iso8859-\d+|iso2022_jp|cp\d+|gb\w+|big5\w*|shift_jis\w*|euc_\w+|koi8-\w|mac-\w+|hz"
)
"""Python's names of encodings that a file may name; others, as punycode, take very long."""
_SUPERSETS = {
    **{"gb2312": "gb18030", "gbk": "gb18030", "shift_jis": "cp932"},
    **{"euc_kr": "cp949", "iso8859-1": "cp1252"},
}
"""Programs name the first, and write the second."""


class SgfError(ValueError):
    """A text is not SGF, or its game cannot be played; the message begins with line and column."""


@dataclass
class SGFNode:
    """A node of a game's tree."""

    at: tuple[int, int] = (1, 1)  # line and column, from 1
    properties: dict[str, list[str]] = field(default_factory=dict)  # values without escapes
    children: list[SGFNode] = field(default_factory=list)  # main line first
    notes: list[str] = field(default_factory=list)  # of a root: what was left out or guessed

    def get(self, name: str) -> str:
        """Return the first value of a property, or an empty text."""
        return next(iter(self.properties.get(name, ())), "")

    def main_line(self) -> Iterator[SGFNode]:
        """Yield this node and those after it, without variations."""
        node: SGFNode | None = self
        while node is not None:
            yield node
            node = node.children[0] if node.children else None


def begin_of_sgf(text: str) -> int | None:
    """Return where the first game begins; a mail or a page may be before it."""
    return next((found.start() for found in _BRACKETS.finditer(text) if found[1]), None)


def decoded(content: bytes) -> tuple[str, str]:
    """Return the text of a file, and a sentence if its encoding is a guess; else an empty one.

    The encoding is that of a byte-order mark, else of ``CA``, else UTF-8, else Latin-1.
    """
    for mark, encoding in _BOMS.items():
        if content.startswith(mark):
            return content.decode(encoding, errors="replace"), ""
    found = _CHARSET.search(content)
    said = found[1].decode("ascii", errors="replace") if found else "UTF-8"
    named = _codec(said)
    attempts = {named: "", "utf-8": "UTF-8", "cp1252": "Latin-1", "latin-1": "Latin-1"}
    for encoding in attempts:
        with suppress(UnicodeDecodeError, LookupError):
            text = content.decode(encoding)
            break
    if encoding == named or content.isascii():
        return text, ""
    expected = f"CA[{said}]" if found else said
    name = attempts[encoding]
    return text, f"The file is not in {expected}, so it is read as {name}: names may be wrong."


def _codec(name: str) -> str:
    """Return Python's name of an encoding; empty if it is unknown, or not of SGF files."""
    try:
        known = codecs.lookup(name).name
    except LookupError:
        return ""
    return _SUPERSETS.get(known, known) if _CODEC.fullmatch(known) else ""


def parse(text: str) -> list[SGFNode]:
    """Return the roots of all games of a text; raise an ``SgfError`` if it is not SGF."""
    games, mistake = parse_games(text)
    if mistake is not None:
        raise mistake
    return games


def parse_games(text: str) -> tuple[list[SGFNode], SgfError | None]:
    """Return the roots of the games before the first mistake, and the mistake, if any."""
    games: list[SGFNode] = []
    try:
        _parse(text, games)
    except SgfError as error:
        return games, error
    return games, None


def _parse(text: str, games: list[SGFNode]) -> None:
    """Add the roots of all whole games; text before the first one is skipped."""
    open_at: list[SGFNode | None] = []  # the node before each open bracket
    last: SGFNode | None = None
    root: SGFNode | None = None
    name = ""
    place, end = begin_of_sgf(text) or 0, len(text.rstrip())
    line_ends = [found.start() for found in re.finditer("\n", text)]

    def error(place: int, expected: str) -> SgfError:
        line, column = _line_and_column(line_ends, place)
        got = repr(text[place : place + 10]) if place < len(text) else "the end"
        return SgfError(f"line {line}, column {column}: expected {expected}, got {got}")

    while place < end:
        found = _TOKEN.match(text, place)
        if found is None:
            if last is not root and _CUT_VALUE.match(text, place):
                break
            raise error(place + len(text[place:]) - len(text[place:].lstrip()), "SGF")
        bracket, word, value = found.groups()
        begin, place = found.start(found.lastindex or 0), found.end()
        if bracket == "(":
            if root is not None and last is not root and _GAME.match(text, begin):
                games.append(_without_end(root, last, error(begin, "the ) of each (")))
                open_at, last, root = [], None, None
            open_at.append(last)
            name = ""
        elif not open_at:
            raise error(begin, "a game, which begins with (")
        elif bracket == ";":
            node = SGFNode(_line_and_column(line_ends, begin))
            if last is None:
                root = node
            else:
                last.children.append(node)
            last, name = node, ""
        elif bracket == ")":
            last, name = open_at.pop(), ""
            if last is None and root is not None:
                games.append(root)
                root = None
        elif last is None:
            raise error(begin, "a node, which begins with ;")
        elif word is not None:
            if word in last.properties and word in _ONCE:
                raise error(begin, f"{word} once in a node")
            name = word
            last.properties.setdefault(word, [])
        else:
            if not name or root is None:
                raise error(begin - 1, "a property's name before its value")
            whole, doubt = place, ""
            if name not in _NO_TEXT:
                whole = _end_of_text(text, place)
                if whole > place:
                    value = text[begin : whole - 1]
                    doubt = f"a ] without \\ is read as part of {name}"
                elif _MOVE.search(value):
                    doubt = f"{name} ends here; a ] may be missing before a move in it"
            if doubt and len(root.notes) < _MOST_NOTES:
                line, column = _line_and_column(line_ends, place - 1)
                root.notes.append(f"line {line}, column {column}: {doubt}.")
            place = whole
            last.properties[name].append(re.sub(r"\\(\r\n|[\r\n])|\\(.)", r"\2", value))
    if open_at:
        mistake = error(len(text), "the ) of each (")
        if root is None or last is None or last is root:
            raise mistake
        games.append(_without_end(root, last, mistake))


def _end_of_text(text: str, place: int) -> int:
    """Return the end of a value; ``place`` is that of its first ``]``, which may be text.

    A property, a node or a bracket follows a value.
    """
    if not _AFTER_VALUE.match(text, place):
        for found in _IN_TEXT.finditer(text, place):
            if found[1] and _AFTER_VALUE.match(text, found.end()):
                return found.end()
            if found[2]:
                break
    return place


def _without_end(root: SGFNode, last: SGFNode | None, error: SgfError) -> SGFNode:
    if last is not None:  # a property may have lost its value
        last.properties = {name: values for name, values in last.properties.items() if values}
    root.notes.append(f"{error}: the game is read up to there.")
    return root


def write(games: Iterable[SGFNode]) -> str:
    """Return games as text, each on lines of its own."""
    return "".join(f"({_written(game)})\n" for game in games)


def _written(root: SGFNode) -> str:
    """Return a tree as text; iterative, as a tree may be deeper than the stack."""
    words: list[str] = []
    left: list[SGFNode | str] = [root]
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


def refusal(node: SGFNode, expected: str) -> SgfError:
    """Return the error that a node is not as expected, in one line."""
    return SgfError(f"{place_of(node)}: expected {printable(expected)}")


def place_of(node: SGFNode) -> str:
    """Return the line and the column of a node, in words."""
    line, column = node.at
    return f"line {line}, column {column}"


def _line_and_column(line_ends: Sequence[int], place: int) -> tuple[int, int]:
    """Return line and column of a place in a text, from 1; ``line_ends`` ascend."""
    line = bisect_left(line_ends, place)
    return line + 1, place - (line_ends[line - 1] if line else -1)

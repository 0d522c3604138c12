"""Games of Hex as people paste them: SGF, moves, links, and records of BoardSpace.

A game of PlayHex is the JSON of its API.

Each becomes a tree of nodes, so one reader (``formats.sgf``) checks the moves of all. Moves are
``1.c2 2.swap-pieces 3.d4``, ``1. c2 d4 2. e5``, ``B c2 W d4`` or ``c2 d4! e5??``, with
``swap-sides``, ``pass``, ``resign`` and ``forfeit``; at the end may be ``1-0``, ``0-1`` or ``B+R``.
Numbers must fit. Of a link, the part from ``#`` on is enough; ``formats.links`` describes both
kinds. Rotation, colours and the numbers on stones (``r9``, ``m``, ``c1``, ``n``) change no move.
"""

import codecs
import os
import re
from collections.abc import Iterator
from string import ascii_lowercase
from urllib.parse import unquote

from base.storage import excerpt, parse_json
from formats.sgf import action_of, cell_name, mirrored
from formats.sgf_text import SUFFIXES, SgfError, SGFNode, begin_of_sgf, decoded, parse_games

_LINK = re.compile(r"\s*(?:\S*#)?(\d{1,3})(?:x(\d{1,3}))?((?:r\d+|m|n|c\d+)*)(?:,|\s*$)")
_LINK_INSIDE = re.compile(
    r"\d{1,3}(?:x\d{1,3})?(?:r\d+|m|n|c\d+)*(?:,|%2C)[^\s<>\"')\]]*", re.IGNORECASE
)
_ADDRESS = re.compile(r"\s*[a-z]+://\S+\s*", re.IGNORECASE)
_MOVE = re.compile(
    r"[\s,;]*(?:(\d{1,3})\s*[.)]+\s*)?"  # its number
    r"(?i:(b(?:lack)?|w(?:hite)?):?\s+)?"
    r"((?i:[a-z][1-9]\d?|swap(?:-pieces|-sides)?|pass|resign|forfeit)|:(?:[sSp]|[rf][bw]))"
    r"[!?]{0,2}(?![^\s,;:a-zA-Z])"  # the name of a file goes on with other characters
)
_RESULT = re.compile(r"[\s,;]*(1-0|0-1|\*|[BW]\+(?:\w*))", re.IGNORECASE)
_RESULTS = {"1-0": "B+", "0-1": "W+", "*": ""}
_SWAP_OF_TRMPH = re.compile(r"([a-z][1-9]\d?)\1(?!\d)")  # the cell of the swapped stone, twice
_WORDS = {":s": "swap-pieces", ":S": "swap-sides", ":p": "pass", ":r": "resign", ":f": "forfeit"}
_BOARDSPACE = re.compile(r"\bSU\[\s*hex(?:-(\d{1,2}))?[\s\]]", re.IGNORECASE)
_BOARDSPACE_MOVE = re.compile(
    r"\bP[01]\[\s*\d+\s+(?:dropb\s+[WB]\s+([A-Z])\s+(\d{1,2})|(swap|resign))\b", re.IGNORECASE
)
_LETTERS = len(ascii_lowercase)
_LONGEST = 20_000  # of moves and links, in characters; a game on the largest board needs less


def is_game_text(text: str) -> bool:
    """Return whether a text looks like a game, and not like the name of a file."""
    word, link = unquote(text), _LINK.match(unquote(text))
    is_link = link is not None and ("#" in link[0] or "," in link[0])
    is_link = is_link or _ADDRESS.fullmatch(text) is not None or any(_links_in(text))
    return is_link or begin_of_sgf(word) is not None or _MOVE.match(word) is not None


def is_pasted(word: str) -> bool:
    """Return whether a word of a command is a game: it looks like one, and names no file."""
    return is_game_text(word) and not os.path.exists(word)


def is_game_file(content: bytes, name: str) -> bool:
    """Return whether a file has games as text, not as JSON lines: by its content, then its name."""
    if _game_of_playhex(decoded(content)[0]) is not None:
        return True
    if content.removeprefix(codecs.BOM_UTF8).lstrip().startswith(b"{"):
        return False
    return name.lower().endswith(SUFFIXES) or is_game_text(decoded(content)[0])


def games_in(text: str, size: int) -> tuple[list[SGFNode], SgfError | None]:
    """Return the roots of a text's games before the first mistake, and the mistake, if any.

    ``size`` is that of the board of moves without a board.
    """
    if (root := _game_of_playhex(text)) is not None:
        return [root], None
    if found := _BOARDSPACE.search(text):
        text = _moves_of_boardspace(text, int(found[1] or 11))
    elif begin_of_sgf(text) is not None or not is_game_text(text):
        return parse_games(text)
    links, games = [*_links_in(text)], list[SGFNode]()
    try:
        return [_of_moves(text, size)], None
    except SgfError as error:
        if not links:
            return [], error
    for link in links:
        try:
            games.append(_of_moves(link, size))
        except SgfError as error:
            return games, error
        if link != text.strip():
            games[-1].notes.append(f"Of the text, only {excerpt(link)} is read.")
    return games, None


def _links_in(text: str) -> Iterator[str]:
    for word in text.split():
        site, _, moves = word.partition("#")
        if found := _LINK_INSIDE.match(moves):
            yield f"{site}#{found[0]}"


def _game_of_playhex(text: str) -> SGFNode | None:
    """Return the game in the JSON of PlayHex's ``/api/games/UUID``; ``None`` if it is none."""
    if not text.lstrip("\ufeff \n\r\t").startswith("{"):
        return None
    try:
        data = parse_json(text.lstrip("\ufeff"))
        assert isinstance(data, dict)
        moves, size = [*map(str, data["moves"])], int(data["boardsize"])
        seats = [str(each["player"]["pseudo"]) for each in data["hostedGameToPlayers"]]
    except (AssertionError, LookupError, TypeError, ValueError):
        return None
    root = node = SGFNode(properties={"GM": ["11"], "SZ": [str(size)], "SO": ["PlayHex"]})
    root.properties |= {f"P{side}": [name] for side, name in zip("BW", seats, strict=False)}
    if data.get("winner") in (0, 1):
        ending = {"resign": "R", "time": "T", "forfeit": "F"}.get(str(data.get("outcome")), "")
        root.properties["RE"] = [f"{'BW'[data['winner']]}+{ending}"]
    if isinstance(began := data.get("startedAt"), str):
        root.properties["DT"] = [began[:10]]
    for number, word in enumerate(moves):
        node.children.append(SGFNode(properties={"BW"[number % 2]: [word]}))
        node = node.children[0]
    return root


def _moves_of_boardspace(text: str, size: int) -> str:
    """Return the moves of a record of BoardSpace as those of a link.

    There White begins, and joins column A and the last one; row 1 is at the other side than here.
    The swap changes the players' colours, and moves no stone.
    """
    moves = ""
    for letter, number, word in _BOARDSPACE_MOVE.findall(text):
        if not word:
            column = ascii_lowercase[(size - int(number)) % _LETTERS]
            word = f"{column}{ord(letter.lower()) - 96}"
        moves += " :S" if word.lower() == "swap" else f" {word}"
    return f"#{size}n,{moves}"


def _of_moves(text: str, size: int) -> SGFNode:
    if len(text) > _LONGEST:
        raise SgfError(f"expected at most {_LONGEST} characters of moves, got {len(text)}")
    text = " ".join(unquote(text).split()).rstrip(" ,;.!?")
    link = _LINK.match(text)
    if link is None and _ADDRESS.fullmatch(text):
        why = "expected a file, or a link with moves behind #; other addresses are not opened"
        raise SgfError(f"{why}: save the game there as SGF, got {excerpt(text)}")
    place, board = (link.end(), f"{link[1]}:{link[2] or link[1]}") if link else (0, str(size))
    if link and not link[3] and "hexworld" not in link[0].lower():
        found = _SWAP_OF_TRMPH.match(text, place)
        if found and (action := action_of(found[1], _LETTERS)) is not None:
            first = cell_name(mirrored(action, _LETTERS), _LETTERS)
            text = f"{text[:place]}{first}:s{text[found.end() :]}"
    root = last = SGFNode(properties={"GM": ["11"], "SZ": [board]})
    colour, has_passed, ply, of_pairs = "B", False, 0, False
    while place < len(text):
        if last is not root and (found := _RESULT.fullmatch(text, place)):
            root.properties["RE"] = [_RESULTS.get(found[1], found[1].upper())]
            break
        found = _MOVE.match(text, place)
        if found is None:
            got = excerpt(text[place : place + 20].strip())
            raise SgfError(f"line 1, column {place + 1}: expected a move such as c2, got {got}")
        number, said, move = found.groups()
        ply, place = ply + 1, found.end()
        if number:
            of_pairs |= (ply, number) in ((2, "1"), (3, "2"))
            expected = (ply + 1) // 2 if of_pairs else ply
            if int(number) != expected:
                at, own = f"line 1, column {found.start(1) + 1}", "the number of this move"
                raise SgfError(f"{at}: expected {expected} as {own}, got {number}")
        word = _WORDS.get(move[:2] if move[0] == ":" else move.lower(), move.lower())
        mover = (said or (move[2] if len(move) == 3 and move[0] == ":" else colour))[0].upper()
        last.children.append(SGFNode((1, found.start(3) + 1), {mover: [word]}))
        last = last.children[0]
        if word in ("resign", "forfeit"):
            continue
        has_passed = word == "pass"
        colour = mover
        if word != "swap-sides":
            colour = "W" if mover == "B" else "B"
    if has_passed:  # a position, in which the other player moves
        last.children.append(SGFNode(last.at, {"PL": [colour]}))
    return root

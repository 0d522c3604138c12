"""Games of Hex as SGF: converts the page's tree of nodes to text and back."""

import re
from dataclasses import replace
from functools import reduce
from typing import Annotated, Any, Literal, get_args

from pydantic import Base64Bytes, Field

from agents.match import GameRecord
from base.storage import printable
from formats import sgf, sgf_text
from formats.annotations import LONGEST_LINE, MoveReview, annotate
from formats.game_text import games_in
from formats.links import hexworld_link, trmph_link
from formats.sgf_text import SgfError, SGFNode, refusal
from state_manager import GameError, State, make_game
from web.server.agent_pool import AgentPool, Deadline
from web.server.requests import Beginning, PageRequest, RequestError

_MOST_NODES = 5000
_MOST_LETTERS = 10_000  # of a comment
_MOST_BYTES, _MOST_GAMES = 600_000, 500  # of a file
_MOST_REASONS = 3  # for what is left out
_USUAL_SIZES = (5, 7, 9, 11, 13, 14, 19)

_Comment = Annotated[str, Field(max_length=_MOST_LETTERS)]
_DATE = r"\d{4}-\d\d-\d\d"
_Player = Annotated[str, Field(max_length=200)]


class TreeNode(PageRequest):
    """A node of a game's tree: its move, and the number of its parent; 0 is the start."""

    action: Annotated[int, Field(ge=0, lt=1000)]
    parent: Annotated[int, Field(ge=0, lt=_MOST_NODES)]
    comment: _Comment = ""
    review: MoveReview | None = None


# fmt: off
_Fact = Literal[
    "AN", "BR", "BT", "CP", "EV", "GC", "GN", "ON", "OT", "PC", "RE", "RO", "SO", "TM", "US", "WR",
    "WT",
]
# fmt: on
"""The properties about a game that the page does not show, and that stay in its file."""


class TreeRequest(Beginning):
    """A game to write as SGF; its nodes are numbered from 1, in order of creation."""

    nodes: Annotated[tuple[TreeNode, ...], Field(max_length=_MOST_NODES)] = ()
    players: tuple[_Player, _Player] = ("", "")
    date: Annotated[str, Field(pattern=f"^({_DATE})?$")] = ""
    comment: _Comment = ""
    result: Annotated[str, Field(pattern=r"^([BW]\+[RT])?$")] = ""  # if not by the board, as B+T
    facts: dict[_Fact, _Comment] = Field(default_factory=dict)  # of the file that it is from


def write_sgf(pool: AgentPool, request: TreeRequest, deadline: Deadline) -> dict[str, Any]:
    """Return a game with its variations as SGF, and the links of its main line."""
    game, first = request.begun()
    if not game.has_hex_formats:
        raise RequestError(f"SGF is for Hex only (GM[11]): expected a game of hex, got {game.name}")
    size, comments = game.board_shape[0], (request.comment,)
    about = request.players, request.start, (), (), 0
    record = GameRecord(*about, setup=request.setup, comments=comments)
    nodes, states = [sgf.tree_of(record, game)], [first]
    reviews: list[tuple[SGFNode, MoveReview]] = []
    room = _MOST_NODES - len(request.nodes)  # for best lines, as the page reads no larger file
    for number, each in enumerate(request.nodes, start=1):
        if each.parent >= number:
            raise RequestError(f"node {number}: expected a parent before it, got {each.parent}")
        before = states[each.parent]
        if each.action not in game.legal_actions(before):
            raise RequestError(f"node {number}: expected a legal action, got {each.action}")
        colour = "BW"[game.to_play(before) - 1]
        node = SGFNode(properties={colour: [sgf.cell_name(each.action, size)]})
        if each.comment:
            node.properties["C"] = [each.comment]
        nodes[each.parent].children.append(node)
        nodes.append(node)
        states.append(game.child_state(before, each.action))
        if (review := each.review) is not None:
            for state, line in ((before, review.best), (states[-1], review.reply)):
                reduce(game.child_state, line, state)  # refuses an illegal action
            room -= 2 * LONGEST_LINE if review.grade else 0
            reviews.append((node, review if room >= 0 else replace(review, best=(), reply=())))
    annotate(nodes[0], reviews)
    winner = game.winner(reduce(game.child_state, sgf.read_game(nodes[0]).record.actions, first))
    nodes[0].properties |= {name: [value] for name, value in request.facts.items() if value}
    if result := f"{'BW'[winner - 1]}+" if winner else request.result:
        nodes[0].properties["RE"] = [result]
    if request.date:
        nodes[0].properties["DT"] = [request.date]
    record = sgf.read_game(nodes[0]).record
    links = {"link": hexworld_link(record, size), "trmph": trmph_link(record, size)}
    return {"sgf": sgf_text.write(nodes[:1]), **links}


class FileRequest(PageRequest):
    """SGF, or another text of games, in base64."""

    file: Annotated[Base64Bytes, Field(max_length=_MOST_BYTES)]
    game: Annotated[int, Field(ge=1)] | None = None  # by default the first readable one
    size: Annotated[int, Field(ge=1, le=26)] = 11  # of the board of moves without a board


def read_sgf(pool: AgentPool, request: FileRequest, deadline: Deadline) -> dict[str, Any]:
    """Return a game of an SGF file, with its variations, as a tree for the page.

    If no game was asked for, and several can be read, ``games`` has the title of each, or why it
    cannot be read. ``notes`` say what is not as the file has it.
    """
    text, note = sgf_text.decoded(request.file)
    notes = [note]
    roots, games = _games_in(text, request.size)
    if not _readable(games) and (guess := _size_for(text)) > request.size:
        guessed = _games_in(text, guess)
        if _readable(guessed[1]):
            roots, games = guessed
            words = f"Read on {guess}x{guess}, as no size is named."
            notes.append(f"{words} For a larger one, show it first.")
    if len(games) < (request.game or 1):
        raise RequestError(f"expected SGF with a game {request.game or 1}")
    readable = _readable(games)
    number = request.game or next(iter(readable), 1)
    chosen = games[number - 1]
    if not isinstance(chosen, sgf.ReadGame):
        raise chosen
    notes += chosen.notes
    if len(roots) > _MOST_GAMES:
        notes.append(f"The first {_MOST_GAMES} of {len(roots)} games are listed.")
    asks = request.game is None and len(readable) > 1
    if not asks and request.game is None and len(games) > 1:
        others = f"{len(games) - 1} game{'s' * (len(games) > 2)}"
        first = next(str(each) for each in games if not isinstance(each, sgf.ReadGame))
        notes.append(f"{others} cannot be read: {printable(first)}.")
    return _Tree(pool, roots[number - 1], chosen, notes).data() | {
        "games": [_titled(each) for each in games] if asks else [],
        "notes": [each for each in notes if each],
    }


_Games = list[sgf.ReadGame | ValueError]


def _games_in(text: str, size: int) -> tuple[list[SGFNode], _Games]:
    """Return the roots of a text's games, and the games or why they cannot be read."""
    roots, mistake = games_in(text, size)
    games = [_read(root) for root in roots[:_MOST_GAMES]]
    return roots, games + ([] if mistake is None else [mistake])


def _readable(games: _Games) -> list[int]:
    """Return the numbers of the games that can be read."""
    return [n for n, each in enumerate(games, start=1) if isinstance(each, sgf.ReadGame)]


def _size_for(text: str) -> int:
    """Return the smallest usual size that has all cells in a text; 0 if none has."""
    cells = re.findall(r"([a-z])([1-9]\d?)", text.lower())
    most = max((max(ord(letter) - 96, int(row)) for letter, row in cells), default=0)
    return next((size for size in _USUAL_SIZES if size >= most), 0)


def _read(root: SGFNode) -> sgf.ReadGame | ValueError:
    """Return the main line of a game, or why it cannot be read."""
    try:
        read = sgf.read_game(root)
        make_game("hex", **read.params)
        return read
    except (SgfError, GameError) as error:
        return error


def _titled(read: sgf.ReadGame | ValueError) -> dict[str, str]:
    """Return the title of a game of a file, or why it cannot be read."""
    if not isinstance(read, sgf.ReadGame):
        return {"title": "", "error": printable(str(read))}
    size, moves = read.params["size"], len(read.record.actions)
    players = " against ".join(printable(each, 40) for each in read.record.players)
    title = f"{players}, {size}x{size}, {moves} move{'s' * (moves != 1)}"
    return {"title": title, "error": ""}


class _Tree:
    """The nodes of a game for the page, from the position in which its record begins."""

    def __init__(
        self, pool: AgentPool, root: SGFNode, read: sgf.ReadGame, notes: list[str]
    ) -> None:
        """Read all variations; what is left out is told in ``notes``."""
        record = read.record
        self.root, self.record, self.params = root, record, dict(read.params)
        self.reader = sgf.MoveReader(root)
        self.game = make_game("hex", size=self.reader.size, swap=True)
        self.names = pool.names(self.game)
        self.nodes: list[dict[str, Any]] = []
        self.said: list[list[str]] = [[]]  # comments on the start, and on each node
        left_out: list[str] = []
        for node in root.main_line():
            if node is read.begin:
                break
            self.said[0] += node.properties.get("C", ())
            for child in node.children[1:]:
                left_out.append(f"{sgf_text.place_of(child)}: a variation before the start")
        # (SGF node, number of the parent, state at the parent, whether a player has resigned)
        start = self.game.initial_state(record.starting_player, record.setup)
        left: list[tuple[SGFNode, int, State, bool]] = [(read.begin, 0, start, False)]
        while left:
            node, parent, state, is_over = left.pop()
            try:
                parent, state, is_over = self._add(node, parent, state, is_over, read.begin)
            except SgfError as error:
                left_out.append(str(error))
                continue
            left += [(child, parent, state, is_over) for child in reversed(node.children)]
        if left_out:
            more = len(left_out) - _MOST_REASONS
            some = "; ".join([*left_out[:_MOST_REASONS], *[f"and {more} more"] * (more > 0)])
            notes.append(f"Left out, with the moves after it: {some}.")

    def _add(
        self, node: SGFNode, parent: int, state: State, is_over: bool, begin: SGFNode
    ) -> tuple[int, State, bool]:
        """Add a node; return what its children follow, or raise an ``SgfError``."""
        move = self.reader.move(node, self._before(parent))
        is_swap = move is not None and move[1] == self.game.swap_action
        if node is not begin and not is_swap and (stones := sgf.SETUP.keys() & node.properties):
            raise refusal(node, f"stones before all variations, got {min(stones)}")
        if move is not None:
            mover, action = move
            if is_over or self.game.is_final(state):
                raise refusal(node, f"no move after the end, got {self.names.move(action)}")
            if int(state[0]) != mover or action not in self.game.legal_actions(state):
                raise refusal(node, f"a legal move, got {self.names.move(action)}")
            self.nodes.append({"action": action, "parent": parent, "name": self.names.move(action)})
            self.said.append([])
            parent, state = len(self.nodes), self.game.child_state(state, action)
            if is_swap:
                self.params["swap"] = True
            if len(self.nodes) > _MOST_NODES:
                raise RequestError(f"expected at most {_MOST_NODES} moves")
        self.said[parent] += node.properties.get("C", ())
        return parent, state, is_over or self.reader.ends(node)

    def _before(self, parent: int) -> list[int]:
        """Return the actions before a move of a game that is not set up, at most two."""
        before: list[int] = []
        while parent and len(before) < 2:
            before.insert(0, self.nodes[parent - 1]["action"])
            parent = self.nodes[parent - 1]["parent"]
        return [] if self.record.setup else before

    def data(self) -> dict[str, Any]:
        """Return the game for the page."""
        comments = ["\n".join(filter(None, said)).replace("\r\n", "\n") for said in self.said]
        for number, said in enumerate(comments):
            if len(said) > _MOST_LETTERS:
                where = f"got more on {f'move {number}' if number else 'the start'}"
                most = f"expected comments of at most {_MOST_LETTERS} characters"
                raise RequestError(f"{most}, {where}")
            if number and said:
                self.nodes[number - 1]["comment"] = said
        date = re.match(_DATE, self.root.get("DT"))
        record, root = self.record, self.root
        facts = {name: root.get(name) for name in get_args(_Fact) if root.get(name)}
        if record.winner and not root.get("RE"):
            facts["RE"] = f"{'BW'[record.winner - 1]}+{record.ending}"
        return {
            "game": {"name": self.game.name, "params": self.params},
            "start": record.starting_player,
            "setup": record.setup,
            "nodes": self.nodes,
            "players": record.players,
            "date": date[0] if date else "",
            "comment": comments[0],
            "facts": {name: value[:_MOST_LETTERS] for name, value in facts.items()},
        }

"""Games of Hex as SGF: converts the page's tree of nodes to text and back."""

import re
from functools import reduce
from typing import Annotated, Any

from pydantic import Field

from agents.match import GameRecord
from formats import sgf
from formats.hexworld import hexworld_link
from state_manager import make_game
from web.agent_pool import AgentPool, Deadline
from web.requests import Beginning, PageRequest, RequestError

_MOST_NODES = 5000
_MOST_LETTERS = 10_000  # of a comment

_Comment = Annotated[str, Field(max_length=_MOST_LETTERS)]
_DATE = r"\d{4}-\d\d-\d\d"
_Player = Annotated[str, Field(max_length=200)]


class Node(PageRequest):
    """A node of a game's tree: its move, and the number of its parent; 0 is the start."""

    action: Annotated[int, Field(ge=0, lt=1000)]
    parent: Annotated[int, Field(ge=0, lt=_MOST_NODES)]
    comment: _Comment = ""


class TreeRequest(Beginning):
    """A game to write as SGF; its nodes are numbered from 1, in order of creation.

    ``result`` is that of a game that did not end on the board, as ``B+T``.
    """

    nodes: Annotated[tuple[Node, ...], Field(max_length=_MOST_NODES)] = ()
    players: tuple[_Player, _Player] = ("", "")
    date: Annotated[str, Field(pattern=f"^({_DATE})?$")] = ""
    comment: _Comment = ""
    result: Annotated[str, Field(pattern=r"^([BW]\+[RT])?$")] = ""


def write_sgf(pool: AgentPool, request: TreeRequest, deadline: Deadline) -> dict[str, Any]:
    """Return a game with its variations as SGF, and the link to its main line on HexWorld."""
    game, first = request.begun()
    if not game.has_hex_formats:
        raise RequestError(f"SGF is for Hex only (GM[11]): expected a game of hex, got {game.name}")
    size = game.board_shape[0]
    record = GameRecord(
        *(request.players, request.start, (), (), 0),
        setup=request.setup,
        comments=(request.comment,),
    )
    nodes, states = [sgf.tree_of(record, game)], [first]
    for number, each in enumerate(request.nodes, start=1):
        if each.parent >= number:
            raise RequestError(f"node {number}: expected a parent before it, got {each.parent}")
        before = states[each.parent]
        if each.action not in game.legal_actions(before):
            raise RequestError(f"node {number}: expected a legal action, got {each.action}")
        colour = "BW"[game.to_play(before) - 1]
        node = sgf.Node(properties={colour: [sgf.cell_name(each.action, size)]})
        if each.comment:
            node.properties["C"] = [each.comment]
        nodes[each.parent].children.append(node)
        nodes.append(node)
        states.append(game.child_state(before, each.action))
    main = sgf.record_of(nodes[0])[1]
    winner = game.winner(reduce(game.child_state, main.actions, first))
    if result := f"{'BW'[winner - 1]}+" if winner else request.result:
        nodes[0].properties["RE"] = [result]
    if request.date:
        nodes[0].properties["DT"] = [request.date]
    return {"sgf": sgf.write(nodes[:1]), "link": hexworld_link(main, size)}


class TextRequest(PageRequest):
    """An SGF text to read."""

    text: Annotated[str, Field(max_length=500_000)]


def read_sgf(pool: AgentPool, request: TextRequest, deadline: Deadline) -> dict[str, Any]:
    """Return the first game of an SGF text, with its variations, as a tree for the page."""
    games = sgf.parse(request.text)
    if not games:
        raise RequestError("expected SGF with a game")
    params, record = sgf.record_of(games[0])
    reader = sgf.MoveReader(games[0])
    game = make_game("hex", size=reader.size, swap=True)
    names = pool.names(game)
    nodes: list[dict[str, Any]] = []
    comments = [""]  # on the start, and on each node
    # (SGF node, number of the parent, state at the parent)
    left = [(games[0], 0, game.initial_state(record.starting_player, record.setup))]
    trunk = games[:1]  # the nodes before the first variation
    while len(trunk[-1].children) == 1:
        trunk += trunk[-1].children
    before_variations = {each.at for each in trunk}
    while left:
        node, parent, state = left.pop()
        if node.at not in before_variations and (stones := sgf.SETUP.keys() & node.properties):
            raise sgf.refusal(node, f"stones before all variations, got {min(stones)}")
        if move := reader.move(node):
            mover, action = move
            if int(state[0]) != mover or action not in game.legal_actions(state):
                raise sgf.refusal(node, f"a legal move, got {names.move(action)}")
            nodes.append({"action": action, "parent": parent, "name": names.move(action)})
            comments.append("")
            parent, state = len(nodes), game.child_state(state, action)
            if action == game.swap_action:
                params["swap"] = True
            if len(nodes) > _MOST_NODES:
                raise RequestError(f"expected at most {_MOST_NODES} moves")
        said = node.get("C").replace("\r\n", "\n")
        comments[parent] = "\n".join(filter(None, (comments[parent], said)))
        if len(comments[parent]) > _MOST_LETTERS:
            raise sgf.refusal(node, f"comments of at most {_MOST_LETTERS} characters")
        left += [(child, parent, state) for child in reversed(node.children)]
    about = {"name": game.name, "params": params}
    start = record.starting_player
    for each, said in zip(nodes, comments[1:], strict=True):
        each |= {"comment": said} if said else {}
    date = re.match(_DATE, games[0].get("DT"))
    facts = {"players": record.players, "date": date[0] if date else "", "comment": comments[0]}
    return {"game": about, "start": start, "setup": record.setup, "nodes": nodes, **facts}

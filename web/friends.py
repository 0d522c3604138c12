"""Games between two people: make one, look at it, move; and the list of all for the assistant."""

from __future__ import annotations

import secrets
from typing import Any, Literal

from pydantic import Field

from base.storage import printable
from display.boards.cells import board_data
from web.agent_pool import AgentPool, Deadline
from web.positions import shape_of, view_of
from web.requests import GameSpec, PageRequest, Position, RequestError
from web.rooms import Name, Table, Token, new_token

_MOST_NAME = 30
_PAIRS = ("names", "joined", "offers", "wins")


class NewTableRequest(PageRequest):
    """A game to play with a friend; ``player`` is the own player, 0 for a random one."""

    game: GameSpec
    player: Literal[0, 1, 2] = 0
    name: Name = ""


class TableRequest(PageRequest):
    """A table, by its token of a seat or of spectators; ``version`` is the last response's."""

    token: Token
    version: int = -1


class TableActionRequest(PageRequest):
    """What the player of a seat does; ``ply`` is the number of moves that the player has seen."""

    token: Token
    what: Literal["move", "resign", "rematch", "name"]
    ply: int = Field(0, ge=0)
    action: int = -1
    name: Name = ""


def new_table(pool: AgentPool, request: NewTableRequest, deadline: Deadline) -> dict[str, Any]:
    """Make a game, and return the token of its first seat."""
    request.game.made()
    player = request.player or 1 + secrets.randbelow(2)
    table = Table(
        position=Position(game=request.game),
        seats=(new_token(), new_token()),
        watch=new_token(),
        first=0 if player == 1 else 1,
        names=(printable(request.name.strip(), _MOST_NAME), ""),
    )
    return {"token": pool.room.add(table, deadline.client).seats[0]}


def table(pool: AgentPool, request: TableRequest, deadline: Deadline) -> dict[str, Any]:
    """Return a table as its player or a spectator sees it, unless only presence can differ."""
    found, seat = pool.room.visit(request.token)
    about = {"version": found.version, "here": pool.room.here(found)}
    return about if found.version == request.version else about | _shown(pool, found, seat)


def table_action(
    pool: AgentPool, request: TableActionRequest, deadline: Deadline
) -> dict[str, Any]:
    """Move, resign, offer a rematch or change the own name; return the table."""

    def change(table: Table, seat: int) -> Table:
        actions = table.position.actions
        if request.what == "name":
            return table.with_seat("names", seat, printable(request.name.strip(), _MOST_NAME))
        if request.what == "move" and actions[request.ply :] == (request.action,):
            return table  # sent again, as the response was lost
        if request.ply != len(actions):
            raise RequestError("the position has changed meanwhile")
        if request.what == "rematch":
            return _rematch(table, seat)
        if table.played()[2]:
            raise RequestError("the game is over")
        is_move, resigned = request.what == "move", {"resigned": table.player(seat)}
        news = _move(table, seat, request.action) if is_move else resigned
        changed = table.model_copy(update=news)
        winner = changed.played()[2]
        wins = [won + (table.player(each) == winner) for each, won in enumerate(table.wins)]
        return changed.model_copy(update={"wins": tuple(wins)})

    pool.room.change(request.token, change)
    return table(pool, TableRequest(token=request.token), deadline)


def _move(table: Table, seat: int, action: int) -> dict[str, Any]:
    game, state, _ = table.played()
    if game.to_play(state) != table.player(seat):
        raise RequestError("it is the other player's turn")
    if action not in game.legal_actions(state):
        raise RequestError(f"expected a legal action, got {action}")
    actions = (*table.position.actions, action)
    return {"position": Position.model_validate({**dict(table.position), "actions": actions})}


def _rematch(table: Table, seat: int) -> Table:
    if not table.played()[2]:
        raise RequestError("expected a finished game")
    offered = table.with_seat("offers", seat, 1)
    if not all(offered.offers):
        return offered
    position = table.position.model_copy(update={"actions": ()})
    news = {"position": position, "first": 1 - table.first, "offers": (0, 0), "resigned": 0}
    return table.model_copy(update=news)


def _shown(pool: AgentPool, table: Table, seat: int | None) -> dict[str, Any]:
    """Return what a player or a spectator may see; pairs are in the order of the players."""
    game, state, winner = table.played()
    view = view_of(pool.names(game), state, table.position.actions)
    you = 0 if seat is None else table.player(seat)
    if winner or view["to_play"] != you:
        view["moves"] = []
    # Only the player who made the game is sent the other seat's secret, until the friend is there.
    is_awaited = seat == 0 and not table.joined[1]
    return {
        "view": view | {"winner": winner},
        "position": table.position.model_dump(mode="json"),
        "you": you,
        **{key: table.by_player(getattr(table, key)) for key in _PAIRS},
        "resigned": table.resigned,
        "friend": f"/{pool.room.admission}#friends/{table.seats[1]}" if is_awaited else "",
        "watch": f"/{pool.room.admission}#friends/{table.watch}",
    }


def room(pool: AgentPool, request: TableRequest, deadline: Deadline) -> dict[str, Any]:
    """Return all tables for the assistant, in full those that have changed; and the ladder."""
    if not secrets.compare_digest(request.token, pool.room.assistant):
        raise RequestError("expected the link to the room that the server has printed")
    tables = pool.room.tables
    return {
        "version": max((each.version for each in tables), default=0),
        "ids": [each.watch for each in tables],
        "here": [pool.room.here(each) for each in tables],
        "tables": [_small(pool, each) for each in tables if each.version > request.version],
        "ladder": pool.ladder and pool.ladder.shown,
    }


def _small(pool: AgentPool, table: Table) -> dict[str, Any]:
    game, state, winner = table.played()
    actions = table.position.actions
    board = board_data(game, state, actions[-1] if actions else None)
    return {
        "id": table.watch,
        "view": {**shape_of(pool.names(game)), **board, "winner": winner},
        "names": table.by_player(table.names),
        "joined": table.by_player(table.joined),
        "moves": len(actions),
    }

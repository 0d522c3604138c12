"""Games between two people: make one, look at it, move; and the list of all for the assistant."""

import secrets
from contextlib import suppress
from functools import reduce
from typing import Annotated, Any, Literal

from pydantic import Field

from base.storage import printable
from display.boards.cells import board_data
from web.friends.clocks import Clock, ClockKind
from web.friends.rooms import Name, Room, Table, Token, new_token
from web.server.agent_pool import AgentPool, Deadline
from web.server.positions import shape_of, view_of
from web.server.requests import GameSpec, PageRequest, Position, RequestError

TakebackWord = Literal["takeback", "withdraw", "grant", "refuse"]
_MOST_NAME, _MOST_SAID = 30, 120
_PAIRS = ("names", "joined", "offers", "chats", "wins")


class NewTableRequest(PageRequest):
    """A game to play with a friend."""

    game: GameSpec
    player: Literal[0, 1, 2] = 0  # the own player; 0 for a random one
    name: Name = ""
    clock: ClockKind = "none"
    listed: bool = False  # in the lobby, where one other client of this server may join it


class TableRequest(PageRequest):
    """A table, by its token of a seat or of spectators; ``version`` is the last response's."""

    token: Token
    version: int = -1


class JoinRequest(PageRequest):
    """A game by its invitation or, in the lobby, its token of spectators."""

    id: Token
    seat: Token  # a secret that the browser makes for the second seat; only the server is told


class OwnTablesRequest(PageRequest):
    """The seats of a browser; ``version`` is that of the last response for the same ones."""

    seats: Annotated[tuple[Token, ...], Field(max_length=50)]
    version: int = -1


class ActionRequest(PageRequest):
    """What the player of a seat does; ``ply`` is the number of moves that the player has seen.

    "takeback" asks to take the own last move back, which "withdraw" ends; "grant" and "refuse"
    answer the other player. "chat" switches the chat ``on`` or off for this player, "say" adds a
    line to it.
    """

    token: Token
    what: Literal["move", "resign", "rematch", "name", "chat", "say"] | TakebackWord
    ply: int = Field(0, ge=0)
    action: int = -1
    name: Name = ""
    on: bool = False
    text: Annotated[str, Field(max_length=_MOST_SAID)] = ""


def new_table(pool: AgentPool, request: NewTableRequest, deadline: Deadline) -> dict[str, Any]:
    """Make a game, and return the token of its first seat."""
    request.game.made()
    table = Table.new(
        position=Position(game=request.game),
        invite=new_token(),
        first=(request.player or 1 + secrets.randbelow(2)) - 1,
        names=(printable(request.name.strip(), _MOST_NAME), ""),
        clock=Clock.new(request.clock),
        listed=request.listed,
    )
    return {"token": pool.room.add(table, deadline.client).seats[0]}


def table(pool: AgentPool, request: TableRequest, deadline: Deadline) -> dict[str, Any]:
    """Return a table as its player or a spectator sees it; of a known version what passes by."""
    room = pool.room
    found, seat = room.visit(request.token)
    clock, said = found.clock, [] if seat is None else room.said(found)
    about = {
        "version": found.version,
        "away": room.away(found),
        "left": None if clock.kind == "none" else found.by_player(clock.times(room.now())),
        "runs": 0 if clock.runs is None else found.player(clock.runs),
        "said": [{"player": found.player(each), "text": text} for each, text in said],
    }
    return about if found.version == request.version else about | _shown(pool, found, seat)


def table_action(pool: AgentPool, request: ActionRequest, deadline: Deadline) -> dict[str, Any]:
    """Do what the player of a seat wants; return the table."""
    room = pool.room

    def change(table: Table, seat: int) -> Table:
        player, actions = table.player(seat), table.position.actions
        match request.what:
            case "name":
                return table.with_seat("names", seat, printable(request.name.strip(), _MOST_NAME))
            case "chat":
                return table.with_seat("chats", seat, int(request.on))
            case "say":
                if not all(table.chats):
                    raise RequestError("the chat is off: both players switch it on")
                if line := printable(request.text.strip(), _MOST_SAID):
                    room.say(table, seat, line)
                return table
            case "move" if actions[request.ply :] == (request.action,):
                return table  # sent again, as the response was lost
        if request.ply != len(actions):
            raise RequestError("the position has changed meanwhile")
        if request.what == "rematch":
            return _rematch(pool, table, seat, deadline.client)
        if table.played()[2]:
            raise RequestError("the game is over")
        match request.what:
            case "move":
                return _moved(table, seat, request.action).settled(room.now(), moved=True)
            case "takeback":
                if table.takeback == 3 - player:
                    raise RequestError("the other player asks to take a move back: answer first")
                _taken_back(table, player)
                return table.with_(takeback=player)
            case "grant":
                if table.takeback != 3 - player:
                    raise RequestError("the other player no longer asks for this")
                return _taken_back(table, table.takeback).settled(room.now())
            case "withdraw" | "refuse":
                asker = player if request.what == "withdraw" else 3 - player
                return table.with_(takeback=0) if table.takeback == asker else table
        return table.with_(resigned=player).settled(room.now())

    room.change(request.token, change)
    return table(pool, TableRequest(token=request.token), deadline)


def _taken_back(table: Table, player: int) -> Table:
    """Return the table before a player's last move."""
    actions = table.position.actions
    game, start = table.position.begun()
    for ply in reversed(range(len(actions))):
        if game.to_play(reduce(game.child_state, actions[:ply], start)) == player:
            return table.with_actions(actions[:ply])
    raise RequestError("you have not moved yet")


def _moved(table: Table, seat: int, action: int) -> Table:
    game, state, _ = table.played()
    if game.to_play(state) != table.player(seat):
        raise RequestError("it is the other player's turn")
    if action not in game.legal_actions(state):
        raise RequestError(f"expected a legal action, got {action}")
    moved = {**dict(table.position), "actions": (*table.position.actions, action)}
    return table.with_(position=Position.model_validate(moved))


def _rematch(pool: AgentPool, table: Table, seat: int, client: str) -> Table:
    """Note an offer; when both have offered, the rematch is a game of its own beside this one."""
    if not table.played()[2]:
        raise RequestError("expected a finished game")
    offered = table.with_seat("offers", seat, 1)
    if not all(offered.offers) or table.rematch:
        return offered
    rematch = Table.new(
        position=table.with_actions(()).position,
        first=0 if table.first else 1,
        joined=(1, 1),
        clock=Clock.new(table.clock.kind),
        **{key: getattr(table, key) for key in ("names", "chats", "wins")},
    )
    pool.room.add(rematch, client)
    return offered.with_(rematch=rematch.watch)


def lobby(pool: AgentPool, request: PageRequest, deadline: Deadline) -> dict[str, Any]:
    """Return the games that wait for a second player, the newest first."""
    shown = []
    for each in reversed(pool.room.open_tables()):
        game = each.position.game.made()
        about: dict[str, Any] = {"id": each.watch, "name": each.names[0], "clock": each.clock.kind}
        about["game"] = {"name": game.name, "params": game.params}
        shown.append(about | {"you": game.player_names[each.player(1) - 1]})
    return {"tables": shown}


def join_table(pool: AgentPool, request: JoinRequest, deadline: Deadline) -> dict[str, Any]:
    """Join a game."""
    pool.room.join(request.id, request.seat)
    return {}


def own_tables(pool: AgentPool, request: OwnTablesRequest, deadline: Deadline) -> dict[str, Any]:
    """Return the games of a browser, the seconds of their movers, and about changed ones more."""
    room = pool.room
    version = max((each.version for each in room.tables), default=0)  # before any later change
    own: list[tuple[Table, int]] = []
    for token in request.seats:
        with suppress(RequestError):  # it is no longer in the room
            table, seat = room.look(token)
            own += [] if seat is None else [(table, seat)]
    times = [(each.clock.times(room.now()), each.clock.runs) for each, _ in own]
    changed = ((table, seat) for table, seat in own if table.version > request.version)
    return {
        "version": version,
        "ids": [table.watch for table, _ in own],
        "left": [None if runs is None else left[runs] for left, runs in times],
        "tables": [_for_list(room, table, seat) for table, seat in changed],
    }


def _for_list(room: Room, table: Table, seat: int) -> dict[str, Any]:
    game, state, winner = table.played()
    return {
        "id": table.watch,
        "game": table.position.game.model_dump(),
        "other": table.names[1 - seat],
        "joined": bool(table.joined[1 - seat]),
        "you": table.player(seat),
        "to_play": 0 if winner else game.to_play(state),
        "winner": winner,
        "rematch": _rematch_token(room, table, seat),
    }


def _rematch_token(room: Room, table: Table, seat: int | None) -> str:
    """Return the token of a seat, or of spectators, in the rematch; empty without one."""
    with suppress(RequestError):  # there is none, or it is no longer in the room
        after, _ = room.find(table.rematch)
        return after.watch if seat is None else after.seats[seat]
    return ""


def _shown(pool: AgentPool, table: Table, seat: int | None) -> dict[str, Any]:
    """Return what a player or a spectator may see; pairs are in the order of the players."""
    game, state, winner = table.played()
    view = view_of(pool.names(game), state, table.position.actions)
    you = 0 if seat is None else table.player(seat)
    if winner or view["to_play"] != you:
        view["moves"] = []
    # Only the player who made the game is sent the invitation, until the friend is there.
    is_awaited = seat == 0 and not table.joined[1]
    link = f"/{pool.room.admission}#friends/"
    return {
        "view": view | {"winner": winner},
        "position": table.position.model_dump(mode="json"),
        "you": you,
        **{key: table.by_player(getattr(table, key)) for key in _PAIRS},
        **{key: getattr(table, key) for key in ("resigned", "flagged", "takeback")},
        "clock": table.clock.kind,
        "rematch": _rematch_token(pool.room, table, seat),
        "friend": f"{link}{table.invite}" if is_awaited else "",
        "watch": f"{link}{table.watch}",
    }


def room(pool: AgentPool, request: TableRequest, deadline: Deadline) -> dict[str, Any]:
    """Return all tables for the assistant, in full those that have changed."""
    if not secrets.compare_digest(request.token, pool.room.assistant):
        raise RequestError("expected the link to the room that the server has printed")
    for each in pool.room.tables:
        with suppress(RequestError):
            pool.room.look(each.watch)  # its time may be up
    tables = pool.room.tables
    return {
        "version": max((each.version for each in tables), default=0),
        "ids": [each.watch for each in tables],
        "here": [pool.room.here(each) for each in tables],
        "tables": [_small(pool, each) for each in tables if each.version > request.version],
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

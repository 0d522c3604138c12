"""A series in the arena, as the hooks of a tournament's player.

The arena sends single moves, and the tournament's player wants boards. So the wire keeps the board,
and checks each move of the server by the rules.
"""

import contextlib
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from base.storage import printable
from online.arena import messages as received
from online.arena.connection import QUIET, ArenaConnection
from online.errors import ConnectionEndedError, TournamentError
from online.flat import FlatError, action_at, state_from_flat
from online.messages import unexpected
from state_manager import GameError, State, make_game

HookCall = tuple[str, Mapping[str, object]]

_PAUSED = "paused"
"""In the reason of a refusal: the opponent is away, so the same move is sent again later."""


class RefusedError(TournamentError):
    """The server has no seat for us, at least for now."""


class ArenaWire:
    """One series, from an open connection to its end; see ``online.session.Wire``.

    After a lost connection it goes back with the token of its seat, once, as the server allows:
    ``way_back`` is the number of the slot and the token, while there is a seat to return to.
    """

    def __init__(
        self,
        connection: ArenaConnection,
        go_back: Callable[[int, str], ArenaConnection],
        tell: Callable[[str], None],
        names: dict[int, str],
        move_limit: float,
        until: float,
    ) -> None:
        """Play over ``connection``; ``go_back`` connects again with a slot and its token.

        ``names`` receives the players' names by their unique ids, which are 1 and 2 here. A move
        may take ``move_limit`` seconds; an opponent may come ``until`` then, in monotonic time.
        """
        self.way_back: tuple[int, str] | None = None
        self._connection, self._go_back = connection, go_back
        self._tell, self._names, self._move_limit, self._until = tell, names, move_limit, until
        self._seat: received.Joined | None = None
        self._us = 0
        self._game = make_game("hex")  # on the server's board once there is a seat
        self._state: State | None = None  # of the current game
        self._points = {1: 0, 2: 0}
        self._has_begun = self._is_over = self._has_resigned = False
        self._action: tuple[int, int] | None = None  # sent, and not yet echoed
        self._last_move = time.monotonic()

    def close(self) -> None:
        """Leave the server."""
        self._connection.close()

    def send_action(self, action: tuple[int, int]) -> None:
        """See ``Wire``; the next message reports a lost connection."""
        self._action = action
        row, column = action
        with contextlib.suppress(ConnectionEndedError):
            self._connection.send("move", {"q": column, "r": row})

    def messages(self) -> Iterator[HookCall]:
        """See ``Wire``; ends with the series, or when the opponent has left it."""
        while not self._is_over:
            try:
                kind, payload = self._connection.receive()
            except ConnectionEndedError as error:
                if self._has_resigned:
                    break
                self._return(error)
                continue
            yield from self._hooks(kind, payload)
            if kind != QUIET:
                yield "message", {}
        self.way_back = None
        if self._has_resigned:
            yield self._game_over(self._us)

    def _hooks(self, kind: str, payload: Mapping[str, Any]) -> Iterator[HookCall]:
        match kind:
            case "joined":
                self._sit_down(received.checked(received.Joined, payload))
            case "reconnected":
                yield from self._resume(received.checked(received.Reconnected, payload))
            case "waiting_for_opponent":
                self._tell("Waiting for an opponent")
            case "game_start":
                yield from self._start(received.checked(received.GameStart, payload))
            case "move":
                yield from self._move(received.checked(received.Move, payload))
            case "move_rejected":
                yield from self._refused(_quoted(payload, "reason"))
            case "game_over":
                yield from self._end(received.checked(received.GameOver, payload))
            case "series_over":
                over = received.checked(received.SeriesOver, payload)
                yield self._series_over(over.player_1_wins, over.player_2_wins)
            case "chat":
                self._tell(f"{self._opponent} says: {_quoted(payload)}")
            case "opponent_disconnected" | "opponent_left_slot":
                self._is_over = payload.get("reason") != "waiting_for_reconnect"
                lost = "has lost its connection, and may come back"
                self._tell(f"{self._opponent} {'has left' if self._is_over else lost}")
            case "opponent_reconnected":
                self._tell(f"{self._opponent} is back")
                if self._action is not None:
                    self.send_action(self._action)
            case "error" if self._seat is None:
                raise RefusedError(f"the server has no seat for us: {_quoted(payload)}")
            case "error":
                self._tell(f"The server says: {_quoted(payload)}")
            case _ if kind == QUIET and self._state is not None:
                if (waited := time.monotonic() - self._last_move) > self._move_limit:
                    words = "oht.silence_limit says how long to wait"
                    raise TournamentError(f"no move of {self._opponent} in {waited:.0f} s; {words}")
            case _ if kind == QUIET and not self._has_begun and time.monotonic() > self._until:
                self._tell("No opponent came in time")
                self._is_over = True

    @property
    def _opponent(self) -> str:
        return self._names.get(3 - self._us, "The opponent")

    def _sit_down(self, seat: received.Joined) -> None:
        if self._seat is not None:
            unexpected("one seat", seat)
        size = seat.board_size
        self._seat, self._us = seat, seat.player
        self._game = make_game("hex", size=size)
        if seat.reconnect_token:
            self.way_back = seat.slot_id, seat.reconnect_token
        games = f"best of {seat.series_length} on {size}x{size}"
        self._tell(f"Slot {seat.slot_id}: {games}; we are {received.COLOURS[self._us]}")

    def _begin(self, about: received.GameStart | received.Slot) -> Iterator[HookCall]:
        if self._seat is None:
            unexpected("a seat before a game", about)
        if not self._has_begun:
            self._has_begun = True
            self._names |= {player: received.name_of(player, about) for player in (1, 2)}
            games, size = self._seat.series_length, self._seat.board_size
            about_players = {"unique_player_id": self._us, "player_id_map": [(1, 1), (2, 2)]}
            yield "series_start", {**about_players, "num_games": games, "game_params": [size]}

    def _start(self, start: received.GameStart) -> Iterator[HookCall]:
        if self._state is not None:
            unexpected("the end of the game before another", start)
        yield from self._begin(start)
        self._state = self._game.initial_state(start.first_turn)
        yield "game_start", {"start_player": start.first_turn}
        yield from self._ask()

    def _ask(self) -> Iterator[HookCall]:
        self._last_move = time.monotonic()
        if self._state is not None and self._game.to_play(self._state) == self._us:
            yield "get_action", {"state": self._game.to_flat(self._state)}

    def _move(self, move: received.Move) -> Iterator[HookCall]:
        game, state = self._game, self._state
        if state is None or move.player != game.to_play(state):
            unexpected("a move of the player whose turn it is", move)
        if move.player == self._us and self._action != (move.r, move.q):
            unexpected(f"our move {self._action}", move)
        try:
            self._state = state = game.child_state(state, action_at(game, (move.r, move.q)))
        except (GameError, FlatError):
            unexpected("a move on an empty cell of the board", move)
        is_over = game.is_final(state)
        if move.next_turn != (None if is_over else game.to_play(state)):
            unexpected("the next turn as on our board", move)
        self._action, self._has_resigned = None, False
        if not is_over:
            yield from self._ask()

    def _end(self, over: received.GameOver) -> Iterator[HookCall]:
        state = self._state
        if state is None or over.winner != (self._game.winner(state) or self._us):
            unexpected("the winner of our board", over)
        if self._game.is_final(state):
            yield self._game_over(over.winner)
        else:  # no point is given, and the one who resigned may come back to the same position
            self._has_resigned = True
            self._tell(f"{self._opponent} has resigned; the arena gives no point for that")

    def _game_over(self, winner: int, end: State | None = None) -> HookCall:
        states = end, self._state, self._game.initial_state(1)
        known = next(state for state in states if state is not None)
        self._state = self._action = None
        self._points[winner] += 1
        return "game_over", {"winner": winner, "end_state": self._game.to_flat(known)}

    def _series_over(self, red: int, blue: int) -> HookCall:
        self._is_over = True
        won = {1: blue, 2: red}
        return "series_over", {"stats": [(each, each, won[each], won[3 - each]) for each in (1, 2)]}

    def _refused(self, reason: str) -> Iterator[HookCall]:
        """After a refused move wait for an absent opponent; else look at the board again."""
        if self._state is None or self._action is None:
            unexpected("an answer to a move", reason)
        if _PAUSED not in reason.lower():
            flat = self._game.to_flat(self._state)
            yield "illegal_action", {"state": flat, "action": self._action}
            self._return(TournamentError(f"the server refused our move {self._action}: {reason}"))

    def _return(self, reason: TournamentError) -> None:
        """Connect again with the token, or raise the reason if there is none."""
        if self.way_back is None:
            raise reason
        (slot, token), self.way_back = self.way_back, None
        self._tell(f"{reason}; going back to slot {slot}")
        self._connection.close()
        self._seat = None
        self._connection = self._go_back(slot, token)

    def _resume(self, seat: received.Reconnected) -> Iterator[HookCall]:
        self._sit_down(seat)
        game, slot = self._game, seat.slot
        if slot.board is None or slot.current_turn is None:
            return
        yield from self._begin(slot)
        stones = [received.PLAYERS[cell] for row in slot.board for cell in row]
        try:
            state = state_from_flat(game, [slot.current_turn, *stones])
        except FlatError as error:
            unexpected(f"a board of {seat.board_size}x{seat.board_size} ({error})", slot.board)
        is_over = slot.series_winner is not None
        for winner, points in ((1, slot.player_2_wins), (2, slot.player_1_wins)):
            for _ in range(points - self._points[winner]):
                yield self._game_over(winner, state if is_over else None)
        if is_over:
            yield self._series_over(slot.player_1_wins, slot.player_2_wins)
            return
        if self._state is None:
            is_even = stones.count(1) == stones.count(2)
            starter = slot.current_turn if is_even else 3 - slot.current_turn
            self._state = game.initial_state(starter)
            yield "game_start", {"start_player": starter}
        known = game.to_flat(self._state)[1:]
        is_later = all(old in (0, new) for old, new in zip(known, stones, strict=True))
        if not is_later or game.is_final(state):
            unexpected("a board that continues ours", slot.board)
        self._state, self._action = state, None
        yield from self._ask()


def _quoted(payload: Mapping[str, Any], key: str = "message") -> str:
    return printable(str(payload.get(key)))

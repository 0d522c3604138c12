"""The second generation's protocol: JSON over TLS, each message behind its length."""

from __future__ import annotations

import json
import reprlib
import struct
from collections.abc import Sequence

from oht_client.server.connection import Connection
from oht_client.server.registry import Guest, Registry
from oht_client.server.wire import BadMessage, Refused, WireFault, first_answer

MOST_BYTES = 65_536

_LENGTH = struct.Struct("<i")


class JSONWire:
    """A client of the second generation; see ``Wire``."""

    def __init__(
        self, connection: Connection, move_limit: float | None, answer_limit: float
    ) -> None:
        """Talk over a connection; limits are in seconds."""
        self._connection = connection
        self._move_limit = move_limit
        self._answer_limit = answer_limit

    async def authenticate(self, registry: Registry) -> Guest:
        """Ask for the token, any of which will do, and forget it at once.

        Raises:
            WireFault: The answer is no token, or there is none.
        """
        await self._send("authentication")
        with first_answer():
            token = await self._receive(self._answer_limit)
        if not isinstance(token, str) or not token.strip():
            raise BadMessage("expected an API token, a text")
        return registry.guest(token.strip())

    async def qualify(self, guest: Guest) -> bool:
        """Ask whether an attempt is to be spent, and spend it.

        Raises:
            WireFault: None is left, or the answer is neither yes nor no.
        """
        count = guest.attempts_left
        await self._send(
            "question",
            question="qualify",
            prompt="Do you want to attempt to qualify?"
            f" ({count} attempt{'' if count == 1 else 's'} left)",
        )
        answer = await self._receive(self._answer_limit)
        if not isinstance(answer, bool):
            raise BadMessage("expected true or false")
        if answer and not guest.take_attempt():
            raise Refused("no attempts left")
        return answer

    async def series_start(
        self,
        unique_id: int,
        player_map: Sequence[tuple[int, int]],
        num_games: int,
        game_params: Sequence[int],
    ) -> None:
        """See ``Wire``."""
        await self._send(
            "series_start",
            unique_player_id=unique_id,
            player_id_map=player_map,
            num_games=num_games,
            game_params=game_params,
        )

    async def game_start(self, start_player: int) -> None:
        """See ``Wire``."""
        await self._send("game_start", start_player=start_player)

    async def request_action(self, state: Sequence[int]) -> object:
        """See ``Wire``; an answer that is no JSON is returned as ``None``."""
        await self._send("request_action", state=state)
        return await self._receive(self._move_limit)

    async def illegal_action(self, state: Sequence[int], action: object) -> None:
        """See ``Wire``: it loses the game, and no more."""
        text = f"illegal action {reprlib.repr(action)}: the game is lost"
        await self._send("message", message=text, level="ERROR")

    async def game_over(self, winner: int, end_state: Sequence[int]) -> None:
        """See ``Wire``."""
        await self._send("game_over", winner=winner, end_state=end_state)

    async def series_over(self, stats: Sequence[tuple[int, int, int, int]]) -> None:
        """See ``Wire``."""
        await self._send("series_over", stats=stats)

    async def tournament_over(self, score: float) -> None:
        """See ``Wire``."""
        await self._send("tournament_over", score=score)
        await self._send("finish")

    async def reject(self, fault: WireFault) -> None:
        """See ``Wire``: the client raises an error with this text."""
        await self._send("error", error=str(fault))

    async def _receive(self, seconds: float | None) -> object:
        """Return one answer; ``None`` also for what is no JSON."""
        async with self._connection.patience(seconds) as reader:
            self._connection.acknowledge_quickly()
            (length,) = _LENGTH.unpack(await reader.readexactly(_LENGTH.size))
            if not 0 <= length <= MOST_BYTES:
                raise BadMessage(f"expected a length from 0 to {MOST_BYTES}, got {length}")
            self._connection.acknowledge_quickly()
            body = await reader.readexactly(length)
        try:
            answer: object = json.loads(body.decode())
        except (ValueError, RecursionError):
            return None
        return answer

    async def _send(self, topic: str, **content: object) -> None:
        body = json.dumps({"topic": topic, **content}).encode()
        await self._connection.send(_LENGTH.pack(len(body)) + body)

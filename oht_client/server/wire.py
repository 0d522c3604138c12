"""What a tournament says to a client, whichever generation's words it is put into."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import Protocol


class WireFault(Exception):
    """A client has done what ends its session; the text says what, in one line."""


class Gone(WireFault):
    """The client is not there any more."""


class Looked(Gone):
    """The client left without having said a word, as one that only looks whether we are there."""

    def __init__(self) -> None:
        """Say so."""
        super().__init__("a client looked and left")


class TooLate(WireFault):
    """The client did not answer in time."""


class BadMessage(WireFault):
    """What came is nothing that can be answered, or comes out of turn."""


class IllegalAction(WireFault):
    """A move against the rules, where that ends the session."""


class Refused(WireFault):
    """The client asked for what it cannot have."""


class Full(Refused):
    """There are too many clients."""


@contextlib.contextmanager
def first_answer() -> Iterator[None]:
    """Wait for a client's first answer; who leaves instead has only looked."""
    try:
        yield
    except Gone as fault:
        raise Looked from fault


class Wire(Protocol):
    """A client, once it has logged in.

    Only requests wait, and only they find out that a client is gone: what is said to one who is
    gone is lost. That is safe because a client who is not asked anything is not sent much.
    """

    async def series_start(
        self,
        unique_id: int,
        player_map: Sequence[tuple[int, int]],
        num_games: int,
        game_params: Sequence[int],
    ) -> None:
        """Say that a series starts; the map is (unique id, series id) of both players."""

    async def game_start(self, start_player: int) -> None:
        """Say that a game starts, and who moves first."""

    async def request_action(self, state: Sequence[int]) -> object:
        """Ask for a move in a flat state; return the answer, which may be anything.

        Raises:
            WireFault: The client is gone, is too late, or sends what is no message.
        """

    async def illegal_action(self, state: Sequence[int], action: object) -> None:
        """Say that the answer was no move.

        Raises:
            IllegalAction: In this generation, that is the end of the session.
        """

    async def game_over(self, winner: int, end_state: Sequence[int]) -> None:
        """Say who has won a game."""

    async def series_over(self, stats: Sequence[tuple[int, int, int, int]]) -> None:
        """Say how a series ended: (unique id, series id, wins, losses) of both players."""

    async def tournament_over(self, score: float) -> None:
        """Say the score, the percentage of games won; nothing is said after it."""

    async def reject(self, fault: WireFault) -> None:
        """Say, as far as this generation can, why the session ends before its time."""

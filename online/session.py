"""Our own client: one loop over the messages of any server, which a wire sends and receives."""

from collections.abc import Callable, Iterator, Mapping
from typing import Protocol

from online.errors import TournamentError
from online.messages import HOOKS, hook_arguments, unexpected
from online.player import TournamentPlayer

_MOST_IDLE = 10_000
"""Limit of messages in a row without a move or the end of a game; a league may report a wait."""


class Wire(Protocol):
    """A connection to a server, in its own format; methods raise ``TournamentError``."""

    def messages(self) -> Iterator[tuple[str, Mapping[str, object]]]:
        """Log in, and yield each message: a hook with unchecked content, or a handled topic."""

    def send_action(self, action: tuple[int, int]) -> None:
        """Answer the hook ``get_action``."""


def play_session(
    wire: Wire, player: TournamentPlayer, tell: Callable[[str], None], league: bool = False
) -> float | None:
    """Call the hooks of a player to the end of a session, and return the score.

    It is the percentage of games won, ``None`` if the server sent none. An early end raises a
    ``TournamentError``; a session of the ``league`` is over with its only series.
    """
    score, idle, is_over = None, 0, False
    try:
        for topic, content in wire.messages():
            idle = 0 if topic in ("get_action", "game_over") else idle + 1
            if idle > _MOST_IDLE:
                unexpected(f"a game within {_MOST_IDLE} messages", topic)
            if topic not in HOOKS:
                continue
            arguments = hook_arguments(topic, content)
            result = getattr(player, f"handle_{topic}")(*arguments.values())
            if topic == "get_action":
                wire.send_action(result)
            score = arguments.get("score", score)
            is_over = topic == "tournament_over" or (league and topic == "series_over")
    except TournamentError as error:
        if not is_over:
            raise
        tell(f"All games are over, but {error}")
    return score

"""The server's first generation: texts, which have neither a length nor an end mark.

The course's client treats each result of ``recv`` as one message. Here messages may arrive split or
joined: the reader expects a kind of message, and each kind shows its end. Only prompts and the last
message of a tournament do not; a moment of quiet ends them.
"""

import codecs
import re
from collections.abc import Iterator, Mapping

from base.storage import excerpt
from oht_client.answers import SessionOptions, keyword_of, one_line
from oht_client.transport import Connection
from online.errors import TournamentError
from online.messages import HOOKS, literal_or_text, unexpected

QUIET = 0.2  # seconds of quiet that end a message that does not show its end
PROMPT_SECONDS = 3.0  # seconds to wait for more of a prompt that has no keyword yet
MOST_BYTES = 1024  # the longest message that either side receives at once
MOST_CHARACTERS = 8192  # limit of unread text; longer than any message of a server

_TIMED_OUT = "The read operation timed out"
_FIRST_COMMAND = re.compile(r"Series start(?=\s*(-?\d|$))")

# Each kind of literal: its name, the pattern of a complete one, and that of a partial one.
_Kind = tuple[str, re.Pattern[str], re.Pattern[str]]
_PLAYER: _Kind = "a player, 1 or 2", re.compile(r"[12]"), re.compile(r"")
_COUNT: _Kind = "a number", re.compile(r"-?\d+(?=\s*[(\[])"), re.compile(r"-?\d*\s*")
_SEQUENCE: _Kind = (
    "a list of numbers",
    re.compile(r"[(\[](?:[-\d\s,]|[(\[][-\d\s,]*[)\]])*[)\]]"),
    re.compile(r"(?:[(\[](?:[-\d\s,]|[(\[][-\d\s,]*[)\]])*(?:[(\[][-\d\s,]*)?)?"),
)
_LAST = None  # in place of a kind: all remaining text
_KINDS = {
    **dict.fromkeys(("start_player", "winner"), _PLAYER),
    **dict.fromkeys(("unique_player_id", "num_games"), _COUNT),
    **dict.fromkeys(("score", "action"), _LAST),
}
"""The kind of each value in ``HOOKS``; all others are sequences."""

COMMANDS = {
    "series_start": "Series start",
    "game_start": "Game start",
    "game_over": "Game end",
    "series_over": "Series end",
    "tournament_over": "Tournament end",
    "illegal_action": "Illegal action",
}
"""The command word of each hook; a request for a move has none."""


class TextWire:
    """A connection to a server that is logged in to, and then plays a tournament.

    It does the same as the course's file, and more: it always has a time limit, takes split or
    joined messages, and returns where that file calls ``exit()``.
    """

    def __init__(self, connection: Connection, options: SessionOptions) -> None:
        """Speak over ``connection``."""
        self._connection, self._options = connection, options
        self._decode = codecs.getincrementaldecoder("utf-8")("replace").decode
        self._text = ""  # received, and not yet read

    def messages(self) -> Iterator[tuple[str, Mapping[str, object]]]:
        """See ``Wire``; a refused move ends the session."""
        self._log_in()
        while not (start := _FIRST_COMMAND.search(self._text)):
            self._more()
        self._take(start.start())  # the welcome
        hook = ""
        while hook not in ("tournament_over", "illegal_action"):
            hook = self._hook()
            yield hook, {key: self._value(_KINDS.get(key, _SEQUENCE)) for key in HOOKS[hook]}

    def send_action(self, action: tuple[int, int]) -> None:
        """See ``Wire``."""
        self._connection.send(str(action).encode())

    def _log_in(self) -> None:
        while True:
            text = self._prompt()
            match keyword_of(text):
                case "Welcome":
                    self._options.tell(one_line(text))
                    return
                case "username" | "password" | "player-name" | "qualify" | "stress":
                    answer = self._options.answers.ask(text).encode(errors="replace")
                    if len(answer) > MOST_BYTES:
                        raise TournamentError(f"expected an answer of at most {MOST_BYTES} bytes")
                    self._connection.send(answer)
                case "Invalid credentials" | "Sorry" | "no stress":
                    raise TournamentError(f"the server refused the log-in: {excerpt(text)}")
                case _:
                    other = " (protocol 2?)" if '"topic"' in text else ""
                    unexpected(f"a question or a welcome of protocol 1{other}", text)

    def _prompt(self) -> str:
        """Return the next message of the log-in, not empty; a welcome stays in the buffer."""
        while not self._text.strip():
            self._more()
        while (keyword := keyword_of(self._text)) != "Welcome":
            if not self._more(QUIET if keyword else PROMPT_SECONDS):
                return self._take(len(self._text)).strip()
        start = _FIRST_COMMAND.search(self._text)
        return self._text[: start.start() if start else None].strip()

    def _hook(self) -> str:
        """Remove the next command word, and return its hook; a state has no word."""
        words = [_TIMED_OUT, *COMMANDS.values()]
        while True:
            self._text = self._text.lstrip()
            if self._text.startswith(("(", "[")):
                return "get_action"
            for hook, word in COMMANDS.items():
                if self._text.startswith(word):
                    self._take(len(word))
                    return hook
            if self._text.startswith(_TIMED_OUT):
                late = f"the server ended the tournament, as a move came too late ({_TIMED_OUT!r})"
                raise TournamentError(f"{late}; oht.move_time_limit limits the time of a move")
            if not any(word.startswith(self._text) for word in words):
                unexpected("a message", self._text)
            self._more()

    def _value(self, kind: _Kind | None) -> object:
        """Remove and return the next value; the last is its text if it is no literal."""
        self._text = self._text.lstrip()
        if kind is _LAST:
            while not self._text.strip():
                self._more()
            while self._more(QUIET):
                pass
            return literal_or_text(self._take(len(self._text)).strip())
        what, whole, beginning = kind
        while not (match := whole.match(self._text)):
            if not beginning.fullmatch(self._text):
                unexpected(what, self._text)
            self._more()
            self._text = self._text.lstrip()
        if isinstance(value := literal_or_text(text := self._take(match.end())), str):
            unexpected(what, text)
        return value

    def _more(self, seconds: float | None = None) -> bool:
        connection = self._connection
        received = connection.receive() if seconds is None else connection.receive_within(seconds)
        self._text += self._decode(received)
        # The rest of a packet after a message is here too, but that is far less.
        if len(self._text) > MOST_CHARACTERS:
            unexpected(f"a message of at most {MOST_CHARACTERS} characters", self._text)
        return bool(received)

    def _take(self, length: int) -> str:
        taken, self._text = self._text[:length], self._text[length:]
        return taken

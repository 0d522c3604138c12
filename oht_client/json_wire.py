"""The server's second generation: each message is a length of four bytes, then JSON."""

import json
import struct
from collections.abc import Iterator, Mapping

from base.storage import excerpt
from oht_client.answers import NO, YES, SessionOptions, one_line
from oht_client.transport import Connection
from online.errors import TournamentError
from online.messages import field, unexpected

MOST_BYTES = 64 * 1024  # largest accepted message

LENGTH = struct.Struct("<i")


class JSONWire:
    """A connection to the qualifiers, or to the ``league``, where the opponent is a client."""

    def __init__(self, connection: Connection, options: SessionOptions, league: bool) -> None:
        """Speak over ``connection``."""
        self._connection, self._options, self._league = connection, options, league

    def messages(self) -> Iterator[tuple[str, Mapping[str, object]]]:
        """See ``Wire``."""
        connection, tell, answers = self._connection, self._options.tell, self._options.answers
        while True:
            message = receive_message(connection)
            topic = message.get("topic")
            match topic:
                case "message":
                    tell(answers.redacted(one_line(str(field(message, "message")))))
                case "authentication":
                    tell("Authenticating...")
                    connection.send(framed(answers.ask("Enter API token: ")))
                    if self._league:
                        tell("Waiting for an opponent, as long as it takes")
                        connection.silence_limit = None
                case "question":
                    self._answer(str(field(message, "question")), str(field(message, "prompt")))
                case "request_action":
                    topic = "get_action"
                case "series_start":
                    connection.silence_limit = self._options.silence_limit
                case "game_start" | "game_over" | "series_over" | "tournament_over":
                    pass
                case "finish":
                    tell("Connection closed")
                    return
                case "error":
                    reason = answers.redacted(one_line(str(field(message, "error"))))
                    raise TournamentError(f"the server ended the session: {reason}")
                case _:
                    unexpected("a message with a known topic", message)
            yield str(topic), message

    def send_action(self, action: tuple[int, int]) -> None:
        """See ``Wire``."""
        self._connection.send(framed(action))

    def _answer(self, question: str, prompt: str) -> None:
        # ``Answers`` needs the keyword in the text; a server may word its question without it.
        words = prompt if question in prompt.lower() else f"{question}: {prompt}"
        answer = self._options.answers.ask(f"{words} [y/n] ")
        if (word := answer.lower()) not in YES | NO:
            raise TournamentError(f"expected yes or no to {excerpt(prompt)}, got {answer!r}")
        self._connection.send(framed(word in YES))


def framed(message: object) -> bytes:
    """Return a JSON value as a frame: its length, then the text."""
    body = json.dumps(message).encode()
    return LENGTH.pack(len(body)) + body


def receive_message(connection: Connection) -> Mapping[str, object]:
    """Return the server's next message."""
    (length,) = LENGTH.unpack(_receive_exactly(connection, LENGTH.size))
    if not 0 < length <= MOST_BYTES:
        words = f"expected a message of 1 to {MOST_BYTES} bytes, got one of {length}"
        raise TournamentError(f"{words}; does the server speak protocol 1?")
    body = _receive_exactly(connection, length)
    try:
        message = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise TournamentError(f"expected JSON from the server, got {length} other bytes") from error
    if not isinstance(message, dict):
        unexpected("a JSON object", message)
    return message


def _receive_exactly(connection: Connection, length: int) -> bytes:
    received = bytearray()
    while len(received) < length:
        received += connection.receive(length - len(received))
    return bytes(received)

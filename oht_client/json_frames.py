"""The second generation's messages: a length of four bytes, then so many bytes of JSON."""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping

from oht_client.errors import OHTError
from oht_client.messages import unexpected
from oht_client.transport import Connection

MOST_BYTES = 64 * 1024
"""The longest message that is accepted."""

_LENGTH = struct.Struct("<i")


def receive_message(connection: Connection) -> Mapping[str, object]:
    """Return the server's next message.

    Raises:
        OHTError: There is none, or it is no JSON object.
    """
    (length,) = _LENGTH.unpack(_receive_exactly(connection, _LENGTH.size))
    if not 0 < length <= MOST_BYTES:
        raise OHTError(
            f"expected a message of 1 to {MOST_BYTES} bytes, got one of {length};"
            " does the server speak protocol 1?"
        )
    body = _receive_exactly(connection, length)
    try:
        message = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise OHTError(f"expected JSON from the server, got {length} other bytes") from error
    if not isinstance(message, dict):
        unexpected("a JSON object", message)
    return message


def send_message(connection: Connection, message: object) -> None:
    """Send any JSON value, its length with it: two packets would wait for each other.

    Raises:
        OHTError: The server does not take it.
        TypeError: It is not JSON data.
    """
    body = json.dumps(message).encode()
    connection.send(_LENGTH.pack(len(body)) + body)


def field(message: Mapping[str, object], key: str) -> object:
    """Return what a message says under a key.

    Raises:
        OHTError: It has no such key.
    """
    if key not in message:
        unexpected(f"a message with {key!r}", message)
    return message[key]


def _receive_exactly(connection: Connection, length: int) -> bytes:
    received = bytearray()
    while len(received) < length:
        received += connection.receive(length - len(received))
    return bytes(received)

"""The second generation's messages: a length of four bytes, then as many bytes of JSON."""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping

from oht_client.errors import OHTError
from oht_client.messages import unexpected
from oht_client.transport import Connection

MOST_BYTES = 64 * 1024
"""The longest message that is accepted."""

LENGTH = struct.Struct("<i")


def framed(message: object) -> bytes:
    """Return any JSON value with its length before it, to be sent at once.

    Raises:
        TypeError: It is not JSON data.
    """
    body = json.dumps(message).encode()
    return LENGTH.pack(len(body)) + body


def receive_message(connection: Connection) -> Mapping[str, object]:
    """Return the server's next message.

    Raises:
        OHTError: There is none, or it is no JSON object.
    """
    (length,) = LENGTH.unpack(_receive_exactly(connection, LENGTH.size))
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


def _receive_exactly(connection: Connection, length: int) -> bytes:
    received = bytearray()
    while len(received) < length:
        received += connection.receive(length - len(received))
    return bytes(received)

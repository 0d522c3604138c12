"""The command that serves the page; the page itself is tried in tests/display/web."""

from __future__ import annotations

import socket

from tests.commands.conftest import Call


def test_what_cannot_be_served_is_said_in_a_line(call: Call) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        result = call("serve", "--port", str(other.getsockname()[1]))
    assert (result.status, "in use" in result.errors) == (1, True)
    result = call("serve", "--agent", "oracle")
    assert (result.status, "expected a kind of agent" in result.errors) == (2, True)
    result = call("serve", "--port", "99999")
    assert (result.status, "expected a port from 0 to 65535" in result.errors) == (2, True)

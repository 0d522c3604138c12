"""The command that serves the page; tests/web tests the page itself."""

from __future__ import annotations

import socket

from tests.commands.conftest import Call


def test_an_error_of_serve_is_one_line(call: Call) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        result = call("serve", "--port", port)
    words = f"--port: expected a free port, got {port}, which another program uses; try another "
    assert (result.status, result.errors.count("\n"), words in result.errors) == (1, 1, True)
    for host in ("a..b", "a" * 70):
        result = call("serve", "--port", "0", "--host", host)
        words = f"main.py serve: --port: cannot listen on {host}:0: "
        assert (result.status, result.errors.startswith(words)) == (1, True)
    assert "The page is at" not in result.output
    result = call("serve", "--agent", "oracle")
    assert (result.status, "expected a kind of agent" in result.errors) == (2, True)
    result = call("serve", "--port", "99999")
    assert (result.status, "expected a port from 0 to 65535" in result.errors) == (2, True)

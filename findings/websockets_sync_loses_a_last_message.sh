#!/usr/bin/env bash
# websockets 11.0.3, Python 3.11: a server accepts a connection, sends one message and closes, all of it in one packet.
# The asynchronous client receives the message. The synchronous client (websockets.sync.client) loses it: recv() raises
# ConnectionClosedError, as the handshake takes the close frame that came with the response for a failure of its own.
# So a server that refuses a client at once, with its reason in a message, seems to say nothing.
# Seen: "asynchronous: no seat; synchronous: ConnectionClosedError".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q websockets==11.0.3
cat > "$folder/last_message.py" <<'PY'
import asyncio
import base64
import hashlib
import re
import socket
import threading

import websockets
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

GUID = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"  # RFC 6455, 1.3
TEXT, CLOSE = b"\x81\x07no seat", b"\x88\x02\x03\xf0"  # the latter with code 1008


def serve(listener):
    for _ in range(2):
        client, _ = listener.accept()
        with client:
            key = re.search(rb"Sec-WebSocket-Key: (\S+)", client.recv(4096))[1]
            proof = base64.b64encode(hashlib.sha1(key + GUID).digest())
            head = b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            client.sendall(head + b"Sec-WebSocket-Accept: " + proof + b"\r\n\r\n" + TEXT + CLOSE)
            while client.recv(4096):
                pass


async def asynchronously(address):
    async with websockets.connect(address) as client:
        return await client.recv()


def synchronously(address):
    with connect(address) as client:
        try:
            return client.recv()
        except ConnectionClosed as error:
            return type(error).__name__


with socket.create_server(("127.0.0.1", 0)) as listener:
    address = f"ws://127.0.0.1:{listener.getsockname()[1]}"
    thread = threading.Thread(target=serve, args=(listener,))
    thread.start()
    seen = asyncio.run(asynchronously(address)), synchronously(address)
    thread.join()
print(f"asynchronous: {seen[0]}; synchronous: {seen[1]}")
assert seen == ("no seat", "ConnectionClosedError")
PY
"$folder/venv/bin/python" "$folder/last_message.py"

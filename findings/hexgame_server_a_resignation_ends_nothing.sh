#!/usr/bin/env bash
# hexgame-server 0.4.3 (protocol 1), Python 3.11, with websockets 11.0.3: in a best of 3, blue resigns the first game.
# Both get "game_over" with red as the winner and the reason "resignation"; then the arena treats blue as a client
# that has lost its connection. The slot counts no point (0:0, still game 1, no winner), sends neither "series_update"
# nor "series_over", and lets blue come back with its token and play on in the same position, after its "game_over".
# A client that counts a game at "game_over" disagrees with the server from then on.
# Seen: "after the resignation: 0:0, game 1, winner None; blue came back and moved in the same game".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q hexgame-server==0.4.3 websockets==11.0.3 uvicorn==0.50.1 fastapi==0.165.0
cat > "$folder/resignation.py" <<'PY'
import asyncio
import json
import socket
import subprocess
import sys
import urllib.request

import websockets

with socket.create_server(("127.0.0.1", 0)) as listener:
    port = listener.getsockname()[1]
words = [sys.executable, "-m", "hexgame_server", "--host", "127.0.0.1", "--port", str(port)]


async def until(client, kind):
    while True:
        message = json.loads(await client.recv())
        if message["type"] == kind:
            return message["payload"]


async def say(client, kind, **payload):
    await client.send(json.dumps({"type": kind, "payload": payload}))


async def play():
    place = f"ws://127.0.0.1:{port}/ws"
    matchmake = f"{place}/matchmake?board_size=7&series_length=3"
    async with websockets.connect(matchmake) as red, websockets.connect(matchmake) as blue:
        await until(red, "joined")
        seat = await until(blue, "joined")
        await say(red, "move", q=3, r=3)
        await until(blue, "move")
        await say(blue, "resign")
        for client in (red, blue):
            assert await until(client, "game_over") == {"winner": -1, "reason": "resignation"}
        await until(red, "opponent_disconnected")
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/slots") as answer:
            slot = json.loads(answer.read())[0]
        query = f"slot_id={seat['slot_id']}&token={seat['reconnect_token']}"
        async with websockets.connect(f"{place}/reconnect?{query}") as again:
            await until(again, "reconnected")
            await say(again, "move", q=2, r=2)
            assert (await until(red, "move"))["player"] == 1
        return slot


server = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
try:
    for line in server.stdout:
        if "running on" in line:
            break
    slot = asyncio.run(asyncio.wait_for(play(), 60))
finally:
    server.kill()
points = f"{slot['player_1_wins']}:{slot['player_2_wins']}, game {slot['current_game_number']}"
print(f"after the resignation: {points}, winner {slot['winner']}; blue came back and moved in the same game")
assert points == "0:0, game 1" and slot["winner"] is None
PY
"$folder/venv/bin/python" "$folder/resignation.py"

#!/usr/bin/env bash
# hexgame 0.4.3 with hexgame-server 0.4.3, Python 3.11: the README of its repository says that `hexgame play` shows a
# model red's stones as -1 and blue's as 1. Its own hexgame.hex_engine, which models learn with, has RED = 1 and
# BLUE = -1. A file that imports these two names, used or not, is taken for a model of that engine: the client then
# shows it boards with the signs exchanged (client_safety.py, which prints nothing). `import hexgame.hex_engine` alone
# changes nothing. So an import decides for whom the same agent plays. Here blue's model writes down red's first stone;
# only the names in its file differ.
# Seen: "red's stone: -1; with RED and BLUE imported: 1; with the engine imported: -1".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q hexgame==0.4.3 hexgame-server==0.4.3 websockets==11.0.3 uvicorn==0.50.1 \
  fastapi==0.165.0
cat > "$folder/colours.py" <<'PY'
import socket
import subprocess
import sys
from pathlib import Path

AGENT = """
from pathlib import Path

def agent(board, action_set):
    seen = Path(__file__).with_suffix(".txt")
    if not seen.exists():
        seen.write_text(str(sum(map(sum, board))))
    return action_set[0]
"""
NAMES = "", "from hexgame.hex_engine import BLUE, RED", "import hexgame.hex_engine"
folder = Path(sys.argv[1])
with socket.create_server(("127.0.0.1", 0)) as listener:
    port = listener.getsockname()[1]
words = [sys.executable, "-m", "hexgame_server", "--host", "127.0.0.1", "--port", str(port)]
play = [sys.executable, "-u", "-m", "hexgame", "play", "--server", f"ws://127.0.0.1:{port}"]
play += ["--board-size", "7", "--move-delay", "0", "--username", "", "--replay-log", "off", "--model-name"]
server = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
seen, clients = [], []
try:
    for line in server.stdout:
        if "running on" in line:
            break
    for number, names in enumerate(NAMES):
        blue = folder / f"blue_{number}.py"
        blue.write_text(names + AGENT)
        clients = [subprocess.Popen([*play, "model_first"], stdout=subprocess.PIPE, text=True)]
        for line in clients[0].stdout:
            if "waiting_for_opponent" in line:  # so this one is red
                break
        clients.append(subprocess.Popen([*play, str(blue)], stdout=subprocess.DEVNULL))
        for client in reversed(clients):
            client.communicate(timeout=60)
        seen.append(blue.with_suffix(".txt").read_text())
finally:
    for process in (*clients, server):
        process.kill()
print(f"red's stone: {seen[0]}; with RED and BLUE imported: {seen[1]}; with the engine imported: {seen[2]}")
PY
found=$("$folder/venv/bin/python" "$folder/colours.py" "$folder")
echo "$found"
test "$found" = "red's stone: -1; with RED and BLUE imported: 1; with the engine imported: -1"

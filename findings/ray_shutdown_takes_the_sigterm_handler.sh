#!/usr/bin/env bash
# ray 2.60.0, Python 3.11, Linux: a program that saves its run on SIGTERM loses its handler to Ray twice. ray.init() in
# the main thread puts Ray's own in its place. A program that sets its handler once more afterwards loses it again in
# ray.shutdown(): the kernel then has the default action, while signal.getsignal() still shows the handler, so the next
# SIGTERM (a batch system, a container) ends the process and nothing is saved.
# Seen: "after init: False; set again: True; after shutdown: True, caught by the process: False, killed by SIGTERM".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q ray==2.60.0
cat > "$folder/saves.py" <<'PY'
import os
import re
import signal
from pathlib import Path

import ray


def save(number, frame):
    print("saved", flush=True)


def is_mine():
    return signal.getsignal(signal.SIGTERM) is save


def is_caught():
    caught = int(re.search(r"SigCgt:\s*(\w+)", Path("/proc/self/status").read_text())[1], 16)
    return bool(caught >> (signal.SIGTERM - 1) & 1)


signal.signal(signal.SIGTERM, save)
ray.init("local", num_cpus=1, include_dashboard=False, log_to_driver=False, logging_level="CRITICAL")
print("after init:", is_mine(), end="; ")
signal.signal(signal.SIGTERM, save)
print("set again:", is_mine(), end="; ")
ray.shutdown()
print(f"after shutdown: {is_mine()}, caught by the process: {is_caught()}", end=", ", flush=True)
os.kill(os.getpid(), signal.SIGTERM)
print("still here", flush=True)
PY
status=0
found=$("$folder/venv/bin/python" "$folder/saves.py" 2> "$folder/errors.txt") || status=$?
test "$status" = 143 && found+="killed by SIGTERM"
echo "$found"
test "$status" = 143 || cat "$folder/errors.txt" >&2
test "$found" = \
  "after init: False; set again: True; after shutdown: True, caught by the process: False, killed by SIGTERM"

#!/usr/bin/env bash
# open_spiel 2.0.2, Python 3.11: a game's max_game_length() is the bound that callers size buffers with. Hex with
# swap=True gives the number of cells, as without swap, but a swap is an action that fills no cell, so games may last
# one action longer. Havannah in the same package counts the swap. All games of Hex 2x2 are played here. (Not shown: on
# 4x4, one random game in five outlasts the bound once the swap is chosen.)
# Seen: "hex 2x2: max_game_length 4, with swap 4; longest game 4, with swap 5; havannah: 37, with swap 38".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q open_spiel==2.0.2
cat >"$folder/longest.py" <<'END'
import pyspiel


def longest(state):
    if state.is_terminal():
        return len(state.history())
    return max(longest(state.child(action)) for action in state.legal_actions())


def limits(name):
    return [pyspiel.load_game(f"{name}{swap})").max_game_length() for swap in ("", ",swap=True")]


games = [pyspiel.load_game(f"hex(board_size=2{swap})") for swap in ("", ",swap=True")]
plain, swapped = (longest(game.new_initial_state()) for game in games)
(hex_limit, hex_swap), (limit, swap) = limits("hex(board_size=2"), limits("havannah(board_size=4")
print(
    f"hex 2x2: max_game_length {hex_limit}, with swap {hex_swap}; longest game {plain}, "
    f"with swap {swapped}; havannah: {limit}, with swap {swap}"
)
END
found=$("$folder/venv/bin/python" "$folder/longest.py")
echo "$found"
test "$found" = "hex 2x2: max_game_length 4, with swap 4; longest game 4, with swap 5; havannah: 37, with swap 38"

#!/usr/bin/env bash
# mcts 1.0.4 (the newest on PyPI, "in any perfect information domain"), Python 3.11: at the opponent's nodes, too, it
# selects by the mean reward of the player who searches, as if the opponent helped. The README of its repository asks
# for getCurrentPlayer(), with which the code there changes the sign; the package on PyPI never calls it. With a pile of
# 5 in Nim (take 1 to 3, who takes the last wins; only 1 wins) it takes 3, and the opponent can take the rest.
# Seen: "a pile of 5, 20 searches of 5,000 iterations: 3 taken in 20, calls of getCurrentPlayer: 0".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q mcts==1.0.4
cat > "$folder/nim.py" <<'PY'
from mcts import mcts

calls = 0


class Nim:
    def __init__(self, pile, mover=1):
        self.pile, self.mover = pile, mover

    def getPossibleActions(self):
        return range(1, min(3, self.pile) + 1)

    def takeAction(self, number):
        return Nim(self.pile - number, -self.mover)

    def isTerminal(self):
        return self.pile == 0

    def getReward(self):  # for the player who searches
        return -self.mover

    def getCurrentPlayer(self):
        global calls
        calls += 1
        return self.mover


found = [mcts(iterationLimit=5000).search(initialState=Nim(5)) for _ in range(20)]
print(
    f"a pile of 5, 20 searches of 5,000 iterations: 3 taken in {found.count(3)}, "
    f"calls of getCurrentPlayer: {calls}"
)
PY
found=$("$folder/venv/bin/python" "$folder/nim.py")
echo "$found"
test "$found" = "a pile of 5, 20 searches of 5,000 iterations: 3 taken in 20, calls of getCurrentPlayer: 0"

"""UCT, the assignment's search and the baseline of all others: no process is replaced."""

from __future__ import annotations

from mcts.variant import Variant

UCT = Variant()

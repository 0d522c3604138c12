"""The assignment's search, which all others are compared with: nothing is replaced."""

from __future__ import annotations

from mcts.variant import Variant

UCT = Variant()

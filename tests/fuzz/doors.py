"""All doors."""

from __future__ import annotations

from tests.fuzz import files, wires, words

DOORS = {**files.DOORS, **words.DOORS, **wires.DOORS}

"""All input boundaries."""

from __future__ import annotations

from tests.fuzz import files, wires, words

BOUNDARIES = {**files.BOUNDARIES, **words.BOUNDARIES, **wires.BOUNDARIES}

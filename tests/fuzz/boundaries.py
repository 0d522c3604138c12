"""All input boundaries."""

from tests.fuzz import files, wires, words

BOUNDARIES = {**files.BOUNDARIES, **words.BOUNDARIES, **wires.BOUNDARIES}

"""The outcomes of a move beside 1 and 2, the winner; without a kernel, so that it loads at once."""

GOES_ON = 0
"""The game goes on."""
DRAW = 3
"""The game ends without a winner."""

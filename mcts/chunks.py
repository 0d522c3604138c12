"""How long compiled code runs before Python looks at the clock and at Ctrl-C."""

from __future__ import annotations

FIRST_CHUNK = 1
"""Nothing is known yet of how long a simulation takes."""
CHUNK_SECONDS = 0.004
"""What a chunk of simulations should take."""


def next_chunk(chunk: int, seconds: float) -> int:
    """Return how many simulations to run at once after a chunk that took ``seconds``."""
    return max(1, int(chunk * CHUNK_SECONDS / max(seconds, 1e-6)))

"""How long compiled code runs before Python looks at the clock and at Ctrl-C."""

from __future__ import annotations

CHUNK_SECONDS = 0.005
"""What a chunk of simulations should take at most."""


def next_chunk(chunk: int, seconds: float) -> int:
    """Return how many simulations to run at once after a chunk that took ``seconds``."""
    if seconds < CHUNK_SECONDS / 2:
        return 2 * chunk
    return max(1, chunk // 2) if seconds > CHUNK_SECONDS else chunk

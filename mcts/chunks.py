"""The number of simulations that compiled code runs between checks of the clock and Ctrl-C."""

FIRST_CHUNK = 1
"""One simulation, since its duration is not measured yet."""
CHUNK_SECONDS = 0.004
"""Target duration of a chunk of simulations."""


def next_chunk(chunk: int, seconds: float) -> int:
    """Return the size, at least 1, of the chunk after one of ``chunk`` simulations."""
    return max(1, int(chunk * CHUNK_SECONDS / max(seconds, 1e-6)))

"""``make fuzz``: many inputs for every input boundary; see ``--help``."""

import argparse
import faulthandler
import resource
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from tests.fuzz.boundaries import BOUNDARIES
from tests.fuzz.boundary import try_input

_SECONDS = 20.0
"""An input that takes longer is a fault; the traceback shows where."""
_MEGABYTES = 1024
"""The same for memory."""


def main() -> int:
    """Fuzz, and print each kind of fault once; return whether there was any."""
    parser = argparse.ArgumentParser(prog="python -m tests.long.fuzz", description=__doc__)
    parser.add_argument(
        "boundaries", nargs="*", metavar="BOUNDARY", help=f"of: {'; '.join(BOUNDARIES)}"
    )
    parser.add_argument("--inputs", type=int, default=10_000, help="for each boundary")
    parser.add_argument("--first", type=int, default=0, help="number of the first input")
    arguments = parser.parse_args()
    found = False
    for name in arguments.boundaries or BOUNDARIES:
        found |= _fuzz(name, range(arguments.first, arguments.first + arguments.inputs))
    return int(found)


def _fuzz(name: str, numbers: range) -> bool:
    """Try some inputs at one boundary; return whether there was a fault."""
    boundary = BOUNDARIES[name]
    kinds: Counter[str] = Counter()
    slowest, served = (0.0, 0), 0
    with tempfile.TemporaryDirectory() as folder:
        enter = boundary.make(Path(folder))
        try_input(boundary, name, enter, numbers[0])  # loads what is needed
        started, memory = time.perf_counter(), _peak()
        for number in numbers:
            begun = time.perf_counter()
            faulthandler.dump_traceback_later(_SECONDS, exit=True)
            outcome = try_input(boundary, name, enter, number)
            faulthandler.cancel_dump_traceback_later()
            slowest = max(slowest, (time.perf_counter() - begun, number))
            served += outcome.served
            words, more = outcome.fault, _peak() - memory
            if more > _MEGABYTES:
                words, memory = f"took {more:.0f} MB", _peak()
            if words:
                kind = words.strip().splitlines()[-1][:100]
                kinds[kind] += 1
                if kinds[kind] == 1:
                    print(f"{name}, input {number}:\n{words}\n", flush=True)
    print(
        f"{name}: {len(numbers)} inputs, {served} let in, {kinds.total()} faults of {len(kinds)} "
        f"kinds, {time.perf_counter() - started:.0f} s, the slowest (input {slowest[1]}) "
        f"{slowest[0]:.2f} s, {_peak() - memory:.0f} MB more",
        flush=True,
    )
    return bool(kinds)


def _peak() -> float:
    """Return the most memory that this process has had, in megabytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    sys.exit(main())

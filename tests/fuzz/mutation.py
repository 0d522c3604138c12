"""Inputs that are nearly valid, and random ones."""

import random
from collections.abc import Callable, Sequence
from typing import Any

WORDS = (
    "", " ", "-", "--", "=", ":", ",", "0", "-0", "1", "-1", "9" * 30, "9" * 5000, "1e999",
    "1e-999", "nan", "inf", ".inf", "0x1f", "0o17", "1_000", "\u0661", "\xb2", "null", "~", "true",
    "off", "{}", "[]", "[[", "{a: 1}", "[1, 2", "!!python/name:os.system", "&a", "*a", "|", ">",
    "%TAG", "...", "\x1b[31m", "a\nb", "\t", "\u202e", "\U0001f600", "[red]x[/red]", "$x$",
    "/dev/zero", "/dev/null", "..", "a/b", "x" * 300, "x" * 6000, '"\\0"', '"\\ud800"',
    '"\\x1b[2J"', "'", '"', "#", "\\", "%s",
)  # fmt: skip
"""Words with a special meaning in some format."""

Value = Any


def value(rng: random.Random, depth: int = 3) -> Value:
    """Return any JSON value."""
    leaves: list[Callable[[], Value]] = [
        lambda: rng.choice([None, True, False, 0, 1, 2, 3, -1, 1.5, -0.0, 1e300]),
        lambda: rng.randint(-5, 15),
        lambda: rng.choice([2**31, -(2**63), 2**64, 10**30, 10**4000]),
        lambda: rng.choice(WORDS),
    ]
    nests: list[Callable[[], Value]] = [
        lambda: [value(rng, depth - 1) for _ in range(rng.randint(0, 4))],
        lambda: {rng.choice(WORDS): value(rng, depth - 1) for _ in range(rng.randint(0, 3))},
    ]
    return rng.choice(leaves if depth == 0 else leaves + nests)()


def edited(thing: Value, rng: random.Random) -> Value:
    """Return JSON data with one part replaced, left out or repeated."""
    if isinstance(thing, dict) and thing and rng.random() < 0.9:
        key = rng.choice(list(thing))
        changed = dict(thing)
        match rng.randrange(6):
            case 0:
                del changed[key]
            case 1:
                changed[rng.choice(WORDS)] = value(rng)
            case _:
                changed[key] = edited(thing[key], rng)
        return changed
    if isinstance(thing, list) and thing and rng.random() < 0.9:
        place = rng.randrange(len(thing))
        return [*thing[:place], edited(thing[place], rng), *thing[place + rng.randint(0, 1) :]]
    return value(rng)


def broken(data: bytes, rng: random.Random) -> bytes:
    """Return the bytes with some of them changed, lost, added or repeated."""
    changed = bytearray(data)
    for _ in range(rng.randint(1, 4)):
        place = rng.randint(0, len(changed))
        match rng.randrange(7):
            case 0:
                changed[place:place] = rng.randbytes(rng.randint(1, 9))
            case 1:
                del changed[place : place + rng.randint(1, 9)]
            case 2:
                changed[place : place + 1] = rng.choice([b"[", b"{", b"\0", b"\xff", b":", b"\n"])
            case 3:
                changed[place:place] = changed[place : place + rng.randint(1, 60)]
            case 4:
                changed[place : place + rng.randint(0, 9)] = rng.choice(WORDS).encode()
            case 5 if changed:
                changed[place % len(changed)] ^= 1 << rng.randrange(8)
            case _:
                del changed[place:]
    return bytes(changed)


def text(rng: random.Random, pieces: Sequence[str]) -> str:
    """Return some of the pieces, and some words, one after the other."""
    chosen = [rng.choice(pieces if rng.random() < 0.7 else WORDS) for _ in range(rng.randint(0, 6))]
    joined = "".join(chosen)
    if joined and rng.random() < 0.3:
        place = rng.randrange(len(joined))
        joined = joined[:place] + chr(rng.choice([0, 27, 10, 127, 0x202E, 0xD800, 0x3BB])) + joined
    return joined

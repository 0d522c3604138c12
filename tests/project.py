"""What tests of all rooms share: their time limit, and the project's own files."""

import re
import time
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Patch = pytest.MonkeyPatch
Words = tuple[str, ...]
ROOT = Path(__file__).resolve().parent.parent
TIMEOUT = 300.0
"""Seconds after which a test that hangs fails, on a machine that is busy with much else, too."""


def wait_until(condition: Callable[[], bool], shown: object = "") -> None:
    """Wait for a condition; show something if it does not come true within ``TIMEOUT``."""
    deadline = time.monotonic() + TIMEOUT
    while not condition():
        assert time.monotonic() < deadline, shown
        time.sleep(0.005)


def pyproject() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text())


def rooms() -> list[str]:
    return sorted(path.parent.name for path in ROOT.glob("*/__init__.py"))


def sources() -> list[Path]:
    return [path for room in rooms() for path in sorted((ROOT / room).rglob("*.py"))]


def kernel_sources() -> list[Path]:
    """Return every file that defines a kernel."""
    return [path for path in sources() if re.search(r"\n@(kernel\(|rule\n)", path.read_text())]


def module_name(source: Path) -> str:
    return ".".join(source.relative_to(ROOT).with_suffix("").parts)

"""The result of a command as JSON on the standard output, for other programs to read."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, redirect_stdout
from typing import Any

from base.storage import naming_file

Report = Callable[[Mapping[str, Any]], object]
"""Receives the result of a command."""


@contextmanager
def reporting_result(as_json: bool) -> Iterator[Report]:
    """Yield a function for the result of a command, which ignores it or prints it as JSON.

    With JSON, all other output goes to the standard error. An interrupted command passes the
    result so far.
    """
    if not as_json:
        yield lambda result: None
        return
    results: list[Mapping[str, Any]] = []
    try:
        with redirect_stdout(sys.stderr):
            yield results.append
    finally:
        with naming_file("standard output"):
            for result in results:
                print(json.dumps(result, indent=2, ensure_ascii=False, allow_nan=False))

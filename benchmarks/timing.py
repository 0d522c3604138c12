"""Shared by the benchmarks: measurements, tables and mistakes."""

import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

import numba
from rich.console import Console
from rich.table import Column, Table

from base.project import ROOT as ROOT
from cli.exits import exit_status

F = TypeVar("F", bound=Callable[..., Any])

compiled: Callable[[F], F] = numba.njit(nogil=True)


def seconds(work: Callable[[], object], clock: Callable[[], float] = time.process_time) -> float:
    """Return the seconds of a call, of processor time by default."""
    began = clock()
    work()
    return clock() - began


def show(headings: Sequence[str], rows: Iterable[Sequence[object]], title: str = "") -> None:
    """Print a table; the first column is at the left, figures are at the right."""
    first, *others = headings
    table = Table(first, *(Column(name, justify="right") for name in others), title=title or None)
    for row in rows:
        table.add_row(*map(str, row))
    Console(width=max(120, Console().width), highlight=False).print(table)


@contextmanager
def in_one_line(program: str, stopped: str) -> Iterator[None]:
    """End with one line and exit status 1: for a mistake, or ``stopped`` after Ctrl-C."""
    try:
        yield
    except Exception as error:
        if exit_status(error) is None:
            raise
        sys.exit(f"{program}: {error}")
    except KeyboardInterrupt:
        sys.exit(stopped)

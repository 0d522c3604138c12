"""The table of an analysis: each measure in each phase of a game."""

from __future__ import annotations

from collections.abc import Sequence

from rich import box
from rich.table import Table
from rich.text import Text


def phases_table(
    title: str,
    phases: Sequence[str],
    rows: Sequence[tuple[str, str, Sequence[float | None]]],
) -> Table:
    """Return a table with a column for each phase.

    Args:
        title: The heading.
        phases: The headings of the columns.
        rows: The name of each measure, how its numbers are written (as for ``str.format``), and
            its numbers; a row without any is left out.
    """
    table = Table(
        title=Text(title, "bold"),
        title_justify="left",
        box=box.SIMPLE_HEAD,
        pad_edge=False,
        show_edge=False,
        header_style="",
    )
    table.add_column("", no_wrap=True)
    for phase in phases:
        table.add_column(phase, justify="right")
    for name, pattern, values in rows:
        if any(value is not None for value in values):
            cells = ["-" if value is None else pattern.format(value) for value in values]
            table.add_row(name, *cells)
    return table

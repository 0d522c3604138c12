"""``params``: the meaning, the range and the default of each parameter."""

import argparse
import os
from collections.abc import Sequence
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Column, Table
from rich.text import Text

from base.params.check import SECTIONS, TOP_KEYS, unknown_key
from base.params.descriptions import Explained, explain, explain_games, heading
from cli.exits import UsageError
from display.live.screen import Screen
from hex_mcts.system import GAMES

_TITLE = """\
# Parameters

The pivotal ones are in [params.yaml](../params.yaml). The others can be added there, too, and all
can be given on the command line as `section.key=value`.

*Written by* `python main.py params --markdown`"""

_WIDE = 250  # columns without a terminal: each parameter is then one line, easy to search


def run(arguments: argparse.Namespace) -> None:
    """Print a table for each requested section, or for all."""
    requested = [_read(word) for word in arguments.words]
    tables = []
    for name in dict.fromkeys([section for section, _ in requested] or ["", *SECTIONS]):
        known = explain(name)
        if name == "game":
            known = [*explain_games(GAMES), *known]
        keys = {key for section, key in requested if section == name}
        shown = known if not keys or "" in keys else _found(name, sorted(keys), known)
        tables.append((name, shown))
    if arguments.markdown:
        print("\n\n".join([_TITLE, *(_markdown(*each) for each in tables)]))
        return
    console = Console(highlight=False, markup=False, emoji=False)
    if not console.is_terminal and "COLUMNS" not in os.environ:
        console.width = _WIDE
    with Screen(console) as screen:
        for table in tables:
            screen.write(_table(*table))


def _read(word: str) -> tuple[str, str]:
    section, _, key = word.partition("=")[0].partition(".")
    if section in SECTIONS:
        return section, key
    if not key and section in TOP_KEYS:
        return "", section
    raise UsageError(unknown_key("", section, TOP_KEYS, GAMES))


def _found(section: str, keys: Sequence[str], known: Sequence[Explained]) -> list[Explained]:
    names = list(dict.fromkeys(each.key for each in known))
    for key in keys:
        if key not in names:
            raise UsageError(unknown_key(f"{section}.", key, names))
    return [each for each in known if each.key in keys]


def _markdown(section: str, shown: Sequence[Explained]) -> str:
    rows = ["| key | default | allowed | meaning |", "|---|---|---|---|"]
    for key, value, allowed, words, _ in shown:
        rows.append(f"| `{key}` | `{value}` | {allowed} | {words} |")
    return "\n".join([f"## {section}\n{heading(section)}\n" if section else "", *rows]).lstrip()


def _table(section: str, shown: Sequence[Explained]) -> Table:
    columns = Column("key", no_wrap=True), Column("default", overflow="fold", max_width=16)
    title = Text.assemble((section, "bold"), f"  {heading(section)}") if section else None
    look: dict[str, Any] = {"box": box.SIMPLE_HEAD, "title_justify": "left", "pad_edge": False}
    look |= {"title_style": "", "header_style": "dim"}
    table = Table(*columns, "allowed", "meaning", title=title, **look)
    for each in shown:
        table.add_row(each.key, each.default, each.allowed, each.meaning)
    return table

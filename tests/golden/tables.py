"""Golden tables: cases and their answers, kept word for word and read in review.

The parts of a table begin with ``== KIND: TITLE``, where the kind says who answers. Each case is
a line, with Python's escapes if it is in quotes, and the lines of its answer are indented below.
"""

from __future__ import annotations

import re
from ast import literal_eval
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

INDENT, EMPTY = " " * 4, "(an empty line)"
Answers = Mapping[str, Callable[[], Callable[[Any], str]]]
"""For each kind a function that begins a part, and returns the one that answers its cases."""


def parts(file: Path) -> dict[str, str]:
    """Return the cases and answers of a table by their titles."""
    texts = re.split("^== ", file.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    return {title: part for title, _, part in (text.partition("\n") for text in texts)}


def answered(title: str, part: str, answers: Answers) -> str:
    """Return a part with the answers that the program gives now."""
    answer, lines = answers[title.partition(":")[0]](), []
    for line in part.splitlines():
        if line.startswith(INDENT):
            continue
        lines.append(line)
        if line:
            case = literal_eval(line) if re.match("b?['\"]", line) else line
            lines += [INDENT + (each.rstrip() or EMPTY) for each in answer(case).split("\n")]
    return "".join(f"{line}\n" for line in lines)


def rewrite(file: Path, answers: Answers) -> None:
    """Write the answers anew that the program gives now."""
    found = parts(file).items()
    texts = [f"== {title}\n{answered(title, part, answers)}" for title, part in found]
    file.write_text("".join(texts), encoding="utf-8")

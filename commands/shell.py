"""How the program is called in a shell, for hints that can be copied."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from pathlib import Path

_MAIN = Path(__file__).resolve().parent.parent / "main.py"
_IS_INSTALLED = _MAIN.parent.name == "rooms"
"""Whether this is a wheel's copy, whose command is ``hex-mcts``, and not a clone."""
PROGRAM = "hex-mcts" if _IS_INSTALLED else "main.py"
CALL = "hex-mcts" if _IS_INSTALLED else "python main.py"
"""The program as help texts call it."""


def command_line(*words: object) -> str:
    """Return a line that calls the program with these words, as a shell here understands it.

    An installed program begins ``hex-mcts``. A clone's begins ``python main.py`` where these mean
    this very interpreter and this program, else with their paths: without its environment
    activated, ``python`` knows none of its packages.
    """
    program = [PROGRAM] if _IS_INSTALLED else [_python(), _path(_MAIN)]
    return " ".join(map(_quoted, [*program, *words]))


def _python() -> str | Path:
    """Return ``python`` if that is the interpreter that runs, else where that lies."""
    here = Path(sys.executable).absolute()
    found = shutil.which("python")
    # Not resolved: an environment's interpreter is often a link to the one it was made with.
    if found is not None and Path(found).absolute().parent == here.parent:
        return "python"
    return _path(here)


def _path(file: Path) -> Path:
    return file.relative_to(Path.cwd()) if file.is_relative_to(Path.cwd()) else file


def _quoted(word: object) -> str:
    """Return a word, quoted where a shell would take it for something else."""
    if os.name == "nt":
        return f'"{word}"' if " " in str(word) else str(word)
    return shlex.quote(str(word))

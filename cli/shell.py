"""The program's command in a shell, for hints to copy."""

import os
import shlex
import shutil
import sys
from pathlib import Path

from base.project import PREFIX, ROOT

_MAIN = ROOT / "main.py"
_IS_INSTALLED = PREFIX != ""
"""Whether this is an installed wheel, with the command ``hex-mcts``, and not a clone."""
PROGRAM = "hex-mcts" if _IS_INSTALLED else "main.py"
CALL = "hex-mcts" if _IS_INSTALLED else "python main.py"  # the program's command in help texts


def command_line(*words: object) -> str:
    """Return a line that calls the program with these words in a shell on this machine.

    In a clone it begins with ``python main.py`` if these are this interpreter and this program,
    else with their paths: outside its environment, ``python`` lacks the packages.
    """
    program = [PROGRAM] if _IS_INSTALLED else [_python(), _path(_MAIN)]
    return " ".join(map(_quoted, [*program, *words]))


def _python() -> str | Path:
    here = Path(sys.executable).absolute()
    found = shutil.which("python")
    # Not resolved: an environment's interpreter is often a link to another one.
    if found is not None and Path(found).absolute().parent == here.parent:
        return "python"
    return _path(here)


def _path(file: Path) -> Path:
    return file.relative_to(Path.cwd()) if file.is_relative_to(Path.cwd()) else file


def _quoted(word: object) -> str:
    if os.name == "nt":
        return f'"{word}"' if " " in str(word) else str(word)
    return shlex.quote(str(word))

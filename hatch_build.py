"""Builds the wheel, which installs a single name: the rooms are in the package ``hex_mcts``.

A user's own file may be called ``agents.py``. So the wheel's copy of a room, such as ``agents``, is
``hex_mcts.rooms.agents``, and its files import it by this name, ``PREFIX`` in ``base/project.py``.
"""

import ast
import shutil
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hatchling.builders.config import BuilderConfig
from hatchling.builders.hooks.plugin.interface import BuildHookInterface

_PACKAGE = "hex_mcts.rooms"
_BESIDE_ROOMS = "main.py", "params.yaml", "nets", "presets"


class WheelHook(BuildHookInterface[BuilderConfig]):
    """Puts a copy of the program, with its imports changed, into the wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Make the copy; an editable install uses the clone itself."""
        if version == "editable":
            return
        self._copy = TemporaryDirectory()
        root, package = Path(self.root), Path(self._copy.name) / "hex_mcts"
        rooms = {init.parent.name for init in root.glob("*/__init__.py")} - {package.name}
        _copy(root / package.name, package)
        for name in (*rooms, *_BESIDE_ROOMS):
            _copy(root / name, package / "rooms" / name)
        (package / "rooms" / "__init__.py").touch()
        for file in package.rglob("*.py"):
            text = file.read_text(encoding="utf-8")
            file.write_text(moved(text, rooms | {"main"}), encoding="utf-8", newline="\n")
        build_data["force_include"][str(package)] = package.name

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove the copy."""
        if version != "editable":
            self._copy.cleanup()


def _copy(source: Path, target: Path) -> None:
    if source.is_dir():
        shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
    else:
        shutil.copy(source, target)


def moved(source: str, rooms: set[str]) -> str:
    """Return a file's source with the imports of rooms by their names in the wheel."""
    lines = source.split("\n")
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.ImportFrom(module=str(name), level=0):
                old, new = f"from {name} ", f"from {_PACKAGE}.{name} "
            case ast.Import(names=[ast.alias(name=name)]):
                old, new = f"import {name}", f"from {_PACKAGE} import {name}"
            case _:
                continue
        if name.partition(".")[0] in rooms:
            lines[node.lineno - 1] = lines[node.lineno - 1].replace(old, new, 1)
    return "\n".join(lines)

"""The structure of the project; import-linter checks the layers (`make lint`)."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

from tests.project import ROOT, module_name, pyproject, rooms, sources

MOST_LINES = 400
MACHINE_PATH = re.compile(r"(?<![\w.~-])(/(home|root|Users|work|tmp|opt)/\w|[A-Z]:\\\w)")
TEXTS = {".md", ".py", ".ipynb", ".toml", ".txt", ".yaml", ".yml", ".cfg", ".json", ".jsonl", ""}
MADE = {"build", "dist", "runs"}


def imported_modules(source: Path) -> Iterator[str]:
    """Yield the name of every module that a file imports, at any depth of nesting."""
    for node in ast.walk(ast.parse(source.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or "."
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith("import_module"):
            yield from (str(name.value) for name in node.args if isinstance(name, ast.Constant))


def known_files(source: Path) -> Iterator[str]:
    """Yield the names that a file imports, even for types; a package shows others only its own."""
    tree = ast.parse(source.read_text())
    for node in ast.walk(tree) if source.name == "__init__.py" else ():
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            node.body = [ast.Pass()]
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            for alias in node.names:
                yield f"{node.module}.{alias.name}"
                yield str(node.module)


def project_texts() -> Iterator[Path]:
    """Yield every text file that people wrote, but none that a program made."""
    for top in ROOT.iterdir():
        if top.is_file() and top.name != ".git":
            yield top
        elif top.name == ".ci" or not (top.name.startswith(".") or top.name in MADE):
            yield from (path for path in top.rglob("*") if path.is_file())


def lines_with(pattern: re.Pattern[str], files: Iterable[Path]) -> list[str]:
    return [
        f"{path.relative_to(ROOT)}: {line}"
        for path in files
        for line in path.read_text("utf-8", errors="replace").splitlines()
        if pattern.search(line)
    ]


def normalized(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


@pytest.mark.parametrize("source", sources(), ids=module_name)
def test_a_file_is_short_enough_to_explain_and_does_not_import_main(source: Path) -> None:
    assert len(source.read_text().splitlines()) <= MOST_LINES
    is_the_command = module_name(source) == "hex_mcts.__main__"
    assert is_the_command or "main" not in set(imported_modules(source))


def test_no_files_import_each_other_in_a_circle() -> None:
    files = {module_name(source).removesuffix(".__init__"): source for source in sources()}
    TopologicalSorter(
        {name: {*known_files(source)} & files.keys() for name, source in files.items()}
    ).prepare()  # raises a CycleError that names the files


def test_every_room_has_its_layer() -> None:
    tools = pyproject()["tool"]
    layers = tools["importlinter"]["contracts"][0]["layers"]
    assert (
        sorted({room.split(".")[0] for layer in layers for room in layer.split(" | ")}) == rooms()
    )
    assert sorted(tools["importlinter"]["root_packages"]) == rooms()


NAMES_HEX = re.compile(r"(name|kind)\s*(===?|!==?|(not )?in)\s*\(?\s*[\"'](hex|diamond)[\"']")


def test_code_distinguishes_games_by_properties_and_not_by_name() -> None:
    """``StateManager`` has the properties; the page gets them with a view or the catalogue."""
    scripts = (ROOT / "web" / "static").rglob("*.js")
    above = [path for path in sources() if path.relative_to(ROOT).parts[0] != "state_manager"]
    assert lines_with(NAMES_HEX, [*above, *scripts]) == []


def test_no_file_names_a_path_of_one_machine() -> None:
    texts = [path for path in project_texts() if path.suffix in TEXTS]
    assert lines_with(MACHINE_PATH, texts) == []


@pytest.mark.parametrize(
    ("pattern", "found", "missed"),
    [
        (
            NAMES_HEX,
            ['game.name == "hex"', 'game.drawing.kind in ("diamond", "grid")', "name !== 'hex'"],
            'make_game("hex", size=5)',
        ),
        (
            MACHINE_PATH,
            [f"see /{path}/somebody" for path in ("home", "root", "work")],
            "https://host/home/page or runs/work/x",
        ),
    ],
    ids=["names", "paths"],
)
def test_the_search_for_such_lines_finds_them(
    pattern: re.Pattern[str], found: list[str], missed: str
) -> None:
    assert all(map(pattern.search, found))
    assert not pattern.search(missed)


def test_every_dependency_is_pinned() -> None:
    project = pyproject()["project"]
    groups = [project["dependencies"], *project["optional-dependencies"].values()]
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    pins = {normalized(line.partition("==")[0]) for line in lines if "==" in line}
    names = {normalized(re.split(r"[<>=]", name)[0]) for group in groups for name in group}
    assert names <= pins

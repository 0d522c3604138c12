"""The README's session runs, and every name and page in it exists."""

import ast
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

import main
from cli.arguments import COMMANDS, Parser, add_arguments
from tests.forked import run_python
from tests.project import ROOT, rooms

README = ROOT / "README.md"
SESSIONS = [README, ROOT / "docs" / "api.md"]
CARDS = [ROOT / "nets" / "README.md", *sorted((ROOT / "benchmarks").glob("*.md"))]
PAGES = [README, ROOT / "CONTRIBUTING.md", *CARDS, *sorted((ROOT / "docs").rglob("*.md"))]


def table_below(heading: str) -> list[list[str]]:
    """Return the cells of the rows of the first table below a heading of the README."""
    section = README.read_text(encoding="utf-8").partition(f"## {heading}\n")[2]
    rows = [
        line.strip("|").split(" | ")
        for line in section.partition("\n## ")[0].splitlines()
        if line.startswith("|")
    ]
    return rows[2:]


def definitions(source: Path) -> Iterator[str]:
    for node in ast.parse(source.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name
        if isinstance(node, ast.ClassDef):
            for part in node.body:
                if isinstance(part, ast.FunctionDef):
                    yield f"{node.name}.{part.name}"
                elif isinstance(part, ast.AnnAssign):
                    yield f"{node.name}.{ast.unparse(part.target)}"


@pytest.mark.parametrize("page", SESSIONS, ids=lambda page: page.name)
def test_the_sessions_of_a_page_print_the_output_on_the_page(page: Path) -> None:
    # In a process of its own, since the examples register things.
    program = f"import doctest; assert doctest.testfile({str(page)!r}, False).failed == 0"
    status, output, errors = run_python(program, ROOT, os.environ)
    assert status == 0, output + errors
    assert page.read_text(encoding="utf-8").count("\n>>> ") > 5


PSEUDOCODE = table_below("Where is the pseudocode?")
of_each_line = pytest.mark.parametrize(
    ("line", "code"), PSEUDOCODE, ids=[line.strip() for line, _ in PSEUDOCODE]
)
of_each_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))


def test_the_pseudocode_table_has_all_steps() -> None:
    lines = " ".join(line for line, _ in PSEUDOCODE)
    for step in ("1.", "2.", "3.", "4.", "(a)", "(b)", "(c)", "(d)", "(e)", "(f)", "g_a", "g_s"):
        assert step in lines


@of_each_line
def test_a_line_of_the_pseudocode_table_names_functions_of_the_files_that_it_names(
    line: str, code: str
) -> None:
    for part in code.split(";"):
        file, *names = re.findall(r"`([^`]+)`", part)
        assert names, f"{line}: expected a function of {file}"
        assert {*names} <= {*definitions(ROOT / file)}, f"{line}: {file}"


@pytest.fixture(scope="module")
def called(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    """Return the functions that a training on 3x3, a TOPP and a tournament call, not compiled."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.profiled", str(tmp_path_factory.mktemp("profiled"))],
        cwd=ROOT,
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return set(done.stdout.split())


@of_each_line
def test_the_first_function_of_a_line_of_the_pseudocode_is_called(
    line: str, code: str, called: set[str]
) -> None:
    file, name, *_ = re.findall(r"`([^`]+)`", code)
    assert f"{file}:{name}" in called


def test_the_readme_quotes_the_code_of_an_episode() -> None:
    code = README.read_text(encoding="utf-8").partition("```python\ndef")[2].partition("\n```")[0]
    assert "game" in code
    assert f"def{code}\n" in (ROOT / "rl" / "schemes" / "on_policy.py").read_text(encoding="utf-8")


def test_the_table_of_rooms_names_every_room() -> None:
    folders = " ".join(folder for folder, _ in table_below("The rooms"))
    assert sorted(re.findall(r"(\w+)/`", folders)) == rooms()


@of_each_page
def test_every_link_and_file_that_a_page_names_is_there(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    links = re.findall(r"\]\((?!https?:)([^)#]+)|src=\"([^\"]+)\"", text)
    for link in filter(None, (one or other for one, other in links)):
        assert (page.parent / link).exists(), link
    for name in re.findall(r"`((?!runs/)(?:\w+/)+\w+\.(?:py|md|yaml|pt))`", text):
        assert "NAME" in name or (ROOT / name).exists(), name


OPTIONS = {}
for _name in COMMANDS:
    OPTIONS[_name] = Parser(prog=_name)
    add_arguments(_name, OPTIONS[_name])


def code_in(text: str) -> Iterator[tuple[str | None, str]]:
    """Yield the command and the words of each line and span of code; no command but words alone.

    Code of other programs is left out.
    """
    for fenced, block, span in re.findall(
        r"(?s)```\w*\n(.*?)```|(?m:^ {4}(python [^`\n]+)$)|`([^`]+)`", text
    ):
        for line in (fenced or block or " ".join(span.split())).splitlines():
            called = re.search(r"python main\.py ([a-z-]+)( [^)]*|)", line)
            named = called or (span and re.match(r"([a-z-]+)( .*|)$", line))
            if named and named[1] in COMMANDS:
                yield named[1], named[2]
            elif span and re.match(r"--[a-z]|[a-z]+\.[a-z_]+=|\"rl", line):
                yield None, line


@of_each_page
def test_every_option_that_a_page_names_is_one_of_the_command_that_it_speaks_of(page: Path) -> None:
    text = page.read_text(encoding="utf-8").replace("\\\n", " ")
    seen: set[str] = set()  # the commands that the page has named so far
    for section in re.split(r"\n(?=#+ )", text):
        of_section: set[str] = set()
        for piece in re.split(r"\n\n+|\n(?=[|-] ?)", section):
            code = [*code_in(piece)]
            of_section |= {name for name, _ in code if name}
            of_section |= {*re.findall(r"`(?:python -m )?(benchmarks\.\w+)", piece)}
            seen |= of_section
            for name, words in code:
                owners = [name] if name else of_section or seen
                for option in re.findall(r"(?<![\w-])--[a-z][a-z-]*", words):
                    assert any(option in options_of(each) for each in owners), (option, owners)


def options_of(program: str) -> list[str]:
    """Return the options of a command, or of a benchmark, by its source."""
    if program in OPTIONS:
        return OPTIONS[program].options()
    file = ROOT / f"{program.replace('.', '/')}.py"
    return re.findall(r'"(--[a-z-]+)', file.read_text(encoding="utf-8"))


YAML = [
    ROOT / "params.yaml",
    *sorted(ROOT.glob("presets/*")),
    *sorted(ROOT.rglob("methods/*.yaml")),
]


@pytest.mark.parametrize("page", [*PAGES, *YAML], ids=lambda page: str(page.relative_to(ROOT)))
def test_every_shell_takes_the_commands_of_a_page(page: Path) -> None:
    # Above all zsh, the shell of Macs, where # begins no comment and brackets are patterns.
    text = page.read_text(encoding="utf-8").replace("\\\n", " ")
    calls = re.findall(r"python main\.py ([a-z-]+ .*)", text)
    for words in [words for _, words in code_in(text)] if page.suffix == ".md" else calls:
        bare = re.sub(r""""[^"!$]*"|'[^']*'|/\*\.pt\b""", "", words)
        assert not re.search(r"[][{}()*?!~#\"']", bare), words


def commands_of(page: Path) -> Iterator[list[str]]:
    """Yield the words of each training that a page names, without placeholders such as NET."""
    text = page.read_text(encoding="utf-8").replace("\\\n", " ")
    for line in re.findall(r"python main\.py ((?:train|demo)\b[^`\n|]*)", text):
        words = shlex.split(line, comments=True)
        if not re.search(r"\$|\b[A-Z]{1,4}\b|--from runs/|rellu", line):
            yield words


@of_each_page
def test_every_training_that_a_page_names_can_begin(
    page: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    nothing = SimpleNamespace(run=lambda system, arguments: 0)
    monkeypatch.setattr(main, "command_module", lambda name: nothing)
    for words in commands_of(page):
        assert "--resume" in words or main.main(words) == 0, words

"""The site of the docs is built without a warning; public CI and the citation are valid."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from mkdocs.config import load_config
from packaging.specifiers import SpecifierSet

import hex_mcts
from tests.project import ROOT, pyproject


def test_the_site_has_every_page_of_the_docs(site: Path) -> None:
    for page in (ROOT / "docs").rglob("*.md"):
        name = page.relative_to(ROOT / "docs").with_suffix(".html")
        there = site / (name.with_name("index.html") if name.stem == "README" else name)
        assert there.is_file(), name
    for other in ("index", "CONTRIBUTING", "CHANGELOG", "nets/index", "benchmarks/index"):
        assert (site / f"{other}.html").is_file(), other


def test_the_site_loads_nothing_from_elsewhere_and_its_pictures_lie_where_pages_say(
    site: Path,
) -> None:
    found = 0
    for page in site.rglob("*.html"):
        text = page.read_text("utf-8")
        tags = re.findall(r"<(?:script|link|img|iframe)\b[^>]*>", text)
        assert tags
        for tag in tags:
            assert not re.search(r'(?:src|href)="(?:https?:)?//', tag), (page.name, tag)
        for source in re.findall(r'<img[^>]* src="(?!data:)([^"]+)"', text):
            assert (page.parent / source).is_file(), (page.name, source)
            found += 1
    assert found > 5


def test_the_published_site_is_the_built_one() -> None:
    text = (ROOT / ".github" / "workflows" / "site.yml").read_text("utf-8")
    (steps,) = (each["steps"] for each in yaml.safe_load(text)["jobs"].values())
    built = load_config(str(ROOT / "mkdocs.yml"))["site_dir"]
    (published,) = (each["with"]["path"] for each in steps if "pages-artifact" in str(each))
    assert ROOT / published == Path(built)
    assert "make docs" in text


def test_the_notebook_is_a_page_with_its_outputs(site: Path) -> None:
    page = (site / "notebook.html").read_text("utf-8")
    assert "17 of 17 sides held" in page
    assert page.count("data:image/png;base64,") == 3


@pytest.mark.parametrize(
    ("schema", "file"),
    [
        ("github-workflows", ".github/workflows/ci.yml"),
        ("github-workflows", ".github/workflows/site.yml"),
        ("citation-file-format", "CITATION.cff"),
    ],
)
def test_files_for_others_keep_their_schemas(schema: str, file: str) -> None:
    words = ("check_jsonschema", "--builtin-schema", f"vendor.{schema}", ROOT / file)
    done = subprocess.run([sys.executable, "-m", *words], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_public_ci_runs_existing_targets_on_three_systems_and_each_python() -> None:
    text = (ROOT / ".github" / "workflows" / "ci.yml").read_text("utf-8")
    jobs = yaml.safe_load(text)["jobs"]
    systems = jobs["test"]["strategy"]["matrix"]["os"]
    allowed = SpecifierSet(pyproject()["project"]["requires-python"])
    pythons = [f"3.{minor}" for minor in range(30) if f"3.{minor}.9" in allowed]
    assert jobs["test"]["strategy"]["matrix"]["python"] == pythons
    assert {name.partition("-")[0] for name in systems} == {"ubuntu", "macos", "windows"}
    targets = re.findall(r"^(\w+):.*  ## ", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    assert set(re.findall(r"\bmake (\w+)", text)) <= set(targets)
    extras = pyproject()["project"]["optional-dependencies"]
    assert set(re.findall(r"\.\[(\w+)\]", text)) <= extras.keys()
    for job in jobs.values():
        assert job["timeout-minutes"] <= 60


def test_the_newest_changes_and_the_citation_are_of_this_version() -> None:
    changes = (ROOT / "CHANGELOG.md").read_text("utf-8")
    released = re.findall(r"^## Version (\S+)", changes, re.MULTILINE)
    assert released[0] == hex_mcts.__version__
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    assert citation["version"] == hex_mcts.__version__
    assert citation["license"] == pyproject()["project"]["license"]

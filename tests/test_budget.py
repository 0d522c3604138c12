"""No room grows without a reason: ``budget.yaml`` has the most lines of each."""

from pathlib import Path

import pytest
import yaml

from tests.project import ROOT, rooms

BUDGET = yaml.safe_load(Path(__file__).with_name("budget.yaml").read_text())


def lines_of(folder: Path) -> int:
    """Return the lines of Python in a folder; those of ``tests`` itself are in no room."""
    files = folder.glob("*.py") if folder == ROOT / "tests" else folder.rglob("*.py")
    return sum(len(file.read_text().splitlines()) for file in files)


def test_every_room_has_a_budget() -> None:
    tests = {f"tests/{path.name}" for path in (ROOT / "tests").iterdir() if any(path.rglob("*.py"))}
    assert set(BUDGET) == {*rooms(), "benchmarks", "tests", *tests}


@pytest.mark.parametrize("room", sorted(BUDGET))
def test_a_room_keeps_to_its_budget(room: str) -> None:
    assert lines_of(ROOT / room) <= BUDGET[room], "raise it in budget.yaml only with a reason"

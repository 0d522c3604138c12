"""The notebook: its cells run, with small numbers, and its outputs are real and of no machine."""

import json
import os
import re
from pathlib import Path

from tests.forked import run_python
from tests.project import ROOT

NOTEBOOK = ROOT / "docs" / "notebook.ipynb"
CELLS = [
    cell for cell in json.loads(NOTEBOOK.read_text("utf-8"))["cells"] if cell["cell_type"] == "code"
]
SMALL = "SIZE, EPISODES, SEED = 3, 32, 1"
"""Instead of the cell that is tagged as one of parameters; too few games to learn much."""


def test_every_cell_runs_with_small_numbers(tmp_path: Path) -> None:
    sources = [
        SMALL if "parameters" in cell["metadata"].get("tags", ()) else "".join(cell["source"])
        for cell in CELLS
    ]
    assert sources.count(SMALL) == 1
    own = {"PYTHONPATH": str(ROOT), "MPLBACKEND": "svg", "TMPDIR": str(tmp_path)}
    status, output, errors = run_python("\n\n".join(sources), tmp_path, {**os.environ, **own})
    assert status == 0, errors
    assert "training: 32/32" in output
    assert re.search(r"^confirmed: \d+ of 10 sides$", output, re.MULTILINE)


def test_its_outputs_show_a_net_that_cannot_be_beaten() -> None:
    written = [
        "".join(output.get("text", output.get("data", {}).get("text/plain", "")))
        for cell in CELLS
        for output in cell["outputs"]
    ]
    assert "proven, 17 of 17 sides held" in written[-2]
    assert written[-1] == "confirmed: 17 of 17 sides\n"
    assert [cell["execution_count"] for cell in CELLS] == list(range(1, len(CELLS) + 1))
    outputs = [output for cell in CELLS for output in cell["outputs"]]
    assert sum("image/png" in output.get("data", {}) for output in outputs) == 3
    assert not any(output["output_type"] == "error" for output in outputs)

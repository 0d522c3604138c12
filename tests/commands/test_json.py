"""``--json`` prints one result only, and CSV holds the same, as docs/formats.md describes."""

import csv
import json
import re
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from base.storage import read_jsonl
from cli.outputs import reporting_result
from tests.commands.conftest import Call, Result, tree, untrained
from tests.project import ROOT


def documented(heading: str) -> dict[str, str]:
    """Return the keys of a table of docs/formats.md, with their types."""
    text = (ROOT / "docs" / "formats.md").read_text(encoding="utf-8")
    section = text.partition(f"## {heading}\n")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| (`.*?) \| (.*?) \| .*\|$", section, re.MULTILINE)
    return {key: kind for keys, kind in rows for key in re.findall(r"`([^`]+)`", keys)}


MAPPINGS = ("game_params", "play", "versions")
KINDS = {
    "text": (str,),
    "integer": (int,),
    "number": (int, float),
    "mapping": (dict,),
    "null": (type(None),),
    "true or false": (bool,),
}


def leaves(data: Any, key: str = "") -> Iterator[tuple[str, Any]]:
    """Yield each value with its key, as docs/formats.md writes it."""
    if isinstance(data, dict) and key.rpartition(".")[2] not in MAPPINGS:
        for name, value in data.items():
            yield from leaves(value, f"{key}.{name}".lstrip("."))
    elif isinstance(data, list):
        for value in data:
            yield from leaves(value, f"{key}[]")
    else:
        yield key, data


def assert_documented(data: Any, heading: str, without: str = " ") -> None:
    """Check keys and types against a table, leaving out keys that match ``without``."""
    keys, found = documented(heading), dict[str, Any]()
    for key, value in leaves(data):
        kinds = keys[key].removesuffix(", optional")
        allowed = KINDS.get(kinds) or sum((KINDS[kind] for kind in kinds.split(" or ")), ())
        assert type(value) in allowed, (key, value)
        found[key] = value
    needed = {key for key, kind in keys.items() if not kind.endswith("optional")}
    assert not {key for key in needed - found.keys() if not re.match(without, key)}


def only_json(result: Result) -> Any:
    assert "\x1b" not in result.output + result.errors
    return json.loads(result.output)


def rows(file: Path) -> list[dict[str, str]]:
    with open(file, encoding="utf-8", newline="") as text:
        return list(csv.DictReader(text))


def test_topp_prints_what_it_keeps_and_leaves_nets_alone(call: Call, trained: Path) -> None:
    before = tree(trained)
    nets = [trained / "anet_00000.pt", trained / "anet_00004.pt"]
    result = call("topp", nets[0], "topp.games=4", nets[1], "--json", "display.mode=off")
    data = only_json(result)
    assert result.status == 0
    assert "Order of training and order of strength" in result.errors
    assert tree(trained) == before
    (folder,) = Path("runs").iterdir()
    assert folder.name.startswith("topp-hex-3-")
    kinds = ("json", "jsonl", "csv", "png")
    assert {path.name for path in folder.iterdir()} == {f"standings.{kind}" for kind in kinds}
    assert data == json.loads((folder / "standings.json").read_text())
    assert_documented(data, "Standings")
    kept = rows(folder / "standings.csv")
    assert [row["name"] for row in kept] == ["anet_00000", "anet_00004"]
    assert [float(row["win_rate"]) for row in kept] == [row["win_rate"] for row in data["rows"]]


def test_certify_prints_its_certificate(call: Call) -> None:
    def printed(*more: object) -> Any:
        result = call("certify", "--net", "weak.pt", "--json", *more)
        assert result.status == 1
        return only_json(result)

    untrained(size=3)
    data = printed("--out", "c.json")
    assert (data["verdict"], data["certificate"]) == ("refuted", "c.json")
    assert len(data["refuted"]) == data["sides"] - data["proven"]
    assert_documented(data, "Certificates", "wrong")
    data = printed("--check", "c.json")
    assert (data["verdict"], data["wrong"]) == ("confirmed", [])
    assert_documented(data, "Certificates", r"visited|seconds|refuted|wrong")
    assert printed("--positions", 2).keys() == {"verdict", "agent", "sides"}


def test_an_interrupted_command_prints_a_partial_result(capsys: pytest.CaptureFixture[str]) -> None:
    with suppress(KeyboardInterrupt), reporting_result(as_json=True) as report:
        sys.stdout.write("a line\n")
        report({"total": 3})
        raise KeyboardInterrupt
    output, errors = capsys.readouterr()
    assert json.loads(output) == {"total": 3}
    assert errors == "a line\n"


def test_the_metrics_of_a_run_are_csv_too(trained: Path) -> None:
    lines = list(read_jsonl(trained / "metrics.jsonl"))
    assert_documented(lines[0], "Metrics")
    table = rows(trained / "metrics.csv")
    assert list(table[0]) == list(lines[0])
    assert [[float(cell) for cell in row.values()] for row in table] == [
        [float(value) for value in line.values()] for line in lines
    ]

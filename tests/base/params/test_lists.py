"""Files that hold a list."""

from __future__ import annotations

from pathlib import Path

import pytest

from base.params import ParamsError, load_list
from base.params.yaml12 import Given


def load(folder: Path, text: str) -> list[Given]:
    """Return the items of a file with this text."""
    file = folder / "list.yaml"
    file.write_text(text, encoding="utf-8")
    return load_list(file)


def test_every_item_comes_with_its_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    items = load(tmp_path, "# two\n- one\n\n- {a: 2, b: off}\n-\n  c: 1e-3\n")
    assert [item.plain for item in items] == ["one", {"a": 2, "b": "off"}, {"c": 1e-3}]
    assert [item.where for item in items] == ["list.yaml:2", "list.yaml:4", "list.yaml:6"]


@pytest.mark.parametrize("text", ["", "# nothing\n", "[]"])
def test_an_empty_file_is_an_empty_list(tmp_path: Path, text: str) -> None:
    assert load(tmp_path, text) == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: 1\n", "list.yaml:1: expected a list, got {a: 1}"),
        ("\nword\n", "list.yaml:2: expected a list, got 'word'"),
        ("- 1\n- {a: 1, a: 2}\n", "list.yaml:2: a: given twice, first on line 2"),
        ("- [1\n", "list.yaml:2: not YAML: "),
        ("- &x 1\n- *x\n", "list.yaml:2: not YAML: aliases and tags are not used here"),
    ],
)
def test_an_error_names_its_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ParamsError) as error:
        load(tmp_path, text)
    assert str(error.value).startswith(message)


def test_a_missing_file_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ParamsError, match=r"^none.yaml: no such file$"):
        load_list(Path("none.yaml"))

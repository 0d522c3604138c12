"""A file always holds its complete old content or its complete new one."""

import errno
import os
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path
from unittest.mock import Mock

import pytest

from base.storage import atomic_path, remove_leftovers, set_aside
from base.storage.atomic import write_bytes, write_csv, write_json, write_text
from tests.project import ROOT


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_block_that_ends_without_an_error_gives_the_file_its_name(tmp_path: Path) -> None:
    path = tmp_path / "board.png"
    path.write_text("old")
    with atomic_path(path) as temporary:
        assert (temporary.parent, temporary.suffix) == (tmp_path, ".png")
        assert temporary.name.startswith(".board.")
        temporary.write_text("new")
        assert path.read_text() == "old"
    assert path.read_text() == "new"
    with atomic_path(path) as first, atomic_path(path) as second:
        first.write_text("first")
        second.write_text("second")
    assert path.read_text() == "first", "two writers do not interfere"
    assert names(tmp_path) == ["board.png"]


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt])
def test_a_block_that_raises_leaves_the_old_file(
    tmp_path: Path, error: type[BaseException]
) -> None:
    path = tmp_path / "file"
    path.write_text("old")

    def fail() -> None:
        with atomic_path(path) as temporary:
            temporary.write_text("half")
            raise error

    with pytest.raises(error):
        fail()
    assert (path.read_text(), names(tmp_path)) == ("old", ["file"])


def test_the_replaced_file_can_be_kept(tmp_path: Path) -> None:
    path, previous = tmp_path / "file", tmp_path / "previous"
    for text, before in (("one", []), ("two", ["one"]), ("three", ["two"])):
        write_bytes(path, text.encode(), previous)
        assert path.read_text() == text
        assert [file.read_text() for file in (previous,) if file.exists()] == before
    with pytest.raises(RuntimeError), atomic_path(path, previous):
        raise RuntimeError
    assert (path.read_text(), previous.read_text()) == ("three", "two")


def test_a_full_disk_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "standings.json"
    path.write_text("old")

    full = Mock(side_effect=OSError(errno.ENOSPC, "No space left on device"))
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left on device") as caught:
        write_text(path, "new")
    assert caught.value.filename == str(path)
    assert (path.read_text(), names(tmp_path)) == ("old", ["standings.json"])


def test_a_file_that_is_set_aside_gets_an_unused_name(tmp_path: Path) -> None:
    expected = ["log.damaged.jsonl", "log.damaged1.jsonl", "log.damaged2.jsonl"]
    for name in expected:
        (tmp_path / "log.jsonl").write_text(name)
        assert set_aside(tmp_path / "log.jsonl") == tmp_path / name
    assert names(tmp_path) == expected
    assert [(tmp_path / name).read_text() for name in expected] == expected


def test_only_the_leftovers_of_killed_writers_are_removed(tmp_path: Path) -> None:
    kept = [".net.pt", ".other.0123456789abcdef.pt", "net.0123456789abcdef.pt", "net.pt", ".net.a"]
    for name in [*kept, ".net.0123456789abcdef.pt", ".net.fedcba9876543210"]:
        (tmp_path / name).touch()
    remove_leftovers(tmp_path, "net|log")
    assert names(tmp_path) == sorted(kept)


@pytest.mark.skipif(os.name != "posix", reason="modes are POSIX's")
def test_a_file_has_the_mode_of_an_ordinary_new_file(tmp_path: Path) -> None:
    (tmp_path / "ordinary").write_text("")
    write_text(tmp_path / "atomic", "")
    modes = {stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()}
    assert len(modes) == 1


def test_json_is_written_in_a_readable_form_or_leaves_the_old_file(tmp_path: Path) -> None:
    write_json(tmp_path / "file", {"name": "é"})
    written = '{\n  "name": "é"\n}\n'
    assert (tmp_path / "file").read_text(encoding="utf-8") == written
    for data in (float("nan"), [float("inf")], {1, 2}, object()):
        with pytest.raises((TypeError, ValueError)):
            write_json(tmp_path / "file", data)
    assert (tmp_path / "file").read_text(encoding="utf-8") == written
    assert names(tmp_path) == ["file"]


WRITE_FOREVER = """
import sys
from base.storage import write_bytes
while True:
    for letter in (b"a", b"b"):
        write_bytes(sys.argv[1], letter * 2_000_000)
"""


def test_a_writer_that_is_killed_leaves_the_old_file_or_the_new_one(tmp_path: Path) -> None:
    path = tmp_path / "file"
    command = [sys.executable, "-c", WRITE_FOREVER, str(path)]
    with subprocess.Popen(command, cwd=ROOT) as writer:
        while not path.exists():
            assert writer.poll() is None
            time.sleep(0.005)
        time.sleep(0.037)
        writer.kill()
    if os.name == "posix":
        assert writer.returncode == -signal.SIGKILL
    content = path.read_bytes()
    assert content in (b"a" * 2_000_000, b"b" * 2_000_000)
    assert len(names(tmp_path)) <= 2
    write_bytes(path, b"after")
    assert path.read_bytes() == b"after"


def test_rows_become_csv_with_a_column_for_each_key(tmp_path: Path) -> None:
    first = {"name": "a, b", "effort": {"moves": 1}, "judged": [1, 2]}
    write_csv(tmp_path / "file", [first, {"name": "c", "elo": None}])
    assert (tmp_path / "file").read_bytes() == b'name,effort.moves,elo\n"a, b",1,\nc,,\n'

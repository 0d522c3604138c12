"""Outside input has a bounded size and kind, and can be shown; locks vanish with their process."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from base.storage.atomic import LockedError, is_locked, locked
from base.storage.outside import FileError, excerpt, parse_json, printable, read_file
from tests.project import ROOT


def refused(path: str | Path, most: int = 100) -> str:
    with pytest.raises(FileError) as caught:
        read_file(path, most)
    return str(caught.value)


def test_a_file_is_read_up_to_its_limit(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"\r\n\xff\x1a")
    assert read_file(tmp_path / "file", 4) == b"\r\n\xff\x1a"
    assert refused(tmp_path / "file", 3) == "expected a file of at most 3 bytes, got 4"
    with open(tmp_path / "sparse", "wb") as file:
        file.truncate(2**40)
    assert refused(tmp_path / "sparse", 2**30).startswith("expected a file of at most")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are pipes and devices")
def test_a_path_that_is_not_a_file_is_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert refused(tmp_path / "pipe") == "expected a file, got a pipe"
    assert refused("/dev/zero") == "expected a file, got a device"
    assert refused(tmp_path) == "expected a file, got a folder"
    assert refused(tmp_path / "none") == "no such file"
    assert refused("a\0b") == "cannot be the name of a file: embedded null byte"
    assert refused("x" * 5000) == "cannot be read: File name too long"


@pytest.mark.parametrize(
    "text",
    ["NaN", "-Infinity", "1e999", "[-1e999]", "9" * 5000, "[" * 100_000, "", b"\xff", "{}{}"],
    ids=range(9),
)
def test_json_with_a_fault_a_non_number_or_endless_depth_is_refused(text: str | bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        parse_json(text)
    assert parse_json('{"a": [1, 2.5, -1e-3, null]}') == {"a": [1, 2.5, -1e-3, None]}


@given(st.text(), st.integers(9, 300))
def test_a_printable_text_is_one_line_of_bounded_length(text: str, most: int) -> None:
    assert printable("a\x1b[31mb\nc\x9b\u202e\udcff é 日") == r"a\x1b[31mb\nc\x9b\u202e\udcff é 日"
    assert printable(f"begin{'x' * 5000}end", 20) == "beginxxxxxx...xxxend"
    assert printable("x" * 200) == "x" * 200
    shown = printable(text, most)
    assert shown.isprintable()
    assert len(shown) <= most
    assert printable(shown, most) == shown


class Unspeakable:
    def __repr__(self) -> str:
        raise RuntimeError


def test_any_value_can_be_quoted() -> None:
    endless: list[object] = []
    endless.append(endless)
    laughs: list[object] = []
    for _ in range(40):
        laughs = [laughs] * 9
    for value in (endless, laughs, 10 ** sys.get_int_max_str_digits(), Unspeakable(), "\x1b" * 999):
        assert len(excerpt(value)) <= 200
        assert excerpt(value).isprintable()
    assert excerpt([1, "a", None]) == "[1, 'a', None]"


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="the system makes up files")
def test_a_file_without_a_size_is_not_read_as_empty(tmp_path: Path) -> None:
    assert refused("/proc/self/mem") == "cannot be read: Input/output error"
    assert refused("/proc/self/status").startswith("expected a file, got what the system makes up")
    (tmp_path / "empty").touch()
    assert read_file(tmp_path / "empty", 4) == b""


HOLD = """
import sys
from base.storage import locked
with locked(sys.argv[1]):
    print("held", flush=True)
    sys.stdin.read()
"""


def hold(path: Path) -> Any:
    """Return another process that holds a lock until its standard input ends."""
    command, pipe = [sys.executable, "-c", HOLD, str(path)], subprocess.PIPE
    process: Any = subprocess.Popen(command, cwd=ROOT, stdin=pipe, stdout=pipe, text=True)
    assert process.stdout.readline() == "held\n"
    return process


def test_the_lock_is_free_after_the_block_however_it_ends(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt), locked(tmp_path / ".lock"):
        raise KeyboardInterrupt
    with locked(tmp_path / ".lock"), pytest.raises(LockedError), locked(tmp_path / ".lock"):
        pass
    if os.name == "posix":
        assert list(tmp_path.iterdir()) == []


def test_a_process_can_wait_for_a_lock(tmp_path: Path) -> None:
    with hold(tmp_path / ".lock") as other:
        other.stdin.close()
        with locked(tmp_path / ".lock", wait=60):
            pass


@pytest.mark.skipif(sys.platform == "win32", reason="there, the file alone tells")
def test_a_lock_is_held_until_its_process_ends_and_a_look_changes_nothing(tmp_path: Path) -> None:
    lock = tmp_path / ".lock"
    assert not is_locked(lock)
    assert not lock.exists()
    with hold(lock) as other:
        assert is_locked(lock)
        with pytest.raises(LockedError) as caught, locked(lock):
            pass
        assert str(caught.value) == f"{tmp_path}: in use by another process, which writes to it"
        other.kill()
    assert not is_locked(lock)
    assert lock.exists()
    with locked(lock):
        assert is_locked(lock)
    assert not is_locked(lock)

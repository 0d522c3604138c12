"""A log grows by whole lines, and is truncated only at the end of a line."""

import errno
import hashlib
import io
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from base.storage import AppendLog, LogError, read_jsonl

NUMBERS = st.integers() | st.floats(allow_nan=False, allow_infinity=False)
VALUES = st.none() | st.booleans() | NUMBERS | st.text() | st.lists(st.integers())
RECORDS = st.lists(st.dictionaries(st.text(), VALUES))


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("log") / "log.jsonl"


def test_a_log_is_continued_where_it_ended(tmp_path: Path) -> None:
    records: list[Any] = [{"episode": 1}, {"text": "a\udcff.pt"}, {"é": "\u2028\x85\r\n"}]
    for number, record in enumerate(records, start=1):
        with AppendLog(tmp_path / "log") as log:
            log.append(record)
            assert (tmp_path / "log").read_bytes().count(b"\n") == number
            log.sync()
    assert read_jsonl(tmp_path / "log") == records
    log.close()


def test_half_a_line_is_not_continued_but_can_be_truncated(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(b'{"a": 1}\n{"a"')
    with AppendLog(path) as log:
        with pytest.raises(LogError, match=r"expected the end of a line at byte 13$"):
            log.append({"a": 2})
        for length in (14, -1, 4):
            with pytest.raises(LogError, match=r"log: expected (at least|the end of a line)"):
                log.truncate(length)
        assert log.length == 13
        log.truncate(9)
        log.append({"a": 3})
    assert read_jsonl(path) == [{"a": 1}, {"a": 3}]


@settings(max_examples=50)
@given(before=RECORDS, after=RECORDS, data=st.data())
def test_records_are_read_back_and_truncated_and_any_changed_byte_is_detected(
    shared: Path, before: list[dict[str, Any]], after: list[dict[str, Any]], data: st.DataObject
) -> None:
    shared.unlink(missing_ok=True)
    with AppendLog(shared) as log:
        for record in before:
            log.append(record)
        length, digest = log.length, log.digest()
        assert digest == hashlib.sha256(shared.read_bytes()).hexdigest()
        for record in after:
            log.append(record)
        assert log.digest() == hashlib.sha256(shared.read_bytes()).hexdigest()
        assert log.length == shared.stat().st_size
    assert read_jsonl(shared) == before + after
    with AppendLog(shared) as log:
        assert log.begins_with(length, digest)
        assert log.begins_with(length, None)
        log.truncate(length)
        assert log.digest() == digest
        assert log.length == length == shared.stat().st_size
        assert not log.begins_with(length + 1, None)
    if length:
        content = bytearray(shared.read_bytes())
        content[data.draw(st.integers(0, length - 1))] ^= 1 << data.draw(st.integers(0, 7))
        shared.write_bytes(content)
        with AppendLog(shared) as log:
            assert not log.begins_with(length, digest)


class Slow(io.FileIO):
    """A file that accepts five bytes at a time, until the disk is full."""

    full_after = 99

    def write(self, data: Any) -> int:
        if not self.full_after:
            raise OSError(errno.ENOSPC, "No space left on device")
        self.full_after -= 1
        return super().write(data[:5])


def test_a_record_is_written_in_parts_and_removed_where_it_is_cut_short(tmp_path: Path) -> None:
    path = tmp_path / "log"
    with AppendLog(path) as log:
        log._file.close()
        log._file = slow = Slow(path, "a+")
        log.append({"a": 1})
        slow.full_after = 1
        with pytest.raises(OSError, match="No space left on device") as caught:
            log.append({"a": 2})
        assert (caught.value.filename, log.length) == (str(path), 9)
    assert read_jsonl(path) == [{"a": 1}]


def test_a_record_that_is_not_json_adds_nothing(tmp_path: Path) -> None:
    with AppendLog(tmp_path / "log") as log:
        for value in (float("nan"), float("-inf"), {1}, b"x"):
            with pytest.raises((TypeError, ValueError)):
                log.append({"loss": value})
        assert log.length == 0
    assert (tmp_path / "log").read_bytes() == b""


JSON = "expected one JSON object, got"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b'{"a": 1}\n{"a"', "log:2: expected a whole line, got '{\"a\"'"),
        (b'{"a": 1}', "log:1: expected a whole line, got '{\"a\": 1}'"),
        (b'{"a": 1}\n[1]\n', f"log:2: {JSON} '[1]'"),
        (b'\n{"a": 1}\n', f"log:1: {JSON} ''"),
        (b'{"a": NaN}\n', f"log:1: {JSON} '{{\"a\": NaN}}'"),
        (b'{"a": 1e999}\n', f"log:1: {JSON} '{{\"a\": 1e999}}'"),
        (b"{} {}\n", f"log:1: {JSON} '{{}} {{}}'"),
        (b"\xff\n", f"log:1: {JSON} '\ufffd'"),
        (b"[" * 100_000 + b"\n", f"log:1: {JSON} '{'[' * 36}...{'[' * 19}'"),
        (None, "log: no such file"),
    ],
)
def test_a_broken_or_no_log_is_named(tmp_path: Path, content: bytes | None, message: str) -> None:
    if content is not None:
        (tmp_path / "log").write_bytes(content)
    with pytest.raises(LogError) as caught:
        read_jsonl(tmp_path / "log")
    assert str(caught.value) == f"{tmp_path}/{message}"

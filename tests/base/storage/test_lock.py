"""A lock belongs to one process and vanishes with it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from base.storage import LockedError, is_locked, locked
from tests.project import ROOT

HOLD = """
import sys
from base.storage import locked
with locked(sys.argv[1]):
    print("held", flush=True)
    sys.stdin.read()
"""


def hold(path: Path) -> subprocess.Popen[str]:
    """Return another process that holds a lock until its standard input ends."""
    command, pipe = [sys.executable, "-c", HOLD, str(path)], subprocess.PIPE
    process = subprocess.Popen(command, cwd=ROOT, stdin=pipe, stdout=pipe, text=True)
    assert process.stdout is not None
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
        assert other.stdin is not None
        other.stdin.close()
        with locked(tmp_path / ".lock", wait=60):
            pass


@pytest.mark.skipif(sys.platform == "win32", reason="there, the file alone tells")
def test_a_lock_is_held_until_its_process_is_killed_and_a_look_changes_nothing(
    tmp_path: Path,
) -> None:
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

"""SIGTERM and SIGHUP interrupt like Ctrl-C, unless they are ignored."""

import io
import os
import signal
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from unittest.mock import Mock

import pytest

import cli.exits
from base.jit import deferred_interrupts
from cli.exits import loading_line, stop_signals
from tests.project import ROOT, TIMEOUT, Patch

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there are no POSIX signals")

STOPS = (signal.SIGTERM, signal.SIGHUP)


@pytest.fixture(autouse=True)
def default_handlers() -> Iterator[None]:
    before = {number: signal.getsignal(number) for number in (*STOPS, signal.SIGINT)}
    for number in STOPS:
        signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


def test_ctrl_c_while_the_program_is_loaded_prints_nothing(tmp_path: Path) -> None:
    code = f"import os, signal, time\nos.kill(os.getpid(), signal.SIGINT)\ntime.sleep({TIMEOUT})"
    (tmp_path / "argparse.py").write_text(code)  # imported in place of Python's own
    done = subprocess.run(
        [sys.executable, str(ROOT / "main.py"), "params"],
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stdout, done.stderr) == (-signal.SIGINT, "", "")


@pytest.mark.parametrize(("speaks", "is_terminal"), [(False, True), (True, True), (False, False)])
def test_a_silent_terminal_gets_a_line(monkeypatch: Patch, speaks: bool, is_terminal: bool) -> None:
    output, errors, timer = io.StringIO(), io.StringIO(), Mock()
    for name, stream in (("stdout", output), ("stderr", errors)):
        monkeypatch.setattr(stream, "isatty", lambda: is_terminal)
        monkeypatch.setattr(sys, name, stream)
    monkeypatch.setattr("cli.exits.threading.Timer", timer)
    with loading_line("play"):
        if speaks:
            sys.stdout.write("a board\n")
        if timer.return_value.start.called and not timer.return_value.cancel.called:
            _, say = timer.call_args.args
            say()
    assert output.getvalue() == "a board\n" * speaks
    assert ("play is loading" in errors.getvalue()) == (is_terminal and not speaks)
    sys.stdout.write("as before")


@pytest.mark.parametrize("first", [*STOPS, signal.SIGINT])
def test_signals_interrupt_once_and_handlers_go(monkeypatch: Patch, first: signal.Signals) -> None:
    monkeypatch.setattr(cli.exits, "_AT_ONCE_SECONDS", TIMEOUT)
    done: list[str] = []

    def work() -> None:
        try:
            with deferred_interrupts():
                signal.raise_signal(first)
                done.append("before")
        finally:
            for number in (signal.SIGINT, *STOPS):
                signal.raise_signal(number)  # shortly after the first, and ignored
            done.append("after")

    with stop_signals() as received:
        with pytest.raises(KeyboardInterrupt):
            work()
        assert received == [each for each in STOPS if each == first]
    assert done == ["before", "after"]
    assert [signal.getsignal(each) for each in STOPS] == [signal.SIG_DFL] * 2
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_second_ctrl_c_works_some_time_after_the_first(monkeypatch: Patch) -> None:
    monkeypatch.setattr(cli.exits, "_AT_ONCE_SECONDS", 0.0)
    with stop_signals():
        for _ in range(2):
            with pytest.raises(KeyboardInterrupt):
                signal.raise_signal(signal.SIGINT)


@pytest.mark.parametrize("is_late", [False, True])
@pytest.mark.parametrize("number", [*STOPS, signal.SIGINT])
def test_a_signal_that_a_freed_object_would_lose_interrupts(
    monkeypatch: Patch, number: signal.Signals, is_late: bool
) -> None:
    start, late = threading.Timer.start, ["the first"] * is_late

    def start_slowly(timer: threading.Timer) -> None:
        start(timer)
        if late:  # the timer is over before Python knows that it began
            late.clear()
            timer.join()

    monkeypatch.setattr(threading.Timer, "start", start_slowly)

    def work() -> None:
        thread = threading.Thread()
        kept = weakref.ref(thread, lambda _: signal.raise_signal(number))
        del thread
        assert kept() is None
        time.sleep(TIMEOUT)

    with stop_signals(), pytest.raises(KeyboardInterrupt):
        work()


def test_ignored_signals_stay_ignored() -> None:
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # as in a background job
    with stop_signals() as received:
        signal.raise_signal(signal.SIGHUP)
        signal.raise_signal(signal.SIGINT)
        assert received == []
        with pytest.raises(KeyboardInterrupt), deferred_interrupts():
            signal.raise_signal(signal.SIGTERM)
        assert received == [signal.SIGTERM]
    assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN


def test_other_threads_install_no_handlers() -> None:
    def handlers() -> list[object]:
        with stop_signals():
            return [signal.getsignal(number) for number in STOPS]

    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(handlers).result() == [signal.SIG_DFL] * 2

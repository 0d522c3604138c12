"""Early ends of a command, by an error or a signal, and their messages."""

import os
import re
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from types import FrameType

from base.project import is_own_error
from base.storage import naming_file, printable

_LONGEST_ERROR, _LONGEST_WORD = 500, 200  # in characters
_AT_ONCE_SECONDS = 1.0  # signals within this time of a handled signal count as the same signal
_AGAIN_SECONDS = 0.05  # a lost Ctrl-C is pressed again after this time

_NO_MEMORY = (
    "not enough memory; a smaller board, net (anet.hidden_layers), replay buffer "
    "(rl.replay_buffer_size) or tree (mcts.memory) needs less"
)
_SAME_NAME = (
    "cloudpickle cryptography filelock loky matplotlib numba numpy openvino psutil pydantic rich "
    "scipy starlette torch uvicorn websockets"
)
PACKAGES = {name: name for name in _SAME_NAME.split()} | {"PIL": "pillow", "yaml": "pyyaml"}
"""The required packages: import name and package name."""
_EXTRAS = {
    "ray": ("rl.engine=ray", "ray"),
    "tensorboardX": ("display.tensorboard=true", "tensorboard"),
}
"""The optional packages: the feature that needs each, and the extra that installs it."""


class UsageError(ValueError):
    """The command line asks for something impossible; exit status 2."""


def exit_status(error: Exception) -> int | None:
    """Return the exit status for an error with a complete message; ``None`` for a defect."""
    from anet.errors import DivergedError
    from base.cluster import ClusterError
    from online.errors import TournamentError

    known = ClusterError | DivergedError | TournamentError | OSError
    if isinstance(error, known) or _lacks_memory(error):
        return 1
    return 2 if is_own_error(error) else None


def error_line(name: str, words: str) -> str:
    """Return an error as one printable line; long words, names from outside, are shortened."""
    short = re.sub(rf"\S{{{_LONGEST_WORD},}}", lambda word: printable(word[0]), words)
    return f"{name}: {printable(short, _LONGEST_ERROR)}\n"


def words_of(error: Exception) -> str:
    """Return the message of an error and its notes; slashes divide the rows of a board."""
    words = re.sub(r"\s*\n\s*", " / ", re.sub(r"(in|:)\n\s*", r"\1 ", str(error)))
    if _lacks_memory(error):
        words = f"{_NO_MEMORY} ({words.partition(' / ')[0] or 'none is left'})"
    if isinstance(error, OSError) and error.filename is not None and error.strerror:
        words = f"{printable(os.fsdecode(error.filename))}: {error.strerror}"
    first = None if error.__suppress_context__ else error.__context__
    if isinstance(first, Exception) and first is not error.__cause__ and exit_status(first):
        words = f"{words_of(first)}; then {words}"  # raised while cleaning up
    return "; ".join([words, *getattr(error, "__notes__", ())])


def _lacks_memory(error: Exception) -> bool:
    """Return whether memory is missing; torch raises an ordinary error of its own then."""
    words = str(error) if isinstance(error, RuntimeError) else ""
    return isinstance(error, MemoryError) or bool(re.search("(allocate|out of) memory", words))


def missing_package(error: ModuleNotFoundError) -> str | None:
    """Return the missing package and its install command; ``None`` if our own import is wrong."""
    module = (error.name or "").partition(".")[0]
    if module in _EXTRAS:
        key, extra = _EXTRAS[module]
        how = f"pip install -c constraints.txt -e .[{extra}]"
        return f"{key}: the package {module} is missing; {how}"
    how = "run `make venv`, then `. .venv/bin/activate`"
    if os.name == "nt":
        how = r"install as README.md says, then .venv\Scripts\activate"
    package = PACKAGES.get(module)
    return package and f"the package {package} is missing; {how}"


@contextmanager
def loading_line(name: str, seconds: float = 0.3) -> Iterator[None]:
    """Write a line if the terminal shows no other words of a command within these seconds."""
    streams = (sys.stdout, sys.stderr)
    timer = threading.Timer(seconds, lambda: sys.stderr.write(f"{name} is loading ...\n"))
    timer.daemon = True
    if not all(stream is not None and stream.isatty() for stream in streams):
        yield
        return

    def heard(write: Callable[[str], int], text: str) -> int:
        timer.cancel()
        return write(text)

    for stream in streams:
        stream.write = partial(heard, stream.write)  # type: ignore[method-assign]
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        for stream in streams:
            del stream.write


def flush_output() -> None:
    """Write the buffered output."""
    with naming_file("standard output"):
        print(end="", flush=True)


def forget_output() -> None:
    """Drop output that cannot be written, so that Python does not retry at exit."""
    try:
        flush_output()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


@contextmanager
def stop_signals() -> Iterator[list[int]]:
    """Make SIGTERM and SIGHUP act like Ctrl-C; yield the received signals (exit status: 128 + one).

    Ignored signals, as under ``nohup``, stay ignored. Signals that follow at once, as when a
    terminal is closed, count as the first: they do not interrupt the saving that it starts. A
    Ctrl-C that Python would lose, in a finalizer or when a thread is freed, is pressed again.
    """
    received: list[int] = []
    if threading.current_thread() is not threading.main_thread():
        yield received
        return
    terminals = [stream for stream in (0, 1, 2) if os.isatty(stream)]
    is_ignored = signal.getsignal(signal.SIGINT) is signal.SIG_IGN  # a background job of a script
    ignored_until = 0.0

    def stop(number: int, frame: FrameType | None) -> None:
        _forget_closed(terminals)
        if time.monotonic() >= ignored_until:
            received.append(number)
            signal.raise_signal(signal.SIGINT)

    def interrupt(number: int, frame: FrameType | None) -> None:
        nonlocal ignored_until
        if (received or not is_ignored) and time.monotonic() >= ignored_until:
            ignored_until = time.monotonic() + _AT_ONCE_SECONDS
            signal.default_int_handler(number, frame)

    def report(lost: "sys.UnraisableHookArgs") -> None:
        if not issubclass(lost.exc_type, KeyboardInterrupt):
            hook(lost)
            return
        timers.append(threading.Timer(_AGAIN_SECONDS, again))
        try:
            timers[-1].start()
        except KeyboardInterrupt:  # the thread was late to start: pressed here, it is lost again
            report(lost)

    def again() -> None:
        nonlocal ignored_until
        ignored_until = 0.0
        press(signal.SIGINT)

    # A signal to the whole process wakes the main thread; Windows has none.
    press = partial(os.kill, os.getpid()) if os.name == "posix" else signal.raise_signal
    timers: list[threading.Timer] = []
    hook, sys.unraisablehook = sys.unraisablehook, report
    previous = {}
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is signal.SIG_DFL:
            previous[number] = signal.signal(number, stop)
    if signal.getsignal(signal.SIGINT) in (signal.SIG_IGN, signal.default_int_handler):
        previous[signal.SIGINT] = signal.signal(signal.SIGINT, interrupt)
    try:
        yield received
    finally:
        for timer in timers:
            timer.cancel()
        for number, handler in previous.items():
            signal.signal(number, handler)
        sys.unraisablehook = hook


def _forget_closed(terminals: list[int]) -> None:
    """Redirect closed terminals to the null device, since reads and writes would fail."""
    for stream in terminals:
        if not os.isatty(stream):
            null = os.open(os.devnull, os.O_RDWR)
            os.dup2(null, stream)
            os.close(null)

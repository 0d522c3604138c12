"""Ctrl-C is deferred where it would do harm, and never lost."""

import signal
import sys
import threading
from collections.abc import Iterator

import pytest

from base.jit import deferred_interrupts
from base.jit.kernel import Kernel
from mcts import MCTS
from state_manager import make_game

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there are no POSIX signals")


@pytest.fixture
def pressed() -> Iterator[list[int]]:
    """Yield a list of the signals received from Ctrl-C, which interrupts no test meanwhile."""
    received: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, frame: received.append(number))
    yield received
    signal.signal(signal.SIGINT, before)


def test_ctrl_c_is_deferred_until_the_block_has_ended(pressed: list[int]) -> None:
    before = signal.getsignal(signal.SIGINT)
    with deferred_interrupts():
        signal.raise_signal(signal.SIGINT)
        with deferred_interrupts():
            signal.raise_signal(signal.SIGINT)
            assert pressed == []
        assert pressed == []
    assert pressed == [signal.SIGINT]
    assert signal.getsignal(signal.SIGINT) is before
    with pytest.raises(ValueError, match="from within"), deferred_interrupts():
        raise ValueError("from within")
    assert pressed == [signal.SIGINT]
    assert signal.getsignal(signal.SIGINT) is before, "an error ends the block as well"


def test_other_threads_change_no_signal_handler() -> None:
    seen = []

    def work() -> None:
        with deferred_interrupts():
            seen.append(signal.getsignal(signal.SIGINT))

    before, thread = signal.getsignal(signal.SIGINT), threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [before]


def test_ctrl_c_during_the_call_of_a_kernel_is_raised_there(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    game = make_game("hex", size=3)
    search, state = MCTS(game), game.initial_state()
    search.search(state, simulations=1)

    look_up = Kernel.__getattr__

    def press_ctrl_c(kernel: Kernel, name: str) -> object:
        signal.raise_signal(signal.SIGINT)
        return look_up(kernel, name)

    # Compiled code looks up the address of a kernel that is handed over for the first time.
    monkeypatch.delitem(vars(game.rules.play), "address")
    monkeypatch.setattr(Kernel, "__getattr__", press_ctrl_c)
    with pytest.raises(KeyboardInterrupt):
        search.search(state, simulations=10)
    monkeypatch.undo()
    assert search.search(state, simulations=20).simulations == 20

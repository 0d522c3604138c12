"""``hex-mcts``, or ``python -m hex_mcts``: the command line of the installed program."""

import signal
import sys

import hex_mcts


def run() -> None:
    """Run a command, and exit."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # no traceback from the imports below
    try:
        if not hex_mcts._PREFIX:
            hex_mcts._check_are_found("main")
    except ImportError as error:
        sys.exit(str(error))

    from main import run_and_exit

    run_and_exit()


if __name__ == "__main__":
    run()

"""``hex-mcts``, or ``python -m hex_mcts``: the command line of the installed program."""

import signal


def run() -> None:
    """Run a command, and exit."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # no traceback from the imports below

    from main import run_and_exit

    run_and_exit()


if __name__ == "__main__":
    run()

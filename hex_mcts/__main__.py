"""``hex-mcts``, or ``python -m hex_mcts``: the command line of the installed program."""


def run() -> None:
    """Run a command, and exit."""
    from main import run_and_exit

    run_and_exit()


if __name__ == "__main__":
    run()

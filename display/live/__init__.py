"""What is shown while something runs: games in the terminal, a window or files, and progress."""

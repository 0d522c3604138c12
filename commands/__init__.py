"""One file per command; ``run`` shows the results, and returns the exit status if it may fail."""

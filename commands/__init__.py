"""One small file per command: it runs the system that ``main`` built, and shows the results."""

"""One small file a command: it gets what ``main`` built, drives it, and shows it."""

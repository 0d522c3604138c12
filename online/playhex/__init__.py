"""The server that PlayHex asks for moves and analysis, and the worker of its distributed engine."""

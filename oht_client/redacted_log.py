"""A log of its own for each client, in which a secret never appears."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable

HIDDEN = "<token>"
"""What stands in place of the secret."""


def redacted_logger(
    name: str,
    level: int,
    log_format: str | None,
    tell: Callable[[str], None] | None,
    redact: Callable[[str], str],
) -> logging.Logger:
    """Return a logger that nobody else has.

    Args:
        name: The logger's name.
        level: The lowest level that is logged.
        log_format: Of each line. By default time, level and message; for ``tell``, the message.
        tell: Hears each line; they go to the standard error stream if ``None``.
        redact: Makes each line fit to be seen.
    """
    usual = "[%(asctime)s] %(levelname)s: %(message)s" if tell is None else "%(message)s"
    handler = logging.StreamHandler() if tell is None else _TellHandler(tell)
    handler.setFormatter(_RedactingFormatter(log_format or usual, redact))
    logger = logging.Logger(name, level)
    logger.addHandler(handler)
    return logger


def without_secret(text: str, secret: str | None) -> str:
    """Return a text in which the secret is hidden wherever it stands as a word."""
    return re.sub(rf"(?<!\w){re.escape(secret)}(?!\w)", HIDDEN, text) if secret else text


class _RedactingFormatter(logging.Formatter):
    def __init__(self, log_format: str, redact: Callable[[str], str]) -> None:
        super().__init__(log_format)
        self._redact = redact

    def format(self, record: logging.LogRecord) -> str:
        """Return the line to be seen."""
        return self._redact(super().format(record))


class _TellHandler(logging.Handler):
    def __init__(self, tell: Callable[[str], None]) -> None:
        super().__init__()
        self._tell = tell

    def emit(self, record: logging.LogRecord) -> None:
        """Hand the line on."""
        self._tell(self.format(record))

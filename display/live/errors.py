"""The error that this room raises."""


class DisplayError(ValueError):
    """A display cannot be had; the message is one line that says what to do instead."""

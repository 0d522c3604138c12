"""The error of live displays, in a file that imports nothing."""


class DisplayError(ValueError):
    """A display is unavailable; the message is one line with the alternative."""

"""The errors of nets."""


class NetError(ValueError):
    """The net cannot be used here; the message is one line."""


class DivergedError(NetError):
    """Training made the loss or a weight infinite or not a number."""

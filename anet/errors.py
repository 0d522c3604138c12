"""What can go wrong with a net."""


class NetError(ValueError):
    """A net that cannot be used here; one clear line."""


class DivergedError(NetError):
    """Training made the loss or a weight infinite or not a number."""

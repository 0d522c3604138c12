"""Errors that end a tournament early, or prevent its start."""


class OHTError(RuntimeError):
    """The tournament could not go on; one line with the cause and the remedy."""


class ConnectionEndedError(OHTError):
    """The connection has ended: closed by the server, or cut."""


class AddressError(ValueError):
    """A parameter or an environment variable should name a server, and does not."""


class OfficialClientError(ValueError):
    """The course's own client is missing, or cannot do what the parameters require."""

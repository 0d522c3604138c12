"""Errors that end a tournament early, or prevent its start."""


class TournamentError(RuntimeError):
    """The tournament could not go on; one line with the cause and the remedy."""


class ConnectionEndedError(TournamentError):
    """The connection has ended: closed by the server, or cut."""


class AddressError(ValueError):
    """A parameter, an option or an environment variable should name a server, and does not."""

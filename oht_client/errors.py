"""What ends a tournament early, and what keeps it from starting."""


class OHTError(RuntimeError):
    """The tournament could not go on; one line that says what happened and what to do."""


class AddressError(ValueError):
    """A parameter or an environment variable should name a server, and does not."""


class OfficialClientError(ValueError):
    """The course's own client is not there, or cannot do what is asked for."""

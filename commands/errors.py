"""How a command ends early."""


class UsageError(ValueError):
    """The command line asks for what cannot be; exit status 2."""

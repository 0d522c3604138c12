"""What ends a tournament early."""


class OHTError(RuntimeError):
    """The tournament could not go on; one line that says what happened and what to do."""

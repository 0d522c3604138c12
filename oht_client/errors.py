"""Errors of the course's own client."""


class OfficialClientError(ValueError):
    """The course's own client is missing, or cannot do what the parameters require."""

"""What can be wrong with the word that describes an agent."""


class AgentError(ValueError):
    """An agent cannot be made as it was asked for; ``str(error)`` is one line that says why."""

"""Errors about games, states and actions."""


class GameError(ValueError):
    """Base of all errors about games."""


class UnknownGameError(GameError):
    """The registry has no game of that name, or its parameters do not fit."""


class StateError(GameError):
    """Not a state of this game: wrong length, wrong values, or an impossible position."""


class TwoWinnersError(StateError):
    """A state in which both players have won."""


class IllegalActionError(GameError):
    """An action that the rules do not allow in a state, or a text that names no action."""


class NodeLimitError(GameError):
    """Perfect play was not found within the limits: of nodes, of time, or of the game's size."""

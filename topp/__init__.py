"""The Tournament of Progressive Policies; it returns data and draws nothing."""

from agents.match import Seats, balanced_seats, round_robin
from topp.entrants import Entrant, load_entrants, unique_names
from topp.standings import Row, Setup, Standings
from topp.topp import TOPP, TOPPGame

__all__ = [
    "TOPP",
    "Entrant",
    "Row",
    "Seats",
    "Setup",
    "Standings",
    "TOPPGame",
    "balanced_seats",
    "load_entrants",
    "round_robin",
    "unique_names",
]

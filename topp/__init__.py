"""The Tournament of Progressive Policies; it returns data and draws nothing."""

from topp.entrants import load_entrants, unique_names
from topp.standings import Setup, Standings
from topp.topp import TOPP

__all__ = ["TOPP", "Setup", "Standings", "load_entrants", "unique_names"]

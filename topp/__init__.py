"""The Tournament of Progressive Policies; it returns data and draws nothing."""

from topp.standings import Setup, Standings
from topp.topp import TOPP, load_entrants, unique_names

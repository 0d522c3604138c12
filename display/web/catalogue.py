"""What the page can choose from: games, nets, agents."""

from __future__ import annotations

from typing import Any

from display.web.asked import Asked
from display.web.house import NETS, House, Patience


class CatalogueAsked(Asked):
    """A question that says nothing."""


def catalogue(house: House, asked: CatalogueAsked, patience: Patience) -> dict[str, Any]:
    """Return the nets that lie beside the program and in runs, by game, and the given agents."""
    return {"nets": [], "given": list(house.given), "home": str(NETS)}

"""Games whose boards can be laid out in planes."""

from __future__ import annotations

BOARDS: dict[str, dict[str, object]] = {
    "hex": {"size": 3},
    "tic_tac_toe": {},
    "connect_four": {"rows": 4, "columns": 5},
    "hexapawn": {},
}

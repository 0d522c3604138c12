"""What may change between the parts of a run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from base.params import Params, Section
from base.storage import excerpt, printable
from rl.run_directory import RunError

MAY_CHANGE = ("rl.episodes", "rl.workers")
"""Keys that a resumed run may give anew: no episode depends on them."""
_NOT_OF_THE_RUN = ("display.", "play.", "oht.", "oht_server.")
"""The beginnings of keys that training does not read."""


def check_resumable(saved: dict[str, Any], played: int, params: Params, run: Path) -> None:
    """Refuse parameters that would change what was played, or make the run shorter than it is.

    Raises:
        RunError: The message names the first key that differs.
    """
    # A run from a time when a key was unknown was played with what is now its default.
    before = _flat(_defaults(params)) | _flat(saved)
    now = _flat(params.model_dump(mode="json"))
    # The scheme goes first, since it settles other keys.
    for key in sorted(before.keys() | now.keys(), key=lambda key: (key != "rl.scheme", key)):
        if before.get(key) != now.get(key) and not (
            key in MAY_CHANGE or key.startswith(_NOT_OF_THE_RUN)
        ):
            raise RunError(
                f"{run}: --resume cannot change {printable(key.replace('game.options', 'game'))} "
                f"from {excerpt(before.get(key))} to {excerpt(now.get(key))}"
            )
    if params.rl.episodes < played:
        raise RunError(
            f"{run}: expected rl.episodes of at least {played}, which have been played, "
            f"got {params.rl.episodes}"
        )


def _defaults(params: Params) -> dict[str, Any]:
    """Return the defaults of all sections but the game's."""
    sections = type(params).model_fields
    return {
        name: field.default.model_dump(mode="json")
        for name, field in sections.items()
        if isinstance(field.default, Section)
    }


def _flat(section: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    """Return nested mappings as one, with dotted keys."""
    flat: dict[str, Any] = {}
    for key, value in section.items():
        if isinstance(value, dict):
            flat.update(_flat(value, f"{prefix}{key}."))
        else:
            flat[prefix + key] = value
    return flat

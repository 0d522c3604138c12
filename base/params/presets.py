"""Values for keys that a user leaves out: from ``presets.yaml``, or from a net's file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from base.params.check import SECTIONS
from base.params.section import ParamsError, show_value
from base.params.yaml12 import Given

LEARNING = ("mcts", "anet", "rl")
"""The sections that a preset may fill in."""
_HOW_OFTEN = ("minibatches", "epochs", "reuse")
Sections = Mapping[str, Mapping[str, Given]]
"""The given values of each section, by key."""


@dataclass(frozen=True)
class Preset:
    """Values for some kinds of runs.

    Attributes:
        name: Its name.
        values: By section and key.
    """

    name: str
    values: Sections

    def missing(
        self, section: str, present: Mapping[str, Given], is_standard: bool
    ) -> dict[str, Given]:
        """Return the preset's values for the keys of a section that a file leaves unset.

        ``params.yaml`` (``is_standard``) lists all keys: a key counts as set only if it is not the
        default, its game never.
        """
        values = self.values.get(section, {})
        if section == "game":
            return dict(values) if is_standard or not present else {}
        return {
            key: value
            for key, value in values.items()
            if not (_is_set(present, key, section) if is_standard else key in present)
        }


def find_preset(presets: list[Given], present: Sections) -> Preset | None:
    """Return the first preset of ``presets.yaml`` whose conditions a run meets.

    ``present`` holds the given values of the run, with the defaults of the game. A ``ParamsError``
    if the file holds anything but presets.
    """
    for each in presets:
        given = each.value
        if not isinstance(given, dict) or not {"name", "for"} <= given.keys():
            got = show_value(each.plain)
            raise ParamsError(
                f"{each.where}: expected a preset, {{name: ..., for: ...}}, got {got}"
            )
        values = {key: item for key, item in given.items() if key not in ("name", "for")}
        for key, item in values.items():
            if key not in LEARNING or not isinstance(item.value, dict):
                raise ParamsError(f"{item.where}: expected a section mcts, anet or rl, got {key}")
        conditions = given["for"].plain
        if not isinstance(conditions, dict):
            raise ParamsError(f"{given['for'].where}: expected for: {{section.key: value, ...}}")
        if all(_fits(present, key, wanted) for key, wanted in conditions.items()):
            sections = {key: dict(item.value) for key, item in values.items()}
            if any(_is_set(present["rl"], key, "rl") for key in _HOW_OFTEN):
                kept = sections.get("rl", {}).items()
                sections["rl"] = {key: item for key, item in kept if key not in _HOW_OFTEN}
            return Preset(str(given["name"].plain), sections)
    return None


def _fits(present: Sections, name: str, wanted: object) -> bool:
    """Return whether ``section.key`` has a value, or one from a list; null stands for unset."""
    section, _, key = name.partition(".")
    value = present[section][key].plain if key in present[section] else None
    return value in wanted if isinstance(wanted, list) else value == wanted


def _is_set(present: Mapping[str, Given], key: str, section: str) -> bool:
    """Return whether a section has another value than the default."""
    fields = SECTIONS[section].model_fields
    if key not in present or key not in fields:
        return key in present
    value = present[key].plain
    return bool((tuple(value) if isinstance(value, list) else value) != fields[key].default)

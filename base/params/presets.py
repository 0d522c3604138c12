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

    def unsaid(
        self, section: str, said: Mapping[str, Given], is_standard: bool
    ) -> dict[str, Given]:
        """Return the preset's values for the unset keys of a section.

        Args:
            section: Its name.
            said: The values of a file.
            is_standard: Whether that file is ``params.yaml``. It lists all keys, so a key counts as
                set only if its value is not the default; its game never counts as set.
        """
        values = self.values.get(section, {})
        if section == "game":
            return dict(values) if is_standard or not said else {}
        fields = SECTIONS[section].model_fields
        return {
            key: value
            for key, value in values.items()
            if key not in said
            or (is_standard and key in fields and _same(said[key].plain, fields[key].default))
        }


def find_preset(presets: list[Given], said: Sections) -> Preset | None:
    """Return the first preset whose conditions a run meets.

    Args:
        presets: The content of ``presets.yaml``.
        said: The given values of the run, with the defaults of the game.

    Raises:
        ParamsError: If the file holds anything but presets.
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
        if all(_fits(said, key, wanted) for key, wanted in conditions.items()):
            return Preset(str(given["name"].plain), _without_others(values, said))
    return None


def _without_others(values: Mapping[str, Given], said: Sections) -> Sections:
    """Return a preset's values, without ``_HOW_OFTEN`` if the user has set one of these keys."""
    sections = {
        name: dict(item.value) for name, item in values.items() if isinstance(item.value, dict)
    }
    fields = SECTIONS["rl"].model_fields
    if any(
        key in said["rl"] and not _same(said["rl"][key].plain, fields[key].default)
        for key in _HOW_OFTEN
    ):
        sections["rl"] = {k: v for k, v in sections.get("rl", {}).items() if k not in _HOW_OFTEN}
    return sections


def _fits(said: Sections, name: str, wanted: object) -> bool:
    """Return whether ``section.key`` has a value, or one from a list; null stands for unset."""
    section, _, key = name.partition(".")
    value = said[section][key].plain if key in said[section] else None
    return value in wanted if isinstance(wanted, list) else value == wanted


def _same(value: object, default: object) -> bool:
    return (tuple(value) if isinstance(value, list) else value) == default

"""Explanations of the parameters: range, default and meaning, from the schema."""

import re
from typing import NamedTuple

from pydantic.fields import FieldInfo

from base.methods import readers
from base.params.check import SECTIONS
from base.params.schema import GameSchemas, GameSetup, RootParams
from base.params.section import Section, choices, describe, show_value
from base.words import one_of


class Explained(NamedTuple):
    """A parameter in words."""

    key: str  # its name in its section, such as ``episodes``
    default: str  # the default, as YAML
    allowed: str  # the allowed values: ``an integer from 1 to 256``
    meaning: str  # its meaning
    choices: tuple[str, ...] = ()  # the allowed words, for a parameter with a fixed set of them


def heading(section: str) -> str:
    """Return the sentences on a section, those of its schema."""
    return " ".join((SECTIONS[section].__doc__ or "").replace("``", "").split())


def examples(text: str) -> dict[str, tuple[str, ...]]:
    """Return the options of each game that has its own line in ``params.yaml``."""
    found = re.findall(r"^# game: \{name: (\w+)(.*)\}$", text, re.MULTILINE)
    return {name: tuple(re.findall(r", (\w+):", rest)) for name, rest in found}


def explain(section: str) -> list[Explained]:
    """Return the parameters of a section in order; ``""`` is the root, ``game`` the shared ones."""
    schemas: dict[str, type[Section]] = {**SECTIONS, "": RootParams, "game": GameSetup}
    return [_explained(key, field) for key, field in schemas[section].model_fields.items()]


def explain_games(games: GameSchemas) -> list[Explained]:
    """Return the options of all games; this loads every game."""
    names = games.names()
    found = [Explained("name", names[0], one_of(names), "rules", tuple(names))]
    for game in names:
        for key, field in games.schema(game).model_fields.items():
            own = _explained(key, field)
            found.append(own._replace(meaning=f"{game}{own.meaning and ': '}{own.meaning}"))
    return found


def _explained(key: str, field: FieldInfo) -> Explained:
    words = choices(field)
    if words and type(None) in getattr(field.annotation, "__args__", ()):
        words.insert(0, "null")
    if field.annotation is bool:
        words = ["true", "false"]
    default = show_value(field.default).strip("'")
    if isinstance(field.default, tuple):
        default = f"[{', '.join(map(str, field.default))}]"
    meaning = field.description or ""
    if key in (read := readers()):
        meaning = f"{one_of(read[key][1])}: {meaning}"
    return Explained(key, default, describe(field), meaning, tuple(words))

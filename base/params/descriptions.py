"""Explanations of the parameters: ranges and defaults of the schema, text of ``params.yaml``."""

import re
from typing import NamedTuple

from pydantic.fields import FieldInfo

from base.params.check import SECTIONS
from base.params.schema import GameSchemas, GameSetup, RootParams
from base.params.section import Section, choices, describe, show_value
from base.words import one_of


class Explained(NamedTuple):
    """A parameter in words."""

    key: str  # its name in its section, such as ``episodes``
    default: str  # the default, as YAML
    allowed: str  # the allowed values: ``an integer from 1 to 256``
    meaning: str  # its meaning; empty if ``params.yaml`` does not explain it
    choices: tuple[str, ...] = ()  # the allowed words, for a parameter with a fixed set of them


def comments(text: str) -> dict[str, str]:
    """Return the comment of ``params.yaml`` on each key: ``{"rl.episodes": "an integer ..."}``.

    A line holds a key, its value and a comment; lines indented to the comment continue it.
    """
    section, key, found = "", "", dict[str, str]()
    for line in text.splitlines():
        if match := re.match(r"(\w+):\s*$", line):
            section = f"{match[1]}."
        elif match := re.match(r"(\s*)(\w+): .*?\S\s+# (.*)$", line):
            key = (section if match[1] else "") + match[2]
            found[key] = match[3]
        elif match := re.match(r" {30,}# (.*)$", line):
            found[key] += f" {match[1]}"
    return found


def headings(text: str) -> dict[str, str]:
    """Return the comment directly above each section of ``params.yaml``."""
    found = re.findall(r"^((?:# .*\n)+)(\w+):\s*$", text, re.MULTILINE)
    return {name: " ".join(above.replace("# ", "").split()) for above, name in found}


def examples(text: str) -> dict[str, tuple[str, ...]]:
    """Return the options of each game that has its own line in ``params.yaml``."""
    found = re.findall(r"^# game: \{name: (\w+)(.*)\}$", text, re.MULTILINE)
    return {name: tuple(re.findall(r", (\w+):", rest)) for name, rest in found}


def explain(section: str, text: str) -> list[Explained]:
    """Return the parameters of a section in order; ``""`` is the root, ``game`` the shared ones."""
    schemas: dict[str, type[Section]] = {**SECTIONS, "": RootParams, "game": GameSetup}
    about, prefix = comments(text), f"{section}." if section else ""
    fields = schemas[section].model_fields.items()
    return [_explained(key, field, about.get(prefix + key, "")) for key, field in fields]


def explain_games(games: GameSchemas, text: str) -> list[Explained]:
    """Return the options of all games; this loads every game."""
    about, names = comments(text), games.names()
    name = about.get("game.name", "").removeprefix(f"{one_of(names)}: ")
    found = [Explained("name", names[0], one_of(names), name, tuple(names))]
    for game in names:
        for key, field in games.schema(game).model_fields.items():
            own = _explained(key, field, about.get(f"game.{key}", ""))
            found.append(own._replace(meaning=f"{game}{own.meaning and ': '}{own.meaning}"))
    return found


def _explained(key: str, field: FieldInfo, comment: str) -> Explained:
    allowed, words = describe(field), choices(field)
    if words and type(None) in getattr(field.annotation, "__args__", ()):
        words.insert(0, "null")
    if field.annotation is bool:
        words = ["true", "false"]
    default = show_value(field.default).strip("'")
    if isinstance(field.default, tuple):
        default = f"[{', '.join(map(str, field.default))}]"
    meaning = comment.removeprefix(f"{allowed}: ")
    return Explained(key, default, allowed, meaning, tuple(words))

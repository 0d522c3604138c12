"""Reading the parameters: a file, the overrides of the command line, then the checks."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType, SimpleNamespace
from typing import Any

from pydantic import ValidationError

from base.params.check import ROOT_KEYS, SECTIONS, TOP_KEYS, check_section, unknown_key
from base.params.schema import GameParams, GameSchemas, GameSetup, Params, RootParams
from base.params.section import ParamsError, Section, show_value
from base.params.yaml12 import Given, dump_params, parse
from base.storage import FileError, printable, read_file
from base.words import nearest, one_of

Sections = Mapping[str, Mapping[str, Given]]
"""The given values of each section, by key."""

COMMAND_LINE = "command line"

_MOST_BYTES = 2**17  # largest file: ten times ``params.yaml``; PyYAML needs seconds for more

_DEFAULT_GAME = "hex"

_GONE: dict[str, object] = {
    "oht_server.connections": ...,
    "oht_server.connections_per_address": ...,
    "rl.lag": 0,
}
"""Keys that files of earlier versions have, each with the value that has no effect, or any."""

_Sections = dict[str, tuple[dict[str, Given], str]]
"""The given values of each section, and the place of the section."""


def load_params(
    path: Path | None,
    overrides: Sequence[str] = (),
    *,
    game_schemas: GameSchemas,
    net: Sections = MappingProxyType({}),
) -> Params:
    """Read and check the parameters of a run; a wrong one is a ``ParamsError`` of one line.

    A missing key takes its default. The last of equal overrides counts, words such as ``seed=3``
    with the value in YAML. An override of ``game.name``, at any place, first replaces the whole
    section by that game's defaults. Without a ``path``, the file is empty. A game's schema is
    loaded only after all other sections are valid. ``net`` has values of the net that a run begins
    with; they replace the file's, a game all of its section but the starting player.
    """
    if path is None:
        return _resolve(Given(None, "defaults"), overrides, game_schemas, net)
    document, source = _read(path)
    return _resolve(Given(document.value, source), overrides, game_schemas, net)


def load_list(path: Path) -> list[Given]:
    """Read a YAML file that holds a list, or nothing; else raise a ``ParamsError``."""
    return _load(path, list, "a list") or []


def load_mapping(path: Path) -> dict[str, Given]:
    """Read a YAML file that holds keys with values, or nothing; else raise a ``ParamsError``."""
    return _load(path, dict, "keys with values") or {}


def _load(path: Path, kind: type, expected: str) -> Any:
    document, _ = _read(path)
    if document.value is not None and not isinstance(document.value, kind):
        got = show_value(document.plain)
        raise ParamsError(f"{document.where}: expected {expected}, got {got}")
    return document.value


def with_overrides(params: Params, overrides: Sequence[str]) -> Params:
    """Return parameters of the same game with overrides; a ``ParamsError`` if one is wrong."""
    game = params.game
    same = SimpleNamespace(names=lambda: [game.name], schema=lambda name: type(game.options))
    return _resolve(parse(dump_params(params), lambda line: "parameters"), overrides, same)


def _read(path: Path) -> tuple[Given, str]:
    """Return a file's document and its name in messages, relative to the working directory."""
    try:
        source = printable(str(path.absolute().relative_to(Path.cwd())))
    except (ValueError, OSError):
        source = printable(str(path))
    try:
        data = read_file(path, _MOST_BYTES)
        text = data.decode("utf-8-sig")
    except FileError as error:
        raise ParamsError(f"{source}: {error}") from None
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        words = f"{source}:{line}: expected UTF-8 text, got the byte 0x{data[error.start]:02x}"
        raise ParamsError(words) from None
    return parse(text, lambda line: f"{source}:{line}"), source


def _sections(document: Given, games: GameSchemas) -> _Sections:
    given, source = {} if document.value is None else document.value, document.where
    if not isinstance(given, dict):
        expected, got = f"the sections {one_of(TOP_KEYS, 'and')}", show_value(document.plain)
        raise ParamsError(f"{source}: expected {expected}, got {got}")
    for name, item in given.items():
        if name not in TOP_KEYS:
            raise ParamsError(f"{item.where}: {unknown_key('', name, TOP_KEYS, games)}")
    sections = {"": ({name: given[name] for name in ROOT_KEYS if name in given}, source)}
    for name in SECTIONS:
        item = given.get(name, Given(None, source))
        keys = {} if item.value is None else item.value
        if not isinstance(keys, dict):
            got = show_value(item.plain)
            raise ParamsError(f"{item.where}: {name}: expected a section of keys, got {got}")
        kept = {key: each for key, each in keys.items() if not _is_gone(f"{name}.{key}", each)}
        sections[name] = kept, item.where
    return sections


def _is_gone(key: str, given: Given) -> bool:
    return key in _GONE and _GONE[key] in (..., given.value)


def _resolve(
    document: Given,
    overrides: Sequence[str],
    game_schemas: GameSchemas,
    net: Sections = MappingProxyType({}),
) -> Params:
    """Check a document after the values of a net and the overrides have replaced its own."""
    sections = _sections(document, game_schemas)
    for name, values in net.items():
        keys, where = sections[name]
        if name == "game":  # each game has its own keys
            keys = {key: item for key, item in keys.items() if key in GameSetup.model_fields}
        sections[name] = {**keys, **values}, where
    replaced = [_parse_override(word, game_schemas) for word in overrides]
    if any((section, key) == ("game", "name") for section, key, _ in replaced):
        sections["game"] = ({}, COMMAND_LINE)
    for section, key, value in replaced:
        sections[section][0][key] = value
    root = check_section(RootParams, "", *sections[""])
    checked: dict[str, Section] = {
        name: check_section(schema, f"{name}.", *sections[name])
        for name, schema in SECTIONS.items()
        if name != "game"
    }
    checked["game"] = _check_game(*sections["game"], game_schemas)
    try:
        return Params.model_validate(root.model_dump() | checked)
    except ValidationError as problem:
        rule = str(problem.errors()[0]["ctx"]["error"])
    # The place is that of the key at fault, else of another given key that the rule names.
    named = [name.split(".") for name in re.findall(r"[a-z_]+\.[a-z_]+", rule)]
    given = [keys[key].where for section, key in named if key in (keys := sections[section][0])]
    raise ParamsError(f"{[*given, sections[named[0][0]][1]][0]}: {rule}")


def _parse_override(word: str, games: GameSchemas) -> tuple[str, str, Given]:
    """Split ``section.key=value``; the section of ``seed=3`` is empty."""
    name, equals, text = word.partition("=")
    section, dot, key = name.strip().rpartition(".")
    if not equals or not key or (dot and not section):
        raise ParamsError(f"{COMMAND_LINE}: expected section.key=value, got {show_value(word)}")
    if (section or key) not in TOP_KEYS:
        raise ParamsError(f"{COMMAND_LINE}: {unknown_key('', section or key, TOP_KEYS, games)}")
    if section in ROOT_KEYS:
        raise ParamsError(f"{COMMAND_LINE}: expected {section}=value, got {show_value(word)}")
    if not section and key in SECTIONS:
        expected = f"{key}.key=value for each key, such as {_spelled_out(key, text)}"
        raise ParamsError(f"{COMMAND_LINE}: expected {expected}, got {show_value(word)}")
    value = parse(text, lambda line: f"{COMMAND_LINE}: {name.strip()}").value
    # On a command line a mapping needs braces; without them, ``host=::`` is a text.
    if isinstance(value, dict) and not text.lstrip().startswith("{"):
        value = text.strip()
    return section, key, Given(value, COMMAND_LINE)


def _spelled_out(section: str, text: str) -> str:
    """Return the overrides that spell out a section given as one value."""
    try:
        values = parse(text, lambda line: COMMAND_LINE).plain
    except ParamsError:
        values = None
    if not isinstance(values, dict) or not values:
        key, field = next(iter(SECTIONS[section].model_fields.items()))
        values = {"name": "nim", "stones": 21} if section == "game" else {key: field.default}
    words = [f"{section}.{key}={show_value(value).strip('[]')}" for key, value in values.items()]
    return " ".join(word.replace(" ", "").replace("'", "") for word in words)


def _check_game(given: dict[str, Given], where: str, game_schemas: GameSchemas) -> GameParams:
    named = given.get("name", Given(_DEFAULT_GAME, where))
    name, names = named.plain, game_schemas.names()
    if isinstance(name, str) and name not in names:
        name = name.lower()  # as in Hex and NIM
    if not isinstance(name, str) or name not in names:
        near = nearest(name, names) if isinstance(name, str) else None
        raise ParamsError(
            f"{named.where}: game.name: expected {one_of(names)}, got {show_value(named.plain)}"
            + (f" (did you mean {near}?)" if near else "")
        )
    schema = game_schemas.schema(name)
    shared = {key: item for key, item in given.items() if key in GameSetup.model_fields}
    options = {key: item for key, item in given.items() if key not in shared and key != "name"}
    checked = check_section(schema, "game.", options, where, ("name", *GameSetup.model_fields))
    setup = check_section(GameSetup, "game.", shared, where)
    return GameParams(name=name, options=checked, **setup.model_dump())

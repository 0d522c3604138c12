"""Reading the parameters: a file, then the overrides of the command line, then the checks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from pydantic import ValidationError

from base.params.check import ROOT_KEYS, SECTIONS, check_section, unknown_key
from base.params.dump import dump_params
from base.params.errors import ParamsError, nearest, one_of, show_value
from base.params.schema import DEFAULT_GAME, GameParams, GameSchemas, GameSetup, Params, RootParams
from base.params.section import Section
from base.params.yaml12 import Given, parse, parse_list
from base.storage import FileError, printable, read_file

COMMAND_LINE = "command line"

_MOST_BYTES = 2**17
"""Of a file: ten times ours, and PyYAML needs seconds for more."""

_TOP_KEYS = (*ROOT_KEYS, *SECTIONS)


def load_params(
    path: Path | None, overrides: Sequence[str] = (), *, game_schemas: GameSchemas
) -> Params:
    """Read and check the parameters of a run.

    A key that is given nowhere takes its default. Of an override that is given twice, the last one
    counts. Overriding ``game.name`` first replaces the whole section by that game's defaults,
    wherever it stands among the overrides.

    Args:
        path: A YAML file; ``None`` stands for an empty one.
        overrides: Words such as ``mcts.simulations=200`` and ``seed=3``, the value in YAML.
        game_schemas: The games that there are. A game is asked for its schema only after all other
            sections are found right.

    Raises:
        ParamsError: With one line that names the place, the key and what was expected.
    """
    if path is None:
        return _resolve({}, overrides, game_schemas, "defaults")
    source = _display_name(path)
    text = _read(path, source)
    document = parse(text, lambda line: f"{source}:{line}")
    return _resolve(_top_level(document, source), overrides, game_schemas, source)


def load_list(path: Path) -> list[Given]:
    """Read a YAML file that holds a list.

    Returns:
        The items in order, each with its place; those that are mappings as ``Given`` says.

    Raises:
        ParamsError: The file cannot be read, or holds something else.
    """
    source = _display_name(path)
    return parse_list(_read(path, source), lambda line: f"{source}:{line}")


def override_params(
    params: Params, overrides: Sequence[str], game_schemas: GameSchemas | None
) -> Params:
    """Return ``params`` with overrides applied; see ``Params.with_overrides``."""
    source = "parameters"
    document = parse(dump_params(params), lambda line: source)
    schemas = game_schemas or _OneGame(params.game)
    return _resolve(_top_level(document, source), overrides, schemas, source)


class _OneGame:
    """The schema of the game that some parameters are for, and of no other."""

    def __init__(self, game: GameParams) -> None:
        self._game = game

    def names(self) -> list[str]:
        return [self._game.name]

    def schema(self, name: str) -> type[Section]:
        return type(self._game.options)


def _display_name(path: Path) -> str:
    """Return the path as messages give it: short where it lies below the working directory."""
    try:
        return printable(str(path.absolute().relative_to(Path.cwd())))
    except (ValueError, OSError):
        return printable(str(path))


def _read(path: Path, source: str) -> str:
    try:
        data = read_file(path, _MOST_BYTES)
    except FileError as error:
        raise ParamsError(f"{source}: {error}") from None
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ParamsError(
            f"{source}:{line}: expected UTF-8 text, got the byte 0x{data[error.start]:02x}"
        ) from None


def _top_level(document: object, source: str) -> dict[str, Given]:
    if document is None:
        return {}
    if not isinstance(document, dict):
        raise ParamsError(
            f"{source}: expected the sections {one_of(_TOP_KEYS, 'and')}, "
            f"got {show_value(document)}"
        )
    return document


def _resolve(
    given: Mapping[str, Given], overrides: Iterable[str], game_schemas: GameSchemas, source: str
) -> Params:
    for name, item in given.items():
        if name not in _TOP_KEYS:
            raise ParamsError(f"{item.where}: {unknown_key('', name, _TOP_KEYS)}")
    values = {name: given[name] for name in ROOT_KEYS if name in given}
    sections = {name: _section(name, given.get(name), source) for name in SECTIONS}
    _override(values, sections, overrides)

    root = check_section(RootParams, "", values, source)
    checked: dict[str, Section] = {}
    for name, (keys, where) in sections.items():
        if name != "game":
            checked[name] = check_section(SECTIONS[name], f"{name}.", keys, where)
    checked["game"] = _check_game(*sections["game"], game_schemas)
    try:
        return Params.model_validate(root.model_dump() | checked)
    except ValidationError as problem:
        rule = str(problem.errors()[0]["ctx"]["error"])
    section, _, key = rule.partition(":")[0].partition(".")
    keys, where = sections[section]
    raise ParamsError(f"{keys[key].where if key in keys else where}: {rule}")


def _section(name: str, item: Given | None, source: str) -> tuple[dict[str, Given], str]:
    """Return what is given for a section, and its place; an empty section gives nothing."""
    if item is None:
        return {}, source
    if item.value is None:
        return {}, item.where
    if not isinstance(item.value, dict):
        raise ParamsError(
            f"{item.where}: {name}: expected a section of keys, got {show_value(item.plain)}"
        )
    return dict(item.value), item.where


def _override(
    values: dict[str, Given],
    sections: dict[str, tuple[dict[str, Given], str]],
    overrides: Iterable[str],
) -> None:
    """Put the overrides in place of what the file gives; ``values`` and ``sections`` change."""
    parsed = [_parse_override(word) for word in overrides]
    if any((section, key) == ("game", "name") for section, key, _ in parsed):
        sections["game"] = ({}, COMMAND_LINE)
    for section, key, value in parsed:
        target = sections[section][0] if section else values
        target[key] = Given(value, COMMAND_LINE)


def _parse_override(word: str) -> tuple[str, str, object]:
    """Split ``section.key=value``; the section of ``seed=3`` is empty."""
    name, equals, text = word.partition("=")
    section, dot, key = name.strip().rpartition(".")
    if not equals or not key or (dot and not section):
        raise ParamsError(f"{COMMAND_LINE}: expected section.key=value, got {show_value(word)}")
    if section and section not in SECTIONS:
        if section in ROOT_KEYS:
            raise ParamsError(f"{COMMAND_LINE}: expected {section}=value, got {show_value(word)}")
        raise ParamsError(f"{COMMAND_LINE}: {unknown_key('', section, _TOP_KEYS)}")
    if not section and key in SECTIONS:
        raise ParamsError(
            f"{COMMAND_LINE}: expected {key}.key=value for each key, such as "
            f"{_spelled_out(key, text)}, got {show_value(word)}"
        )
    if not section and key not in ROOT_KEYS:
        raise ParamsError(f"{COMMAND_LINE}: {unknown_key('', key, _TOP_KEYS)}")
    return section, key, parse(text, lambda line: f"{COMMAND_LINE}: {name.strip()}")


def _spelled_out(section: str, text: str) -> str:
    """Return the words of the command line for a section that was given as one value."""
    try:
        keys = parse(text, lambda line: COMMAND_LINE)
    except ParamsError:
        keys = None
    if isinstance(keys, dict) and keys:
        values = {key: given.plain for key, given in keys.items()}
    elif section == "game":
        values = {"name": "nim", "stones": 21}
    else:
        values = {key: field.default for key, field in SECTIONS[section].model_fields.items()}
        values = dict([next(iter(values.items()))])
    words = [f"{section}.{key}={show_value(value)}" for key, value in values.items()]
    return " ".join(word.replace(" ", "").replace("'", "") for word in words)


def _check_game(given: dict[str, Given], where: str, game_schemas: GameSchemas) -> GameParams:
    """Check the game's section: its name, then what all games share, then its own options."""
    named = given.get("name", Given(DEFAULT_GAME, where))
    name, names = named.plain, game_schemas.names()
    if not isinstance(name, str) or name not in names:
        near = nearest(name, names) if isinstance(name, str) else None
        raise ParamsError(
            f"{named.where}: game.name: expected {one_of(names)}, got {show_value(name)}"
            + (f" (did you mean {near}?)" if near else "")
        )
    schema = game_schemas.schema(name)
    shared = {key: item for key, item in given.items() if key in GameSetup.model_fields}
    options = {key: item for key, item in given.items() if key not in shared and key != "name"}
    checked = check_section(schema, "game.", options, where, ("name", *GameSetup.model_fields))
    setup = check_section(GameSetup, "game.", shared, where)
    return GameParams(name=name, options=checked, **setup.model_dump())

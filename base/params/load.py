"""Reading the parameters: a file, presets, the overrides of the command line, then the checks."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

from pydantic import ValidationError

from base.params.check import ROOT_KEYS, SECTIONS, TOP_KEYS, check_section, unknown_key
from base.params.rl_section import RLParams
from base.params.schema import GameParams, GameSchemas, GameSetup, Params, RootParams
from base.params.section import ParamsError, Section, show_value
from base.params.yaml12 import Given, dump_params, parse
from base.storage import FileError, printable, read_file
from base.words import nearest, one_of

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


COMMAND_LINE = "command line"

_MOST_BYTES = 2**17
"""Largest file: ten times ``params.yaml``; PyYAML needs seconds for more."""

_DEFAULT_GAME = "hex"

_Sections = dict[str, tuple[dict[str, Given], str]]
"""The given values of each section, and the place of the section."""


def load_params(
    path: Path | None,
    overrides: Sequence[str] = (),
    *,
    game_schemas: GameSchemas,
    presets: Sequence[Preset] = (),
    is_standard: bool = False,
    of_run: bool = False,
) -> Params:
    """Read and check the parameters of a run.

    A missing key takes its default. The last of equal overrides counts. An override of
    ``game.name``, at any place, first replaces the whole section by that game's defaults.

    Args:
        path: A YAML file; ``None`` stands for an empty one.
        overrides: Words such as ``mcts.simulations=200`` and ``seed=3``, the value in YAML.
        game_schemas: The games; a schema is loaded only after all other sections are valid.
        presets: Values for keys that neither the file nor an override sets; the last one counts.
        is_standard: Whether the file is ``params.yaml``; see ``Preset.missing``.
        of_run: Whether a run has begun with the file; see ``Params.without_effect``.

    Raises:
        ParamsError: With one line that names the place, the key and what was expected.
    """
    if path is None:
        return _resolve(Given(None, "defaults"), overrides, game_schemas)
    document, source = _read(path)
    given = Given(document.value, source)
    return _resolve(given, overrides, game_schemas, presets, is_standard, of_run)


def preset_for(
    presets: Path,
    path: Path,
    overrides: Sequence[str],
    game_schemas: GameSchemas,
    others: Sequence[Preset] = (),
    is_standard: bool = False,
) -> Preset | None:
    """Return the preset from the file ``presets``, if one fits a run; see ``find_preset``.

    A file other than ``params.yaml`` that sets more keys of learning than the scheme gets none.
    ``others`` are further presets that fill in missing values; for the rest see ``load_params``.
    """
    document, source = _read(path)
    sections = _sections(Given(document.value, source))
    own = {(section, key) for section in LEARNING for key in sections[section][0]}
    if not is_standard and own - {("rl", "scheme")}:
        return None
    scheme, default = sections["rl"][0].get("scheme"), RLParams.model_fields["scheme"].default
    if is_standard and scheme is not None and scheme.value == default:
        del sections["rl"][0]["scheme"]  # params.yaml always lists it
    sections = _filled(sections, others, is_standard)
    _replace(sections, overrides)
    present = {name: given for name, (given, _) in sections.items()}
    name = present["game"].get("name", Given(_DEFAULT_GAME, source))
    options: dict[str, Given] = {}
    if isinstance(name.value, str) and name.value in game_schemas.names():
        fields = game_schemas.schema(name.value).model_fields
        options = {key: Given(field.default, source) for key, field in fields.items()}
    present["game"] = {**options, **present["game"], "name": name}
    return find_preset(load_list(presets), present)


def load_list(path: Path) -> list[Given]:
    """Read a YAML file that holds a list, or nothing; else raise a ``ParamsError``."""
    document, _ = _read(path)
    if document.value is None:
        return []
    if not isinstance(document.value, list):
        raise ParamsError(f"{document.where}: expected a list, got {show_value(document.plain)}")
    return document.value


def with_overrides(params: Params, overrides: Sequence[str]) -> Params:
    """Return parameters of the same game with overrides; a ``ParamsError`` if one is wrong."""
    game = params.game
    same = SimpleNamespace(names=lambda: [game.name], schema=lambda name: type(game.options))
    document = parse(dump_params(params), lambda line: "parameters")
    return _resolve(document, overrides, same)


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
        raise ParamsError(
            f"{source}:{line}: expected UTF-8 text, got the byte 0x{data[error.start]:02x}"
        ) from None
    return parse(text, lambda line: f"{source}:{line}"), source


def _sections(document: Given) -> _Sections:
    """Return the values that a document gives for each section, and the section's place."""
    given, source = {} if document.value is None else document.value, document.where
    if not isinstance(given, dict):
        raise ParamsError(
            f"{source}: expected the sections {one_of(TOP_KEYS, 'and')}, "
            f"got {show_value(document.plain)}"
        )
    for name, item in given.items():
        if name not in TOP_KEYS:
            raise ParamsError(f"{item.where}: {unknown_key('', name, TOP_KEYS)}")
    sections = {"": ({name: given[name] for name in ROOT_KEYS if name in given}, source)}
    for name in SECTIONS:
        item = given.get(name, Given(None, source))
        keys = {} if item.value is None else item.value
        if not isinstance(keys, dict):
            raise ParamsError(
                f"{item.where}: {name}: expected a section of keys, got {show_value(item.plain)}"
            )
        sections[name] = dict(keys), item.where
    return sections


def _filled(present: _Sections, presets: Sequence[Preset], is_standard: bool) -> _Sections:
    """Return sections with missing values from presets; later presets take precedence."""
    filled = {name: dict(given) for name, (given, _) in present.items()}
    for preset in presets:
        for name in preset.values:
            missing = preset.missing(name, present[name][0], is_standard)
            if name == "game" and missing:  # each game has its own keys
                filled[name] = {k: v for k, v in filled[name].items() if k == "starting_player"}
            filled[name] |= missing
    return {name: (filled[name], where) for name, (_, where) in present.items()}


def _replace(sections: _Sections, overrides: Sequence[str]) -> None:
    replaced = [_parse_override(word) for word in overrides]
    if any((section, key) == ("game", "name") for section, key, _ in replaced):
        sections["game"] = ({}, COMMAND_LINE)
    for section, key, value in replaced:
        sections[section][0][key] = value


def _resolve(
    document: Given,
    overrides: Sequence[str],
    game_schemas: GameSchemas,
    presets: Sequence[Preset] = (),
    is_standard: bool = False,
    of_run: bool = False,
) -> Params:
    """Check a document after presets and overrides; drop a preset's value that conflicts."""
    sections = _filled(_sections(document), presets, is_standard)
    _replace(sections, overrides)
    theirs = [item for preset in presets for v in preset.values.values() for item in v.values()]
    while True:
        root = check_section(RootParams, "", *sections[""])
        checked: dict[str, Section] = {
            name: check_section(schema, f"{name}.", *sections[name])
            for name, schema in SECTIONS.items()
            if name != "game"
        }
        checked["game"] = _check_game(*sections["game"], game_schemas)
        try:
            params = Params.model_validate(root.model_dump() | checked)
            rule = None if of_run else params.without_effect
        except ValidationError as problem:
            rule = str(problem.errors()[0]["ctx"]["error"])
        if rule is None:
            return params
        section, _, key = rule.partition(":")[0].partition(".")
        keys, where = sections[section]
        if not any(keys.get(key) is item for item in theirs):
            raise ParamsError(f"{keys[key].where if key in keys else where}: {rule}")
        del keys[key]


def _parse_override(word: str) -> tuple[str, str, Given]:
    """Split ``section.key=value``; the section of ``seed=3`` is empty."""
    name, equals, text = word.partition("=")
    section, dot, key = name.strip().rpartition(".")
    if not equals or not key or (dot and not section):
        raise ParamsError(f"{COMMAND_LINE}: expected section.key=value, got {show_value(word)}")
    if (section or key) not in TOP_KEYS:
        raise ParamsError(f"{COMMAND_LINE}: {unknown_key('', section or key, TOP_KEYS)}")
    if section in ROOT_KEYS:
        raise ParamsError(f"{COMMAND_LINE}: expected {section}=value, got {show_value(word)}")
    if not section and key in SECTIONS:
        raise ParamsError(
            f"{COMMAND_LINE}: expected {key}.key=value for each key, such as "
            f"{_spelled_out(key, text)}, got {show_value(word)}"
        )
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
    words = [f"{section}.{key}={show_value(value)}" for key, value in values.items()]
    return " ".join(word.replace(" ", "").replace("'", "") for word in words)


def _check_game(given: dict[str, Given], where: str, game_schemas: GameSchemas) -> GameParams:
    """Check the game's section: its name, its own options, the keys that all games share."""
    named = given.get("name", Given(_DEFAULT_GAME, where))
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

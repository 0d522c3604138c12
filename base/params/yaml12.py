"""A reader of YAML by the core schema of YAML 1.2, with the place of every value, and a writer.

PyYAML follows YAML 1.1, in which ``off`` is false, ``1e-3`` a string, ``012`` ten, ``1:30`` ninety,
and the last of two equal keys wins. Here ``off`` is a string, ``1e-3`` a number, ``012`` twelve,
``1:30`` a string, and two equal keys are an error. Aliases and tags, which parameters do not need,
are refused.

Source: YAML 1.2.2, section 10.3.2 (tag resolution of the core schema).
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any

import yaml

from base.params.schema import Params
from base.params.section import ParamsError, show_key, show_value

Where = Callable[[int], str]
"""Returns the place that an error message names for a line number, counted from 1."""

_TAG = "tag:yaml.org,2002:"
_LONGEST_NUMBER = 200
_CORE_SCHEMA: dict[str, tuple[str, Callable[[str], bool | int | float | str | None]]] = {
    "null": (r"null|Null|NULL|~|", lambda text: None),
    "bool": (r"true|True|TRUE|false|False|FALSE", lambda text: text.lower() == "true"),
    "int": (
        r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+",
        lambda text: int(text, {"0o": 8, "0x": 16}.get(text[:2], 10)),
    ),
    "float": (
        r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?"
        r"|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)",
        lambda text: float(re.sub(r"\.(?=inf|nan)", "", text.lower())),
    ),
}
"""The pattern of each tag's scalars, and the function that returns their value."""


@dataclass(frozen=True)
class Given:
    """A given value and its place; values of a file are ``Given`` inside lists and dicts, too."""

    value: object  # a scalar, a list, or a dict in the order of the file
    where: str  # in error messages: ``params.yaml:12`` or ``command line``

    @property
    def plain(self) -> object:
        """The value as ordinary dicts, lists and scalars."""
        if isinstance(self.value, dict):
            return {key: item.plain for key, item in self.value.items()}
        if isinstance(self.value, list):
            return [item.plain if isinstance(item, Given) else item for item in self.value]
        return self.value


class _Loader(yaml.SafeLoader):
    """PyYAML's parser with the core schema in place of YAML 1.1's, without aliases and tags."""

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        event = self.peek_event()  # type: ignore[no-untyped-call]
        if isinstance(event, yaml.AliasEvent) or event.tag is not None:
            problem = "aliases and tags are not used here"
            raise yaml.composer.ComposerError(None, None, problem, event.start_mark)
        node: yaml.Node | None = super().compose_node(parent, index)
        return node


_Loader.yaml_implicit_resolvers = {
    None: [(_TAG + tag, re.compile(rf"({form})\Z")) for tag, (form, _) in _CORE_SCHEMA.items()]
}

_composed = lru_cache(maxsize=64)(partial(yaml.compose, Loader=_Loader))
"""Returns the nodes of a text, which are only read; a command reads ``params.yaml`` repeatedly."""


def parse(text: str, where: Where) -> Given:
    """Read one YAML document; an empty one is null. ``where`` names the place of a line.

    A ``ParamsError``: the text is not YAML, gives a key twice, or uses tags or aliases.
    """
    try:
        node = _composed(text)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 1 if mark else 1
        problem = error.problem or "broken"
        if problem.startswith("but "):
            problem = f"{error.context} {problem}"
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        problem = f"found the character {show_value(text[error.position])}"
    except RecursionError:
        line, problem = 1, "nested too deeply"
    except (ValueError, OverflowError) as error:
        # PyYAML raises these, without a mark, for escapes beyond Unicode and absurd versions.
        line, problem = 1, str(error)
    else:
        return Given(None, where(1)) if node is None else _given(node, where, "")
    raise ParamsError(f"{where(line)}: not YAML: {' '.join(problem.split())}")


def parse_scalar(text: str) -> bool | int | float | str | None:
    """Return the value of an unquoted YAML 1.2 scalar; one of over 200 characters is a string."""
    for form, value_of in _CORE_SCHEMA.values():
        if re.fullmatch(form, text) and len(text) <= _LONGEST_NUMBER:
            return value_of(text)
    return text


def _given(node: yaml.Node, where: Where, path: str) -> Given:
    """Return the value of a node; ``path`` holds the keys above it, each with a dot."""
    tag, value, place = node.tag.removeprefix(_TAG), node.value, where(node.start_mark.line + 1)
    if isinstance(node, yaml.MappingNode):
        return Given(_mapping(node, where, path), place)
    if isinstance(node, yaml.SequenceNode):
        return Given([_given(item, where, path) for item in value], place)
    if tag == "str":
        return Given(_text(value, place), place)
    if len(value) > _LONGEST_NUMBER:
        most = f"a number of at most {_LONGEST_NUMBER} characters"
        raise ParamsError(f"{place}: expected {most}, got one of {len(value)}")
    return Given(_CORE_SCHEMA[tag][1](value), place)


def _text(text: str, place: str) -> str:
    """Return a text, unless it holds a lone surrogate, which an escape can name."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        half = show_value(text[error.start])
        raise ParamsError(f"{place}: expected text, got half a character, {half}") from None
    return text


def _mapping(node: yaml.MappingNode, where: Where, path: str) -> dict[str, Given]:
    entries: dict[str, Given] = {}
    first_lines: dict[str, int] = {}
    for key_node, value_node in node.value:
        line = key_node.start_mark.line + 1
        if not isinstance(key_node, yaml.ScalarNode):
            raise ParamsError(f"{where(line)}: expected a word as key, got a list or mapping")
        key = _text(key_node.value, where(line))
        name = path + show_key(key)
        value = _given(value_node, where, f"{name}.").value
        if key in entries:
            words = f"{where(line)}: {name}: given twice, first on line {first_lines[key]}"
            raise ParamsError(words)
        entries[key], first_lines[key] = Given(value, where(line)), line
    return entries


class _Dumper(yaml.SafeDumper):
    """Writes lists on one line, and quotes strings that YAML 1.1 or 1.2 reads as another type."""


def _represent_text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    style = None if isinstance(parse_scalar(text), str) else "'"
    if {*text} & {*"\x85\u2028\u2029"}:  # line breaks of YAML 1.1, which only escapes preserve
        style = '"'
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _represent_text)
_Dumper.add_representer(
    tuple, lambda dumper, items: dumper.represent_sequence(f"{_TAG}seq", items, flow_style=True)
)


def dump_params(params: Params) -> str:
    """Return ``params`` as YAML text like ``params.yaml``; ``load_params`` reads it back equal."""
    content = params.model_dump()
    game = content["game"]
    content["game"] = {"name": game.pop("name"), **game.pop("options"), **game}
    how: Any = {"Dumper": _Dumper, "sort_keys": False, "allow_unicode": True, "width": 100}
    return "\n".join(yaml.dump({name: value}, **how) for name, value in content.items())

"""Reading YAML by the core schema of YAML 1.2, with the place of every key.

PyYAML follows YAML 1.1, in which ``off`` is false, ``1e-3`` is a string, ``012`` is ten, ``1:30``
is ninety, and the last of two equal keys wins. Here ``off`` is a string, ``1e-3`` a number, ``012``
twelve, ``1:30`` a string, and two equal keys are an error. Anchors and aliases, which parameters
have no use for, are refused.

Source: YAML 1.2.2, section 10.3.2 (tag resolution of the core schema).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import yaml

from base.params.errors import ParamsError, show_key, show_value

T = TypeVar("T")

Where = Callable[[int], str]
"""Turns a line number, counted from 1, into the place that an error message names."""

_TAG = "tag:yaml.org,2002:"
_LONGEST_NUMBER = 200
_CORE_SCHEMA: dict[str, tuple[re.Pattern[str], str]] = {
    "null": (re.compile(r"(?:null|Null|NULL|~|)\Z"), "nN~"),
    "bool": (re.compile(r"(?:true|True|TRUE|false|False|FALSE)\Z"), "tTfF"),
    "int": (re.compile(r"(?:[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+)\Z"), "-+0123456789"),
    "float": (
        re.compile(
            r"(?:[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?"
            r"|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))\Z"
        ),
        "-+.0123456789",
    ),
}


@dataclass(frozen=True)
class Given:
    """A value that somebody gave, and where.

    Attributes:
        value: A scalar, a list of plain values, or, for a mapping, a dict from key to ``Given``
            in the order of the file.
        where: The place, as error messages name it: ``params.yaml:12`` or ``command line``.
    """

    value: object
    where: str

    @property
    def plain(self) -> object:
        """The value as ordinary dicts, lists and scalars."""
        return _plain(self.value)


class _Loader(yaml.SafeLoader):
    """PyYAML's parser with the core schema in place of YAML 1.1's, and without aliases."""

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        """Compose the next node, unless it is an alias."""
        if self.check_event(yaml.AliasEvent):
            mark = self.current_event.start_mark
            raise yaml.composer.ComposerError(None, None, "aliases are not used here", mark)
        node: yaml.Node | None = super().compose_node(parent, index)
        return node


_Loader.yaml_implicit_resolvers = {}
for _tag, (_pattern, _first) in _CORE_SCHEMA.items():
    _Loader.add_implicit_resolver(
        _TAG + _tag, _pattern, [*_first, ""] if _tag == "null" else _first
    )


def parse(text: str, where: Where) -> object:
    """Read one YAML document.

    Args:
        text: The document.
        where: Names the place of a line in error messages.

    Returns:
        A scalar, a list, or a dict from key to ``Given``; ``None`` for an empty document.

    Raises:
        ParamsError: The text is not YAML, gives a key twice, or uses tags or aliases.
    """
    return _read(text, where, lambda node: None if node is None else _value(node, where))


def parse_list(text: str, where: Where) -> list[Given]:
    """Read one YAML document that is a list.

    Args:
        text: The document.
        where: See ``parse``.

    Returns:
        The items, each with its place; none for an empty document.

    Raises:
        ParamsError: See ``parse``; or the document is no list.
    """
    return _read(text, where, lambda node: [] if node is None else _items(node, where))


def _read(text: str, where: Where, make: Callable[[yaml.Node | None], T]) -> T:
    """Return what ``make`` makes of a document; mistakes in it become one line."""
    try:
        return make(yaml.compose(text, Loader=_Loader))
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = where(mark.line + 1 if mark else 1)
        problem = error.problem or "broken"
        if problem.startswith("but "):
            problem = f"{error.context} {problem}"
        raise ParamsError(f"{place}: not YAML: {_one_line(problem)}") from None
    except yaml.reader.ReaderError as error:
        place = where(text.count("\n", 0, error.position) + 1)
        character = show_value(text[error.position])
        raise ParamsError(f"{place}: not YAML: found the character {character}") from None
    except RecursionError:
        raise ParamsError(f"{where(1)}: not YAML: nested too deeply") from None
    except ParamsError:
        raise
    except (ValueError, OverflowError) as error:
        # PyYAML lets these out, unmarked, for escapes beyond Unicode and absurd version numbers.
        raise ParamsError(f"{where(1)}: not YAML: {_one_line(str(error))}") from None


def parse_scalar(text: str) -> bool | int | float | str | None:
    """Return what an unquoted YAML 1.2 scalar stands for; what is nothing else is a string.

    A number of more than 200 characters stays a string.
    """
    for tag, (pattern, _) in _CORE_SCHEMA.items():
        if pattern.match(text) and (tag in ("null", "bool") or len(text) <= _LONGEST_NUMBER):
            return _scalar(tag, text)
    return text


def _value(node: yaml.Node, where: Where, path: str = "") -> object:
    """Return what a node stands for; ``path`` names the keys above it, each with a dot."""
    tag = node.tag.removeprefix(_TAG)
    place = where(node.start_mark.line + 1)
    if isinstance(node, yaml.MappingNode) and tag == "map":
        return _mapping(node, where, path)
    if isinstance(node, yaml.SequenceNode) and tag == "seq":
        return [_plain(_value(item, where, path)) for item in node.value]
    if isinstance(node, yaml.ScalarNode):
        if tag == "str":
            _check_text(node.value, place)
            return node.value
        if tag in _CORE_SCHEMA and _CORE_SCHEMA[tag][0].match(node.value):
            if tag in ("int", "float") and len(node.value) > _LONGEST_NUMBER:
                raise ParamsError(
                    f"{place}: expected a number of at most {_LONGEST_NUMBER} characters, "
                    f"got one of {len(node.value)}"
                )
            return _scalar(tag, node.value)
    raise ParamsError(f"{place}: not YAML's core schema: the tag {show_value(node.tag)}")


def _check_text(text: str, place: str) -> None:
    """Refuse halves of characters, which an escape can name and no file can hold."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        half = show_value(text[error.start])
        raise ParamsError(f"{place}: expected text, got half a character, {half}") from None


def _items(node: yaml.Node, where: Where) -> list[Given]:
    place = where(node.start_mark.line + 1)
    if not isinstance(node, yaml.SequenceNode):
        raise ParamsError(
            f"{place}: expected a list, got {show_value(_plain(_value(node, where)))}"
        )
    places = [where(item.start_mark.line + 1) for item in node.value]
    return [
        Given(_value(item, where), place) for item, place in zip(node.value, places, strict=True)
    ]


def _mapping(node: yaml.MappingNode, where: Where, path: str) -> dict[str, Given]:
    entries: dict[str, Given] = {}
    first_lines: dict[str, int] = {}
    for key_node, value_node in node.value:
        line = key_node.start_mark.line + 1
        if not isinstance(key_node, yaml.ScalarNode):
            raise ParamsError(f"{where(line)}: expected a word as key, got a list or mapping")
        key = key_node.value
        _check_text(key, where(line))
        name = path + show_key(key)
        value = _value(value_node, where, f"{name}.")
        if key in entries:
            raise ParamsError(
                f"{where(line)}: {name}: given twice, first on line {first_lines[key]}"
            )
        entries[key], first_lines[key] = Given(value, where(line)), line
    return entries


def _scalar(tag: str, text: str) -> bool | int | float | None:
    if tag == "null":
        return None
    if tag == "bool":
        return text.lower() == "true"
    if tag == "int":
        return int(text, {"0o": 8, "0x": 16}.get(text[:2], 10))
    return float(re.sub(r"\.(?=inf|nan)", "", text.lower()))


def _plain(value: object) -> object:
    if isinstance(value, dict):
        return {key: given.plain for key, given in value.items()}
    return value


def _one_line(text: str) -> str:
    return " ".join(text.split())

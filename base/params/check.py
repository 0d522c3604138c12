"""Validate the values of a section; the error message names the place and the key."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, TypeVar, get_origin

from pydantic import ValidationError
from pydantic.fields import FieldInfo

from base.methods import readers
from base.params.schema import GameSchemas, Params, RootParams
from base.params.section import ParamsError, Section, choices, describe, show_key, show_value
from base.params.yaml12 import Given, parse_scalar
from base.words import nearest, one_of

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

S = TypeVar("S", bound=Section)

ROOT_KEYS = tuple(RootParams.model_fields)  # the keys outside the sections

SECTIONS: dict[str, type[Section]] = {
    name: field.annotation
    for name, field in Params.model_fields.items()
    if isinstance(field.annotation, type) and issubclass(field.annotation, Section)
}
"""The schema of each section, by name, in the order of the file."""

TOP_KEYS = (*ROOT_KEYS, *SECTIONS)

_AS_BOOL = {"yes": "true", "on": "true", "y": "true", "no": "false", "off": "false", "n": "false"}


def check_section(
    schema: type[S],
    prefix: str,
    given: Mapping[str, Given],
    where: str,
    other_keys: Sequence[str] = (),
) -> S:
    """Build a section from the given values; ``prefix`` precedes its keys in messages.

    ``where`` is its place; ``other_keys`` are further suggestions for an unknown key. A
    ``ParamsError`` is about the first wrong key, in the order of the file.
    """
    try:
        fields = schema.model_fields
        return schema.model_validate(
            {key: _with_brackets(fields.get(key), item.plain) for key, item in given.items()}
        )
    except ValidationError as problem:
        # Missing keys come after given ones.
        order = {key: place for place, key in enumerate(given)}
        errors = problem.errors()
        error = min(errors, key=lambda each: order.get(_key_of(each), len(order)))
    key = _key_of(error)
    place = given[key].where if key in given else where
    if not error["loc"] or error["type"] in ("value_error", "assertion_error"):
        own = f"{key}: " if error["loc"] else ""
        raise ParamsError(f"{place}: {prefix}{own}{error['ctx']['error']}")
    if error["type"] == "extra_forbidden":
        keys = [*other_keys, *schema.model_fields]
        raise ParamsError(f"{place}: {unknown_key(prefix, key, keys)}")
    field = schema.model_fields[key]
    got = "nothing"
    if error["type"] != "missing":
        value = given[key].plain
        got = show_value(value) + _hint(field, value)
    raise ParamsError(f"{place}: {prefix}{key}: expected {describe(field)}, got {got}")


def unknown_key(
    prefix: str, key: str, keys: Sequence[str], games: GameSchemas | None = None
) -> str:
    """Return the message for an unknown key, with near ones, other sections', or all keys."""
    is_top, near = keys is TOP_KEYS, nearest(key, keys)
    found = parameters_named(key, games) if is_top or near is None else []
    hint = f"did you mean {one_of(found or [near])}?" if found or near else ""
    hint = hint or f"expected {one_of(keys or ['none'])}"
    return f"{prefix}{show_key(key)}: unknown {'section' if is_top else 'key'} ({hint})"


def parameters_named(word: str, games: GameSchemas | None = None) -> list[str]:
    """Return all ``section.key`` with this key, or with this letter of the assignment."""
    schemas: list[tuple[str, type[Section]]] = [("", RootParams), *SECTIONS.items()]
    schemas += [("game", games.schema(name)) for name in games.names()] if games else []
    letter = re.compile(rf"{re.escape(word)}(,|;| of the )")
    found = [
        f"{section}.{key}".lstrip(".")
        for section, schema in schemas
        for key, field in schema.model_fields.items()
        if word == key
        or (len(word) < 4 and letter.match(field.description or "") and key not in readers())
    ]
    return list(dict.fromkeys(found))


def _with_brackets(field: FieldInfo | None, value: object) -> object:
    """Return the value of a list or mapping from ``64,32`` or ``5:1,6:2``; others unchanged."""
    kind = get_origin(field.annotation) if field else None
    if not isinstance(value, str | int | float) or kind not in (tuple, dict):
        return value
    items = str(value).split(",")
    if kind is tuple:
        return [parse_scalar(item.strip()) for item in items]
    pairs = [item.partition(":") for item in items]
    found = {key.strip(): parse_scalar(weight.strip()) for key, _, weight in pairs}
    return found if len(found) == len(items) else value  # a key given twice


def _key_of(error: ErrorDetails) -> str:
    """Return the key of an error; a rule about several keys names one of them first."""
    return str(error["loc"][0]) if error["loc"] else str(error["ctx"]["error"]).partition(":")[0]


def _hint(field: FieldInfo, value: object) -> str:
    near = None
    if isinstance(value, str):
        boolean = field.annotation is bool
        near = _AS_BOOL.get(value.lower()) if boolean else nearest(value, choices(field))
    return f" (did you mean {near}?)" if near else ""

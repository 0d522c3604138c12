"""Validate the values of a section; the error message names the place and the key."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, TypeVar

from pydantic import ValidationError
from pydantic.fields import FieldInfo

from base.params.schema import Params, RootParams
from base.params.section import ParamsError, Section, choices, describe, show_key, show_value
from base.params.yaml12 import Given
from base.words import nearest, one_of

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

S = TypeVar("S", bound=Section)

ROOT_KEYS = tuple(RootParams.model_fields)
"""The keys outside the sections."""

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
        return schema.model_validate({key: value.plain for key, value in given.items()})
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


def unknown_key(prefix: str, key: str, keys: Sequence[str]) -> str:
    """Return the message for an unknown key, with a near one, another section's, or all keys."""
    near = nearest(key, keys)
    if near is None:
        homes = [name for name, schema in SECTIONS.items() if key in schema.model_fields]
        near = f"{homes[0]}.{key}" if homes else None
    hint = f"did you mean {near}?" if near else f"expected {one_of(keys or ['none'])}"
    return f"{prefix}{show_key(key)}: unknown {'section' if keys is TOP_KEYS else 'key'} ({hint})"


def _key_of(error: ErrorDetails) -> str:
    """Return the key of an error; a rule about several keys names one of them first."""
    return str(error["loc"][0]) if error["loc"] else str(error["ctx"]["error"]).partition(":")[0]


def _hint(field: FieldInfo, value: object) -> str:
    near = None
    if isinstance(value, str):
        boolean = field.annotation is bool
        near = _AS_BOOL.get(value.lower()) if boolean else nearest(value, choices(field))
    return f" (did you mean {near}?)" if near else ""

"""From values with a place to a checked section, or to the one line that says what is wrong."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, TypeVar

from pydantic import ValidationError
from pydantic.fields import FieldInfo

from base.params.description import choices, describe
from base.params.errors import ParamsError, nearest, one_of, show_key, show_value
from base.params.schema import Params, RootParams
from base.params.section import Section
from base.params.yaml12 import Given

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

S = TypeVar("S", bound=Section)

ROOT_KEYS = tuple(RootParams.model_fields)
"""The keys that stand outside the sections."""

SECTIONS: dict[str, type[Section]] = {
    name: field.annotation
    for name, field in Params.model_fields.items()
    if isinstance(field.annotation, type) and issubclass(field.annotation, Section)
}
"""The schema of each section, by name, in the order of the file."""

_AS_BOOL = {"yes": "true", "on": "true", "y": "true", "no": "false", "off": "false", "n": "false"}


def check_section(
    schema: type[S],
    prefix: str,
    given: Mapping[str, Given],
    where: str,
    other_keys: Sequence[str] = (),
) -> S:
    """Build a section from what was given for it.

    Args:
        schema: The section's class.
        prefix: What stands before its keys in messages: ``mcts.``, or nothing.
        given: The values by key, in the order of the file.
        where: The place of the section as a whole.
        other_keys: Further keys to propose for an unknown one.

    Raises:
        ParamsError: About the first wrong key, in the order of the file.
    """
    try:
        return schema.model_validate({key: value.plain for key, value in given.items()})
    except ValidationError as problem:
        order = list(given)
        details = min(
            problem.errors(),
            key=lambda error: _position(order, str(error["loc"][0]) if error["loc"] else None),
        )
        message = _message(schema, prefix, given, where, other_keys, details)
    raise ParamsError(message)


def unknown_key(prefix: str, key: str, keys: Sequence[str]) -> str:
    """Return the words for a key that its section does not have.

    The hint is a key of the section that is spelled nearly so; else the section that does have the
    key; else all keys that the section has.
    """
    near = nearest(key, keys)
    if near is None:
        homes = [name for name, schema in SECTIONS.items() if key in schema.model_fields]
        near = f"{homes[0]}.{key}" if homes else None
    hint = f"did you mean {near}?" if near else f"expected {one_of(keys)}"
    return f"{prefix}{show_key(key)}: unknown {'key' if prefix else 'section'} ({hint})"


def _position(order: list[str], key: str | None) -> int:
    """Return where a key stands in the file; keys that are missing, and rules, come last."""
    return order.index(key) if key in order else len(order)


def _message(
    schema: type[Section],
    prefix: str,
    given: Mapping[str, Given],
    where: str,
    other_keys: Sequence[str],
    error: ErrorDetails,
) -> str:
    if not error["loc"]:
        rule = str(error["ctx"]["error"])
        key = rule.partition(":")[0]
        return f"{given[key].where if key in given else where}: {prefix}{rule}"
    key = str(error["loc"][0])
    if error["type"] == "extra_forbidden":
        keys = [*other_keys, *schema.model_fields]
        return f"{given[key].where}: {unknown_key(prefix, key, keys)}"
    name = f"{given[key].where if key in given else where}: {prefix}{key}"
    if error["type"] in ("value_error", "assertion_error"):
        return f"{name}: {error['ctx']['error']}"
    expected = f"{name}: expected {describe(schema.model_fields[key])}"
    if error["type"] == "missing":
        return f"{expected}, got nothing"
    value = given[key].plain
    return f"{expected}, got {show_value(value)}{_hint(schema.model_fields[key], value)}"


def _hint(field: FieldInfo, value: object) -> str:
    near = None
    if isinstance(value, str):
        boolean = field.annotation is bool
        near = _AS_BOOL.get(value.lower()) if boolean else nearest(value, choices(field))
    return f" (did you mean {near}?)" if near else ""

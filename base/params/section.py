"""The base of every section of the parameters, those of the games included, and its words.

Error messages and the comments of ``params.yaml`` both say what a field allows in the words of
``describe``, so the two cannot disagree.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import (
    BaseModel,
    ConfigDict,
    ValidatorFunctionWrapHandler,
    create_model,
    field_validator,
)
from pydantic.fields import FieldInfo
from pydantic_core import PydanticCustomError

from base.words import one_of


class Section(BaseModel):
    """A frozen, strictly typed group of keys; a key that it does not name is an error.

    Fields are bool, int, float, str, a ``Literal``, ``None`` or one of these, or a
    ``tuple[..., ...]`` of these. A list is taken for a tuple, an integer for a float, and nothing
    else for what it is not. A rule about several keys is a ``model_validator`` that raises
    ``ValueError("max_take: expected at most stones (10), got 12")``: the key that it names comes
    first. A rule about one key is a ``field_validator`` whose message leaves the key out.
    """

    model_config = ConfigDict(
        frozen=True, strict=True, extra="forbid", allow_inf_nan=False, validate_default=True
    )

    @field_validator("*", mode="wrap")
    @classmethod
    def _take_as_given(cls, value: Any, check: ValidatorFunctionWrapHandler) -> Any:
        taken = check(tuple(value) if isinstance(value, list) else value)
        if isinstance(value, bool | float) and type(taken) is not type(value):
            # Pydantic takes True and 1.0 for the 1 of a literal.
            raise PydanticCustomError("not_a_choice", "expected one of the choices")
        return taken


_NOUNS = {
    "boolean": ("true or false", ""),
    "integer": ("an integer", "integers"),
    "number": ("a number", "numbers"),
    "string": ("a text", "texts"),
    "null": ("null", ""),
}


def describe(field: FieldInfo) -> str:
    """Say what a field allows: ``an integer from 1 to 256``, ``null or a number above 0``.

    Args:
        field: A field of a ``Section``, with bounds on values and lengths.

    Raises:
        TypeError: The annotation is of a kind that no ``Section`` has.
    """
    try:
        return one_of(_words(_json_schema(field)))
    except KeyError:
        raise TypeError(
            f"expected a kind of field that describe() has words for, got {field.annotation!r}"
        ) from None


def choices(field: FieldInfo) -> list[str]:
    """Return the words that a field of literals allows, null aside; no words for other fields."""
    schema = _json_schema(field)
    return [str(word) for arm in schema.get("anyOf", [schema]) for word in _literals(arm)]


def _json_schema(field: FieldInfo) -> Mapping[str, Any]:
    same: Any = (field.annotation, field)
    shown = create_model("Shown", same=same).model_json_schema()
    schema: dict[str, Any] = shown["properties"]["same"]
    return schema


def _literals(schema: Mapping[str, Any]) -> list[object]:
    return [schema["const"]] if "const" in schema else schema.get("enum", [])


def _words(schema: Mapping[str, Any]) -> list[str]:
    """Describe each kind of value that a schema allows, null first."""
    if "anyOf" in schema:
        arms = sorted(schema["anyOf"], key=lambda arm: arm.get("type") != "null")
        return [words for arm in arms for words in _words(arm)]
    if literals := _literals(schema):
        return [str(word) for word in literals]
    if schema["type"] == "array":
        items, least, most = schema["items"], schema.get("minItems"), schema.get("maxItems")
        length = f"{least or 0} to {most} " if most else f"{least} or more " if least else ""
        plural = "" if _literals(items) else _NOUNS[items["type"]][1]
        each = plural + _range(items) if plural else f"values, each {one_of(_words(items))}"
        return [f"a list of {length}{each}"]
    if "format" in schema:
        raise KeyError(schema["format"])
    return [_NOUNS[schema["type"]][0] + _range(schema)]


def _range(schema: Mapping[str, Any]) -> str:
    match {key: f"{bound:.16g}" for key, bound in schema.items() if key.endswith("imum")}:
        case {"minimum": low, "maximum": high}:
            return f" from {low} to {high}"
        case {"minimum": low, "exclusiveMaximum": high}:
            return f" from {low} to below {high}"
        case {"exclusiveMinimum": low, "maximum": high}:
            return f" above {low} and up to {high}"
        case {"exclusiveMinimum": low, "exclusiveMaximum": high}:
            return f" above {low} and below {high}"
        case {"minimum": low}:
            return f" of at least {low}"
        case {"exclusiveMinimum": low}:
            return f" above {low}"
        case {"maximum": high}:
            return f" up to {high}"
        case {"exclusiveMaximum": high}:
            return f" below {high}"
    return ""

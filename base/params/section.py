"""The base class of all sections of the parameters, and descriptions of their fields.

Error messages and the comments of ``params.yaml`` both use ``describe``, so they cannot disagree.
"""

import re
from collections.abc import Collection, Mapping
from typing import Annotated, Any

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    ValidatorFunctionWrapHandler,
    create_model,
    field_validator,
)
from pydantic.fields import FieldInfo
from pydantic_core import CoreSchema, PydanticCustomError
from pydantic_core.core_schema import no_info_after_validator_function, str_schema

from base.words import one_of

Count = Annotated[int, Field(ge=1, le=10_000_000)]
Positions = Annotated[int, Field(ge=0, le=10_000)]
Probability = Annotated[float, Field(ge=0, le=1)]
Share = Annotated[float, Field(gt=0, le=1)]
Text = Annotated[str, Field(min_length=1, pattern=r"^[^\x00-\x1f\x7f]*$")]

_LONGEST_VALUE = 60
_PLAIN_KEY = re.compile(r"\w{1,40}", re.ASCII)


class ParamsError(ValueError):
    """A parameter is wrong; ``str(error)`` is the whole message, always one line."""


def show_value(value: object) -> str:
    """Return a value as YAML on one line; strings are quoted."""
    text = _flow(value)
    return text if len(text) <= _LONGEST_VALUE else f"{text[: _LONGEST_VALUE - 3]}..."


def show_key(key: str) -> str:
    """Return a key unchanged if it is a plain word, else quoted."""
    return key if _PLAIN_KEY.fullmatch(key) else show_value(key)


def _flow(value: object) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_flow, value))}]"
    if isinstance(value, dict):
        items = (f"{show_key(str(key))}: {_flow(item)}" for key, item in value.items())
        return f"{{{', '.join(items)}}}"
    return repr(value)


def param(default: Any, meaning: str, **limits: Any) -> Any:
    """Return a field of a section: its default, its meaning in words, and limits of its values."""
    return Field(default, description=meaning, **limits)


class OneOf:
    """Annotates a field like a ``Literal`` of a registry's names, also those registered later."""

    def __init__(self, registry: Collection[str]) -> None:
        """Allow the names of a registry."""
        self._registry = registry

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> CoreSchema:
        """Check the name when a value is validated, not when the section is defined."""
        return no_info_after_validator_function(self._checked, str_schema(strict=True))

    def __get_pydantic_json_schema__(self, core: CoreSchema, handler: Any) -> dict[str, Any]:
        """Describe the field by the names registered now."""
        return {"enum": list(self._registry), "type": "string"}

    def _checked(self, name: str) -> str:
        if name not in self._registry:
            raise PydanticCustomError("not_a_choice", "expected one of the choices")
        return name


class Section(BaseModel):
    """A frozen, strictly typed group of keys; an unknown key is an error.

    Fields are bool, int, float, str, a ``Literal``, ``None`` or one of these, or a ``tuple[...,
    ...]`` of these. A list converts to a tuple, an integer to a float, and nothing else is
    converted. A rule about several keys is a ``model_validator`` that raises
    ``ValueError("max_take: expected at most stones (10), got 12")``, with the key at fault first. A
    rule about one key is a ``field_validator`` whose message leaves the key out.
    """

    model_config = ConfigDict(
        frozen=True, strict=True, extra="forbid", allow_inf_nan=False, validate_default=True
    )

    @field_validator("*", mode="wrap")
    @classmethod
    def _take_as_given(cls, value: Any, check: ValidatorFunctionWrapHandler) -> Any:
        try:
            taken = check(tuple(value) if isinstance(value, list) else value)
        except ValidationError:
            if not isinstance(value, str):
                raise
            taken = check(value.lower())  # a choice in the assignment's spelling: RELU, Adagrad
        if isinstance(value, bool | float) and type(taken) is not type(value):
            # Pydantic accepts True and 1.0 for a literal 1.
            raise PydanticCustomError("not_a_choice", "expected one of the choices")
        return taken


_NOUNS = {
    "boolean": ("true or false", ""),
    "integer": ("an integer", "integers"),
    "number": ("a number", "numbers"),
    "string": ("a text", "texts"),
    "null": ("null", ""),
}
_BOUNDS = {
    "minimum": "of at least",
    "exclusiveMinimum": "above",
    "maximum": "up to",
    "exclusiveMaximum": "below",
}


def describe(field: FieldInfo) -> str:
    """Describe a field's values: ``an integer from 1 to 256``; a ``TypeError`` if it cannot."""
    try:
        return one_of(_words(_json_schema(field)))
    except KeyError:
        words = f"expected a kind of field that describe() has words for, got {field.annotation!r}"
        raise TypeError(words) from None


def choices(field: FieldInfo) -> list[str]:
    """Return the allowed words of a field of literals, without null; none for other fields."""
    schema = _json_schema(field)
    return [str(word) for arm in schema.get("anyOf", [schema]) for word in _literals(arm)]


def _json_schema(field: FieldInfo) -> Mapping[str, Any]:
    same: Any = (field.annotation, field)
    shown = create_model("Shown", same=same)
    schema: dict[str, Any] = shown.model_json_schema()["properties"]["same"]
    return schema


def _literals(schema: Mapping[str, Any]) -> list[object]:
    return [schema["const"]] if "const" in schema else schema.get("enum", [])


def _words(schema: Mapping[str, Any]) -> list[str]:
    if "anyOf" in schema:
        arms = sorted(schema["anyOf"], key=lambda arm: arm.get("type") != "null")
        return [words for arm in arms for words in _words(arm)]
    if literals := _literals(schema):
        return [str(word) for word in literals]
    if schema["type"] == "array":
        items, least, most = schema["items"], schema.get("minItems"), schema.get("maxItems")
        length = f"{least or 0} to {most} " if most else f"{least} or more " if least else ""
        length = f"{most} " if most and most == least else length
        plural = "" if _literals(items) else _NOUNS[items["type"]][1]
        each = plural + _range(items) if plural else f"values, each {one_of(_words(items))}"
        return [f"a list of {length}{each}"]
    if schema["type"] == "object":
        keys, values = schema["propertyNames"], schema["additionalProperties"]
        plural = _NOUNS[keys["type"]][1] + _range(keys)
        return [f"a mapping of {plural}, each to {one_of(_words(values))}"]
    if "format" in schema:
        raise KeyError(schema["format"])
    return [_NOUNS[schema["type"]][0] + _range(schema)]


def _range(schema: Mapping[str, Any]) -> str:
    bounds = {key: f"{schema[key]:.16g}" for key in _BOUNDS if key in schema}
    if "minimum" in bounds and len(bounds) == 2:
        high = bounds.get("maximum") or f"below {bounds['exclusiveMaximum']}"
        return f" from {bounds['minimum']} to {high}"
    words = " and ".join(f"{_BOUNDS[key]} {bound}" for key, bound in bounds.items())
    return f" {words}" if words else ""

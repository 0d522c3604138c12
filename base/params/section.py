"""The base of every section of the parameters, those of the games included."""

from __future__ import annotations

from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel, ConfigDict, ValidationInfo, field_validator
from pydantic_core import PydanticCustomError


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

    @field_validator("*", mode="before")
    @classmethod
    def _take_lists_as_tuples(cls, value: Any, info: ValidationInfo) -> Any:
        if isinstance(value, list):
            value = tuple(value)
        if not _is_exact(cls.model_fields[str(info.field_name)].annotation, value):
            raise PydanticCustomError("not_a_choice", "expected one of the choices")
        return value


def _is_exact(annotation: Any, value: Any) -> bool:
    """Return whether literals hold this very value: pydantic takes True and 1.0 for ``1``."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Literal:
        return any(type(value) is type(choice) and value == choice for choice in arguments)
    if origin is Annotated:
        return _is_exact(arguments[0], value)
    if origin in (Union, UnionType):
        return any(_is_exact(arm, value) for arm in arguments)
    if annotation is type(None):
        return value is None
    if origin is tuple and isinstance(value, tuple):
        return all(_is_exact(arguments[0], item) for item in value)
    return True

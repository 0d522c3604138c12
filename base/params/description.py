"""What a field allows, in words, from its annotation and its constraints.

Error messages and the comments of ``params.yaml`` both take their words from here, so the two
cannot disagree.
"""

from __future__ import annotations

from collections.abc import Iterable
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic.fields import FieldInfo

from base.params.errors import one_of

_NOUNS: dict[Any, tuple[str, str]] = {
    int: ("an integer", "integers"),
    float: ("a number", "numbers"),
    str: ("a text", "texts"),
}


def describe(field: FieldInfo) -> str:
    """Say what a field allows: ``an integer from 1 to 256``, ``null or a number above 0``.

    Args:
        field: A field of a ``Section``: bool, int, float, str, a ``Literal``, ``None`` or one of
            these, or a ``tuple[..., ...]`` of these, with bounds on values and lengths.

    Raises:
        TypeError: The annotation is of another kind.
    """
    return _describe(field.annotation, _constraints(field.metadata))


def choices(field: FieldInfo) -> list[str]:
    """Return the words that a field of literals allows, null aside; no words for other fields."""
    arms = [field.annotation, *get_args(field.annotation)]
    literals = [arm for arm in arms if get_origin(arm) is Literal]
    return [str(word) for arm in literals for word in get_args(arm)]


def _describe(annotation: Any, bounds: dict[str, Any]) -> str:
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _describe(arguments[0], bounds | _constraints(arguments[1:]))
    if origin in (Union, UnionType):
        some = ["null"] if type(None) in arguments else []
        for arm in arguments:
            if get_origin(arm) is Literal:
                some += get_args(arm)
            elif arm is not type(None):
                some.append(_describe(arm, bounds))
        return one_of(some)
    if origin is Literal:
        return one_of(arguments)
    if origin is tuple and arguments[1:] == (...,):
        return f"a list of {_length(bounds)}{_items(arguments[0])}"
    if annotation is bool:
        return "true or false"
    if annotation in _NOUNS:
        return _NOUNS[annotation][0] + _range(bounds)
    raise TypeError(f"expected a kind of field that describe() has words for, got {annotation!r}")


def _items(annotation: Any) -> str:
    """Describe several values of one kind: ``integers from 1 to 9``."""
    kind, bounds = annotation, {}
    if get_origin(annotation) is Annotated:
        kind, bounds = get_args(annotation)[0], _constraints(get_args(annotation)[1:])
    if kind in _NOUNS:
        return _NOUNS[kind][1] + _range(bounds)
    return f"values, each {_describe(kind, bounds)}"


def _constraints(metadata: Iterable[Any]) -> dict[str, Any]:
    """Gather the bounds in the metadata of an annotation by name: ge, gt, le, lt, lengths."""
    bounds: dict[str, Any] = {}
    for item in metadata:
        if isinstance(item, FieldInfo):
            bounds |= _constraints(item.metadata)
        for name in ("ge", "gt", "le", "lt", "min_length", "max_length"):
            bound = getattr(item, name, None)
            if bound is not None:
                bounds[name] = bound
    return bounds


def _length(bounds: dict[str, Any]) -> str:
    least, most = bounds.get("min_length"), bounds.get("max_length")
    if most is not None:
        return f"{least or 0} to {most} "
    return f"{least} or more " if least else ""


def _range(bounds: dict[str, Any]) -> str:
    bound = {name: _number(value) for name, value in bounds.items() if not name.endswith("length")}
    match bound:
        case {"ge": low, "le": high}:
            return f" from {low} to {high}"
        case {"ge": low, "lt": high}:
            return f" from {low} to below {high}"
        case {"gt": low, "le": high}:
            return f" above {low} and up to {high}"
        case {"gt": low, "lt": high}:
            return f" above {low} and below {high}"
        case {"ge": low}:
            return f" of at least {low}"
        case {"gt": low}:
            return f" above {low}"
        case {"le": high}:
            return f" up to {high}"
        case {"lt": high}:
            return f" below {high}"
    return ""


def _number(bound: float) -> str:
    return str(int(bound)) if bound == int(bound) else repr(bound)

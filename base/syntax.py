"""Python's own parser, for threads that parse at the same time."""

import ast
from contextlib import suppress
from typing import Any

_TRIES = 10


def syntax_tree(source: str | bytes, mode: str = "exec") -> ast.AST:
    """Return what ``ast.parse`` returns, while other threads parse too.

    Python 3.11.0 to 3.11.7 count the depth of all trees in one place (python/cpython#106905), so
    now and then a ``SystemError`` about it meets one of two threads; it says nothing of the source.
    """
    for _ in range(_TRIES - 1):
        with suppress(SystemError):
            return ast.parse(source, mode=mode)
    return ast.parse(source, mode=mode)


def literal(text: str) -> Any:
    """Return the value of a literal in any thread; it raises what ``ast.literal_eval`` raises."""
    return ast.literal_eval(syntax_tree(text.lstrip(" \t"), "eval"))

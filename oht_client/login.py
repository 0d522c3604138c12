"""What a server of the first generation says before a tournament, known by its keywords."""

from __future__ import annotations

from typing import Literal

Keyword = Literal[
    "username", "password", "player-name", "qualify", "stress", "token",
    "Welcome", "Invalid credentials", "Sorry", "no stress",
]  # fmt: skip

QUESTIONS: frozenset[Keyword] = frozenset(
    {"username", "password", "player-name", "qualify", "stress", "token"}
)
"""What is to be answered. The second generation asks for a token, and to qualify."""

YES, NO = frozenset({"yes", "y", "1", "true", "t"}), frozenset({"no", "n", "0", "false", "f"})
"""Answers to ``qualify``, in any case, as the second generation understands them."""

# The first match counts, as in the course's client. Two lines are better than there: the refusal
# of a stress test holds the word "stress", and the assignment quotes a question without "qualify".
_KEYWORDS: tuple[tuple[str, Keyword], ...] = (
    ("username", "username"),
    ("password", "password"),
    ("Welcome", "Welcome"),
    ("Invalid credentials", "Invalid credentials"),
    ("player-name", "player-name"),
    ("qualify", "qualify"),
    ("did not want to participate in stress test", "no stress"),
    ("stress", "stress"),
    ("Sorry", "Sorry"),
    ("official tournament", "qualify"),
    ("API token", "token"),
)


def keyword_of(text: str) -> Keyword | None:
    """Return what a text is about; ``None`` if it has no keyword.

    Case matters, as in the course's client; but a question that it would not know may still be one.
    """
    for words, keyword in _KEYWORDS:
        if words in text:
            return keyword
    for words, keyword in _KEYWORDS:
        if keyword in QUESTIONS and words.lower() in text.lower():
            return keyword
    return None

"""What a server asks at log-in: recognised by a keyword, answered, and hidden if it is secret."""

from __future__ import annotations

import getpass
import logging
import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from base.storage import excerpt
from oht_client.errors import OHTError
from oht_client.messages import printable

SECRETS = ("password", "token")
"""Keywords whose answers are never shown, kept or repeated."""

YES, NO = frozenset({"yes", "y", "1", "true", "t"}), frozenset({"no", "n", "0", "false", "f"})
"""Answers to ``qualify``, in any case, as the second generation understands them."""

_QUESTIONS = frozenset({"username", "password", "player-name", "qualify", "stress", "token"})

# The first match counts, as in the course's client. Two lines are better than there: the refusal
# of a stress test holds the word "stress", and the assignment quotes a question without "qualify".
_KEYWORDS: tuple[tuple[str, str], ...] = (
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
_MOST_EMPTY_ANSWERS = 10
_MOST_QUESTIONS = 20
"""In one session; a log-in has five."""


def keyword_of(text: str) -> str | None:
    """Return what a text is about; ``None`` if it has no keyword.

    Case matters, as in the course's client; but a question that it would not know may still be one.
    """
    for words, keyword in _KEYWORDS:
        if words in text:
            return keyword
    for words, keyword in _KEYWORDS:
        if keyword in _QUESTIONS and words.lower() in text.lower():
            return keyword
    return None


def ask_secret(prompt: str) -> str:
    """Ask a person without showing what is typed; what comes through a pipe is just read."""
    return getpass.getpass(prompt) if sys.stdin.isatty() else input(prompt)


class Answers:
    """Answers the questions of a log-in: those known beforehand, the others by asking a person.

    Attributes:
        name: The name that was given for our player, if it was asked for.
        official: Whether an official attempt was asked for; ``None`` before the question.
        attempts_left: Official attempts that are left after this tournament: the server's number,
            without the attempt that was asked for.
    """

    def __init__(
        self,
        known: Mapping[str, str] | None = None,
        ask: Callable[[str], str] = input,
        ask_secret: Callable[[str], str] = ask_secret,
    ) -> None:
        """Answer with what is known, by keyword; else show a prompt and take what is typed."""
        self.name: str | None = None
        self.official: bool | None = None
        self.attempts_left: int | None = None
        self._known = dict(known or {})
        self._ask = ask
        self._ask_secret = ask_secret
        self._secrets: list[str] = []
        self._questions = 0

    def ask(self, prompt: str) -> str:
        """Return the answer to a prompt, which holds its keyword; it is never empty.

        Raises:
            OHTError: A person would have to answer, and there is none; or there is no end of
                questions.
        """
        self._questions += 1
        if self._questions > _MOST_QUESTIONS:
            words = f"expected at most {_MOST_QUESTIONS} questions from the server"
            raise OHTError(f"{words}, got another: {excerpt(printable(prompt))}")
        keyword = keyword_of(prompt) or ""
        reply = self._known.get(keyword) or self._ask_a_person(keyword, prompt)
        if keyword in SECRETS:
            self._secrets.append(reply)
        elif keyword == "player-name":
            self.name = reply
        elif keyword == "qualify":
            numbers = re.findall(r"\d+", prompt)
            self.official = reply.lower() in YES
            left = int(numbers[0][:9]) - self.official if numbers else None
            self.attempts_left = None if left is None else max(left, 0)
        return reply

    def redacted(self, text: str) -> str:
        """Return a text in which every secret is hidden wherever it stands as a word."""
        for secret in self._secrets:
            text = re.sub(rf"(?<!\w){re.escape(secret)}(?!\w)", "<token>", text)
        return text

    def _ask_a_person(self, keyword: str, prompt: str) -> str:
        ask = self._ask_secret if keyword in SECRETS else self._ask
        words = printable(prompt)
        try:
            for _ in range(_MOST_EMPTY_ANSWERS):
                # TLS would not even send an empty answer, and both sides would wait.
                if reply := ask(f"{words} ").strip():
                    return reply
        except EOFError:
            raise OHTError(f"expected an answer to {words!r}, but the input has ended") from None
        raise OHTError(f"expected an answer to {words!r}, got only empty ones")


@dataclass(frozen=True)
class SessionOptions:
    """How a client of either generation logs in, tries to connect, waits and reports.

    After ``silence_limit`` seconds without a word from the server, it is given up.
    """

    answers: Answers = field(default_factory=Answers)
    tell: Callable[[str], None] = logging.getLogger(__name__).info
    connect_attempts: int = 1
    silence_limit: float = 600.0

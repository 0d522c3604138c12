"""Log-in questions: recognised by a keyword, answered, and hidden if secret."""

import getpass
import logging
import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from base.storage import excerpt
from online.errors import TournamentError

SECRETS = ("password", "token")  # keywords whose answers are never shown, kept or repeated

YES, NO = frozenset({"yes", "y", "1", "true", "t"}), frozenset({"no", "n", "0", "false", "f"})
"""Answers to ``qualify`` in the second generation, in upper or lower case."""

_QUESTIONS = frozenset({"username", "password", "player-name", "qualify", "stress", "token"})

# The first match counts, as in the course's client. Two entries improve on it: the refusal of a
# stress test holds the word "stress", and the assignment quotes a question without "qualify".
_KEYWORDS = {
    **{word: word for word in ("username", "password", "Welcome", "Invalid credentials")},
    **{word: word for word in ("player-name", "qualify")},
    "did not want to participate in stress test": "no stress",
    **{word: word for word in ("stress", "Sorry")},
    "official tournament": "qualify",
    "API token": "token",
}
_MOST_EMPTY_ANSWERS = 10
_MOST_QUESTIONS = 20  # in one session; a log-in has five


def keyword_of(text: str) -> str | None:
    """Return a text's keyword, if any: by case, as the course's client, else of a question."""
    exact = (keyword for words, keyword in _KEYWORDS.items() if words in text)
    questions = (pair for pair in _KEYWORDS.items() if pair[1] in _QUESTIONS)
    loose = (keyword for words, keyword in questions if words.lower() in text.lower())
    return next(exact, None) or next(loose, None)


def one_line(text: str) -> str:
    """Return a text on one line without control characters, for display."""
    return "".join(letter if letter.isprintable() else " " for letter in text).strip()


def ask_secret(prompt: str) -> str:
    """Prompt a person with hidden input; read a pipe as it is."""
    return getpass.getpass(prompt) if sys.stdin.isatty() else input(prompt)


class Answers:
    """Answers the questions of a log-in: from known answers, else by prompting a person.

    ``name`` (of our player) and ``official`` are the answers, ``None`` before the questions.
    ``attempts_left`` are official attempts after this tournament, by the server's number.
    """

    def __init__(
        self,
        known: Mapping[str, str] | None = None,
        ask: Callable[[str], str] = input,
        ask_secret: Callable[[str], str] = ask_secret,
    ) -> None:
        """Take answers from ``known``, by keyword; else show a prompt and read the typed answer."""
        self.name: str | None = None
        self.official: bool | None = None
        self.attempts_left: int | None = None
        self._known, self._ask, self._ask_secret = dict(known or {}), ask, ask_secret
        self._secrets: list[str] = []
        self._questions = 0

    def ask(self, prompt: str) -> str:
        """Return an answer, never empty; a ``TournamentError`` if there is none, or no end."""
        self._questions += 1
        if self._questions > _MOST_QUESTIONS:
            words = f"expected at most {_MOST_QUESTIONS} questions from the server"
            raise TournamentError(f"{words}, got another: {excerpt(one_line(prompt))}")
        keyword = keyword_of(prompt) or ""
        reply = self._known.get(keyword) or self._ask_a_person(keyword, prompt)
        if keyword in SECRETS:
            self._secrets.append(reply)
        elif keyword == "player-name":
            self.name = reply
        elif keyword == "qualify":
            self.official = reply.lower() in YES
            left = re.search(r"\d{1,9}", prompt)
            self.attempts_left = None if left is None else max(int(left[0]) - self.official, 0)
        return reply

    def redacted(self, text: str) -> str:
        """Return a text with every secret hidden where it occurs as a word."""
        for secret in self._secrets:
            text = re.sub(rf"(?<!\w){re.escape(secret)}(?!\w)", "<token>", text)
        return text

    def _ask_a_person(self, keyword: str, prompt: str) -> str:
        ask = self._ask_secret if keyword in SECRETS else self._ask
        words = one_line(prompt)
        try:
            for _ in range(_MOST_EMPTY_ANSWERS):
                # TLS sends no empty answer, so both sides would wait.
                if reply := ask(f"{words} ").strip():
                    return reply
        except EOFError:
            ended = f"expected an answer to {words!r}, but the input has ended"
            raise TournamentError(ended) from None
        raise TournamentError(f"expected an answer to {words!r}, got only empty ones")


@dataclass(frozen=True)
class SessionOptions:
    """How a client logs in, connects and reports, and after how many silent seconds it gives up."""

    answers: Answers = field(default_factory=Answers)
    tell: Callable[[str], None] = logging.getLogger(__name__).info
    connect_attempts: int = 1
    silence_limit: float = 600.0

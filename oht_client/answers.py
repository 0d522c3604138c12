"""What a server asks at log-in, recognised by keyword, and who answers."""

from __future__ import annotations

import getpass
import re
import sys
from collections.abc import Callable, Mapping

from oht_client.errors import OHTError
from oht_client.login import YES, keyword_of
from oht_client.redacted_log import without_secret

SECRETS = ("password", "token")
"""Keywords whose answers are never shown, kept or repeated."""


def ask_secret(prompt: str) -> str:
    """Ask a person without showing what is typed; what comes through a pipe is just read."""
    return getpass.getpass(prompt) if sys.stdin.isatty() else input(prompt)


class Answers:
    """Answers the questions of a log-in: those known beforehand, the others by asking a person.

    The keywords are ``username``, ``password``, ``player-name``, ``qualify``, ``stress`` and
    ``token``. In generation 1 they stand in the server's own words.

    Attributes:
        name: The name that was given for our player, if it was asked for.
        official: Whether an official attempt was asked for; ``None`` before the question.
        attempts_left: Official attempts that are left after this tournament: as many as the server
            said, without the one that was asked for.
    """

    def __init__(
        self,
        known: Mapping[str, str],
        ask: Callable[[str], str] = input,
        ask_secret: Callable[[str], str] = ask_secret,
    ) -> None:
        """Answer with what is known.

        Args:
            known: Answers by keyword.
            ask: Shows a prompt to a person and returns the line that was typed.
            ask_secret: The same, without showing what is typed.
        """
        self.name: str | None = None
        self.official: bool | None = None
        self.attempts_left: int | None = None
        self._known = dict(known)
        self._ask = ask
        self._ask_secret = ask_secret
        self._secrets: list[str] = []

    def ask(self, prompt: str) -> str:
        """Return the answer to a prompt, which holds its keyword.

        Raises:
            OHTError: A person would have to answer, and there is none.
        """
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
        """Return a text without the secrets that were asked for."""
        for secret in self._secrets:
            text = without_secret(text, secret)
        return text

    def _ask_a_person(self, keyword: str, prompt: str) -> str:
        ask = self._ask_secret if keyword in SECRETS else self._ask
        # What a server sends reaches the terminal without control characters.
        words = "".join(letter for letter in prompt if letter.isprintable()).strip()
        try:
            while not (reply := ask(f"{words} ").strip()):
                pass  # an empty answer would never arrive, and both sides would wait
        except EOFError:
            raise OHTError(f"expected an answer to {words!r}, but the input has ended") from None
        return reply

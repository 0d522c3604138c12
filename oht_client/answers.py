"""What a server asks at log-in, recognised by keyword, and who answers."""

from __future__ import annotations

import getpass
from collections.abc import Callable, Mapping

from oht_client.errors import OHTError
from oht_client.login import keyword_of

SECRETS = ("password", "token")
"""Keywords whose answers are never shown, kept or repeated."""


class Answers:
    """Answers the questions of a log-in: those known beforehand, the others by asking a person.

    The keywords are ``username``, ``password``, ``player-name``, ``qualify``, ``stress`` and
    ``token``. In generation 1 they stand in the server's own words.
    """

    def __init__(
        self,
        known: Mapping[str, str],
        ask: Callable[[str], str] = input,
        ask_secret: Callable[[str], str] = getpass.getpass,
    ) -> None:
        """Answer with what is known.

        Args:
            known: Answers by keyword.
            ask: Shows a prompt to a person and returns the line that was typed.
            ask_secret: The same, without showing what is typed.
        """
        self._known = dict(known)
        self._ask = ask
        self._ask_secret = ask_secret

    def ask(self, prompt: str) -> str:
        """Return the answer to a prompt, which holds its keyword."""
        return self.answer(keyword_of(prompt) or "", prompt)

    def answer(self, keyword: str, prompt: str) -> str:
        """Return the answer to a question.

        Raises:
            OHTError: A person would have to answer, and there is none.
        """
        if keyword in self._known:
            return self._known[keyword]
        ask = self._ask_secret if keyword in SECRETS else self._ask
        # What a server sends reaches the terminal without control characters.
        words = "".join(letter for letter in prompt if letter.isprintable()).strip()
        try:
            while not (reply := ask(f"{words} ").strip()):
                pass  # an empty answer would never arrive, and both sides would wait
        except EOFError:
            raise OHTError(f"expected an answer to {words!r}, but the input has ended") from None
        return reply

"""Who has been here, and how many official attempts each has left; in memory only."""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass


@dataclass
class Guest:
    """Someone with a user name or a token, over all of their sessions.

    Attributes:
        number: From 1, in the order of their first coming.
        unique_id: The id that the tournament knows them by.
        attempts_left: Official tournaments that they may still play.
        attempts_made: Official tournaments that they have begun.
    """

    number: int
    unique_id: int
    attempts_left: int
    attempts_made: int = 0

    @property
    def name(self) -> str:
        """What to call someone who gave no nickname."""
        return f"guest {self.number}"

    def take_attempt(self) -> bool:
        """Use up an attempt, if one is left."""
        if self.attempts_left == 0:
            return False
        self.attempts_left -= 1
        self.attempts_made += 1
        return True

    def give_back_attempt(self) -> None:
        """Undo the use of an attempt."""
        self.attempts_left += 1
        self.attempts_made -= 1


class Registry:
    """All guests of one generation.

    They are known by a digest that only this process can make, so that what they call themselves,
    which may be a secret, is not kept even in memory.
    """

    def __init__(self, first_id: int, attempts: int) -> None:
        """Give out ids from ``first_id``, and to each guest so many attempts."""
        self._first_id = first_id
        self._attempts = attempts
        self._guests: dict[bytes, Guest] = {}
        self._key = secrets.token_bytes(32)

    def guest(self, name: str) -> Guest:
        """Return the guest who comes with this user name or token."""
        digest = hashlib.blake2b(name.encode(errors="surrogatepass"), key=self._key).digest()
        if digest not in self._guests:
            before = len(self._guests)
            self._guests[digest] = Guest(before + 1, self._first_id + before, self._attempts)
        return self._guests[digest]

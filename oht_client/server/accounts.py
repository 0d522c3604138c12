"""Who has logged in, and how many official attempts each has left; in memory only."""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass


@dataclass
class Account:
    """Someone with a user name or a token, over all of their sessions.

    Attributes:
        number: From 1, in the order of their first log-in.
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


class Accounts:
    """All accounts of one generation.

    They are known by a digest that only this process can make, so that what people call themselves,
    which may be a secret, is not kept even in memory.
    """

    def __init__(self, first_id: int, attempts: int) -> None:
        """Give out ids from ``first_id``, and ``attempts`` to each account."""
        self._first_id = first_id
        self._attempts = attempts
        self._accounts: dict[bytes, Account] = {}
        self._key = secrets.token_bytes(32)

    def account(self, name: str) -> Account:
        """Return the account of this user name or token."""
        digest = hashlib.blake2b(name.encode(errors="surrogatepass"), key=self._key).digest()
        before = len(self._accounts)
        return self._accounts.setdefault(
            digest, Account(before + 1, self._first_id + before, self._attempts)
        )

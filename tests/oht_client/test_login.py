from __future__ import annotations

import pytest

from oht_client.answers import keyword_of


@pytest.mark.parametrize(
    ("text", "keyword"),
    [
        ("Please enter your username: ", "username"),
        ("Please enter your password: ", "password"),
        ("Welcome!", "Welcome"),
        ("Invalid credentials", "Invalid credentials"),
        ("Choose a player-name", "player-name"),
        ("Do you want to qualify?", "qualify"),
        ("Take part in the stress test?", "stress"),
        ("Sorry, no attempts left", "Sorry"),
        ("User did not want to participate in stress test.", "no stress"),
        ("Do you want to attempt to play an official tournament? (Y/n)", "qualify"),
        ("Enter API token: ", "token"),
        ("Password: ", "password"),
        ("QUALIFY?", "qualify"),
        ("welcome", None),
        ("What is your quest?", None),
        ("", None),
    ],
)
def test_a_prompt_is_recognised_by_its_keyword(text: str, keyword: str | None) -> None:
    assert keyword_of(text) == keyword


@pytest.mark.parametrize(
    ("text", "keyword"),
    [
        ("Invalid credentials: bad password", "password"),
        ("Welcome, choose a player-name", "Welcome"),
        ("Sorry, you cannot qualify", "qualify"),
        ("Password of this username", "username"),
    ],
)
def test_the_first_keyword_counts_as_in_the_client_of_the_course(text: str, keyword: str) -> None:
    assert keyword_of(text) == keyword

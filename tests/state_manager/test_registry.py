"""Games by name: construction, and the errors of wrong parameters."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from base.params import Section
from state_manager import GameError, UnknownGameError, game_names, game_schema, make_game
from state_manager.games import game_class
from state_manager.rules import rule


def test_all_games_are_made_with_their_defaults() -> None:
    assert set(game_names()) >= {"hex", "nim", "ledge", "tic_tac_toe", "connect_four", "hexapawn"}
    for name in game_names():
        game = make_game(name)
        assert game.name == name
        assert type(game) is game_class(name)
        assert issubclass(game_schema(name), Section)
        assert make_game(name, **game_schema(name)().model_dump()) == game


def test_games_with_other_parameters_differ() -> None:
    assert make_game("hex", size=4) != make_game("hex", size=5)
    assert make_game("hex") != make_game("nim")
    assert make_game("hex") != "hex"
    assert repr(make_game("nim", stones=9, max_take=2)) == "nim(stones=9, max_take=2)"


def test_arrays_and_numpy_numbers_are_accepted_as_lists_and_numbers() -> None:
    assert make_game("hex", size=np.int64(6)).params == {"size": 6}
    assert make_game("ledge", board=np.array([1, 0, 2])).params == {"board": [1, 0, 2]}
    assert make_game("ledge", board=(1, 0, 2)) == make_game("ledge", board=[1, 0, 2])


def refusal(name: str, **params: object) -> str:
    with pytest.raises(UnknownGameError) as caught:
        make_game(name, **params)
    return str(caught.value)


def test_an_unknown_game_is_refused_with_the_nearest_name() -> None:
    games = ", ".join(game_names())
    assert refusal("hax") == f"expected a game ({games}), got 'hax' (did you mean hex?)"
    assert refusal("ledger").endswith("got 'ledger' (did you mean ledge?)")
    assert refusal("chess").endswith("got 'chess'")
    assert refusal("").endswith("got ''")


_BOARD = "a list of 1 to 60 integers from 0 to 2"


@pytest.mark.parametrize(
    ("name", "params", "message"),
    [
        *(
            ("hex", {"size": given}, f"size: expected an integer from 3 to 19, got {words}")
            for given, words in ((2, "2"), (20, "20"), ("5", "'5'"), (5.0, "5.0"), (True, "true"))
        ),
        ("hex", {"sise": 5}, "sise: unknown key (did you mean size?)"),
        ("hex", {"stones": 5}, "stones: unknown key (expected size or swap)"),
        ("nim", {"stones": 5, "max_take": 6}, "max_take: expected at most stones (5), got 6"),
        ("hexapawn", {"size": 4}, "size: unknown key (expected none)"),
        ("connect_four", {"rows": 3}, "rows: expected an integer from 4 to 10, got 3"),
        ("ledge", {"board": [2, 2]}, "board: expected exactly one gold coin (2), got 2"),
        ("ledge", {"board": []}, f"board: expected {_BOARD}, got []"),
        ("ledge", {"board": "c.G"}, f"board: expected {_BOARD}, got 'c.G'"),
    ],
)
def test_wrong_parameters_are_refused(name: str, params: dict[str, object], message: str) -> None:
    assert refusal(name, **params) == f"{name}: {message}"


def test_a_rule_of_another_name_is_refused_with_the_nearest_one() -> None:
    def legal_moves() -> int:
        return 0

    words = "expected a rule, legal_actions, play, .* or proven_winner, got 'legal_moves'"
    with pytest.raises(GameError, match=rf"^{__name__}: {words} \(did you mean legal_actions\?\)$"):
        rule(legal_moves)


def test_naming_the_games_imports_none_of_them() -> None:
    script = (
        "import sys, state_manager; state_manager.game_names();"
        "sys.exit(any(name in sys.modules for name in ('numba', 'numpy', 'pydantic')))"
    )
    root = Path(__file__).parents[2]
    assert subprocess.run([sys.executable, "-c", script], cwd=root, check=False).returncode == 0

"""Mistakes in the parameters that no line of a table holds."""

from collections.abc import Callable

import pytest

from base.params import GameSchemas

MessageOf = Callable[..., str]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (f"seed: {'9' * 5000}", "expected a number of at most 200 characters, got one of 5000"),
        ("seed: " + "[" * 5000, "not YAML: nested too deeply"),
        (r'seed: "\UFFFFFFFF"', "not YAML: "),
    ],
    ids=["digits", "brackets", "an escape beyond Unicode"],
)
def test_endless_values_are_refused_in_a_line(
    message_of: MessageOf, content: str, message: str
) -> None:
    assert message_of(content).startswith(f"params.yaml:1: {message}")


def test_an_override_that_breaks_a_rule_names_the_key_in_the_file(message_of: MessageOf) -> None:
    message = message_of("rl:\n  minibatch_size: 50\n", "rl.replay_buffer_size=2")
    assert message.startswith("params.yaml:2: rl.minibatch_size: expected at most ")


def test_a_typo_is_reported_before_a_game_is_loaded(
    message_of: MessageOf, schemas: GameSchemas, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded: list[str] = []
    monkeypatch.setattr(schemas, "schema", loaded.append)
    assert "display.mode" in message_of("game: {size: 99}\ndisplay: {mode: of}")
    assert loaded == []

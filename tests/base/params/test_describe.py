"""Fields describe themselves, and params.yaml repeats their descriptions."""

import re
from pathlib import Path
from types import SimpleNamespace
from typing import Annotated, Any, Literal

import pytest
from pydantic import Field, create_model
from pydantic.fields import FieldInfo

from base.params import GameSchemas, Params, describe, load_params
from base.params.check import SECTIONS
from base.params.schema import GameSetup, RootParams
from base.words import one_of
from state_manager import game_names, game_schema

PARAMS_YAML = Path(__file__).parents[3] / "params.yaml"
_INTEGERS: Any = {"type": "integer"}

DESCRIPTIONS = [
    (Annotated[int, Field(ge=1, le=10_000_000)], "an integer from 1 to 10000000"),
    (Annotated[int, Field(ge=1)], "an integer of at least 1"),
    (int, "an integer"),
    (Annotated[float, Field(ge=0, le=1)], "a number from 0 to 1"),
    (Annotated[float, Field(ge=0.5, lt=4)], "a number from 0.5 to below 4"),
    (Annotated[float, Field(gt=0, le=10)], "a number above 0 and up to 10"),
    (Annotated[float, Field(gt=0, lt=1)], "a number above 0 and below 1"),
    (Annotated[float, Field(gt=0)], "a number above 0"),
    (Annotated[float, Field(le=0)], "a number up to 0"),
    (Annotated[float, Field(lt=0)], "a number below 0"),
    (Annotated[float, Field(gt=0)] | None, "null or a number above 0"),
    (Literal["linear", "sigmoid", "tanh", "relu"], "linear, sigmoid, tanh or relu"),
    (Literal["alternate", 1, 2], "alternate, 1 or 2"),
    (Literal["one"], "one"),
    (bool, "true or false"),
    (str, "a text"),
    (tuple[int, ...], "a list of integers"),
    (
        Annotated[tuple[Annotated[int, Field(ge=1, le=4096)], ...], Field(max_length=8)],
        "a list of 0 to 8 integers from 1 to 4096",
    ),
    (Annotated[tuple[float, ...], Field(min_length=2)], "a list of 2 or more numbers"),
    (tuple[Literal[0, 1, 2], ...], "a list of values, each 0, 1 or 2"),
    (Annotated[tuple[int, ...], Field(min_length=2, max_length=2)], "a list of 2 integers"),
    (
        Annotated[dict[int, float | bool], Field(json_schema_extra={"propertyNames": _INTEGERS})],
        "a mapping of integers, each to a number or true or false",
    ),
]


@pytest.mark.parametrize(("annotation", "words"), DESCRIPTIONS)
def test_a_field_is_described_in_words(annotation: Any, words: str) -> None:
    field = create_model("Example", key=(annotation, ...)).model_fields["key"]
    assert describe(field) == words


@pytest.mark.parametrize("annotation", [tuple[int, int], dict[str, int], bytes])
def test_a_field_without_a_description_is_refused(annotation: Any) -> None:
    field = create_model("Example", key=(annotation, ...)).model_fields["key"]
    with pytest.raises(TypeError, match="words for"):
        describe(field)


def descriptions(schemas: GameSchemas) -> dict[str, str]:
    games: dict[str, FieldInfo] = {**game_schema("hex").model_fields, **GameSetup.model_fields}
    sections = {name: each.model_fields for name, each in SECTIONS.items()} | {"game": games}
    fields = {"seed": RootParams.model_fields["seed"]}
    fields |= {
        f"{name}.{key}": each for name, keys in sections.items() for key, each in keys.items()
    }
    words = {name: f"{describe(field)}: {field.description}" for name, field in fields.items()}
    return words | {"game.name": f"{one_of(schemas.names())}: rules"}


def commented() -> dict[str, str]:
    section, found = "", dict[str, str]()
    for line in PARAMS_YAML.read_text(encoding="utf-8").splitlines():
        if match := re.match(r"(\w+):(?: +#.*)?$", line):
            section = f"{match[1]}."
        elif match := re.match(r"(?:  )?(\w+): .*?\S\s+# (.*)$", line):
            found[(section if line.startswith(" ") else "") + match[1]] = match[2]
    return found


def test_every_key_of_params_yaml_has_range_and_meaning_on_its_line(schemas: GameSchemas) -> None:
    expected = descriptions(schemas)
    assert not [key for key, words in expected.items() if words.endswith(("None", ": "))]
    for key, comment in commented().items():
        assert comment == expected[key]


def test_the_pivotal_parameters_fit_on_a_screen() -> None:
    pivotal = {
        *("game.name", "game.size", "game.starting_player", "mcts.simulations"),
        *("mcts.simulations_growth", "mcts.time_limit", "mcts.exploration"),
        *("mcts.rollout_epsilon", "anet.hidden_layers", "anet.activation", "anet.optimizer"),
        *("anet.learning_rate", "rl.episodes", "rl.cached_nets", "rl.save_interval"),
        *("rl.replay_buffer_size", "rl.minibatch_size", "rl.sigma", "rl.epsilon", "topp.games"),
        "display.mode",
    }
    assert pivotal <= commented().keys()
    lines = PARAMS_YAML.read_text(encoding="utf-8").splitlines()
    assert len(lines) <= 60
    assert max(map(len, lines)) <= 100
    assert len({line.index(" # ") for line in lines if re.match(r"\s*\w+: .* # ", line)}) == 1


def test_the_values_of_params_yaml_are_the_defaults_and_in_their_ranges(
    schemas: GameSchemas,
) -> None:
    defaults = load_params(None, game_schemas=schemas)
    assert load_params(PARAMS_YAML, game_schemas=schemas) == defaults
    assert Params.model_validate(dict(defaults)) == defaults


def test_params_yaml_and_its_examples_fit_the_real_games() -> None:
    games = SimpleNamespace(names=game_names, schema=game_schema)
    text = PARAMS_YAML.read_text(encoding="utf-8")
    names = [load_params(PARAMS_YAML, game_schemas=games).game.name]
    for example in re.findall(r"^# game: \{(.*)\}$", text, re.MULTILINE):
        words = [f"game.{word}" for word in re.split(r", (?=[a-z])", example.replace(": ", "="))]
        names.append(load_params(None, words, game_schemas=games).game.name)
    assert sorted(names) == sorted(game_names())
    comment = f"# {one_of(game_names())}: "
    assert comment in next(line for line in text.splitlines() if line.startswith("  name:"))

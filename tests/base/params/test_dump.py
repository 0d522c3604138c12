"""Written parameters are read back equal, also by readers of YAML 1.1."""

from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from base.params import (
    ANETParams,
    DisplayParams,
    GameParams,
    GameSchemas,
    MCTSParams,
    OHTParams,
    Params,
    RLParams,
    TOPPParams,
    dump_params,
    load_params,
)
from base.params.rl_section import ActionChoice, SchemeName

PROBABILITY = st.floats(0, 1)
CHOICES: st.SearchStrategy[ActionChoice] = st.sampled_from(
    ["greedy", "epsilon_greedy", "probabilistic"]
)
SCHEMES: st.SearchStrategy[SchemeName] = st.sampled_from(
    ["on_policy", "expert_iteration", "alphazero"]
)
YAML_1_1 = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # the former takes a tenth of the time


@st.composite
def parameters(draw: st.DrawFn, schemas: GameSchemas) -> Params:
    """Draw any parameters from their ranges."""
    episodes = draw(st.integers(1, 10_000_000))
    buffer = draw(st.integers(1, 10_000_000))
    stones = draw(st.integers(1, 120))
    name = draw(st.sampled_from(["hex", "nim"]))
    if name == "hex":
        options: dict[str, Any] = {"size": draw(st.integers(3, 19))}
    else:
        options = {
            "stones": stones,
            "max_take": draw(st.integers(1, stones)),
            "heaps": tuple(draw(st.lists(st.integers(1, 10**30), unique=True))),
            "label": draw(st.text() | st.sampled_from(["off", "1e-3", "~", "", "0x1", "1:30"])),
        }
    scheme = draw(SCHEMES)
    others = [] if scheme == "on_policy" else ["convolutional", "residual", "pooled"]
    return Params(
        seed=draw(st.integers(0, 2**32 - 1)),
        game=GameParams(
            name=name,
            starting_player=draw(st.sampled_from(["alternate", 1, 2])),
            options=schemas.schema(name)(**options),
        ),
        mcts=MCTSParams(
            simulations=draw(st.integers(1, 10_000_000)),
            simulations_growth=draw(st.floats(0.5, 4)),
            time_limit=draw(st.none() | st.floats(0, 3600, exclude_min=True)),
            exploration=draw(st.floats(0, 100)),
            rollout_epsilon_decay=draw(st.floats(0, 1, exclude_min=True)),
        ),
        anet=ANETParams(
            hidden_layers=tuple(draw(st.lists(st.integers(1, 4096), max_size=8))),
            activation=draw(st.sampled_from(["linear", "sigmoid", "tanh", "relu"])),
            network=draw(st.sampled_from(["mlp", *others])),
            batch_normalization=draw(st.booleans()),
            padded_size=draw(st.none() | st.integers(3, 19)),
            learning_rate=draw(st.floats(0, 10, exclude_min=True)),
            critic=True,
        ),
        rl=RLParams(
            episodes=episodes,
            cached_nets=draw(st.integers(2, min(1000, episodes + 1))),
            replay_buffer_size=buffer,
            minibatch_size=draw(st.integers(1, min(65_536, buffer))),
            scheme=scheme,
            epochs=draw(st.none() | st.integers(1, 10_000)),
            action_choice=draw(CHOICES),
            temperature_moves=draw(st.none() | st.integers(0, 10_000)),
            sigma=draw(PROBABILITY),
            symmetry=draw(st.booleans()),
        ),
        topp=TOPPParams(games=draw(st.integers(1, 100_000)), epsilon=draw(PROBABILITY)),
        display=DisplayParams(mode=draw(st.sampled_from(["off", "terminal", "window", "file"]))),
    )


@pytest.fixture(scope="session")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("dump") / "params.yaml"


@settings(deadline=None, max_examples=40)
@given(data=st.data())
def test_dumped_parameters_read_back_equal(
    file: Path, schemas: GameSchemas, data: st.DataObject
) -> None:
    params = data.draw(parameters(schemas))
    text = dump_params(params)
    file.write_bytes(text.encode())
    assert load_params(file, game_schemas=schemas) == params
    for_others = yaml.load(text, YAML_1_1)
    assert for_others["display"] == params.display.model_dump()
    assert for_others["mcts"] == params.mcts.model_dump()
    for key, value in params.game.options.model_dump().items():
        assert for_others["game"][key] == (list(value) if isinstance(value, tuple) else value)


def test_words_and_line_breaks_of_another_yaml_are_quoted(file: Path, schemas: GameSchemas) -> None:
    words = ["display.mode=off", "oht.agent='1e-3'"]
    text = dump_params(load_params(None, words, game_schemas=schemas))
    assert "  mode: 'off'\n" in text
    assert "  agent: '1e-3'\n" in text
    assert "  hidden_layers: [64, 64]\n" in text
    oht = OHTParams(agent="a\x85b\u2028c\u2029d")
    params = load_params(None, game_schemas=schemas).model_copy(update={"oht": oht})
    file.write_text(dump_params(params), encoding="utf-8")
    assert load_params(file, game_schemas=schemas) == params

"""Written parameters are read back equal, also by readers of YAML 1.1."""

from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from base.params import GameParams, GameSchemas, OHTParams, Params, dump_params, load_params
from base.params.check import SECTIONS

COUNT = st.integers(1, 10_000_000)
YAML_1_1 = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # the former takes a tenth of the time
VALUES: dict[str, dict[str, st.SearchStrategy[Any]]] = {
    "mcts": {
        "simulations": COUNT,
        "time_limit": st.none() | st.floats(0, 3600, exclude_min=True),
        "exploration": st.floats(0, 100),
    },
    "anet": {
        "hidden_layers": st.lists(st.integers(1, 4096), max_size=8).map(tuple),
        "activation": st.sampled_from(["linear", "sigmoid", "tanh", "relu"]),
        "padded_size": st.none() | st.integers(3, 19),
        "critic": st.just(True),
    },
    "rl": {"episodes": COUNT, "sigma": st.floats(0, 1), "symmetry": st.booleans()},
    "display": {"mode": st.sampled_from(["off", "terminal", "window", "file"])},
}
"""Of each kind of parameter, one or two."""
STONES = {
    "stones": st.just(120),
    "max_take": st.integers(1, 120),
    "heaps": st.lists(st.integers(1, 10**30), unique=True).map(tuple),
    "label": st.text() | st.sampled_from(["off", "1e-3", "~", "", "0x1", "1:30"]),
}
NETWORKS = {
    "on_policy": ["mlp"],
    "expert_iteration": ["mlp", "convolutional"],
    "alphazero": ["mlp", "residual", "pooled"],
}


@st.composite
def parameters(draw: st.DrawFn, schemas: GameSchemas) -> Params:
    values: dict[str, Any] = {name: draw(st.fixed_dictionaries(v)) for name, v in VALUES.items()}
    scheme = values["rl"]["scheme"] = draw(st.sampled_from(list(NETWORKS)))
    values["anet"]["network"] = draw(st.sampled_from(NETWORKS[scheme]))
    name = draw(st.sampled_from(["hex", "nim"]))
    given = {"size": st.integers(3, 19)} if name == "hex" else STONES
    options = schemas.schema(name)(**draw(st.fixed_dictionaries(given)))
    player: Any = draw(st.sampled_from(["alternate", 1, 2]))
    game = GameParams(name=name, starting_player=player, options=options)
    sections: dict[str, Any] = {name: SECTIONS[name](**each) for name, each in values.items()}
    return Params(seed=draw(st.integers(0, 2**32 - 1)), game=game, **sections)


@pytest.fixture(scope="session")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("dump") / "params.yaml"


@settings(max_examples=40)
@given(data=st.data())
def test_what_is_dumped_reads_back_equal(
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

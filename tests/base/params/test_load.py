"""Files, overrides and defaults give parameters, or an error of one line."""

import re
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from base.params import GameSchemas, Params, ParamsError, load_list, load_params, with_overrides


@pytest.fixture(scope="session")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("params") / "params.yaml"


def load(file: Path, schemas: GameSchemas, text: str, *overrides: str) -> Params:
    file.write_text(text, encoding="utf-8")
    return load_params(file, overrides, game_schemas=schemas)


@pytest.mark.parametrize(
    "text", ["", "# nothing\n", "---\n", "~", "{}", "mcts:\nrl: {}\n", "\ufeffseed: 1"]
)
def test_a_missing_key_takes_its_default(file: Path, schemas: GameSchemas, text: str) -> None:
    assert load(file, schemas, text) == load_params(None, game_schemas=schemas)


def test_a_file_of_an_earlier_version_may_have_keys_without_effect(
    file: Path, schemas: GameSchemas
) -> None:
    gone = "oht_server: {connections: 200, connections_per_address: 50}\nrl: {lag: 0}"
    assert load(file, schemas, gone) == load_params(None, game_schemas=schemas)
    with pytest.raises(ParamsError, match=r"rl\.lag"):
        load(file, schemas, "rl: {lag: 2}")


def test_the_game_holds_its_own_options_and_an_integer_is_accepted_for_a_float(
    file: Path, schemas: GameSchemas
) -> None:
    text = "game: {name: nim, starting_player: 2, heaps: [1, 2]}\nmcts: {time_limit: 2}"
    params = load(file, schemas, text)
    assert (params.game.name, params.game.starting_player) == ("nim", 2)
    options = {"stones": 10, "max_take": 3, "heaps": (1, 2), "label": "nim"}
    assert params.game.options.model_dump() == options
    assert isinstance(params.mcts.time_limit, float)


def test_overrides_replace_the_values_of_the_file_and_the_last_one_counts(
    file: Path, schemas: GameSchemas
) -> None:
    text = "seed: 2\nmcts: {simulations: 5, time_limit: 3}"
    words = ["mcts.simulations=6", "seed=3", "mcts.time_limit=", "mcts.simulations=7"]
    params = load(file, schemas, text, *words, "anet.hidden_layers=[]", "display.mode=off")
    assert (params.seed, params.mcts.simulations, params.mcts.time_limit) == (3, 7, None)
    assert (params.anet.hidden_layers, params.display.mode) == ((), "off")


@pytest.mark.parametrize(
    "words", [("game.name=nim", "game.stones=7"), ("game.stones=7", "game.name=nim")]
)
def test_naming_a_game_replaces_the_whole_section_in_any_order(
    file: Path, schemas: GameSchemas, words: tuple[str, str]
) -> None:
    params = load(file, schemas, "game: {name: hex, size: 9}", "game.name=hex")
    assert params.game.options.model_dump() == {"size": 5, "swap": False}
    params = load(file, schemas, "game: {name: hex, size: 9, starting_player: 2}", *words)
    assert (params.game.name, params.game.starting_player) == ("nim", "alternate")
    assert params.game.options.model_dump()["stones"] == 7


def test_loaded_parameters_are_frozen_and_a_copy_can_have_other_values(
    schemas: GameSchemas,
) -> None:
    params = load_params(None, ["game.size=7", "seed=9"], game_schemas=schemas)
    changed = with_overrides(params, ["rl.episodes=20"])
    assert (changed.seed, changed.rl.episodes, changed.game) == (9, 20, params.game)
    assert params.rl.episodes == 200
    assert with_overrides(params, []) == params
    assert hash(params) == hash(with_overrides(params, []))
    for section, key in ((params, "seed"), (params.rl, "episodes"), (params.game.options, "size")):
        with pytest.raises(ValidationError, match="frozen"):
            setattr(section, key, 7)


def test_the_game_cannot_be_changed_once_it_is_loaded(schemas: GameSchemas) -> None:
    params = load_params(None, game_schemas=schemas)
    with pytest.raises(ParamsError, match=r"^command line: game\.name: expected hex, got 'nim'$"):
        with_overrides(params, ["game.name=nim"])


@given(episodes=st.integers(1, 3000), data=st.data())
def test_nets_are_saved_from_the_untrained_one_to_the_last(
    schemas: GameSchemas, episodes: int, data: st.DataObject
) -> None:
    cached = data.draw(st.integers(2, min(1000, episodes + 1)))
    words = [f"rl.episodes={episodes}", f"rl.cached_nets={cached}"]
    saved = load_params(None, words, game_schemas=schemas).rl.save_episodes
    assert saved[0] == 0
    assert saved[-1] == episodes
    gaps = [later - earlier for earlier, later in pairwise(saved)]
    assert len(saved) == cached
    assert gaps == sorted(gaps), "the longer intervals are the last ones"
    assert gaps[0] >= 1
    assert gaps[-1] - gaps[0] <= 1


def test_nets_due_between_two_updates_are_saved_after_the_second(
    schemas: GameSchemas,
) -> None:
    for values, expected in (
        ("200 cached_nets=5", (0, 50, 100, 150, 200)),  # the assignment's
        ("20 cached_nets=3 episodes_per_update=8", (0, 16, 20)),
        ("40 cached_nets=3 episodes_per_update=8", (0, 24, 40)),
        ("250 cached_nets=6 episodes_per_update=50", (0, 50, 100, 150, 200, 250)),
        ("200 cached_nets=5 episodes_per_update=100", (0, 100, 200)),
        ("3 cached_nets=5", (0, 1, 2, 3)),
        ("10 cached_nets=5", (0, 2, 4, 7, 10)),
        ("25 save_interval=10", (0, 10, 20, 25)),
        ("20 save_interval=10", (0, 10, 20)),
        ("3 save_interval=10", (0, 3)),
        ("20 save_interval=5 episodes_per_update=8", (0, 8, 16, 20)),
    ):
        words = [f"rl.{word}" for word in f"episodes={values}".split()]
        assert load_params(None, words, game_schemas=schemas).rl.save_episodes == expected


WORDS = st.sampled_from(
    [
        *("seed", "game", "mcts", "anet", "rl", "name", "hex", "nim", "size", "activation"),
        *("hidden_layers", "critic", "true", "~", "1", "1.5", "9" * 30, "é", "\ud7ff", "- ", "? "),
        *(": ", ":", "\n", "\n  ", "[", "]", "{", "}", ", ", '"', "'", "#", "|", ">", "<<"),
        *("&a", "*a", "!", "!!int ", "---", "...", "%YAML 1.2\n", "\\U", "\\x"),
        *("\t", "\r", "\x00", "\x85", "\u2028", "\ufeff"),
    ]
)


def complain(file: Path, schemas: GameSchemas, overrides: list[str]) -> None:
    """Load, and check that an error, if there is one, is a single line."""
    message = "command line: "
    try:
        load_params(file, overrides, game_schemas=schemas)
    except ParamsError as error:
        message = str(error)
    assert len(message.splitlines()) == 1
    assert message.startswith((str(file), "command line: "))


@given(
    st.lists(
        st.text()
        | st.builds(
            "{}={}".format,
            st.sampled_from(["seed", "mcts.simulations", "anet.hidden_layers", "game.name"]),
            st.lists(WORDS, max_size=8).map("".join) | st.text(),
        ),
        min_size=1,
        max_size=3,
    )
)
def test_any_override_gives_parameters_or_an_error_of_one_line(
    file: Path, schemas: GameSchemas, overrides: list[str]
) -> None:
    file.write_text("")
    complain(file, schemas, overrides)


@given(
    st.binary(max_size=200)
    | (st.text() | st.lists(WORDS, max_size=30).map("".join)).map(
        lambda text: text.encode("utf-8", "surrogatepass")
    )
)
def test_any_bytes_give_parameters_or_an_error_of_one_line(
    file: Path, schemas: GameSchemas, data: bytes
) -> None:
    file.write_bytes(data)
    complain(file, schemas, [])


def test_a_path_that_is_no_file_is_refused(tmp_path: Path, schemas: GameSchemas) -> None:
    for path, reason in ((tmp_path / "none", "no such file"), (tmp_path, "expected a file, got")):
        for load_it in (lambda path: load_params(path, game_schemas=schemas), load_list):
            with pytest.raises(ParamsError, match=f"^{re.escape(str(path))}: {reason}"):
                load_it(path)


def test_a_file_that_is_far_too_long_is_refused_and_a_name_is_shown_in_one_line(
    tmp_path: Path, schemas: GameSchemas
) -> None:
    (tmp_path / "long.yaml").write_bytes(b"#" * 2**17 + b"\n")
    with pytest.raises(ParamsError, match=r"at most 131072 bytes, got 131073$"):
        load_params(tmp_path / "long.yaml", game_schemas=schemas)
    with pytest.raises(ParamsError, match=r"a\\n\\x1b\[31m: no such file"):
        load_params(tmp_path / "a\n\x1b[31m", game_schemas=schemas)

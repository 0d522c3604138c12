"""Files, overrides and defaults give parameters, or an error of one line; presets."""

import re
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from base.params import GameSchemas, Params, ParamsError
from base.params.load import load_list, load_params, with_overrides
from base.params.yaml12 import Given, dump_params, parse, parse_scalar
from hex_mcts.system import PRESETS, read_params
from main import DEFAULT_PARAMS
from tests.base.params.tables import ANSWERS, MISTAKES, VALUES
from tests.golden.tables import answered, parts

PARTS = parts(MISTAKES) | parts(VALUES)


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


def test_a_file_of_an_earlier_version_may_have_old_keys(file: Path, schemas: GameSchemas) -> None:
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


def test_overrides_replace_the_file_and_the_last_one_counts(
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


def test_loaded_parameters_are_frozen_and_a_copy_can_differ(schemas: GameSchemas) -> None:
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
    assert (saved[0], saved[-1]) == (0, episodes)
    gaps = [later - earlier for earlier, later in pairwise(saved)]
    assert len(saved) == cached
    assert gaps == sorted(gaps), "the longer intervals are the last ones"
    assert gaps[0] >= 1
    assert gaps[-1] - gaps[0] <= 1


WORDS = st.sampled_from(
    [
        *("seed", "game", "mcts", "anet", "rl", "name", "hex", "nim", "size", "activation"),
        *("hidden_layers", "critic", "true", "~", "1", "1.5", "9" * 30, "é", "\ud7ff", "- ", "? "),
        *(": ", ":", "\n", "\n  ", "[", "]", "{", "}", ", ", '"', "'", "#", "|", ">", "<<"),
        *("&a", "*a", "!", "!!int ", "---", "...", "%YAML 1.2\n", "\\U", "\\x"),
        *("\t", "\r", "\x00", "\x85", "\u2028", "\ufeff"),
    ]
)


def check_refusal(file: Path, schemas: GameSchemas, overrides: list[str]) -> str:
    """Load, and return an error, if there is one, which is a single line."""
    try:
        load_params(file, overrides, game_schemas=schemas)
    except ParamsError as error:
        message = str(error)
        assert len(message.splitlines()) == 1
        assert message.startswith((str(file), "command line: "))
        return message.removeprefix(f"{file}:")
    return ""


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
    check_refusal(file, schemas, overrides)


@given(
    st.binary(max_size=200)
    | (st.text() | st.lists(WORDS, max_size=30).map("".join)).map(
        lambda text: text.encode("utf-8", "surrogatepass")
    )
)
def test_any_bytes_give_parameters_or_one_line(
    file: Path, schemas: GameSchemas, data: bytes
) -> None:
    file.write_bytes(data)
    check_refusal(file, schemas, [])


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


@pytest.mark.parametrize(
    ("content", "overrides", "message"),
    [
        (f"seed: {'9' * 5000}", [], "1: expected a number of at most 200 characters, got one of 5"),
        ("seed: " + "[" * 5000, [], "1: not YAML: nested too deeply"),
        (r'seed: "\UFFFFFFFF"', [], "1: not YAML: "),
        (
            "rl:\n  minibatch_size: 50\n",
            ["rl.replay_buffer_size=2"],
            "2: rl.minibatch_size: expected at most ",
        ),
        ("a:\n  b: 1\n  b: 1", [], "3: a.b: given twice, first on line 2"),
    ],
    ids=["digits", "brackets", "an escape", "a rule that an override breaks", "twice"],
)
def test_mistakes_that_no_table_can_hold_are_refused_in_a_line(
    file: Path, schemas: GameSchemas, content: str, overrides: list[str], message: str
) -> None:
    file.write_text(content)
    assert check_refusal(file, schemas, overrides).startswith(message)


def test_a_typo_is_reported_before_a_game_is_loaded(
    file: Path, schemas: GameSchemas, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded: list[str] = []
    monkeypatch.setattr(schemas, "schema", loaded.append)
    file.write_text("game: {size: 99}\ndisplay: {mode: of}")
    assert "display.mode" in check_refusal(file, schemas, [])
    assert loaded == []


@given(st.floats(allow_nan=False, allow_infinity=False) | st.integers(-(10**50), 10**50))
def test_python_numbers_read_back_equal(number: float) -> None:
    assert parse_scalar(repr(number)) == number


def test_every_key_and_every_item_has_its_line_and_quotes_make_strings() -> None:
    where = "here:{}".format
    assert parse("""['1', "true"]""", where).plain == ["1", "true"]
    document = parse("a: 1\n\nb:\n  c: [1,\n    2]\n", where)
    numbers = [Given(1, "here:4"), Given(2, "here:5")]
    inner = Given({"c": Given(numbers, "here:4")}, "here:3")
    assert document.value == {"a": Given(1, "here:1"), "b": inner}


@pytest.mark.parametrize("title", PARTS)
def test_a_case_has_the_answer_in_the_table(title: str) -> None:
    """After an intended change: ``python -m tests.base.params.tables``; read the difference."""
    assert answered(title, PARTS[title], ANSWERS) == PARTS[title]


def resolved(*words: str, preset: str = "") -> Params:
    return read_params(PRESETS[preset] if preset else DEFAULT_PARAMS, words)


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_is_a_whole_file_whose_values_have_an_effect(name: str, tmp_path: Path) -> None:
    params = resolved(preset=name)
    assert params.without_effect == []
    assert params.rl.scheme != "on_policy"
    assert params.rl.episodes_per_update > 1
    saved = resolved("rl.episodes=3", preset=name).rl.save_episodes
    assert (saved[0], saved[-1]) == (0, 3), "fewer episodes than nets are possible"
    assert PRESETS[name].read_text().startswith("# ")
    (tmp_path / "again.yaml").write_text(dump_params(params))
    assert read_params(tmp_path / "again.yaml") == params


@pytest.mark.parametrize("words", [["game.size=7"], ["game.size=19"], ["game.name=nim"]])
def test_without_a_name_no_preset_is_used(words: list[str]) -> None:
    params, usual = resolved(*words), resolved()
    assert (params.mcts, params.anet, params.rl) == (usual.mcts, usual.anet, usual.rl)
    assert params.rl.scheme == "on_policy"


def test_the_command_line_overrides_a_preset() -> None:
    for name in ("nim", "ledge", "connect_four"):
        assert resolved(f"game.name={name}", preset="connect-four").game.name == name
    params = resolved("rl.exploiter=[]", "mcts.simulations=7", "anet.network=mlp", preset="hex-4")
    assert (params.rl.exploiter, params.mcts.simulations) == ((), 7)
    assert (params.anet.network, params.mcts.tree_policy) == ("mlp", "gumbel")

"""Every mistake in the parameters, and the exact line of its error."""

from collections.abc import Callable
from typing import get_args

import pytest

from base.params import GameSchemas, load_params
from base.params.rl_section import SchemeName
from base.words import one_of
from state_manager import game_names

MessageOf = Callable[..., str]

GAMES = one_of(game_names())
SCHEMES = one_of(get_args(SchemeName))

IN_THE_FILE = {
    "a misspelled choice": (
        "anet:\n  activation: rellu\n",
        "2: anet.activation: expected linear, sigmoid, tanh or relu, got 'rellu' "
        "(did you mean relu?)",
    ),
    "an unknown key": (
        "seed: 1\nmcts:\n  simulatons: 5\n",
        "3: mcts.simulatons: unknown key (did you mean simulations?)",
    ),
    "a key of another section": (
        "mcts: {learning_rate: 1}",
        "1: mcts.learning_rate: unknown key (did you mean anet.learning_rate?)",
    ),
    "a key like no other": (
        "topp: {xyz: 1}",
        "1: topp.xyz: unknown key (expected games, action_choice, epsilon or regret_positions)",
    ),
    "a key that is not a word": (
        'topp: {"a\\nb": 1}',
        r"1: topp.'a\nb': unknown key "
        "(expected games, action_choice, epsilon or regret_positions)",
    ),
    "an unknown key of a game": (
        "game: {name: hex, sice: 5}",
        "1: game.sice: unknown key (did you mean size?)",
    ),
    "an unknown section": (
        "mtcs: {simulations: 5}",
        "1: mtcs: unknown section (did you mean mcts?)",
    ),
    "a section like no other": (
        "zzz: 1",
        "1: zzz: unknown section "
        "(expected seed, game, mcts, anet, rl, topp, play, display, oht or oht_server)",
    ),
    "a word for a number": (
        "mcts: {simulations: many}",
        "1: mcts.simulations: expected an integer from 1 to 10000000, got 'many'",
    ),
    "a float for an integer": (
        "mcts: {simulations: 5.0}",
        "1: mcts.simulations: expected an integer from 1 to 10000000, got 5.0",
    ),
    "a boolean for an integer": (
        "seed: true",
        "1: seed: expected an integer from 0 to 4294967295, got true",
    ),
    "a YAML 1.1 boolean": (
        "anet: {critic: yes}",
        "1: anet.critic: expected true or false, got 'yes' (did you mean true?)",
    ),
    "a section for a number": (
        "seed: {a: [1, null]}",
        "1: seed: expected an integer from 0 to 4294967295, got {a: [1, null]}",
    ),
    "not a number": (
        "mcts: {time_limit: .nan}",
        "1: mcts.time_limit: expected null or a number above 0 and up to 3600, got nan",
    ),
    "a number below its range": (
        "mcts: {rollout_epsilon_decay: 0}",
        "1: mcts.rollout_epsilon_decay: expected a number above 0 and up to 1, got 0",
    ),
    "a number above its range": (
        "game: {size: 20}",
        "1: game.size: expected an integer from 3 to 19, got 20",
    ),
    "a number of many digits": (
        f"seed: {'9' * 5000}",
        "1: expected a number of at most 200 characters, got one of 5000",
    ),
    "a wrong item of a list": (
        "anet:\n  hidden_layers: [64, 0]",
        "2: anet.hidden_layers: expected a list of 0 to 8 integers from 1 to 4096, got [64, 0]",
    ),
    "the first of two mistakes": (
        "rl:\n  sigma: 2\n  episodes: 0\n",
        "2: rl.sigma: expected a number from 0 to 1, got 2",
    ),
    "an unknown game": (
        "game:\n  name: nimm",
        f"2: game.name: expected {GAMES}, got 'nimm' (did you mean nim?)",
    ),
    "a rule of a game": (
        "game:\n  name: nim\n  stones: 10\n  max_take: 12",
        "4: game.max_take: expected at most stones (10), got 12",
    ),
    "a rule of a game, about a key that is left out": (
        "seed: 1\ngame:\n  name: nim\n  stones: 2\n",
        "2: game.max_take: expected at most stones (2), got 3",
    ),
    "a rule about one key of a game": (
        "game: {name: nim, heaps: [2, 2]}",
        "1: game.heaps: expected heaps of different sizes, got [2, 2]",
    ),
    "a fixed interval of episodes in a run of minutes": (
        "rl:\n  minutes: 3\n  save_interval: 5",
        "3: rl.save_interval: expected null with rl.minutes=3, got 5",
    ),
    "a minibatch larger than the buffer": (
        "rl:\n  replay_buffer_size: 50",
        "2: rl.minibatch_size: expected at most rl.replay_buffer_size (50), got 64",
    ),
    "sigma without a critic": (
        "rl:\n  sigma: 0.5",
        "2: rl.sigma: expected 1, or a net with a critic (anet.critic=true), got 0.5",
    ),
    "a key given twice": (
        "anet:\n  critic: true\n  view: mover\n  critic: false",
        "4: anet.critic: given twice, first on line 2",
    ),
    "a list as key": ("? [a]\n: 1", "1: expected a word as key, got a list or mapping"),
    "a file that is a list": (
        "- 1\n- 2",
        " expected the sections seed, game, mcts, anet, rl, topp, play, display, oht "
        "and oht_server, got [1, 2]",
    ),
    "a tab": (
        "mcts:\n\tsimulations: 5",
        r"2: not YAML: found character '\t' that cannot start any token",
    ),
    "an open bracket": (
        "anet:\n  hidden_layers: [64\n",
        "3: not YAML: expected ',' or ']', but got '<stream end>'",
    ),
    "two documents": (
        "seed: 1\n---\nseed: 2",
        "2: not YAML: expected a single document in the stream but found another document",
    ),
    "an alias": (
        "rl: &a {epsilon: 1}\ntopp: *a",
        "2: not YAML: aliases and tags are not used here",
    ),
    "a control character": ("seed: 1\nrl: \x01", r"2: not YAML: found the character '\x01'"),
    "an escape beyond Unicode": (r'seed: "\UFFFFFFFF"', "1: not YAML: "),
    "an unknown tag": (
        "seed: !!python/name:os.system x",
        "1: not YAML: aliases and tags are not used here",
    ),
    "deep nesting": ("seed: " + "[" * 5000, "1: not YAML: nested too deeply"),
    "another encoding": (b"seed: 1\n# caf\xe9\n", "2: expected UTF-8 text, got the byte 0xe9"),
}
"""The content of the file, and the message after its name."""

ON_THE_COMMAND_LINE = {
    "simulations=5": "simulations: unknown section "
    "(did you mean mcts.simulations or play.simulations?)",
    "size=7": "size: unknown section (did you mean game.size?)",
    "stones=7": "stones: unknown section (did you mean game.stones?)",
    "M=50": "M: unknown section (did you mean mcts.simulations or rl.cached_nets?)",
    "G=4": "G: unknown section (did you mean topp.games?)",
    "anet.hidden_layers=64,0": "anet.hidden_layers: expected a list of 0 to 8 integers "
    "from 1 to 4096, got '64,0'",
    "rl.sizes=5:1,5:2": "rl.sizes: expected a mapping of integers from 3 to 19, each to a number "
    "from 0 to 1000 or a list of 2 or more numbers from 0 to 1000, got '5:1,5:2'",
    "mcts=5": ("expected mcts.key=value for each key, such as mcts.simulations=500, got 'mcts=5'"),
    "seed.x=5": "expected seed=value, got 'seed.x=5'",
    "mcts.simulations": "expected section.key=value, got 'mcts.simulations'",
    "=5": "expected section.key=value, got '=5'",
    "a.b.c=5": "'a.b': unknown section "
    "(expected seed, game, mcts, anet, rl, topp, play, display, oht or oht_server)",
    "seed=1e3": "seed: expected an integer from 0 to 4294967295, got 1000.0",
    "anet.hidden_layers=[64": "anet.hidden_layers: not YAML: "
    "expected ',' or ']', but got '<stream end>'",
    "game.name=chess": f"game.name: expected {GAMES}, got 'chess'",
    "rl.scheme=alpha_zero": f"rl.scheme: expected {SCHEMES}, "
    "got 'alpha_zero' (did you mean alphazero?)",
}


@pytest.mark.parametrize("case", IN_THE_FILE)
def test_a_mistake_in_the_file_is_named_with_its_line(case: str, message_of: MessageOf) -> None:
    content, message = IN_THE_FILE[case]
    message = f"params.yaml:{message}"
    if message.endswith(" "):
        assert message_of(content).startswith(message)
    else:
        assert message_of(content) == message


@pytest.mark.parametrize("override", ON_THE_COMMAND_LINE)
def test_a_mistake_on_the_command_line_is_named(override: str, message_of: MessageOf) -> None:
    assert message_of("", override) == f"command line: {ON_THE_COMMAND_LINE[override]}"


def test_an_override_that_breaks_a_rule_names_the_key_in_the_file(message_of: MessageOf) -> None:
    message = message_of("rl:\n  minibatch_size: 50\n", "rl.replay_buffer_size=2")
    expected = "rl.minibatch_size: expected at most rl.replay_buffer_size (2), got 50"
    assert message == f"params.yaml:2: {expected}"


def test_a_typo_is_reported_before_a_game_is_loaded(
    message_of: MessageOf, schemas: GameSchemas, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded: list[str] = []
    monkeypatch.setattr(schemas, "schema", loaded.append)
    assert "display.mode" in message_of("game: {size: 99}\ndisplay: {mode: of}")
    assert loaded == []


@pytest.mark.parametrize("text", ['oht: {agent: "\\ud800"}', '"\\udcff": 1'])
def test_half_a_character_is_refused_in_a_text(message_of: MessageOf, text: str) -> None:
    assert "params.yaml:1: expected text, got half a character, '\\ud" in message_of(text)


@pytest.mark.parametrize("key", ["oht_server.host", "oht.server", "oht.agent", "oht.certificate"])
@pytest.mark.parametrize("value", ["''", r'"\0"', r'"\e[31m"'])
def test_a_text_is_not_empty_and_holds_no_control_characters(
    message_of: MessageOf, key: str, value: str
) -> None:
    assert f"{key}: expected " in message_of("", f"{key}={value}")


@pytest.mark.parametrize("text", ["::", "::1", "a: b"])
def test_a_text_with_a_colon_is_a_text_on_the_command_line(schemas: GameSchemas, text: str) -> None:
    params = load_params(None, [f"oht_server.host={text}"], game_schemas=schemas)
    assert params.oht_server.host == text

"""Presets: settings for a run that sets only the game, the board or the scheme."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from base.params import Params, ParamsError, dump_params
from hex_mcts.system import PRESETS, find_preset, read_params
from main import DEFAULT_PARAMS
from tests.project import ROOT

SMALL = ["rl.scheme=alphazero", "game.size=4"]
WITHOUT_A_NET = [
    f"mcts.{w}" for w in ("tree_policy=uct", "root_noise=0", "q_scale=null", "value_discount=null")
]


def resolved(*words: str, file: Path = DEFAULT_PARAMS) -> Params:
    """Return the parameters of a run that starts with these words."""
    is_standard = file == DEFAULT_PARAMS
    preset = find_preset(file, words, is_standard)
    return read_params(file, words, [] if preset is None else [preset], is_standard)


@pytest.mark.parametrize("size", [4, 5])
def test_scheme_and_size_give_the_recipe_of_the_examples(size: int) -> None:
    example = read_params(ROOT / "docs" / "examples" / f"hex_{size}_perfect.yaml")
    params = resolved("rl.scheme=alphazero", f"game.size={size}", "display.mode=off")
    assert params == example


def test_expert_iteration_gets_the_numbers_of_its_example() -> None:
    example = read_params(ROOT / "docs" / "examples" / "hex_5_expert_iteration.yaml")
    words = ("rl.scheme=expert_iteration", "anet.view=mover", "rl.workers=2", "display.every=4000")
    assert resolved(*words) == example


def test_on_policy_has_the_values_of_the_file() -> None:
    for words in ([], ["game.size=4"], ["game.name=nim"]):
        assert find_preset(DEFAULT_PARAMS, words, True) is None


def test_a_large_board_is_trained_by_alphazero_unless_another_scheme_is_named(
    tmp_path: Path,
) -> None:
    assert resolved("game.size=7") == resolved("game.size=7", "rl.scheme=alphazero")
    assert resolved("game.size=7").anet.network == "pooled"
    assert resolved("game.size=7").rl.sizes.keys() == {5, 6, 7}
    for words in (("rl.lag=1", "rl.exploiter=[]"), ("rl.epochs=2",), ("rl.gating_games=2",)):
        assert resolved("game.size=7", *words).rl.sizes == {}
    assert resolved("game.size=7", "rl.episodes=5").rl.cached_nets <= 6
    assert resolved("game.size=7", "rl.replay_buffer_size=100").rl.minibatch_size <= 100
    assert resolved(*SMALL, "rl.lag=1").rl.exploiter == ()
    assert find_preset(DEFAULT_PARAMS, ["game.size=7", "rl.scheme=on_policy"], True) is None
    for scheme, network in (("", "pooled"), ("rl: {scheme: on_policy}", "mlp")):
        (tmp_path / "file.yaml").write_text(f"game: {{name: hex, size: 7}}\n{scheme}\n")
        assert resolved(file=tmp_path / "file.yaml").anet.network == network


@pytest.mark.parametrize("name", ["hexapawn", "tic_tac_toe", "nim", "ledge", "connect_four"])
@pytest.mark.parametrize("scheme", ["alphazero", "expert_iteration"])
def test_every_game_gets_settings_that_fit(name: str, scheme: str) -> None:
    params = resolved(f"game.name={name}", f"rl.scheme={scheme}")
    assert params.rl.episodes_per_update > 1


def test_the_command_line_overrides_a_preset() -> None:
    params = resolved(*SMALL, "rl.exploiter=[]", "mcts.simulations=7", "anet.network=mlp")
    assert (params.rl.exploiter, params.mcts.simulations) == ((), 7)
    assert params.anet.network == "mlp"
    assert params.mcts.tree_policy == "gumbel"


def test_a_preset_value_without_effect_beside_the_given_ones_is_left_out(tmp_path: Path) -> None:
    rl = resolved(*SMALL).rl
    assert (rl.random_plies, rl.mixed_play, rl.bootstrap) == (3, True, 0.1)
    params = resolved(*SMALL, "anet.network=mlp")
    rl = params.rl
    assert (rl.random_plies, rl.mixed_play, rl.bootstrap) == (0, False, 0.0)
    assert rl.exploiter
    (tmp_path / "again.yaml").write_text(dump_params(params))
    assert read_params(tmp_path / "again.yaml") == params


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["rl.random_plies=3"], "rl.random_plies: expected 0 with rl.scheme=on_policy, where it"),
        (["rl.mixed_play=true"], "rl.mixed_play: expected false with rl.scheme=on_policy"),
        ([*SMALL, "rl.bootstrap=0.2", "anet.network=mlp"], "0 with anet.network=mlp, where it has"),
        ([*SMALL, "rl.random_plies=1", "mcts.time_limit=2"], "expected 0 with mcts.time_limit=2"),
        (
            [*SMALL, *WITHOUT_A_NET, "rl.mixed_play=true"],
            "rl.mixed_play: expected a tree policy that uses a net with it, got mcts.",
        ),
        (["rl.exploiter_cases=9"], "rl.exploiter_cases: expected rl.exploiter with it, got none"),
        (["rl.reuse=6", "rl.epochs=2"], "rl.epochs: expected null with rl.reuse=6"),
    ],
)
def test_a_value_without_effect_is_refused(words: list[str], message: str) -> None:
    with pytest.raises(ParamsError, match=re.escape(message)):
        resolved(*words)


def test_the_reuse_of_cases_is_set_by_one_key_only(tmp_path: Path) -> None:
    assert resolved(*SMALL).rl.reuse == 8
    for word in ("rl.epochs=3", "rl.minibatches=9"):
        assert resolved(*SMALL, word).rl.reuse is None


def test_values_changed_in_the_default_file_override_presets(tmp_path: Path) -> None:
    file = tmp_path / "params.yaml"
    file.write_text(DEFAULT_PARAMS.read_text().replace("  simulations: 500 ", "  simulations: 60 "))
    preset = find_preset(file, SMALL, True)
    assert preset is not None
    params = read_params(file, SMALL, [preset], True)
    assert (params.mcts.simulations, params.rl.episodes) == (60, 8192)


def test_another_file_with_more_than_the_scheme_takes_no_preset(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text("game: {name: hex, size: 4}\nrl: {scheme: alphazero}\n")
    assert resolved(file=file).rl == resolved(*SMALL).rl
    file.write_text("game: {name: hex, size: 4}\nrl: {scheme: alphazero, episodes: 300}\n")
    assert resolved(file=file) == read_params(file)
    for example in (ROOT / "docs" / "examples").glob("*.yaml"):
        assert find_preset(example, [], False) is None


def test_mistakes_are_reported_as_without_a_preset() -> None:
    with pytest.raises(ParamsError, match=r"command line: rl\.episodes: expected an integer"):
        resolved(*SMALL, "rl.episodes=many")
    with pytest.raises(ParamsError, match=r"command line: game\.name: expected hex, nim"):
        resolved("game.name=go", "rl.scheme=alphazero")


def test_the_presets_file_is_beside_the_parameters() -> None:
    assert PRESETS.parent == DEFAULT_PARAMS.parent
    assert PRESETS.is_file()

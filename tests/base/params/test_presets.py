"""Presets: files of parameters that come with the program, chosen by name."""

from __future__ import annotations

from pathlib import Path

import pytest

from base.params import Params, ParamsError, dump_params
from hex_mcts.system import PRESETS, read_params
from main import DEFAULT_PARAMS


def resolved(*words: str, preset: str = "") -> Params:
    """Return the parameters of a run with a preset and these words."""
    return read_params(PRESETS[preset] if preset else DEFAULT_PARAMS, words)


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_is_a_whole_file_in_which_every_value_has_an_effect(
    name: str, tmp_path: Path
) -> None:
    params = resolved(preset=name)
    assert params.without_effect == []
    assert params.rl.scheme != "on_policy"
    assert params.rl.episodes_per_update > 1
    assert PRESETS[name].read_text().startswith("# ")
    (tmp_path / "again.yaml").write_text(dump_params(params))
    assert read_params(tmp_path / "again.yaml") == params


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_takes_fewer_episodes_than_nets(name: str) -> None:
    saved = resolved("rl.episodes=3", preset=name).rl.save_episodes
    assert (saved[0], saved[-1]) == (0, 3)


@pytest.mark.parametrize("words", [["game.size=7"], ["game.size=19"], ["game.name=nim"]])
def test_without_a_name_no_preset_is_used(words: list[str]) -> None:
    params, usual = resolved(*words), resolved()
    assert (params.mcts, params.anet, params.rl) == (usual.mcts, usual.anet, usual.rl)
    assert params.rl.scheme == "on_policy"


@pytest.mark.parametrize("name", ["nim", "ledge", "connect_four"])
def test_every_game_has_a_preset(name: str) -> None:
    assert resolved(f"game.name={name}", preset="connect-four").game.name == name


def test_the_command_line_overrides_a_preset() -> None:
    params = resolved("rl.exploiter=[]", "mcts.simulations=7", "anet.network=mlp", preset="hex-4")
    assert (params.rl.exploiter, params.mcts.simulations) == ((), 7)
    assert (params.anet.network, params.mcts.tree_policy) == ("mlp", "gumbel")


def test_a_conflict_names_the_line_of_the_preset() -> None:
    with pytest.raises(
        ParamsError, match=r"hex_7\.yaml:\d+: rl\.sizes: expected a weight for game"
    ):
        resolved("game.size=9", preset="hex-7")


@pytest.mark.parametrize(
    ("preset", "words", "messages"),
    [
        ("", ["rl.random_plies=3"], ["rl.random_plies=3 has no effect with rl.scheme=on_policy"]),
        ("", ["rl.exploiter_cases=9"], ["rl.exploiter_cases=9 has no effect without rl.exploiter"]),
        (
            "",
            ["rl.ray_address=auto"],
            ["rl.ray_address='auto' has no effect with rl.engine=threads"],
        ),
        ("", ["rl.reuse=6", "rl.epochs=2"], ["rl.epochs=2 has no effect with rl.reuse=6"]),
        (
            "hex-4",
            ["anet.network=mlp"],
            [
                "rl.random_plies=3 has no effect with anet.network=mlp",
                "rl.mixed_play=true has no effect with anet.network=mlp",
                "rl.bootstrap=0.1 has no effect with anet.network=mlp",
            ],
        ),
        (
            "hex-4",
            ["mcts.time_limit=2", "rl.mixed_play=false", "rl.bootstrap=0"],
            ["rl.random_plies=3 has no effect with mcts.time_limit=2.0"],
        ),
    ],
)
def test_values_without_effect_are_named(
    preset: str, words: list[str], messages: list[str]
) -> None:
    assert resolved(*words, preset=preset).without_effect == messages


def test_mixed_play_needs_a_tree_policy_with_a_net() -> None:
    words = ["tree_policy=uct", "root_noise=0", "q_scale=null", "value_discount=null"]
    with pytest.raises(
        ParamsError, match=r"rl\.mixed_play: expected a tree policy that uses a net"
    ):
        resolved(*(f"mcts.{word}" for word in words), preset="hex-4")

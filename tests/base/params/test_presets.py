"""Presets: files of parameters that come with the program, chosen by name."""

from __future__ import annotations

from pathlib import Path

import pytest

from base.params import Params, dump_params
from hex_mcts.system import PRESETS, read_params
from main import DEFAULT_PARAMS


def resolved(*words: str, preset: str = "") -> Params:
    return read_params(PRESETS[preset] if preset else DEFAULT_PARAMS, words)


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_is_a_whole_file_in_which_every_value_has_an_effect(
    name: str, tmp_path: Path
) -> None:
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

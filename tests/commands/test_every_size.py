"""Every board runs what params.yaml says: the assignment's scheme, a net that plays rollouts."""

from __future__ import annotations

from pathlib import Path

import pytest

from anet import ANET
from base.params import Params
from commands.plan import Plan, Speed
from hex_mcts.system import DEFAULT_PARAMS, PRESETS, read_params
from tests.commands.conftest import Call

SHORT = ("mcts.simulations=4", "rl.episodes=1", "display.mode=off")
SPEED = Speed(1e-3, 6.0, 0.5, topp_game_seconds=6e-3, picture_seconds=0.5)
PLAN = Plan(1, 1, simulations=4, delay=0.0, training_seconds=1e-6)  # one game is played out


def differing(params: Params, size: int) -> set[str]:
    """Return the keys that are not as in params.yaml, but for the size of the board."""
    usual = read_params(DEFAULT_PARAMS, [f"game.size={size}"])
    return {
        f"{section}.{key}"
        for section in ("game", "mcts", "anet", "rl", "topp", "play", "display")
        for key, value in dict(getattr(params, section)).items()
        if value != dict(getattr(usual, section))[key]
    }


@pytest.mark.parametrize("size", [*range(3, 11), 11, 13, 19])
def test_train_and_demo_run_what_params_yaml_says(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    monkeypatch.setattr("commands.demo.practice_simulations", lambda *arguments: 4)
    monkeypatch.setattr("commands.demo.measure", lambda *arguments: SPEED)
    monkeypatch.setattr("commands.demo.fit", lambda *arguments: PLAN)
    monkeypatch.setattr("commands.demo._show_last_against_first", lambda *arguments: None)
    trained = call("train", "--run", "run", f"game.size={size}", *SHORT)
    demo = call("demo", f"game.size={size}", "display.mode=off", "topp.games=2")
    (shown,) = (tmp_path / "runs").iterdir()
    for result, folder, changed in (
        (trained, tmp_path / "run", {"mcts.simulations", "rl.episodes", "display.mode"}),
        (demo, shown, {"mcts.simulations", "rl.episodes", "display.mode", "topp.games"}),
    ):
        assert (result.status, result.errors) == (0, "")
        first = result.output.splitlines()[0]
        assert first.startswith(f"Parameters: params.yaml, with game.size={size} ")
        params = read_params(folder / "params.yaml")
        assert differing(params, size) == changed
        net = ANET.load(folder / "anet_00001.pt")
        assert (params.rl.scheme, params.rl.sigma, net.params.network) == ("on_policy", 1.0, "mlp")
        assert net.params.hidden_layers == params.anet.hidden_layers
        assert net.params.facts.plays_rollouts


@pytest.mark.parametrize("name", PRESETS)
def test_the_first_line_names_a_preset(call: Call, name: str) -> None:
    quick = ("rl.episodes=2", "rl.episodes_per_update=2", "rl.exploiter=[]", "rl.sizes={}")
    result = call("train", "--preset", name, *quick, "mcts.simulations=3", "rl.minibatches=1")
    file = PRESETS[name]
    words = f"Parameters: presets/{file.name} (preset {name}), with rl.episodes=2 "
    assert result.output.startswith(words)


def test_an_unknown_preset_or_none_gets_the_list(call: Call) -> None:
    for words, got in ((["hex-9"], "'hex-9' (did you mean hex-"), ([], "none")):
        result = call("train", "--preset", *words)
        assert result.status == 2
        assert result.errors.count("\n") == 1
        assert all(name in result.errors for name in PRESETS)
        assert got in result.errors
    assert all(f"\n  {name} " in call("train", "--help").output for name in PRESETS)


def test_a_preset_and_a_file_exclude_each_other(call: Call) -> None:
    result = call("train", "--preset", "hex-4", "--params", "mine.yaml")
    assert (result.status, "not allowed with" in result.errors) == (2, True)


@pytest.mark.parametrize(
    ("text", "is_told"),
    [
        ("game: {name: hex, size: 7}", True),
        ("game: {name: hex, size: 7}\nseed: 3", True),
        ("game: {name: hex, size: 4}\nrl: {scheme: alphazero}", True),
        ("game: {name: hex, size: 4}", False),
        ("game: {name: hex, size: 7}\nmcts: {simulations: 3}", False),
    ],
)
def test_a_line_tells_of_a_preset_that_earlier_versions_chose(
    call: Call, tmp_path: Path, text: str, is_told: bool
) -> None:
    (tmp_path / "mine.yaml").write_text(text)
    result = call("train", "--params", "mine.yaml", "--run", "run", *SHORT)
    assert (result.status, result.errors) == (0, "")
    assert ("WARNING: mine.yaml: without --preset no preset" in result.output) == is_told
    assert "no preset" not in call("train", "--run", "run", "--resume").output


@pytest.mark.parametrize("preset", [None, *PRESETS])
def test_fewer_episodes_than_nets_are_told_in_a_line(preset: str | None, call: Call) -> None:
    words = ["--preset", preset] if preset else []
    quick = ("mcts.simulations=3", "rl.exploiter=[]", "rl.sizes={}", "display.mode=off")
    if preset is None:
        result = call("train", "--run", "run", "rl.episodes=3", *quick)
        assert "4 nets will be cached, not 5; number of updates: 3.\n" in result.output
    else:
        result = call("train", *words, "--run", "run", "rl.episodes=1", *quick)
        assert "2 nets will be cached, not " in result.output
    assert (result.status, result.errors) == (0, "")

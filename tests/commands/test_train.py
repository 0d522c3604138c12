"""The command that trains, also from the weights of a net."""

import itertools
import re
import shlex
import shutil
import sys
import time
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import Mock

import numpy as np
import pytest
from PIL import Image

import rl.self_play_engine
from anet import ANET
from base.params import ANETParams
from base.storage import FileError, read_jsonl
from cli.shell import command_line
from commands.train import gating_report
from hex_mcts.system import DEFAULT_PARAMS, PRESETS, read_params
from judge import Judge
from rl.clock import RunClock
from state_manager import make_game
from tests.commands.conftest import TINY_RUN, Call

TINY = [word for word in TINY_RUN if not word.startswith("game.")]
"""Such a run, of any game."""
SHORT = [word for word in TINY_RUN if not word.startswith(("game.", "anet."))]
BEGIN = ("train", "--run", "run", "--from", "first.pt", *SHORT)
RUN = Path("run")


def test_a_run_directory_holds_all_that_is_promised(trained: Path) -> None:
    nets = {"anet_00000.pt", "anet_00002.pt", "anet_00004.pt"}
    logs = {"metrics.jsonl", "metrics.csv", "games.jsonl", "training.png"}
    others = {"checkpoint.pt", "checkpoint_previous.pt", "params.yaml"}
    assert {path.name for path in trained.iterdir()} == nets | logs | others
    assert [line["episode"] for line in read_jsonl(trained / "metrics.jsonl")] == [1, 2, 3, 4]
    with Image.open(trained / "training.png") as picture:
        assert picture.format == "PNG"
    assert ANET.load(trained / "anet_00004.pt").episode == 4


def test_training_prints_the_next_commands_and_the_regret_and_draws_its_curves(call: Call) -> None:
    more = ("display.tensorboard=true", "rl.regret_positions=20")
    output = call.output("train", "--run", "run", *TINY_RUN, *more)
    assert f"Next: {command_line('topp', '--run', 'run')}\n" in output
    assert f"On the page: {command_line('serve', '--watch', 'run')}\n" in output
    said = r": [\d.]+% of won positions thrown away, \d of 9 first moves mis"
    assert all(re.search(f"Episode {episode}{said}", output) for episode in (2, 4))
    with Image.open(RUN / "openings.png") as picture:
        assert picture.format == "PNG"
    assert len(list((RUN / "tensorboard").iterdir())) == 1
    output = call.output("topp", "--run", "run", "display.mode=off", "topp.games=2")
    assert re.search(r"Regret, .* throws away: [\d.]+%, [\d.]+%, [\d.]+%\.\n", output)


def test_what_cannot_begin_leaves_no_run(call: Call) -> None:
    call.patch.setattr("proofs.regret.Judge", lambda game, limit: Judge(game, min(limit, 20_000)))
    words = ("game.name=connect_four", "rl.regret_positions=20", "display.mode=off")
    assert "got connect_four(rows=6, columns=7)\n" in call.error("train", *words)
    call.patch.setitem(sys.modules, "tensorboardX", None)
    line = call.error("train", *TINY_RUN, "display.tensorboard=true", status=1)
    assert "tensorboardX is missing; pip install" in line
    assert not any(Path().iterdir())


def test_a_run_without_name_has_a_new_folder_and_topp_the_newest(call: Call, trained: Path) -> None:
    call.output("train", *TINY_RUN)
    (run,) = Path("runs").iterdir()
    assert run.name.startswith("hex-3-")
    newest = shutil.copytree(trained, Path("runs/newest"))
    (newest / "checkpoint.pt").touch()
    output = call.output("topp", "topp.games=2", "display.mode=off")
    assert output.startswith(f"Nets of {newest}, the newest run; another: --run DIR\n")
    assert (newest / "standings.json").exists()


def test_drawn_games_are_reported_too() -> None:
    games = {"gating_games": [5, 5], "gating_wins": [3, 0], "gating_draws": 4}
    record = games | {"win_fraction": 0.5, "accepted": False}
    assert gating_report(make_game("tic_tac_toe"), 7, record) == (
        "Iteration 7. As O: 0 out of 5. As X: 3 out of 5. Total wins: 3, and 4 draws. "
        "frac_win: 0.50, the old net is kept."
    )


def test_a_finite_loss_beyond_reason_is_remarked_on_once(call: Call) -> None:
    output = call.output("train", *TINY_RUN, "anet.optimizer=adam", "anet.learning_rate=10")
    assert output.count("WARNING: the loss is ") == 1
    assert "try a smaller anet.learning_rate (now 10)" in output


def test_what_is_done_in_the_end_hides_no_error(call: Call) -> None:
    call.patch.setattr("rl.RLSystem.train", Mock(side_effect=MemoryError))
    call.patch.setattr("commands.train.draw_curves", Mock(side_effect=FileError("no curves")))
    assert "not enough memory" in call.error("train", *TINY_RUN, status=1)


def test_a_run_has_the_parameters_of_params_yaml_on_any_board(call: Call) -> None:
    words = ("game.size=7", "mcts.simulations=4", "rl.episodes=1", "display.mode=off")
    call.output("train", "--run", "run", *words)
    params, net = read_params(RUN / "params.yaml"), ANET.load(RUN / "anet_00001.pt")
    assert params == read_params(DEFAULT_PARAMS, words)
    assert (params.rl.scheme, params.rl.sigma, net.params.network) == ("on_policy", 1.0, "mlp")
    assert net.params.facts.plays_rollouts


NET = ANETParams(hidden_layers=(7, 5), activation="tanh", critic=True, learning_rate=0.01)


@pytest.fixture
def net(call: Call) -> Path:
    run = {"rl": {"scheme": "expert_iteration"}}
    ANET(make_game("hex", size=3), NET, seed=9, run_params=run).save(Path("first.pt"))
    return Path("first.pt")


def weights(path: Path) -> list[bytes]:
    return [tensor.numpy().tobytes() for tensor in ANET.load(path).state()[1].values()]


def test_a_run_begins_with_the_weights_and_the_architecture_of_a_net(call: Call, net: Path) -> None:
    output = call.output(*BEGIN, "mcts.simulations=9", "anet.learning_rate=0.02")
    assert f"weights of {net}, and has its architecture and game." in output
    assert weights(RUN / "anet_00000.pt") == weights(net)
    params = read_params(RUN / "params.yaml")
    assert params.anet == NET.model_copy(update={"learning_rate": 0.02})
    assert params.game.options.model_dump() == {"size": 3, "swap": False}
    assert params.rl.scheme == "on_policy"  # that of params.yaml
    assert params.rl.start == str(net)


@pytest.mark.usefixtures("net")
@pytest.mark.parametrize("preset", ["hex-4", "hex-5-expert-iteration"])
def test_all_but_weights_and_architecture_is_that_of_a_named_file(call: Call, preset: str) -> None:
    words = ("game.size=3", "anet.view=absolute", "rl.exploiter=[]")
    output = call.output(*BEGIN, "--preset", preset, *words)
    file = PRESETS[preset]
    assert output.startswith(f"Parameters: presets/{file.name} (preset {preset}), with mcts.")
    params, named = read_params(RUN / "params.yaml"), read_params(file)
    assert (params.rl.scheme, params.mcts.q_scale) == (named.rl.scheme, named.mcts.q_scale)
    assert params.anet.optimizer == named.anet.optimizer
    assert (params.anet.hidden_layers, params.anet.critic) == ((7, 5), True)


def test_the_run_is_resumed_without_the_net(call: Call, net: Path) -> None:
    words = ("rl.episodes_per_update=1", "rl.cached_nets=2")
    call.output(*BEGIN, *words, "--run", "whole", "rl.episodes=4")
    call.output(*BEGIN, *words, "rl.episodes=2")
    net.unlink()
    call.output("train", "--run", "run", "--resume", "rl.episodes=4")
    last = [Path(run, "anet_00004.pt").read_bytes() for run in ("run", "whole")]
    assert last[0] == last[1]
    (RUN / "anet_00000.pt").unlink()
    output = call.output("train", "--run", "run", "--resume", "rl.episodes=6")
    assert "no checkpoint holds this net" in output
    assert not (RUN / "anet_00000.pt").exists(), "the seed would make another one"


def test_a_pooled_net_begins_a_run_on_a_larger_board(call: Call) -> None:
    params = ANETParams(network="pooled", channels=4, blocks=1, critic=True)
    small = ANET(make_game("hex", size=3), params, seed=9)
    small.save("first.pt")
    words = ("mcts.tree_policy=gumbel", "rl.scheme=alphazero", "rl.episodes_per_update=4")
    call.output(*BEGIN, "game.size=4", *words, "mcts.simulations=4", "rl.minibatches=1")
    large = ANET.load(RUN / "anet_00000.pt")
    assert large.game == make_game("hex", size=4)
    assert weights(RUN / "anet_00000.pt") == weights(Path("first.pt"))
    same = ANET(large.game, params, seed=1)
    same.restore(small.state()[1], 0)
    state = large.game.initial_state()
    assert np.array_equal(large.policy(state), same.policy(state))


def test_minutes_end_with_the_command_that_counts_episodes(call: Call) -> None:
    looks = itertools.count()  # at the clock, before each search
    with call.patch.context() as patched:
        patched.setattr(RunClock, "games_end", lambda self: 40)
        patched.setattr(rl.self_play_engine, "time", SimpleNamespace(time=lambda: next(looks)))
        words = ("rl.cached_nets=9", "--minutes", "90")
        output = call.output("train", "--run", "run", *TINY_RUN, *words)
    episodes = len((RUN / "metrics.jsonl").read_text().splitlines())
    assert episodes > 0
    begin = f"{episodes} episodes; for the same number again: "
    (line,) = [line for line in output.splitlines() if line.startswith(begin)]
    again = shlex.split(line.partition(" train ")[2])
    assert again[-1] == f"rl.episodes={episodes}"
    assert read_params(RUN / "params.yaml").rl.minutes == 90.0
    call.output("train", "--run", "again", *again)
    for minutes, longer in (("90", "180"), ("45", "180")):  # the run took 90
        over = call("train", "--run", "run", "--resume", "--minutes", minutes).output
        assert f"The {minutes} minutes are already over; to go on, add --minutes M" in over
        assert f" --minutes {longer}." in over


def test_the_time_that_the_start_of_the_command_takes_counts(call: Call) -> None:
    began: list[float] = []
    start = RunClock.start

    def starts(self: RunClock, moment: float | None = None) -> None:
        began.extend([] if moment is None else [moment])
        start(self, moment)

    call.patch.setattr(RunClock, "start", starts)
    before = time.perf_counter()
    call.output("train", "--run", "run", *TINY_RUN)
    assert began[0] < before + 0.1 * (time.perf_counter() - before)

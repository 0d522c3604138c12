"""The command that trains."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest
from PIL import Image

from anet import ANET
from base.storage import FileError, read_jsonl
from commands.shell import command_line
from commands.train import gating_report
from judge import Judge
from state_manager import make_game
from tests.commands.conftest import TINY_RUN, Call, Result, tree

TINY = [word for word in TINY_RUN if not word.startswith("game.")]
"""Such a run, of any game."""
NETS = {"anet_00000.pt", "anet_00002.pt", "anet_00004.pt"}


def test_a_run_directory_holds_all_that_is_promised(trained: Path) -> None:
    names = {path.name for path in trained.iterdir()}
    logs = {"metrics.jsonl", "metrics.csv", "games.jsonl", "training.png"}
    assert names - {f"standings.{kind}" for kind in ("json", "csv", "png")} == NETS | logs | {
        "params.yaml",
        "checkpoint.pt",
        "checkpoint_previous.pt",
    }
    assert [line["episode"] for line in read_jsonl(trained / "metrics.jsonl")] == [1, 2, 3, 4]
    with Image.open(trained / "training.png") as picture:
        assert picture.format == "PNG"
    assert ANET.load(trained / "anet_00004.pt").episode == 4


def test_training_prints_its_files_and_the_next_commands(call: Call) -> None:
    result = call("train", "--run", "mine", *TINY_RUN)
    assert (result.status, result.errors) == (0, "")
    assert "hex(size=3): 4 episodes, run directory mine" in result.output
    assert "training: 4/4" in result.output
    assert "Nets: anet_00000.pt, anet_00002.pt, anet_00004.pt" in result.output
    assert f"Next: {command_line('topp', '--run', 'mine')}\n" in result.output
    assert f"On the page: {command_line('serve', '--watch', 'mine')}\n" in result.output


def test_the_regret_of_cached_nets_is_printed_and_drawn(call: Call) -> None:
    result = call("train", "--run", "mine", *TINY_RUN, "rl.regret_positions=20")
    assert (result.status, result.errors) == (0, "")
    for episode in (2, 4):
        assert re.search(
            rf"Episode {episode}: [\d.]+% of won positions thrown away, \d of 9 first moves mis",
            result.output,
        )
    with Image.open("mine/openings.png") as picture:
        assert picture.format == "PNG"
    assert "Regret" in call("topp", "--run", "mine", "display.mode=off", "topp.games=2").output


def test_a_game_too_large_for_the_judge_is_refused_in_one_line(
    call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("proofs.regret.Judge", lambda game, limit: Judge(game, min(limit, 20_000)))
    words = ("game.name=connect_four", "rl.regret_positions=20", "display.mode=off")
    result = call("train", "--run", "mine", *words)
    assert result.status == 2
    assert re.search(r"got connect_four\(rows=6, columns=7\)\n$", result.errors)
    assert result.errors.count("\n") == 1
    assert not Path("mine").exists()


def test_a_number_of_nets_below_the_requested_one_is_announced(call: Call) -> None:
    result = call("train", "--run", "mine", *TINY_RUN, "rl.episodes_per_update=4")
    assert "2 nets will be cached, not 3; number of updates: 1.\n" in result.output
    assert "Nets: anet_00000.pt, anet_00004.pt\n" in result.output


def test_options_and_overrides_may_stand_in_any_order(call: Call, tmp_path: Path) -> None:
    tiny = list(TINY_RUN)
    assert call("train", *tiny[:2], "--run", "one", *tiny[2:], "seed=5").status == 0
    assert call("train", "seed=5", *tiny, "--run=two").status == 0
    assert call("train", "--run", "three", "seed=4", *tiny, "seed=5").status == 0
    one, two, three = (
        {name: data for name, data in tree(tmp_path / run).items() if name in NETS}
        for run in ("one", "two", "three")
    )
    assert one == two == three


def test_without_a_name_a_run_gets_a_new_folder_under_runs(call: Call, tmp_path: Path) -> None:
    for number in (1, 2):
        assert call("train", *TINY_RUN).status == 0
        runs = sorted((tmp_path / "runs").iterdir())
        assert len(runs) == number
        assert all(run.name.startswith("hex-3-") for run in runs)
    (runs[1] / "checkpoint.pt").touch()
    result = call("topp", "topp.games=2", "display.mode=off")
    assert result.status == 0
    assert (runs[1] / "standings.json").exists()


def test_a_parameter_file_replaces_the_usual_one(call: Call, tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text(
        "seed: 8\n"
        "game: {name: nim, stones: 6, max_take: 2}\n"
        "mcts: {simulations: 5}\n"
        "rl: {episodes: 2, cached_nets: 2, minibatches: 1}\n"
        "display: {mode: off}\n"
    )
    result = call("train", "--params", "mine.yaml", "--run", "run", "mcts.simulations=7")
    assert result.status == 0
    params = (tmp_path / "run" / "params.yaml").read_text()
    for line in ("seed: 8", "name: nim", "stones: 6", "simulations: 7", "hidden_layers: [64, 64]"):
        assert line in params
    again = call("train", "--params", "run/params.yaml", "--run", "again")
    assert again.status == 0
    assert (tmp_path / "again" / "params.yaml").read_text() == params


def test_a_folder_that_holds_a_run_is_not_written_to(
    call: Call, tmp_path: Path, trained: Path
) -> None:
    before = tree(trained)
    result = call("train", "--run", trained, *TINY_RUN)
    assert result.status == 2
    expected = f"main.py train: {trained}: holds a run already; add --resume"
    assert result.errors.startswith(expected)
    assert tree(trained) == before


def test_each_iteration_of_alphazero_is_reported(call: Call, tmp_path: Path) -> None:
    words = ("game.name=hexapawn", "rl.scheme=alphazero", "rl.episodes_per_update=2")
    two = ("rl.gating_games=6", "rl.cached_nets=2", "rl.episodes=2")
    first = call("train", "--run", "run", *TINY, *words, *two)
    then = call("train", "--run", "run", "--resume", "rl.episodes=4")
    output = first.output + then.output
    for iteration, record in enumerate(read_jsonl(tmp_path / "run" / "metrics.jsonl"), start=1):
        assert record["gating_games"] == [3, 3]
        white, black = record["gating_wins"]
        kept = "the new net is taken" if record["accepted"] else "the old net is kept"
        assert (
            f"Iteration {iteration}. As black: {black} out of 3. As white: {white} out of 3. "
            f"Total wins: {white + black}. frac_win: {record['win_fraction']:.2f}, {kept}."
        ) in output
    assert iteration == 2


def test_drawn_games_are_reported_too() -> None:
    record = {
        "gating_games": [5, 5],
        "gating_wins": [3, 0],
        "gating_draws": 4,
        "win_fraction": 0.5,
        "accepted": False,
    }
    assert gating_report(make_game("tic_tac_toe"), 7, record) == (
        "Iteration 7. As O: 0 out of 5. As X: 3 out of 5. Total wins: 3, and 4 draws. "
        "frac_win: 0.50, the old net is kept."
    )


def test_a_finished_run_prints_the_command_that_continues_it(call: Call, tmp_path: Path) -> None:
    assert call("train", "--run", "run", *TINY_RUN).status == 0
    nets = {name: data for name, data in tree(tmp_path).items() if name.startswith("run/anet")}
    result = call("train", "--run", "run", "--resume")
    assert (result.status, result.errors) == (0, "")
    assert (
        "All 4 episodes are already finished; to go on, add rl.episodes=N, such as rl.episodes=8."
    ) in result.output
    assert "training:" not in result.output
    assert nets.items() <= tree(tmp_path).items()
    assert call("train", "--run", "run", "--resume", "rl.episodes=8").status == 0


def test_an_extended_run_reports_that_its_shortened_update_is_repeated(call: Call) -> None:
    words = ("--run", "run", *TINY_RUN, "rl.episodes_per_update=3")
    assert call("train", *words).status == 0
    notice = (
        "The last update, after episode 4, was cut short by the end of the run and is undone. "
        "1 game was kept, to be learned from again.\n"
    )
    assert notice in call("train", *words, "--resume", "rl.episodes=6").output
    assert "undone" not in call("train", *words, "--resume", "rl.episodes=9").output


def test_a_net_that_diverges_is_status_1_and_one_line(call: Call, tmp_path: Path) -> None:
    words = ("rl.episodes=60", "rl.minibatches=20", "anet.hidden_layers=[64,64]")
    wild = ("anet.activation=linear", "anet.optimizer=sgd", "anet.learning_rate=10")
    result = call("train", "--run", "run", *TINY_RUN, *words, *wild)
    assert result.status == 1
    assert result.errors.count("\n") == 1
    assert "training diverged" in result.errors
    named = Path(result.errors.rpartition("the last good net is ")[2].strip())
    assert ANET.load(tmp_path / named).episode == int(named.stem.removeprefix("anet_"))


def test_the_first_and_each_chosen_episode_is_shown(call: Call) -> None:
    result = call("train", *TINY_RUN, "display.mode=terminal", "display.every=3")
    assert result.status == 0
    shown = [number for number in range(1, 5) if f"episode {number} of 4" in result.output]
    assert shown == [1, 3]
    assert result.output.count(" wins in ") == 2


def test_a_window_that_cannot_be_opened_leaves_no_run(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MPLBACKEND", "agg")
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    result = call("train", *TINY_RUN, "display.mode=window")
    assert result.status == 2
    assert "use display.mode=terminal or display.mode=file" in result.errors
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("game", ["nim", "ledge", "tic_tac_toe", "connect_four", "hexapawn"])
def test_the_other_games_train_and_play_their_tournament(call: Call, game: str) -> None:
    words = ("display.mode=terminal", "display.every=4")
    trained = call("train", "--run", "run", *TINY, f"game.name={game}", *words)
    assert (trained.status, trained.errors) == (0, "")
    assert f"{game}(" in trained.output
    played = call("topp", "--run", "run", "topp.games=2")
    assert (played.status, played.errors) == (0, "")
    assert "anet_00000 against anet_00002, game 1 of 2" in played.output


@pytest.mark.parametrize(
    ("name", "held"),
    [
        *((name, name) for name in ("params.yaml", "metrics.jsonl", "games.jsonl")),
        ("anet_00004.pt", "nets"),
    ],
)
def test_files_that_are_there_are_not_overwritten(
    call: Call, tmp_path: Path, name: str, held: str
) -> None:
    (tmp_path / name).write_text("mine\n")
    expected = f"main.py train: .: holds {held} already; name another --run DIR\n"
    assert call("train", "--run", ".", *TINY_RUN) == Result(2, "", expected)
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {name: "mine\n"}


def test_curves_are_written_for_tensorboard_while_a_run_trains(call: Call, tmp_path: Path) -> None:
    words = ("train", "--run", "mine", *TINY_RUN, "display.tensorboard=true")
    assert call(*words).status == 0
    assert len(list((tmp_path / "mine" / "tensorboard").iterdir())) == 1


def test_without_tensorboard_a_run_ends_before_it_begins(
    call: Call, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, "tensorboardX", None)
    result = call("train", "--run", "mine", *TINY_RUN, "display.tensorboard=true")
    assert (result.status, result.output) == (1, "")
    assert "tensorboardX is missing; pip install" in result.errors
    assert not any(tmp_path.iterdir())


def test_a_finite_loss_beyond_reason_is_remarked_on_once(call: Call) -> None:
    result = call("train", *TINY_RUN, "anet.optimizer=adam", "anet.learning_rate=10")
    assert result.status == 0
    assert result.output.count("WARNING: the loss is ") == 1
    assert "try a smaller anet.learning_rate (now 10)" in result.output


def test_what_is_done_in_the_end_hides_no_error(
    call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*arguments: object) -> None:
        raise FileError("nothing to draw")

    def fail(*arguments: object, **options: object) -> None:
        raise MemoryError

    monkeypatch.setattr("rl.RLSystem.train", fail)
    monkeypatch.setattr("commands.train.draw_curves", full)
    result = call("train", *TINY_RUN)
    assert (result.status, result.errors.count("\n")) == (1, 1)
    assert "not enough memory" in result.errors

"""The command that shows the whole program in a short time."""

import math
import shlex
import textwrap
from pathlib import Path
from types import SimpleNamespace

import pytest

from cli.plan import Plan, Speed
from cli.shell import command_line
from commands.demo import next_steps
from hex_mcts.system import DEFAULT_PARAMS, read_params
from rl import cached_nets
from rl.clock import RunClock
from tests.commands.conftest import Call

pytestmark = pytest.mark.usefixtures("each_look_takes_a_second")

SLOW = Speed(1e-3, plies=6.0, other_seconds=0.5, topp_game_seconds=6e-3, picture_seconds=0.5)
PLAN = Plan(8, 1, simulations=5, delay=0.0, training_seconds=20.0)
SMALL = (
    *("game.size=3", "display.mode=off", "topp.games=2"),
    *("anet.hidden_layers=[8]", "rl.cached_nets=9", "rl.minibatches=1"),
)


def test_the_demo_trains_plays_a_tournament_and_prints_next_steps(call: Call) -> None:
    # An impossibly slow machine, so that the time suffices on a busy real one.
    call.patch.setattr("commands.demo.measure", lambda *arguments: SLOW)
    call.patch.setattr("commands.demo.topp_game_seconds", lambda *arguments: 6e-3)
    call.patch.setenv("COLUMNS", "80")
    words = ("game.size=3", "display.delay=0", "topp.games=4", "rl.minibatches=1")
    output = call.output("demo", "--seconds", "600", *words)
    (folder,) = Path("runs").iterdir()
    nets = cached_nets(folder)
    assert len(nets) == 5
    shown, plan = f"{nets[-1].stem} against anet_00000, which starts", "5 cached nets, 4 games of"
    for said in ("In at most 600 seconds: ", plan, "episode 1 ", shown, "(Kendall's tau"):
        assert said in output
    assert (folder / "standings.png").exists()
    params, usual = (read_params(file, words) for file in (folder / "params.yaml", DEFAULT_PARAMS))
    assert (params.game, params.anet, params.topp) == (usual.game, usual.anet, usual.topp)
    on_screen = [row for line in output.splitlines() for row in textwrap.wrap(line, 80)]
    assert any(row.startswith("Standings") for row in on_screen[-23:]), "in sight on 24 lines"
    steps = [*map(str.strip, output.rpartition("To try next:")[2].split("\n")[1:5])]
    assert steps == next_steps(folder, nets[-1], words)
    # The first two are for humans; the others hold what the parser reads.
    start = len(shlex.split(command_line()))
    again, train = (shlex.split(step)[start:] for step in steps[2:])
    call.output(*again, "topp.games=1", "display.mode=off")
    quick = ("rl.episodes=1", "rl.cached_nets=2", "display.mode=off")
    call.output(*train, "--run", "next", *quick)
    assert "size: 3" in Path("next/params.yaml").read_text(), "the same game"


@pytest.mark.parametrize("games_end", [None, 0])
def test_fewer_nets_than_wanted_are_told(call: Call, games_end: int | None) -> None:
    call.patch.setattr("commands.demo.measure", lambda *arguments: SLOW)
    call.patch.setattr("commands.demo.fit", lambda *arguments: PLAN)
    if games_end is not None:  # no time for a whole game
        call.patch.setattr(
            RunClock, "games_end", lambda clock: games_end if clock.length < math.inf else math.inf
        )
    output = call.output("demo", "--seconds", "20", *SMALL)
    nets = [net.stem for net in cached_nets(next(Path("runs").iterdir()))]
    assert 2 < len(nets) < 9 if games_end is None else nets == ["anet_00000", "anet_00001"]
    assert f"{len(nets)} nets, not 9: " in output


def test_starting_and_measuring_count_towards_the_time_and_compiling_does_not(call: Call) -> None:
    clock, compiled, left = SimpleNamespace(now=1000.0), [0.0], list[float]()
    clock.perf_counter = lambda: clock.now

    def compile_slowly(*arguments: object) -> int:
        clock.now, compiled[0] = clock.now + 500.0, 500.0
        return 10

    def measure_slowly(*arguments: object) -> Speed:
        clock.now += 3.0
        return SLOW

    def plan(params: object, speed: Speed, seconds: float, watched: bool) -> Plan:
        left.append(seconds)
        return PLAN

    call.patch.setattr("main.time", clock)
    for name, part in {
        "time": clock,
        "compiling_seconds": lambda: compiled[0],
        "practice_simulations": compile_slowly,
        "measure": measure_slowly,
        "fit": plan,
    }.items():
        call.patch.setattr(f"commands.demo.{name}", part)
    output = call.output("demo", "--seconds", "20", *SMALL)
    assert left == [20.0 - 0.5 - 3.0]
    assert "4 seconds in all, beside 500 for compiling." in output


def test_a_slow_machine_trains_and_plays_the_least(call: Call) -> None:
    slow = SLOW._replace(simulation_seconds=0.1, other_seconds=5.0)
    call.patch.setattr("commands.demo.measure", lambda *arguments: slow)
    call.patch.setattr("commands.demo.topp_game_seconds", lambda *arguments: 9.0)
    words = (*SMALL, "mcts.simulations=10", "topp.games=4", "rl.cached_nets=5")
    output = call.output("demo", "--seconds", "20", *words)
    assert "about 4 episodes with 1 simulations a move" in output
    assert "2 games of each pair, not 4: the time is short." in output


def test_the_next_steps_repeat_the_overrides() -> None:
    overrides = ("game.name=nim", "mcts.simulations=9", "game.stones=21", "anet.hidden_layers=[8]")
    page, play, topp, train = next_steps(
        Path("run"), Path("run/net.pt"), overrides, Path("my params")
    )
    assert page == command_line("serve", "--watch", "run")
    assert play == command_line("play", "--first", "human", "--second", "anet:run/net.pt")
    assert topp.endswith("topp --run run topp.action_choice=probabilistic topp.games=200")
    words = shlex.split(train)[len(shlex.split(command_line())) :]
    assert words == [
        *("train", "--params", "my params", "game.name=nim", "game.stones=21"),
        *("anet.hidden_layers=[8]", "anet.activation=tanh", "anet.optimizer=rmsprop"),
        "mcts.simulations=200",
    ]

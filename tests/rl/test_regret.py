"""Regret while training: measured where nets are cached, and never trained on."""

import pytest

from anet import ANET
from proofs.regret import Regret
from state_manager import NodeLimitError
from tests.rl.conftest import ALPHAZERO, Recorder, RunMaker, logs_of, nets_of

MEASURED = "rl.regret_positions=30"
KEYS = {"regret", "openings_wrong", "opening_map"}


@pytest.mark.parametrize("words", [(), ("anet.critic=true",), ALPHAZERO], ids=str)
def test_nets_are_the_same_to_the_byte_with_and_without(
    make_run: RunMaker, words: tuple[str, ...]
) -> None:
    one, other = make_run.trained("one", *words), make_run.trained("other", *words, MEASURED)
    assert nets_of(one) == nets_of(other)
    plain, measured = logs_of(one), logs_of(other)
    assert plain[1] == measured[1]
    without = [{key: line[key] for key in line if key not in KEYS} for line in measured[0]]
    assert [line for line in without if line["episode"]] == plain[0]


def test_cached_nets_alone_have_figures(make_run: RunMaker) -> None:
    run = make_run.trained("run", MEASURED)
    measured = {line["episode"]: line for line in logs_of(run)[0] if KEYS & line.keys()}
    nets = sorted(run.run.path.glob("anet_*.pt"))
    assert list(measured) == [0, 3, 6] == [int(path.stem[5:]) for path in nets]
    regret = Regret(run.game, 30)
    for path, line in zip(nets, measured.values(), strict=True):
        assert {key: line[key] for key in KEYS} == regret.record(ANET.load(path))


def test_the_untrained_net_is_measured_once_though_the_run_is_resumed(make_run: RunMaker) -> None:
    run = make_run("run", MEASURED)
    with pytest.raises(KeyboardInterrupt):
        run.train([Recorder(interrupt_at=(1, 2))])
    again = make_run.resumed("run", MEASURED)
    whole = make_run.trained("whole", MEASURED)
    assert logs_of(again) == logs_of(whole)


def test_a_resumed_run_can_start_to_measure(make_run: RunMaker) -> None:
    make_run.trained("run", "rl.episodes=3", "rl.cached_nets=2")
    again = make_run.resumed("run", "rl.cached_nets=2", MEASURED)
    assert [line["episode"] for line in logs_of(again)[0] if KEYS & line.keys()] == [6]


def test_a_game_that_is_too_large_is_refused(make_run: RunMaker) -> None:
    with pytest.raises(NodeLimitError, match="got connect_four"):
        make_run("run", "game.name=connect_four", MEASURED)

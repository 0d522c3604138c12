"""Fitting the demo into its time."""

import pytest

from cli.plan import Plan, Speed, fit, fitting_games, measure, practice_simulations, speed_of
from tests.project import Words
from tests.rl.conftest import make_system

FAST = Speed(1e-5, 15.0, 0.03, topp_game_seconds=6e-3, picture_seconds=0.3)
SLOW = Speed(5e-4, 60.0, 0.2, topp_game_seconds=0.024, picture_seconds=0.3)
HOPELESS = Speed(0.1, 120.0, 5.0, topp_game_seconds=1.2, picture_seconds=5.0)
USUAL = ("mcts.simulations=500", "rl.cached_nets=5")
ALPHAZERO = ("rl.scheme=alphazero", "rl.episodes_per_update=50")


def plan_of(speed: Speed, seconds: float, *words: str, watched: bool = False) -> tuple[Plan, float]:
    params = make_system(*USUAL, *words).params
    plan = fit(params, speed, seconds, watched)
    growth = params.mcts.simulations_growth
    searches = sum(growth**ply for ply in range(round(speed.plies)))
    episode = plan.simulations * searches * speed.simulation_seconds + speed.other_seconds
    return plan, plan.episodes * episode


@pytest.mark.parametrize(
    ("speed", "seconds", "word"),
    [
        *((speed, seconds, "seed=1") for speed in (FAST, SLOW) for seconds in (0.0, 20.0, 3600.0)),
        *((HOPELESS, seconds, "seed=1") for seconds in (-100.0, 1e-9, 20.0)),
        *((FAST, 60.0, f"mcts.simulations_growth={growth}") for growth in (0.9, 1.2)),
    ],
)
def test_a_plan_fits_its_time_or_has_few_episodes(speed: Speed, seconds: float, word: str) -> None:
    for watched in (False, True):
        plan, needed = plan_of(speed, seconds, word, watched=watched)
        assert plan.simulations >= 1
        assert plan.episodes >= 4
        assert plan.training_seconds <= seconds or plan.episodes == 4
        assert 0 <= plan.delay < (1e-9 if watched and seconds < 1e-6 else 1)
        if seconds < 1e-6:
            assert (plan.episodes, plan.simulations) == (4, 1)
            assert plan.training_seconds == pytest.approx(needed)
        elif not watched:
            assert needed == pytest.approx(plan.training_seconds, rel=0.1)


def test_most_of_the_time_is_used_up_to_the_largest_plan() -> None:
    for seconds in (60.0, 120.0):
        _, needed = plan_of(FAST, seconds)
        assert 0.8 * seconds < needed <= seconds
    plan = plan_of(FAST, 3600.0)[0]
    assert plan == plan_of(FAST, 7200.0)[0]
    assert (plan.episodes, plan.simulations) == (200, 10_000)


def test_there_are_episodes_and_updates_for_all_nets() -> None:
    plan, _ = plan_of(SLOW, 30.0)
    assert plan.simulations < 50
    assert plan.episodes >= 3 * 4
    plan, _ = plan_of(FAST, 60.0, *ALPHAZERO, "rl.gating_games=0")
    assert plan.episodes_per_update * 3 * 4 <= plan.episodes
    assert plan_of(FAST, 60.0)[0].episodes_per_update == 1


def test_watched_games_count_towards_the_time_and_are_shown_faster_if_need_be() -> None:
    delay = "display.delay=0.4"
    _, unwatched = plan_of(FAST, 120.0, delay)
    plan, watched = plan_of(FAST, 120.0, delay, watched=True)
    assert plan.delay == 0.4
    assert watched <= unwatched - 4 * 15 * 0.4 * 0.9
    assert watched < plan.training_seconds < 120
    plan, _ = plan_of(SLOW, 60.0, delay, watched=True)
    assert 4 * 60 * plan.delay <= 15
    assert plan_of(SLOW, 60.0, delay)[0].delay == 0.4


def test_pictures_the_tournament_and_games_between_nets_count_towards_the_time() -> None:
    small, large = (plan_of(FAST, 120.0, f"topp.games={games}")[1] for games in (10, 1000))
    assert large < small - 20
    training = plan_of(FAST, 60.0)[0].training_seconds
    for slower in (FAST._replace(picture_seconds=5.3), FAST._replace(topp_game_seconds=0.02)):
        assert plan_of(slower, 60.0)[0].training_seconds <= training - 5.0
    without, gated = (
        plan_of(SLOW, 1800.0, *ALPHAZERO, f"rl.gating_games={games}")[0] for games in (0, 50)
    )
    assert gated.episodes == without.episodes
    assert gated.simulations == pytest.approx(without.simulations / 2, abs=1)


@pytest.mark.parametrize(("seconds", "games"), [(60.0, 60), (4.0, 38), (1.0, 2), (-9.0, 2)])
def test_a_tournament_has_as_many_games_as_fit(seconds: float, games: int) -> None:
    params = make_system(*USUAL, "topp.games=60").params
    assert fitting_games(params, FAST, 5, seconds) == pytest.approx(games, abs=2)


def test_the_speed_is_that_of_the_second_half() -> None:
    records = [
        {"plies": 99.0, "simulations_per_second": 1.0, "seconds": 50.0},
        {"plies": 99.0, "simulations_per_second": 1.0, "seconds": 100.0},
        {"plies": 10.0, "simulations_per_second": 1000.0, "seconds": 103.0},
        {"plies": 20.0, "simulations_per_second": 500.0, "seconds": 110.0},
    ]
    # 100 simulations a move: 1 s and 4 s of searching, 2 s and 3 s of all else.
    assert speed_of(records, 100) == (5 / 3000, 15.0, 2.5)


ROLLOUTS = ("rl.workers=2", "rl.episodes_per_update=4", "rl.minutes=0.01")
NO_ROLLOUTS = ("anet.network=convolutional", "anet.channels=2", "rl.scheme=alphazero")


@pytest.mark.parametrize(
    "words", [ROLLOUTS, (*NO_ROLLOUTS, "mcts.root_noise=0.25", "rl.gating_games=2")]
)
def test_a_practice_run_measures_the_machine(words: Words) -> None:
    system = make_system(*words)
    speed = measure(system, practice_simulations(system, 0.0), at_most=0.0)
    assert 1e-8 < speed.simulation_seconds < 0.1
    assert 5 <= speed.plies <= 9
    assert 0 < speed.other_seconds < 30
    assert speed.topp_game_seconds > 0
    assert speed.picture_seconds > 0


def test_a_plan_is_written_as_overrides() -> None:
    words = Plan(8, 2, 30, 0.2, 9.0).overrides
    params = make_system("rl.episodes_per_update=4", "rl.save_interval=1", *words).params
    assert params.rl.minutes == 9.0 / 60
    assert (params.rl.episodes_per_update, params.mcts.simulations) == (2, 30)

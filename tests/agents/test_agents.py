"""What each kind of agent does."""

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from threading import Event, Timer
from typing import Any

import numpy as np
import pytest

import mcts
from agents import AgentError, HumanIO, make_agent
from agents.human import HumanAgent
from agents.match import GameStoppedError, play_game
from agents.mcts_agent import MCTSAgent
from agents.random import ExactAgent, RandomAgent
from agents.search_options import MCTSOptions
from base.params import GameParams, MCTSParams, Params, PlayParams, Section, TOPPParams
from judge import shared_judge
from state_manager import DRAW, State, StateManager, game_names, make_game
from tests.agents.fake_net import FakeNet
from tests.series import played

PARAMS = Params(
    game=GameParams(name="nim", options=Section()),
    mcts=MCTSParams(rollout_epsilon=1.0),
    play=PlayParams(simulations=77, exploration=2.5, time_limit=1.5),
    topp=TOPPParams(action_choice="epsilon_greedy", epsilon=0.3),
)


def test_random_chooses_each_legal_action_equally_often(nim: StateManager) -> None:
    agent, two_left = RandomAgent(nim, seed=2), nim.from_flat([1] + [1, 1] + [0] * 7)
    drawn = Counter(agent.choose_action(two_left) for _ in range(2000))
    assert set(drawn) == {0, 1}
    assert drawn[0] == pytest.approx(1000, abs=100)


def test_a_net_chooses_as_in_the_tournament_unless_its_word_sets_the_choice(
    nim: StateManager, net_files: Callable[..., Path]
) -> None:
    path, state = net_files("net.pt", FakeNet(nim, [0, 0, 1])), nim.initial_state()

    def share_of_favourite(word: str, params: Params | None) -> float:
        agent = make_agent(word, nim, defaults=params)
        return sum(agent.choose_action(state) == 2 for _ in range(1000)) / 1000

    assert share_of_favourite(f"anet:{path}", None) == 1.0
    assert share_of_favourite(f"anet:{path}", PARAMS) == pytest.approx(0.8, abs=0.04)
    assert share_of_favourite(f"anet:{path},epsilon=0.6", PARAMS) == pytest.approx(0.6, abs=0.05)
    assert share_of_favourite(f"anet:{path},choice=greedy", PARAMS) == 1.0


def test_mcts_has_a_fresh_tree_for_each_move_unless_a_clock_runs(nim: StateManager) -> None:
    state = nim.initial_state()
    counted, timed = (
        MCTSAgent(nim, options=MCTSOptions(simulations=50, time_limit=limit))
        for limit in (None, 600.0)
    )
    for agent, visits in ((counted, 50), (timed, 100)):
        for _ in range(2):
            agent.choose_action(state)
        assert agent.search.look(state).visit_counts.sum() == pytest.approx(visits, abs=2)
        assert agent.simulations_run == 100
        assert agent.search_seconds > 0.0


@pytest.mark.parametrize(
    ("options", "defaults", "expected", "numbers"),
    [
        ("", None, (500, None, "uct"), {}),
        ("simulations=50,time_limit=2,exploration=1e-1", None, (50, 2.0, "uct"),
         {"exploration": 0.1}),
        ("simulations=50", PARAMS, (50, 1.5, "uct"), {"exploration": 2.5}),
        ("time_limit=null", PARAMS, (77, None, "uct"), {"exploration": 2.5}),
        ("tree_policy=uct_rave,rave_constant=0.3", PARAMS, (77, 1.5, "uct_rave"),
         {"rave_constant": 0.3}),
        ("tree_policy=ucb1_tuned,exploration=2", PARAMS, (77, 1.5, "ucb1_tuned"),
         {"exploration": 2.0}),
    ],
)  # fmt: skip
def test_mcts_takes_the_options_of_its_word_and_else_those_of_the_section_play(
    nim: StateManager, options: str, defaults: Params | None, expected: Any, numbers: Any
) -> None:
    agent: Any = make_agent(f"mcts:{options}" if options else "mcts", nim, defaults=defaults)
    assert (agent.search.simulations, agent.search.time_limit) == expected[:2]
    variant = mcts.search_variant(expected[2]).with_settings(rollout_probability=1.0, **numbers)
    assert replace(agent.search.variant, memory=None) == variant


def test_two_agents_in_each_game_share_the_memory(nim: StateManager) -> None:
    for memory, workers, share in ((600.0, 3, 100.0), (1.0, 16, 1.0)):
        sections = {
            "mcts": MCTSParams(memory=memory),
            "play": PARAMS.play.model_copy(update={"workers": workers}),
        }
        agent: Any = make_agent("mcts", nim, defaults=PARAMS.model_copy(update=sections))
        assert agent.search.memory == share


def test_mcts_rolls_out_with_its_net_whatever_the_epsilon_of_training(
    nim: StateManager, net_files: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[object] = []
    monkeypatch.setattr(mcts, "MCTS", lambda *_, **options: given.append(options["rollout_policy"]))
    net = FakeNet(nim, [1, 1, 1])
    path = net_files("anet_00200.pt", net)
    agent = make_agent(f"mcts:{path}", nim, defaults=PARAMS)
    make_agent(f"mcts:{path},rollout_epsilon=0.4", nim)
    assert (net.rollout_epsilons, given) == ([0.1, 0.4], ["the rollout policy"] * 2)
    assert agent.name == "mcts anet_00200"


def test_mcts_may_draw_from_its_visit_counts(nim: StateManager) -> None:
    options = MCTSOptions(simulations=20, choice="probabilistic", temperature=100.0)
    agent = MCTSAgent(nim, options=options, seed=1)
    assert {agent.choose_action(nim.initial_state()) for _ in range(50)} == {0, 1, 2}


def answered(game: StateManager, state: State, *lines: str) -> tuple[object, list[str]]:
    """Return the move of a human player that types these lines, and the printed texts."""
    typed, shown = iter(lines), list[str]()
    human_io = HumanIO(lambda prompt: next(typed), shown.append)
    action = HumanAgent(game, human_io=human_io).choose_action(state)
    assert next(typed, None) is None
    return action, shown


def test_a_human_is_prompted_again_until_the_move_is_legal(hex_game: StateManager) -> None:
    state = hex_game.from_flat([1, 0, 2, 0, 0, 1, 0, 0, 2, 1])
    action, shown = answered(hex_game, state, "hello", "9 9", "1 1", "?", "", " (0, 0) ")
    board, hello, too_large, taken, listed, empty = shown
    assert (action, board) == (0, hex_game.text(state))
    assert hello.startswith("Not a move: expected a cell such as 'c2', or a row and a column")
    assert too_large.endswith("got '9 9'.")
    assert taken == "Not legal now: (1, 1). Legal moves: (0, 0), (0, 2), (1, 0), (1, 2), (2, 0)."
    assert listed == empty


@pytest.mark.parametrize("name", game_names())
def test_the_help_of_every_game_names_all_moves_and_how_to_type_them(name: str) -> None:
    game = make_game(name)
    state = game.initial_state()
    names = [game.action_name(action) for action in game.legal_actions(state)]
    _, shown = answered(game, state, "?", names[0])
    *moves, how = shown[1].splitlines()
    if len(names) > 12:
        assert moves == [f"{len(names)} moves are legal, such as {names[0]}."]
    else:
        assert " ".join(moves) == f"Legal moves: {', '.join(names)}."
        assert all(moves[0].count(name) + "".join(moves[1:]).count(name) for name in names)
    assert max(map(len, moves)) <= 72
    assert how.startswith("Type ")
    assert not {"expected", "got"} & set(how.split())
    assert re.search(r" from \d+ to \d+.*; \? for these lines; Ctrl-D or Ctrl-C to leave", how)


JUDGED = "mcts:simulations=20,judge=true"
WORDS = "random", "mcts:simulations=50,choice=probabilistic", "nrpa:level=1,iterations=8", JUDGED


@pytest.mark.parametrize("word", WORDS)
def test_the_seed_fixes_the_moves_of_an_agent(hex_game: StateManager, word: str) -> None:
    def games(seed: int | np.random.SeedSequence) -> list[tuple[int, ...]]:
        agents = make_agent(word, hex_game, seed=seed), make_agent(word, hex_game, seed=9)
        return [record.actions for record in played(hex_game, agents, 6)]

    assert games(1) == games(1)
    assert word == JUDGED or games(1) != games(2)
    assert games(np.random.SeedSequence(5)) == games(5)


@pytest.mark.parametrize(
    ("name", "other", "winner"),
    [("nim", "random", 1), ("tic_tac_toe", "exact", DRAW), ("hexapawn", "exact", 2)],
)
def test_the_exact_agent_loses_nothing(name: str, other: str, winner: int) -> None:
    game = make_game(name, **({"stones": 21, "max_take": 4} if name == "nim" else {}))
    agents = make_agent("exact", game, seed=1), make_agent(other, game, seed=2)
    assert {record.winner for record in played(game, agents, 10, starting_player=1)} == {winner}


def test_all_best_moves_are_equally_likely() -> None:
    game = make_game("tic_tac_toe")
    agent, state = ExactAgent(game, seed=1), game.initial_state()
    drawn = Counter(agent.choose_action(state) for _ in range(180))
    assert set(drawn) == set(range(9)), "every first move draws"
    assert np.ptp(list(drawn.values())) < 30


def test_a_game_that_is_too_large_is_refused_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    game = make_game("connect_four", rows=5, columns=8)
    monkeypatch.setattr(shared_judge(game)._solver, "limit", 500)
    with pytest.raises(AgentError, match="agent 'exact': exact play: expected a game of 500 "):
        make_agent("exact", game)


@pytest.mark.parametrize(
    ("word", "time_limit", "rollouts"),
    [
        ("nrpa", None, 1000),
        ("nrpa:level=1,iterations=30", None, 30),
        ("nrpa:form=additive,simulations=123", None, 123),
        ("nrpa:time_limit=null", 1e-6, 1000),
    ],
)
def test_nrpa_takes_the_options_of_its_word_and_counts_its_rollouts(
    hex_game: StateManager, word: str, time_limit: float | None, rollouts: int
) -> None:
    game = GameParams(name="hex", options=Section())
    params = Params(game=game, play=PlayParams(time_limit=time_limit))
    agent = make_agent(word, hex_game, defaults=params)
    for _ in range(2):
        agent.choose_action(hex_game.initial_state())
    assert agent.simulations_run == 2 * rollouts
    assert agent.search_seconds > 0.0
    hurried = params.model_copy(update={"play": PlayParams(time_limit=1e-6)})
    agent = make_agent("nrpa:level=5,iterations=1000", hex_game, defaults=hurried)
    agent.choose_action(hex_game.initial_state())
    assert agent.simulations_run < 1e5


@pytest.mark.parametrize("name", game_names())
def test_nrpa_plays_whole_games_of_every_game(name: str) -> None:
    game = make_game(name)
    agents = make_agent("nrpa:level=2,iterations=3", game, seed=1), make_agent("random", game)
    assert len(played(game, agents, 2)) == 2


def test_a_game_that_is_ended_early_does_not_wait_for_its_search(hex_game: StateManager) -> None:
    endless, stop = make_agent("nrpa:level=5,iterations=1000", hex_game), Event()
    Timer(0.05, stop.set).start()
    with pytest.raises(GameStoppedError):
        play_game(hex_game, (endless, endless), stop=stop)

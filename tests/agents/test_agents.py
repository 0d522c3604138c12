"""What each kind of agent does."""

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mcts
from agents import HumanIO, make_agent
from agents.human import HumanAgent
from agents.mcts_agent import MCTSAgent
from agents.random import RandomAgent
from agents.search_options import MCTSOptions
from base.params import GameParams, MCTSParams, Params, PlayParams, Section, TOPPParams
from state_manager import StateManager, game_names, make_game
from tests.agents.fake_net import FakeNet
from tests.series import played

PARAMS = Params(
    game=GameParams(name="nim", options=Section()),
    mcts=MCTSParams(rollout_epsilon=1.0),
    play=PlayParams(simulations=77, exploration=2.5, time_limit=1.5),
    topp=TOPPParams(action_choice="epsilon_greedy", epsilon=0.3),
)


def test_random_chooses_each_legal_action_equally_often(nim: StateManager) -> None:
    agent = RandomAgent(nim, seed=2)
    two_left = nim.from_flat([1] + [1, 1] + [0] * 7)
    drawn = Counter(agent.choose_action(two_left) for _ in range(2000))
    assert set(drawn) == {0, 1}
    assert drawn[0] == pytest.approx(1000, abs=100)


def test_a_net_chooses_as_in_the_tournament_unless_its_word_sets_the_choice(
    nim: StateManager, net_files: Callable[..., Path]
) -> None:
    path = net_files("net.pt", FakeNet(nim, [0, 0, 1]))
    state = nim.initial_state()

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
    ("options", "defaults", "simulations", "time_limit", "tree_policy", "numbers"),
    [
        ("", None, 500, None, "uct", {}),
        (
            "simulations=50,time_limit=2,exploration=1e-1",
            None, 50, 2.0, "uct", {"exploration": 0.1},
        ),
        ("simulations=50", PARAMS, 50, 1.5, "uct", {"exploration": 2.5}),
        ("time_limit=null", PARAMS, 77, None, "uct", {"exploration": 2.5}),
        (
            "tree_policy=uct_rave,rave_constant=0.3",
            PARAMS, 77, 1.5, "uct_rave", {"rave_constant": 0.3},
        ),
        (
            "tree_policy=ucb1_tuned,exploration=2",
            PARAMS, 77, 1.5, "ucb1_tuned", {"exploration": 2.0},
        ),
    ],
)  # fmt: skip
def test_mcts_takes_the_options_of_its_word_and_else_those_of_the_section_play(
    nim: StateManager,
    options: str,
    defaults: Params | None,
    simulations: int,
    time_limit: float | None,
    tree_policy: str,
    numbers: dict[str, float],
) -> None:
    agent: Any = make_agent(f"mcts:{options}" if options else "mcts", nim, defaults=defaults)
    assert (agent.search.simulations, agent.search.time_limit) == (simulations, time_limit)
    variant = mcts.search_variant(tree_policy).with_settings(rollout_probability=1.0, **numbers)
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
    assert net.rollout_epsilons == [0.1, 0.4]
    assert given == ["the rollout policy"] * 2
    assert agent.name == "mcts anet_00200"


def test_mcts_may_draw_from_its_visit_counts(nim: StateManager) -> None:
    options = MCTSOptions(simulations=20, choice="probabilistic", temperature=100.0)
    agent = MCTSAgent(nim, options=options, seed=1)
    assert {agent.choose_action(nim.initial_state()) for _ in range(50)} == {0, 1, 2}


class Dialogue:
    """A human player that types these lines, and the printed text."""

    def __init__(self, *lines: str | type[BaseException]) -> None:
        self.lines = list(lines)
        self.shown: list[str] = []
        self.prompts: list[str] = []

    def ask(self, prompt: str) -> str:
        self.prompts.append(prompt)
        line = self.lines.pop(0)
        if isinstance(line, str):
            return line
        raise line


def human(game: StateManager, dialogue: Dialogue) -> HumanAgent:
    return HumanAgent(game, human_io=HumanIO(dialogue.ask, dialogue.shown.append))


def test_a_human_sees_the_board_and_types_a_move(hex_game: StateManager) -> None:
    dialogue = Dialogue("1 2")
    assert human(hex_game, dialogue).choose_action(hex_game.initial_state(2)) == 5
    assert dialogue.shown == [hex_game.text(hex_game.initial_state(2))]
    assert dialogue.prompts == [
        "human, player 2 (black, joins north-west and south-east), your move (? for help): "
    ]


def test_a_human_is_prompted_again_until_the_move_is_legal(hex_game: StateManager) -> None:
    state = hex_game.from_flat([1, 0, 2, 0, 0, 1, 0, 0, 2, 1])
    dialogue = Dialogue("hello", "9 9", "1 1", "?", "", " (0, 0) ")
    assert human(hex_game, dialogue).choose_action(state) == 0
    assert len(dialogue.prompts) == 6
    _, hello, too_large, taken, listed, empty = dialogue.shown
    assert hello.startswith("Not a move: expected a cell such as 'c2', or a row and a column")
    assert too_large.endswith("got '9 9'.")
    assert taken == "Not legal now: (1, 1). Legal moves: (0, 0), (0, 2), (1, 0), (1, 2), (2, 0)."
    assert listed == empty


@pytest.mark.parametrize("name", game_names())
def test_the_help_of_every_game_names_all_moves_and_how_to_type_them(name: str) -> None:
    game = make_game(name)
    state = game.initial_state()
    names = [game.action_name(action) for action in game.legal_actions(state)]
    dialogue = Dialogue("?", names[0])
    human(game, dialogue).choose_action(state)
    *moves, how = dialogue.shown[1].splitlines()
    if len(names) > 12:
        assert moves == [f"{len(names)} moves are legal, such as {names[0]}."]
    else:
        assert " ".join(moves) == f"Legal moves: {', '.join(names)}."
        assert all(moves[0].count(name) + "".join(moves[1:]).count(name) for name in names)
    assert max(map(len, moves)) <= 72
    assert how.startswith("Type ")
    assert not {"expected", "got"} & set(how.split())
    assert re.search(r" from \d+ to \d+.*; \? for these lines; Ctrl-D or Ctrl-C to leave", how)


@pytest.mark.parametrize("leaving", [EOFError, KeyboardInterrupt])
def test_a_human_can_end_the_game(hex_game: StateManager, leaving: type[BaseException]) -> None:
    with pytest.raises(leaving):
        human(hex_game, Dialogue("x", leaving)).choose_action(hex_game.initial_state())


WORDS = "random", "mcts:simulations=50,choice=probabilistic", "nrpa:level=1,iterations=8"


@pytest.mark.parametrize("word", WORDS)
def test_the_seed_fixes_the_moves_of_an_agent(hex_game: StateManager, word: str) -> None:
    def games(seed: int | np.random.SeedSequence) -> list[tuple[int, ...]]:
        agents = make_agent(word, hex_game, seed=seed), make_agent(word, hex_game, seed=9)
        return [record.actions for record in played(hex_game, agents, 6)]

    assert games(1) == games(1) != games(2)
    assert games(np.random.SeedSequence(5)) == games(5)

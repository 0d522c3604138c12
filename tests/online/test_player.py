"""The adapter from hooks to an agent, and the agents by board size."""

import errno
import threading
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

from agents import Agent, AgentError, AgentSpec, foreign, make_agent
from agents.mcts_agent import MCTSAgent
from base.params import OHTParams, Params
from base.storage import read_jsonl
from online.errors import TournamentError
from online.lineup import Lineup, search_seconds
from online.player import TournamentPlayer
from state_manager import State, StateManager, make_game
from tests.online.conftest import (
    EMPTY,
    THEM,
    US,
    Team,
    broken,
    constant,
    params_with,
    play_game,
    start_series,
)
from tests.project import wait_until


@pytest.mark.parametrize("us", [1, 2])
def test_a_series_is_played_watched_and_kept(team: Team, us: int) -> None:
    player = team.player()
    start_series(player, games=4, us=us)
    winners = [play_game(player, us, starter) for starter in (1, 2, 1, 2)]
    won = winners.count(us)
    player.handle_series_over([(US, us, won, 4 - won), (THEM, 3 - us, 4 - won, won)])
    player.handle_tournament_over(100 * won / 4)

    result = player.result
    assert (result.won, result.lost, result.score) == (won, 4 - won, 25.0 * won)
    assert team.diary.messages == []
    games = read_jsonl(team.record.folder / "games.jsonl")
    assert [game["winner"] for game in games] == winners
    assert [game["starting_player"] for game in games] == [1, 2, 1, 2]
    hex_game = make_game("hex", size=3)
    for game in games:  # each game can be played again from its record
        state = hex_game.initial_state(game["starting_player"])
        for row, column in game["moves"]:
            state = hex_game.child_state(state, 3 * row + column)
        assert hex_game.to_flat(state) == game["end_state"]
        assert (game["opponent"], game["series_id"]) == (THEM, us)
    shown = [3 * row + column for game in games for row, column in game["moves"]]
    assert [call.args[1] for call in team.diary.on_move.call_args_list] == shown
    names = ("mcts simulations=20", f"player {THEM}")
    title, players, _ = team.diary.on_game_start.call_args_list[0].args
    assert (title, players) == ("series 1, game 1 of 4", names if us == 1 else names[::-1])
    assert [call.args[1] for call in team.diary.on_game_over.call_args_list] == winners
    assert (team.diary.on_series.call_count, team.diary.on_game.call_count) == (1, 4)


class Loading:
    """Makes agents with constant moves; one with a net for 4x4 waits until it ``may_load``."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, of_net: Agent) -> None:
        self.begun, self.may_load = threading.Event(), threading.Event()

        def make(spec: AgentSpec, game: StateManager, **_: object) -> Agent:
            if spec.net is None or game.board_shape[0] != 4:
                return constant(0)
            self.begun.set()
            self.may_load.wait()
            return of_net

        monkeypatch.setattr("agents.make_agent", make)


@pytest.fixture
def _ends_its_threads() -> Iterator[None]:
    before = set(threading.enumerate())
    yield
    assert set(threading.enumerate()) <= before


@pytest.mark.usefixtures("_ends_its_threads")
@pytest.mark.parametrize(
    ("of_net", "move", "told"),
    [(constant(1), (0, 1), "plays from now on"), (foreign(broken), (0, 0), "no idea")],
)
def test_an_unexpected_board_is_played_at_once_and_with_a_net_for_it_once_that_is_loaded(
    team: Team, monkeypatch: pytest.MonkeyPatch, of_net: Agent, move: tuple[int, int], told: str
) -> None:
    loading, lineup = Loading(monkeypatch, of_net), team.lineup("oht.agent=best")
    player = TournamentPlayer(lineup, team.record, team.diary)
    start_series(player, games=2, size=4)
    player.handle_game_start(1)
    loading.begun.wait()
    assert player.handle_get_action([1, *[0] * 16]) == (0, 0)  # without the net
    threads = threading.active_count()
    loading.may_load.set()
    wait_until(lambda: "instead" not in lineup.seat(4).note)
    player.handle_game_start(1)
    assert player.handle_get_action([1, *[0] * 16]) == move
    assert threading.active_count() == threads
    assert "WARNING: the server plays on 4x4" in team.diary.messages[0]
    assert told in team.diary.messages[1]
    start_series(player)
    first, second = (series.agent for series in player.result.series)
    assert ("without a net" in first, second) == (move == (0, 0), lineup.expected.name)
    assert len(team.diary.messages) == 2


@pytest.mark.usefixtures("_ends_its_threads")
def test_neither_an_agent_that_comes_too_late_nor_the_warm_up_leaves_a_thread(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    loading = Loading(monkeypatch, constant(1))
    lineup = Lineup(params_with("oht.agent=best"), None)
    threads = threading.active_count()
    lineup.warm_up()
    assert threading.active_count() == threads
    lineup.seat(4)
    lineup.seat(5)  # waits for the other net, and is never loaded
    loading.begun.wait()
    closer = threading.Thread(target=lineup.close)
    closer.start()
    loading.may_load.set()
    closer.join()


@pytest.mark.parametrize("is_cut", [True, False])
def test_an_agent_whose_game_is_over_no_longer_ponders(
    team: Team, monkeypatch: pytest.MonkeyPatch, is_cut: bool
) -> None:
    begun, ended = threading.Event(), threading.Event()

    def ponder(agent: MCTSAgent, state: State, action: int) -> None:
        begun.set()
        wait_until(agent.stopped)
        ended.set()

    monkeypatch.setattr(MCTSAgent, "ponder", ponder)
    player = team.player()
    start_series(player)
    player.handle_game_start(1)
    player.handle_get_action(EMPTY)
    begun.wait()
    assert not ended.is_set()
    if is_cut:  # the opponent has left
        start_series(player, size=4)
    else:
        player.handle_game_over(1, EMPTY)
    ended.wait()


def test_a_full_disk_ends_no_tournament(team: Team, monkeypatch: pytest.MonkeyPatch) -> None:
    full = Mock(side_effect=OSError(errno.ENOSPC, "No space left on device"))
    monkeypatch.setattr(team.record, "add_game", full)
    player = team.player()
    start_series(player, games=2)
    for starter in (1, 2):
        play_game(player, starter=starter)
    assert team.diary.messages == ["WARNING: a game is not kept: No space left on device"]
    assert (team.diary.on_game.call_count, team.record.lost, player.is_kept) == (2, 2, False)


def test_the_fallback_moves_before_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    assert [OHTParams(protocol=each).seconds_per_move for each in (1, 2)] == [2.0, 1.0]
    searches: list[float | None] = []

    def make(spec: AgentSpec, game: StateManager, seed: object, defaults: Params) -> Agent:
        searches.append(defaults.play.time_limit)
        return constant(0)

    monkeypatch.setattr("agents.make_agent", make)
    for limit, agent, search in ((2.0, 1.8, 1.5), (0.4, 0.35, 0.3), (0.2, 0.15, 0.1)):
        lineup = Lineup(params_with(f"oht.move_time_limit={limit}", "play.time_limit=0.25"), None)
        assert lineup.expected.agent.limit == pytest.approx(agent)
        assert search_seconds(limit) == pytest.approx(search)
        assert searches[-1] == pytest.approx(min(search, 0.25))


def test_the_net_moves_for_a_search_that_fails_which_is_counted(
    team: Team, net: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    specs: list[AgentSpec] = []

    def make(spec: AgentSpec, game: StateManager, **options: object) -> Agent:
        specs.append(spec)
        return foreign(broken) if spec.kind == "mcts" else make_agent(spec, game)

    monkeypatch.setattr("agents.make_agent", make)
    player = team.player(net=net)
    start_series(player)
    play_game(player)
    assert {spec.kind: spec.net for spec in specs} == {"mcts": net, "anet": net}
    assert player.result.series[0].faults >= 3
    assert "the fallback moves: RuntimeError" in team.diary.messages[0]


SERIES = ("series_start", US, 1, [(US, 1), (THEM, 2)], 2, [3])
BEGIN, REQUEST, END = ("game_start", 1), ("get_action", EMPTY), ("game_over", 1, EMPTY)
TWO_GAMES = [SERIES, *[BEGIN, END] * 2]
Calls = list[tuple[Any, ...]]
BREACHES: list[tuple[Calls, str]] = [
    ([BEGIN], "expected the start of a series"),
    ([(*SERIES[:5], [99])], "expected a playable board"),
    ([SERIES, BEGIN, BEGIN, BEGIN], "expected 2 games in the series"),
    ([*TWO_GAMES, BEGIN], "expected 2 games in the series"),
    ([*TWO_GAMES, *TWO_GAMES, END], "expected 2 games in the series"),
    ([SERIES, *[BEGIN, *[REQUEST] * 9] * 2, REQUEST], "a request for move 10"),
    *(
        ([SERIES, BEGIN, ("get_action", state)], "expected a")
        for state in ([1, 0, 0], [1, *[9] * 9], [1] * 10, [2, 1, 0, 0, 1, 0, 0, 1, 0, 0], [])
    ),
]


@pytest.mark.parametrize(("calls", "words"), BREACHES)
def test_a_breach_of_the_rules_ends_the_tournament(team: Team, calls: Calls, words: str) -> None:
    player = team.player("oht.agent=random")
    handlers = [partial(getattr(player, f"handle_{hook}"), *values) for hook, *values in calls]
    for handle in handlers[:-1]:
        handle()
    with pytest.raises(TournamentError, match=words):
        handlers[-1]()


def test_another_count_of_the_server_and_refused_moves_are_reported(team: Team) -> None:
    player = team.player()
    start_series(player)
    play_game(player)
    player.handle_series_over([(US, 1, 17, 3), (THEM, 2, 3, 17)])
    assert "the server counts (17, 3)" in team.diary.messages[0]
    player.handle_illegal_action([1, 2, 0], (0, 0))
    assert player.result.illegal_actions == 1
    assert "refused the move (0, 0)" in team.diary.messages[1]


@pytest.mark.parametrize(
    ("agent", "message"),
    [
        ("anet:other.pt", "expected no net in 'anet:other.pt' beside --net"),
        ("mcts:time_limit=61", "expected less than 54, .*, got 61"),
        ("mcts:time_limit=null", "expected less than 54"),
    ],
)
def test_an_agent_that_cannot_play_is_refused(net: Path, agent: str, message: str) -> None:
    with pytest.raises(AgentError, match=message):
        Lineup(params_with(f"oht.agent={agent}"), net)


def test_the_best_net_for_the_board_plays_unless_one_is_given(team: Team, net: Path) -> None:
    given = team.lineup("oht.agent=best", net=net)
    assert (given.expected.name, given.note) == ("mcts net", "")
    found = team.lineup("oht.agent=anet", "oht.board_size=5", net=Path("best")).note
    assert found.startswith("anet:best is anet:")
    assert Path(found).parent.name == "hex-5-perfect"
    without = team.lineup("oht.agent=mcts")
    assert (without.expected.name, without.note) == ("mcts", "")


def test_a_decision_of_the_judge_is_counted_once_per_game(team: Team) -> None:
    player = team.player("oht.agent=mcts:simulations=5,judge=true")
    start_series(player, games=2)
    assert [play_game(player) for _ in range(2)] == [1, 1]
    assert player.result.series[0].judged == [0, 0]

"""The adapter from hooks to an agent."""

from __future__ import annotations

import errno
import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from agents import Agent, AgentError, AgentSpec, foreign
from agents.mcts_agent import MCTSAgent
from base.params import OHTParams
from state_manager import State, StateManager, make_game
from tests.project import wait_until
from tests.tournaments.conftest import THEM, US, Diary, params_with, play_game
from tests.tournaments.test_timed_agent import broken, constant
from tournaments.errors import TournamentError
from tournaments.lineup import Lineup, search_seconds
from tournaments.player import TournamentPlayer


@pytest.mark.parametrize("us", [1, 2])
def test_a_series_is_played_watched_and_kept(
    make_player: Callable[..., TournamentPlayer], diary: Diary, tmp_path: Path, us: int
) -> None:
    player = make_player()
    player._lineup.warm_up()
    player.handle_series_start(US, us, [(US, us), (THEM, 3 - us)], 4, [3])
    winners = [play_game(player, us, starter) for starter in (1, 2, 1, 2)]
    won = winners.count(us)
    player.handle_series_over([(US, us, won, 4 - won), (THEM, 3 - us, 4 - won, won)])
    player.handle_tournament_over(100 * won / 4)

    assert (player.result.won, player.result.lost) == (won, 4 - won)
    assert player.result.score == 25.0 * won
    assert diary.games[-1] == (won, 4 - won)
    assert diary.messages == []
    games = [json.loads(line) for line in (tmp_path / "run/games.jsonl").read_text().splitlines()]
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
    assert [seen for seen in diary.seen if isinstance(seen, int)] == shown
    names = ("mcts simulations=20", f"player {THEM}")
    assert diary.seen[0] == ("series 1, game 1 of 4", names if us == 1 else names[::-1])


def test_a_board_that_does_not_fit_the_net_is_played_without_it_and_the_reason_is_told(
    make_player: Callable[..., TournamentPlayer], diary: Diary, net: Path
) -> None:
    player = make_player("oht.agent=anet", net=net)
    player.handle_series_start(US, 1, [(US, 1), (THEM, 2)], 1, [4])
    assert "4x4, where net cannot play; mcts without a net plays instead" in diary.messages[0]
    wait_until(lambda: "net.pt" in player._lineup.seat(4).note)
    play_game(player, us=1, starter=2, size=4)
    player.handle_series_start(US, 2, [(US, 2), (THEM, 1)], 1, [3])
    play_game(player, us=2, starter=2)
    assert [series.agent for series in player.result.series] == ["mcts without a net", "net"]
    assert len(diary.messages) == 2
    assert "mcts without a net goes on" in diary.messages[1]


def test_an_unexpected_board_is_played_with_the_best_net_for_it_once_that_is_loaded(
    make_player: Callable[..., TournamentPlayer], diary: Diary
) -> None:
    player = make_player("oht.agent=best:simulations=5")
    player.handle_series_start(US, 1, [(US, 1), (THEM, 2)], 2, [4])
    play_game(player, us=1, starter=1, size=4)  # the server does not wait for the net
    wait_until(lambda: player._lineup.seat(4).name != "mcts without a net")
    play_game(player, us=1, starter=1, size=4)
    name = player.result.series[0].agent
    assert name.startswith("mcts anet_")
    assert diary.messages[0].startswith("WARNING: the server plays on 4x4")
    assert diary.messages[1:] == [f"{name} plays from now on"]


class Loading:
    """Makes agents with constant moves; one with a net for 4x4 waits until it ``may_load``."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, of_net: Agent) -> None:
        self.begun, self.may_load, self.of_net = threading.Event(), threading.Event(), of_net
        monkeypatch.setattr("tournaments.lineup.make_agent", self.make)

    def make(self, spec: AgentSpec, game: StateManager, **_: object) -> Agent:
        if spec.net is None or game.board_shape[0] != 4:
            return constant(0)
        self.begun.set()
        self.may_load.wait()
        return self.of_net


@pytest.fixture
def _ends_its_threads() -> Iterator[None]:
    before = set(threading.enumerate())
    yield
    assert set(threading.enumerate()) <= before


@pytest.mark.parametrize("is_cut", [True, False])
def test_an_agent_whose_game_is_over_no_longer_ponders(
    make_player: Callable[..., TournamentPlayer], monkeypatch: pytest.MonkeyPatch, is_cut: bool
) -> None:
    begun, ended = threading.Event(), threading.Event()

    def ponder(agent: MCTSAgent, state: State, action: int) -> None:
        begun.set()
        wait_until(agent.stopped)
        ended.set()

    monkeypatch.setattr(MCTSAgent, "ponder", ponder)
    player = make_player()
    player.handle_series_start(US, 1, [(US, 1), (THEM, 2)], 1, [3])
    player.handle_game_start(1)
    player.handle_get_action([1, *[0] * 9])
    begun.wait()
    assert not ended.is_set()
    if is_cut:  # the opponent has left
        player.handle_series_start(US, 1, [(US, 1), (THEM, 2)], 1, [4])
    else:
        player.handle_game_over(1, [1, *[0] * 9])
    ended.wait()


@pytest.mark.usefixtures("_ends_its_threads")
@pytest.mark.parametrize("of_net", [constant(1), foreign(broken)])
def test_an_agent_that_is_replaced_or_fails_is_closed(
    monkeypatch: pytest.MonkeyPatch, of_net: Agent
) -> None:
    loading = Loading(monkeypatch, of_net)
    with closing(Lineup(params_with("oht.agent=best"), None)) as lineup:
        before, threads = lineup.seat(4), threading.active_count()
        loading.begun.wait()
        assert lineup.seat(4) is before, "a game does not wait for the net"
        loading.may_load.set()
        wait_until(lambda: lineup.seat(4) is not before)
        seat = lineup.seat(4)
        fails = of_net.name == "broken"
        assert (seat.agent is before.agent) == fails
        assert ("no idea" if fails else "plays from now on") in seat.note
        assert seat.agent.choose_action(seat.game.initial_state()).action == int(not fails)
        assert threading.active_count() == threads


@pytest.mark.usefixtures("_ends_its_threads")
def test_an_agent_that_comes_too_late_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    loading = Loading(monkeypatch, constant(1))
    lineup = Lineup(params_with("oht.agent=best"), None)
    lineup.seat(4)
    lineup.seat(5)  # waits for the other net, and is never loaded
    loading.begun.wait()
    closer = threading.Thread(target=lineup.close)
    closer.start()
    loading.may_load.set()
    closer.join()


@pytest.mark.usefixtures("_ends_its_threads")
def test_the_warm_up_leaves_no_agent_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    Loading(monkeypatch, constant(1))
    with closing(Lineup(params_with(), None)) as lineup:
        threads = threading.active_count()
        lineup.warm_up()
        assert threading.active_count() == threads


def test_a_full_disk_does_not_end_the_tournament(
    make_player: Callable[..., TournamentPlayer], diary: Diary, monkeypatch: pytest.MonkeyPatch
) -> None:
    player = make_player()
    player.handle_series_start(US, 1, [(US, 1), (THEM, 2)], 2, [3])

    def full(series: object, game: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(player._record, "add_game", full)
    for starter in (1, 2):
        play_game(player, us=1, starter=starter)
    assert diary.messages == ["WARNING: a game is not kept: No space left on device"]
    assert len(diary.games) == 2
    assert player._record.lost == 2


def test_the_fallback_moves_before_the_limit() -> None:
    assert [OHTParams(protocol=each).seconds_per_move for each in (1, 2)] == [2.0, 1.0]
    for limit, agent, search in ((2.0, 1.8, 1.5), (0.4, 0.35, 0.3), (0.2, 0.15, 0.1)):
        words = f"oht.move_time_limit={limit}", "play.time_limit=0.25"
        lineup = Lineup(params_with(*words), None)
        assert lineup.expected.agent.limit == pytest.approx(agent)
        assert search_seconds(limit) == pytest.approx(search)
        assert lineup._params.play.time_limit == pytest.approx(min(search, 0.25))


def test_an_unplayable_board_ends_the_tournament(
    make_player: Callable[..., TournamentPlayer],
) -> None:
    with pytest.raises(TournamentError, match="expected a playable board"):
        make_player().handle_series_start(US, 1, [(US, 1), (THEM, 2)], 1, [99])


def test_a_late_search_without_a_result_is_replaced_by_the_net_and_counted(
    make_player: Callable[..., TournamentPlayer],
    diary: Diary,
    net: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    player = make_player(net=net)
    agent = player._seat.agent._agent

    def search_until_stopped(state: State) -> int:
        while not agent.stopped():
            time.sleep(0.001)
        return -1

    monkeypatch.setattr(agent, "choose_action", search_until_stopped)
    monkeypatch.setattr(agent, "best_so_far", lambda state: None)
    player._seat.agent.limit = 1e-6
    player.handle_series_start(US, 1, [(US, 1), (THEM, 2)], 1, [3])
    play_game(player, us=1, starter=1)
    assert player.result.series[0].faults >= 3
    assert diary.messages[0] == "WARNING: the fallback moves: no move after 1e-06 s"


@pytest.mark.parametrize(
    "state", [(1, 0, 0), (1, *[9] * 9), (1, *[1] * 9), (2, 1, 0, 0, 1, 0, 0, 1, 0, 0), ()]
)
def test_a_state_without_a_legal_move_is_a_clear_error(
    make_player: Callable[..., TournamentPlayer], state: tuple[int, ...]
) -> None:
    player = make_player()
    player.handle_series_start(US, 1, [(US, 1), (THEM, 2)], 1, [3])
    player.handle_game_start(1)
    with pytest.raises(TournamentError, match="expected a"):
        player.handle_get_action(state)


def test_more_games_than_the_series_has_are_refused(
    make_player: Callable[..., TournamentPlayer],
) -> None:
    start = (US, 1, [(US, 1), (THEM, 2)], 2, [3])
    won = [2, 1, 0, 2, 1, 2, 0, 1, 0, 0]
    words = "^expected 2 games in the series, got one more$"
    for end in (False, True):
        player = make_player()
        player.handle_series_start(*start)
        for _ in range(2):
            player.handle_game_start(1)
            if end:
                player.handle_game_over(1, won)
        with pytest.raises(TournamentError, match=words):
            player.handle_game_start(1)
    with pytest.raises(TournamentError, match=words):
        player.handle_game_over(1, won)
    assert player.result.won == 2
    player.handle_series_start(*start)
    player.handle_game_start(2)


def test_a_game_that_does_not_end_is_left(make_player: Callable[..., TournamentPlayer]) -> None:
    player = make_player("oht.agent=random")
    player.handle_series_start(US, 1, [(US, 1), (THEM, 2)], 2, [3])
    for _ in range(2):
        player.handle_game_start(1)
        for _ in range(9):
            player.handle_get_action([1, *[0] * 9])
    with pytest.raises(
        TournamentError, match=r"^expected a game to end, got a request for move 10$"
    ):
        player.handle_get_action([1, *[0] * 9])


def test_games_before_any_series_are_a_clear_error(
    make_player: Callable[..., TournamentPlayer],
) -> None:
    with pytest.raises(TournamentError, match="expected the start of a series"):
        make_player().handle_game_start(1)


def test_a_different_count_of_the_server_is_reported(
    make_player: Callable[..., TournamentPlayer], diary: Diary
) -> None:
    player = make_player()
    player.handle_series_start(US, 1, [(US, 1), (THEM, 2)], 1, [3])
    play_game(player, us=1, starter=1)
    player.handle_series_over([(US, 1, 17, 3), (THEM, 2, 3, 17)])
    assert "the server counts (17, 3) games won and lost against player 2020" in diary.messages[0]


def test_refused_moves_are_counted(
    make_player: Callable[..., TournamentPlayer], diary: Diary
) -> None:
    player = make_player()
    player.handle_illegal_action([1, 2, 0], (0, 0))
    assert player.result.illegal_actions == 1
    assert "refused the move (0, 0)" in diary.messages[0]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["oht.board_size=5"], "net.pt"),
        (["oht.agent=random"], "random takes no net"),
        (["oht.agent=anet:other.pt"], "expected no net in 'anet:other.pt' beside --net"),
        (
            ["oht.agent=mcts:time_limit=61"],
            "expected less than 54, so that it moves within oht.move_time_limit, got 61",
        ),
        (["oht.agent=mcts:time_limit=null"], "expected less than 54, so that"),
        (["oht.agent=nobody"], "expected a kind of agent"),
    ],
)
def test_an_agent_that_cannot_play_is_refused_before_connecting(
    net: Path, words: list[str], message: str
) -> None:
    with pytest.raises(AgentError, match=message):
        Lineup(params_with(*words), net)


def test_the_best_net_for_the_board_plays_by_default(net: Path) -> None:
    small = Lineup(params_with("oht.agent=best"), net)
    assert (small.expected.name, small.note) == ("mcts net", "")
    for agent, given, kind in (("best", None, "anet"), ("anet", Path("best"), "anet")):
        five = Lineup(params_with(f"oht.agent={agent}", "oht.board_size=5"), given)
        spec, _, found = five.note.partition(" is ")
        assert spec == (agent if given is None else "anet:best")
        assert found.startswith(f"{kind}:")
        assert Path(found).parent.name == "hex-5-perfect"
    without = Lineup(params_with("oht.agent=mcts", "oht.board_size=5"), None)
    assert (without.expected.name, without.note) == ("mcts", "")


def test_a_decision_of_the_judge_is_counted_once_per_game(
    make_player: Callable[..., TournamentPlayer],
) -> None:
    player = make_player("oht.agent=mcts:simulations=5,judge=true")
    player.handle_series_start(US, 1, [(US, 1), (THEM, 2)], 2, [3])
    assert [play_game(player, us=1, starter=1) for _ in range(2)] == [1, 1]
    assert player.result.series[0].judged == [0, 0]

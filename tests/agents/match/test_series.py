"""A series: who starts, what is counted, what is kept when it is cut short."""

import pytest

from agents.match import GameRecord, SeriesResult, play_series, starting_players
from state_manager import State, StateManager, make_game


class Picker:
    """Takes the lowest or the highest legal action."""

    def __init__(self, game: StateManager, name: str, place: int = 0) -> None:
        self.name = name
        self.game = game
        self.place = place

    def choose_action(self, state: State) -> int:
        return int(self.game.legal_actions(state)[self.place])


class Titles:
    """Collects the titles of games."""

    def __init__(self) -> None:
        self.titles: list[str] = []

    def on_game_start(self, title: str, players: tuple[str, str], state: State) -> None:
        self.titles.append(title)

    def on_move(self, state: State, action: int, thought: object = None) -> None:
        pass

    def on_game_over(self, state: State, winner: int) -> None:
        pass


@pytest.fixture
def game() -> StateManager:
    return make_game("hex", size=3)


@pytest.fixture
def agents(game: StateManager) -> tuple[Picker, Picker]:
    return Picker(game, "low"), Picker(game, "high", -1)


def test_the_starting_player_alternates_and_the_colours_stay(
    game: StateManager, agents: tuple[Picker, Picker]
) -> None:
    result = play_series(game, agents, 5)
    assert [record.starting_player for record in result.records] == [1, 2, 1, 2, 1]
    assert {record.players for record in result.records} == {("low", "high")}
    assert (result.games_started_by(1), result.games_started_by(2)) == (3, 2)


@pytest.mark.parametrize("player", [1, 2])
def test_the_starting_player_may_be_fixed(
    game: StateManager, agents: tuple[Picker, Picker], player: int
) -> None:
    result = play_series(game, agents, 3, starting_player=1 if player == 1 else 2)
    assert {record.starting_player for record in result.records} == {player}
    assert result.games_started_by(3 - player) == 0


def test_wins_are_counted_by_side_and_by_start() -> None:
    def won(winner: int, starter: int, *actions: int) -> GameRecord:
        return GameRecord(("a", "b"), starter, (), actions, winner)

    result = SeriesResult(
        ("a", "b"),
        (won(1, 1, 0), won(1, 2, 0), won(2, 1, 1), won(3, 2, 2), won(1, 1, 0), won(2, 2, 3)),
    )
    assert result.games == 6
    assert result.wins == (3, 2)
    assert result.draws == 1
    assert result.wins_when_started_by(1) == (2, 1)
    assert result.wins_when_started_by(2) == (1, 1)
    assert result.distinct_games == 5


def test_two_deterministic_agents_play_two_games_over_and_over(
    game: StateManager, agents: tuple[Picker, Picker]
) -> None:
    result = play_series(game, agents, 20)
    assert result.games == 20
    assert result.distinct_games == 2


def test_openings_are_played_one_a_game(game: StateManager, agents: tuple[Picker, Picker]) -> None:
    openings = [(4,), (4,), (8, 7)]
    result = play_series(game, agents, 3, openings=openings)
    assert [record.opening for record in result.records] == openings
    assert all(record.actions[: len(record.opening)] == record.opening for record in result.records)
    assert result.distinct_games == 3


def test_a_wrong_number_of_openings_is_an_error(
    game: StateManager, agents: tuple[Picker, Picker]
) -> None:
    with pytest.raises(ValueError, match="expected one opening for each of 3 games, got 2"):
        play_series(game, agents, 3, openings=[(0,), (1,)])


def test_observers_are_told_the_number_of_each_game(
    game: StateManager, agents: tuple[Picker, Picker]
) -> None:
    observer = Titles()
    play_series(game, agents, 2, observers=[observer])
    assert observer.titles == ["low against high, game 1 of 2", "low against high, game 2 of 2"]


def test_ctrl_c_loses_no_finished_game(game: StateManager, agents: tuple[Picker, Picker]) -> None:
    class LeavesInTheThirdGame(Picker):
        games = 0

        def choose_action(self, state: State) -> int:
            if not state[1:10].any():
                self.games += 1
            if self.games == 3:
                raise KeyboardInterrupt
            return super().choose_action(state)

    finished: list[GameRecord] = []
    leaver = LeavesInTheThirdGame(game, "leaver")
    with pytest.raises(KeyboardInterrupt):
        play_series(game, (leaver, agents[1]), 10, starting_player=1, on_result=finished.append)
    result = SeriesResult(("leaver", "high"), tuple(finished))
    assert result.games == 2
    assert sum(result.wins) == 2


def test_a_series_of_no_games_is_empty(game: StateManager, agents: tuple[Picker, Picker]) -> None:
    result = play_series(game, agents, 0)
    assert (result.games, result.wins, result.draws, result.distinct_games) == (0, (0, 0), 0, 0)


def test_starting_players_begin_with_player_1() -> None:
    assert starting_players(3, "alternate") == (1, 2, 1)
    assert starting_players(2, 2) == (2, 2)

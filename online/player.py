"""From the tournament's hooks to an agent, for both generations of clients.

This file keeps track of series and opponents, without game logic: boards are converted in ``flat``,
moves are chosen by ``agents``.
"""

from collections.abc import Sequence
from typing import Protocol

from agents.match import Observer
from online.errors import ConnectionEndedError, TournamentError
from online.flat import FlatError, coordinates, state_from_flat
from online.lineup import Lineup
from online.results import PlayedGame, SeriesResult, TournamentRecord, TournamentResult
from state_manager import StateManager


class Listener(Observer, Protocol):
    """Receives the progress of the tournament and its games."""

    def on_series(self, series: SeriesResult, number: int) -> None:
        """Handle the start of a series; numbers start at 1."""

    def on_game(self, series: SeriesResult) -> None:
        """Handle the end of a game, with the current state of its series."""

    def tell(self, text: str) -> None:
        """Show a message to the user."""


class GameWatcher:
    """Follows a game from the received states, for displays and records only.

    Moves are chosen without it, since each request holds the whole board. ``is_won``: for us, by
    the exact judge.
    """

    def __init__(self, game: StateManager, starting_player: int) -> None:
        """Watch a game from its empty board."""
        self.starting_player, self.is_won = starting_player, False
        self.moves: list[tuple[int, int]] = []
        self.state = game.initial_state(starting_player)
        self._game = game

    def make(self, action: int) -> None:
        """Make a move."""
        self.state = self._game.child_state(self.state, action)
        self.moves.append(coordinates(self._game, action))

    def see(self, flat: Sequence[int]) -> int | None:
        """Make and return the first of one or two moves that lead to a board; ``None`` without."""
        before, player = self._game.to_flat(self.state)[1:], self.state[0]
        if len(flat) != 1 + len(before):
            return None
        new = {cell: stone for cell, stone in enumerate(flat[1:]) if stone != before[cell]}
        if sorted(new.values()) not in ([player], [1, 2]) or any(before[cell] for cell in new):
            return None
        action = next(cell for cell, stone in new.items() if stone == player)
        self.make(action)
        return action


class TournamentPlayer:
    """Plays a tournament with an agent; keeps every game, and the standings in ``result``.

    The hooks are the seven methods that the assignment requires, with the names of the course's
    files. A player is 1 or 2. ``names`` are of players by their unique ids, where a server has any.
    """

    def __init__(self, lineup: Lineup, record: TournamentRecord, listener: Listener) -> None:
        """Play with the agents of a lineup; report to ``listener``."""
        self.result = TournamentResult()
        self.names: dict[int, str] = {}
        self._lineup, self._record, self._listener = lineup, record, listener
        self._seat = lineup.expected
        self._unique_id = 0
        self._watched: GameWatcher | None = None
        self._games_begun = self._moves_asked = 0  # in this series, and in this game

    def handle_series_start(
        self,
        unique_id: int,
        series_id: int,
        player_map: Sequence[Sequence[int]],
        num_games: int,
        game_params: Sequence[int],
    ) -> None:
        """A series starts; check its board, since the server decides on its size.

        ``unique_id`` is our number in the server's registry, perhaps negative, and ``series_id``
        our player; ``player_map`` has both ids of both players, ``game_params`` the board's size K
        first.
        """
        size = game_params[0]
        self._take_seat(size)
        opponent = next((other for other, _ in player_map if other != unique_id), unique_id)
        self._unique_id, name = unique_id, self.names.get(opponent, opponent)
        self._games_begun = self._moves_asked = 0
        series = SeriesResult(name, series_id, num_games, size, self._seat.name)
        self.result.series.append(series)
        self._listener.on_series(series, len(self.result.series))

    def handle_game_start(self, start_player: int) -> None:
        """A game starts; player ``start_player`` moves first."""
        series = self._series
        self._take_seat(series.board_size)
        series.agent = self._seat.name
        self._games_begun += 1
        self._moves_asked = 0
        self._check_number(self._games_begun)
        self._watched = GameWatcher(self._seat.game, start_player)
        number = series.won + series.lost + 1
        title = f"series {len(self.result.series)}, game {number} of {series.num_games}"
        us, them = series.agent, series.opponent_words
        players = (us, them) if series.series_id == 1 else (them, us)
        self._listener.on_game_start(title, players, self._watched.state)

    def handle_get_action(self, state: Sequence[int]) -> tuple[int, int]:
        """Return the row and the column of our move, within the time limit; see ``flat``."""
        game, shown = self._seat.game, tuple(state)
        try:
            own_state = state_from_flat(game, state)
        except FlatError as error:
            raise TournamentError(f"expected a state to move in, got {shown}: {error}") from error
        if game.is_final(own_state):
            raise TournamentError(f"expected a game that is not over, got {shown}")
        self._moves_asked += 1
        if self._moves_asked > game.num_actions:
            words = f"expected a game to end, got a request for move {self._moves_asked}"
            raise TournamentError(words)
        move = self._seat.agent.choose_action(own_state)
        if move.fault:
            self._series.faults += 1
            self._listener.tell(f"WARNING: the fallback moves: {move.fault}")
        self._see(state)
        if (watched := self._watched) is not None:
            thought = move.thought
            if thought is not None and thought.outcome == state[0] and not watched.is_won:
                watched.is_won = True
                self._series.judged.append(len(watched.moves))
            if game.to_flat(watched.state) == list(state):
                watched.make(move.action)
                self._listener.on_move(watched.state, move.action, thought)
        return coordinates(game, move.action)

    def handle_game_over(self, winner: int, end_state: Sequence[int]) -> None:
        """A game has ended; the flat ``end_state`` has the winning stone."""
        series, watched = self._series, self._watched
        self._seat.agent.rest()
        self._check_number(series.won + series.lost + 1)
        self._see(end_state)
        series.won += winner == series.series_id
        series.lost += winner != series.series_id
        if watched is not None:
            game = PlayedGame(watched.starting_player, int(winner), watched.moves, list(end_state))
            try:
                self._record.add_game(series, game)
            except OSError as error:  # a full disk does not end the tournament
                self._record.lost += 1
                if self._record.lost == 1:
                    self._listener.tell(f"WARNING: a game is not kept: {error.strerror or error}")
            self._listener.on_game_over(watched.state, winner)
        self._watched = None
        self._listener.on_game(series)

    def handle_series_over(self, stats: Sequence[Sequence[int]]) -> None:
        """A series has ended; ``stats`` are (unique id, series id, wins, losses) of both."""
        series = self._series
        for unique_id, series_id, wins, losses in stats:
            if unique_id == self._unique_id and series_id == series.series_id:
                series.settle(wins, losses)
        if series.unplayed:
            games, counts = series.unplayed, f"{series.won} won, {series.lost} lost"
            more = f"the server counts the {games} games that remained too: {counts}"
            self._listener.tell(f"{series.opponent_words} has left; {more}")
        if series.disputed:
            theirs = f"{series.stats} games won and lost against {series.opponent_words}"
            ours = f"we count {(series.won, series.lost)}"
            self._listener.tell(f"WARNING: the server counts {theirs}, {ours}")

    def handle_tournament_over(self, score: float) -> None:
        """The tournament has ended; ``score`` is the percentage of games that we won."""
        self.result.score = float(score)

    def handle_illegal_action(self, state: Sequence[int], illegal_action: object) -> None:
        """Our move was refused; that ends the tournament, in generation 2 only the game."""
        self.result.illegal_actions += 1
        refused = f"the move {illegal_action} in {tuple(state)}"
        self._listener.tell(f"WARNING: the server refused {refused}")

    def end(self, reason: BaseException | str, league: bool) -> None:
        """Record why it ended; a complete series of the league needs no score of the server."""
        result = self.result
        if result.score is not None:
            return
        in_series = league and bool(result.series)
        if not (in_series and result.series[-1].remaining == 0):
            result.broken_off = str(reason) or "interrupted"
        if in_series and not (result.broken_off and isinstance(reason, ConnectionEndedError)):
            series = result.series[-1]
            series.settle(series.won, series.lost + series.remaining)
            result.score = round(100 * series.won / max(series.num_games, 1), 2)

    @property
    def is_kept(self) -> bool:
        """Whether the result and every finished game were written."""
        return self._record.is_finished and not self._record.lost

    @property
    def _series(self) -> SeriesResult:
        if not self.result.series:
            raise TournamentError("expected the start of a series, got a game")
        return self.result.series[-1]

    def _take_seat(self, size: int) -> None:
        self._seat.agent.rest()  # a series may have ended within a game
        before, self._seat = self._seat, self._lineup.seat(size)
        if self._seat is not before and self._seat.note:
            self._listener.tell(self._seat.note)

    def _check_number(self, number: int) -> None:
        if number > (most := self._series.num_games):
            raise TournamentError(f"expected {most} games in the series, got one more")

    def _see(self, flat: Sequence[int]) -> None:
        """Show the new stones to the listener: the opponent's, and ours whose echo was lost."""
        watched = self._watched
        while watched is not None and (action := watched.see(flat)) is not None:
            self._listener.on_move(watched.state, action, None)

"""Self-play with a net evaluated in batches: games in rows, each at its own pace.

A search ends when its simulations are run or its root is proven. Its game then moves at once, and
the next search begins; when a game is over, the next episode takes its row. So nearly every place
of every batch holds a needed state.

With ``rl.mixed_play``, players have mixed strength, so that the net learns replies to all kinds of
play. In half of the games each player makes random moves at a rate of 0, or of up to a half; in the
other half one plays the net's first choice, and the other makes random moves at any rate. Every
position is still searched and learned from.
"""

import time
from collections.abc import Sequence

import numpy as np

from agents.match import GameStoppedError
from anet import give_back_freed_memory
from base.jit import deferred_interrupts, direct
from mcts.search import find_leaves
from rl import schedule
from rl.rows import BY_NET, BY_SEARCH, RANDOM, advance, begin_search, new_games
from rl.self_play import ActualGame, SelfPlay
from state_manager import GOES_ON

_BATCHES_BETWEEN = 500
"""Net evaluations between two releases of freed memory: the next update may be hours away."""


def play_in_rows(numbers: Sequence[int], self_play: SelfPlay) -> None:
    """Play actual games; see ``PlayGames``."""
    rows = _Rows(self_play, list(numbers))
    with deferred_interrupts() as are_pressed:
        while rows.playing and not are_pressed():
            if self_play.should_stop():
                raise GameStoppedError
            rows.advance()


class _Rows:
    """The games in play, and those waiting for a row."""

    def __init__(self, self_play: SelfPlay, numbers: list[int]) -> None:
        """Begin a game in each row."""
        game, self._search = self_play.game, self_play.mcts
        self._self_play = self_play
        self._waiting = numbers[::-1]
        self.playing: dict[int, ActualGame] = {}
        sizes = (game.max_plies, game.state_length, game.num_actions)
        self._noise = self._search.variant.root_noise
        self._games = new_games(self._search.games, *sizes, self._noise is not None)
        plies = range(game.max_plies)
        self._games.temperatures[:] = [
            schedule.actual_temperature(self_play.params, ply) for ply in plies
        ]
        self._seconds = time.perf_counter()
        self._batches = 0
        self_play.begin_searches(numbers[0])
        self._games.budgets[:] = [schedule.simulations(self_play.params, ply) for ply in plies]
        self._search.make_room(int(self._games.budgets.max()))
        for row in range(self._search.games):
            self._begin(row)

    def advance(self) -> None:
        """Make the moves of all games whose searches are over, and evaluate the next batch."""
        size = direct(advance)(self._search.compiled, self._games)
        over = np.flatnonzero(self._games.winners != GOES_ON)
        for row in over.tolist():
            self._hand_in(row)
            self._begin(row)
        if len(over):  # the batch has room for the games that have just begun
            size = direct(find_leaves)(self._search.compiled, 1)
        if size:
            self._search.evaluate_batch(size)
            self._batches += 1
            if self._batches % _BATCHES_BETWEEN == 0:
                give_back_freed_memory()

    def _begin(self, row: int) -> None:
        """Begin the next waiting game in a row."""
        games, params = self._games, self._self_play.params
        games.winners[row] = GOES_ON
        if not self._waiting:
            return
        each = self._self_play.new_game(self._waiting.pop())
        self.playing[row] = each
        rng = each.generator
        games.plies[row] = each.ply
        games.simulations[row] = 0
        random_until = each.ply + rng.integers(params.rl.random_plies + 1)
        epsilon = params.rl.epsilon if params.rl.action_choice == "epsilon_greedy" else 0.0
        randomness, by_net = np.full(2, epsilon), np.zeros(2, np.bool_)
        share = float(params.rl.mixed_play)
        if share == 1.0 or (share > 0.0 and rng.random() < share):
            if rng.random() < 0.5:
                randomness = (rng.random(2) < 0.5) * rng.uniform(0.0, 0.5, size=2)
            else:
                net, other = rng.permutation(2)
                by_net[net] = True
                randomness[net], randomness[other] = 0.0, rng.random()
        game = self._self_play.game
        plies, draws = np.arange(game.max_plies), rng.random((game.max_plies, 2))
        movers = (plies + each.starting_player - 1) % 2
        is_random = (plies < random_until) | (draws[:, 0] < randomness[movers])
        by_choice = np.where(by_net[movers], BY_NET, BY_SEARCH)
        games.how[row], games.numbers[row] = np.where(is_random, RANDOM, by_choice), draws[:, 1]
        games.states[row, each.ply] = each.state
        if self._noise is not None:
            games.noise[row] = self._noise.drawn(rng, (game.max_plies, game.num_actions))
        direct(begin_search)(self._search.slots, games, row)

    def _hand_in(self, row: int) -> None:
        """Hand in a game that is over."""
        games, each = self._games, self.playing.pop(row)
        part = slice(each.ply, int(games.plies[row]))
        each.states += list(games.states[row, each.ply + 1 : part.stop + 1].copy())
        each.actions += games.actions[row, part].tolist()
        each.labelled += range(part.start, part.stop)
        each.distributions += list(games.distributions[row, part].copy())
        each.roots += games.values[row, part].tolist()
        signs = np.where(games.states[row, part, 0] == 1, 1.0, -1.0)
        each.values += (signs * games.values[row, part]).tolist()
        each.explored += (~games.is_best[row, part]).tolist()
        each.lost += games.is_lost[row, part].tolist()
        each.simulations = int(games.simulations[row])
        each.winner = int(games.winners[row])
        now = time.perf_counter()
        each.search_seconds, self._seconds = now - self._seconds, now
        self._self_play.hand_in([each])

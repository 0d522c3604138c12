"""Self-play with a net evaluated in batches: games in slots, each at its own pace.

A search ends when its simulations are run or its root is proven. Its game then moves at once, and
the next search begins; when a game is over, the next episode takes its slot. So almost all states
of a batch are needed.

With ``rl.mixed_play``, players have mixed strength, so that the net learns replies to all kinds of
play. In half of the games each player makes random moves at a rate of 0, or of up to a half; in the
other half one plays the net's first choice, and the other makes random moves at any rate. Every
position is still searched and learned from.
"""

import time
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from agents.match import GameStoppedError
from anet import give_back_freed_memory
from base.jit import deferred_interrupts, direct
from base.params import Params
from mcts.search import find_leaves
from rl import schedule
from rl.episode import Episode, GameArrays
from rl.self_play import ActualGame, SelfPlay
from rl.slots import BY_NET, BY_SEARCH, RANDOM, advance, begin_search, new_games
from state_manager import GOES_ON

_BATCHES_BETWEEN = 500
"""Net evaluations between two releases of freed memory: the next update may be hours away."""


def play_in_slots(numbers: Sequence[int], self_play: SelfPlay) -> Iterator[Episode]:
    """Play actual games; see ``Play``."""
    games = GamesInSlots(self_play, list(numbers))
    with deferred_interrupts() as are_pressed:
        while games.playing and not are_pressed():
            if self_play.should_stop():
                raise GameStoppedError
            yield from games.advance()


class GamesInSlots:
    """The games in play, ``playing`` by slot, and those waiting for a slot."""

    def __init__(self, self_play: SelfPlay, numbers: list[int]) -> None:
        """Begin a game in each slot."""
        game, params, self._search = self_play.game, self_play.params, self_play.mcts
        self._self_play = self_play
        self._waiting = numbers[::-1]
        self.playing: dict[int, ActualGame] = {}
        sizes = (game.max_plies, game.state_length, game.num_actions)
        self._noise = self._search.variant.root_noise
        self._games = new_games(self._search.games, *sizes, self._noise is not None)
        for ply in range(game.max_plies):
            self._games.temperatures[ply] = schedule.temperature(params, ply)
            self._games.budgets[ply] = schedule.simulations(params, ply)
        self._seconds = time.perf_counter()
        self._batches = 0
        self_play.begin_searches(numbers[0])
        self._search.make_room(int(self._games.budgets.max()))
        for slot in range(self._search.games):
            self._begin(slot)

    def advance(self) -> Iterator[Episode]:
        """Make the moves of all games whose searches are over, and evaluate the next batch."""
        size = direct(advance)(self._search.compiled, self._games)
        over = np.flatnonzero(self._games.winners != GOES_ON).tolist()
        for slot in over:
            yield self._finished(slot)
            self._begin(slot)
        if over:  # the batch has room for the games that have just begun
            size = direct(find_leaves)(self._search.compiled, 1)
        if size:
            self._search.evaluate_batch(size)
            self._batches += 1
            if self._batches % _BATCHES_BETWEEN == 0:
                give_back_freed_memory()

    def _begin(self, slot: int) -> None:
        games, params, game = self._games, self._self_play.params, self._self_play.game
        games.winners[slot] = GOES_ON
        if not self._waiting:
            return
        arrays = GameArrays._make(array[slot] for array in games.arrays)
        each = self._self_play.new_game(self._waiting.pop(), arrays)
        self.playing[slot] = each
        rng = each.generator
        games.plies[slot] = each.ply
        games.simulations[slot] = 0
        random_until = each.ply + rng.integers(params.rl.random_plies + 1)
        randomness, by_net = _strengths(params, rng)
        plies, draws = np.arange(game.max_plies), rng.random((game.max_plies, 2))
        movers = (plies + int(each.arrays.states[0, 0]) - 1) % 2
        is_random = (plies < random_until) | (draws[:, 0] < randomness[movers])
        by_choice = np.where(by_net[movers], BY_NET, BY_SEARCH)
        games.how[slot], games.numbers[slot] = np.where(is_random, RANDOM, by_choice), draws[:, 1]
        if self._noise is not None:
            games.noise[slot] = self._noise.drawn(rng, (game.max_plies, game.num_actions))
        direct(begin_search)(self._search.slots, games, slot)

    def _finished(self, slot: int) -> Episode:
        games, each = self._games, self.playing.pop(slot)
        each.searched = range(each.ply, int(games.plies[slot]))
        each.ply = each.searched.stop
        each.simulations = int(games.simulations[slot])
        now = time.perf_counter()
        each.search_seconds, self._seconds = now - self._seconds, now
        return each.finished(int(games.winners[slot]))


def _strengths(
    params: Params, rng: np.random.Generator
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return each player's share of random moves, and whether it plays the net's first choice."""
    rl = params.rl
    share, by_net = float(rl.mixed_play), np.zeros(2, np.bool_)
    if share < 1.0 and (share == 0.0 or rng.random() >= share):
        epsilon = rl.epsilon if rl.action_choice == "epsilon_greedy" else 0.0
        return np.full(2, epsilon), by_net
    if rng.random() < 0.5:
        return (rng.random(2) < 0.5) * rng.uniform(0.0, 0.5, size=2), by_net
    net, other = rng.permutation(2)
    randomness = np.zeros(2)
    by_net[net], randomness[other] = True, rng.random()
    return randomness, by_net

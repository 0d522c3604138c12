"""Self-play: actual games that advance together, one move of each, with one search for all.

The loops over games are in ``rl/schemes``. An episode depends on the seed and its number, not on
the games beside it. One exception: if batched searches draw random numbers, all games of a group
share one generator. Then they are kept together or not at all.
"""

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from agents import choose
from agents.match import GameStoppedError, Observer
from anet import give_back_freed_memory
from anet.evaluator import Evaluator
from base.params import Params
from mcts import MCTS, SearchResult
from rl import schedule
from rl.episode import SEARCH_PLAYER, Episode, GameArrays, new_arrays, title_of
from rl.schedule import EPISODE_STREAM, ROLLOUT_STREAM, generator
from state_manager import State, StateManager
from state_manager.policy import Policy


@dataclass(eq=False)
class ActualGame:
    """A game in play."""

    number: int  # from 1
    generator: np.random.Generator  # of its moves
    arrays: GameArrays  # with room for the longest game, and a search before each move
    ply: int = 0  # the number of moves made
    searched: range = range(0)  # plies that were searched
    simulations: int = 0  # of all its searches
    search_seconds: float = 0.0  # of all its searches

    @property
    def state(self) -> State:
        """The current state."""
        state: State = self.arrays.states[self.ply]
        return state

    def note(self, ply: int, result: SearchResult) -> None:
        """Note the search from the state of a ply, as a case; the move there is made."""
        thought = result.thought(int(self.arrays.actions[ply]))
        self.arrays.distributions[ply] = thought.distribution
        self.arrays.values[ply] = thought.value
        self.searched = range(self.searched.start if self.searched else ply, ply + 1)
        self.simulations += result.simulations
        self.search_seconds += result.seconds

    def finished(self, winner: int) -> Episode:
        """Return the episode."""
        arrays, searched = self.arrays, slice(self.searched.start, self.searched.stop)
        return Episode(
            number=self.number,
            winner=winner,
            arrays=GameArrays(
                states=arrays.states[: self.ply + 1].copy(),
                actions=arrays.actions[: self.ply].copy(),
                distributions=arrays.distributions[searched].copy(),
                values=arrays.values[searched].copy(),
                explored=arrays.explored[searched].copy(),
                surprises=arrays.surprises[searched].copy(),
                lost=arrays.lost[searched].copy(),
            ),
            first_searched=searched.start,
            simulations=self.simulations,
            search_seconds=self.search_seconds,
        )


@dataclass(eq=False)
class SelfPlay:
    """The tools of a scheme for a group of games: a net and a search."""

    evaluator: Evaluator  # its net does not learn meanwhile, and is shared with other threads
    mcts: MCTS  # a search for all games that advance together
    params: Params
    should_stop: Callable[[], bool] = lambda: False  # called before each search; true stops games
    observers: Sequence[Observer] = ()  # receive the moves as they are made, of a single game only
    starts: Sequence[tuple[int, ...]] = ()  # openings for some of the games; player 1 begins
    rollout_policy: Policy | None = None  # the net's; ``None`` if it is evaluated in batches

    def __post_init__(self) -> None:
        """Begin with no game."""
        self.game: StateManager = self.evaluator.game

    def begin(self, numbers: Sequence[int]) -> list[ActualGame]:
        """Begin episodes: empty trees, and boards with the starting player."""
        games = [self.new_game(number) for number in numbers]
        if self.evaluator.facts.plays_rollouts:
            epsilon = schedule.rollout_epsilon(self.params, numbers[0])
            self.rollout_policy = self.evaluator.rollout_policy(epsilon)
            self.begin_searches(numbers[0], games[0].generator)
        else:
            self.begin_searches(numbers[0])
        for observer in self.observers:
            title = title_of(numbers[0], self.params)
            observer.on_game_start(title, (SEARCH_PLAYER, SEARCH_PLAYER), games[0].state)
        return games

    def new_game(self, number: int, arrays: GameArrays | None = None) -> ActualGame:
        """Return the game of an episode before its first move, in new arrays by default."""
        rng = generator(self.params, EPISODE_STREAM, number)
        first = schedule.starting_player(self.params, number)
        opening: tuple[int, ...] = ()
        if len(self.starts) and rng.random() < self.params.rl.exploiter_starts:
            first, opening = 1, self.starts[int(rng.integers(len(self.starts)))]
        if arrays is None:
            game = self.game
            many = new_arrays(game.max_plies, game.state_length, game.num_actions, 1)
            arrays = GameArrays._make(array[0] for array in many)
        arrays.states[0] = self.game.initial_state(first)
        each = ActualGame(number, rng, arrays)
        for action in opening:
            self.make_move(each, action)
        return each

    def begin_searches(self, number: int, draws: np.random.Generator | None = None) -> None:
        """Begin with empty trees; searches draw from ``draws``, or the generator of ``number``."""
        self._draws = draws or generator(self.params, ROLLOUT_STREAM, number)
        self.mcts.reset(self._draws)
        self.set_rollout_policy(self.rollout_policy, number)

    def set_rollout_policy(self, policy: Policy | None, number: int) -> None:
        """Set the policy of the rollouts, and the sigma of an episode."""
        self.mcts.set_rollout_policy(policy, schedule.sigma(self.params, number))

    def search(
        self, games: Sequence[ActualGame], plies: Sequence[int] | None = None
    ) -> list[SearchResult]:
        """Search from the state of each game, or that of a ply; those with the same M together.

        If the net plays the rollouts, the subtree rooted at s* is kept, else each tree is new.

        Raises:
            GameStoppedError: If the games are to stop.
        """
        plies = [each.ply for each in games] if plies is None else plies
        wanted = [schedule.simulations(self.params, ply) for ply in plies]  # M
        results: dict[int, SearchResult] = {}
        for simulations in sorted(set(wanted)):
            if self.should_stop():
                raise GameStoppedError
            if not self.evaluator.facts.plays_rollouts:
                give_back_freed_memory()  # an update may be minutes away
                self.mcts.reset(self._draws, keep_evaluations=True)
            some = [i for i, each in enumerate(wanted) if each == simulations]
            roots = [games[i].arrays.states[plies[i]] for i in some]
            noise = [games[i].generator for i in some]
            results |= zip(some, self.mcts.search_all(roots, simulations, noise=noise), strict=True)
        return [results[i] for i in range(len(games))]

    def policies(self, states: Sequence[State]) -> NDArray[np.float64]:
        """Return the net's policies for states, `[B, A]`; the batch is padded to a fixed size."""
        batch = np.stack([*states, *[states[0]] * (self.mcts.games - len(states))])
        policies, _ = self.evaluator.evaluate_batch(batch, self.game.legal_mask(batch))
        return policies[: len(states)]

    def actual_action(self, each: ActualGame, distribution: NDArray[np.float64]) -> int:
        """Choose a* from D, `[A]`, by the parameters for the next move of a game."""
        rl, temperature = self.params.rl, schedule.temperature(self.params, each.ply)
        legal = self.game.legal_actions(each.state)
        return choose(
            distribution, legal, rl.action_choice, rl.epsilon, each.generator, temperature
        )

    def make_move(self, each: ActualGame, action: int, result: SearchResult | None = None) -> None:
        """Make a move; with a search result, the state before it becomes a case."""
        each.arrays.states[each.ply + 1] = self.game.child_state(each.state, action)
        each.arrays.actions[each.ply] = action
        each.ply += 1
        if result is not None:
            each.note(each.ply - 1, result)
            for observer in self.observers:
                observer.on_move(each.state, action, result.thought(action))

    def going_on(self, games: Sequence[ActualGame]) -> list[ActualGame]:
        """Return the games that are not over."""
        return [each for each in games if not self.game.is_final(each.state)]

    def hand_in(self, games: Sequence[ActualGame]) -> Generator[Episode, None, list[ActualGame]]:
        """Yield the episodes of the games that are over; return the other games."""
        playing = self.going_on(games)
        for each in games:
            if each not in playing:
                episode = each.finished(self.game.winner(each.state))
                yield episode
                for observer in self.observers:
                    observer.on_game_over(each.state, episode.winner)
        return playing


Play = Callable[[Sequence[int], SelfPlay], Iterator[Episode]]
"""``play(numbers, self_play)``: play the episodes with these numbers, from 1, ascending; yield each
as soon as it is over. They advance together, up to the search's number of games; often that is
one."""


def kept_episodes(
    play: Play, numbers: Sequence[int], self_play: SelfPlay
) -> Iterator[list[Episode]]:
    """Yield finished episodes, one by one unless they are kept together; the games may stop."""
    with suppress(GameStoppedError):
        if self_play.should_stop():
            return
        episodes = play(numbers, self_play)
        if draws_together(self_play.mcts, self_play.params):
            yield list(episodes)
        else:
            for each in episodes:
                yield [each]


def draws_together(search: MCTS, params: Params) -> bool:
    """Return whether the searches of a group share one generator."""
    return search.games > 1 and (search.variant.method.draws or params.rl.sigma > 0.0)

"""One episode: an actual game, each of its moves chosen by a search. Pseudocode, 4 (a) to (d)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from agents import choose
from agents.match import DRAW, Observer
from base.params import Params
from mcts import MCTS, Thought, thought_of
from rl import schedule
from rl.replay_buffer import Case
from state_manager import State, StateManager

SEARCH = "MCTS"
"""Who moves where every move is searched for, as observers are told."""


class EpisodeAborted(Exception):
    """Somebody asked the episode to end before it was over."""


@dataclass(frozen=True)
class Episode:
    """A finished actual game.

    Attributes:
        number: Counted from 1.
        starting_player: 1 or 2.
        actions: All actions, in order.
        states: The states before each action, and the final one.
        labelled: The plies whose states were searched, ascending: all of them, unless the learning
            scheme labels only some.
        distributions: D at each of these.
        winner: 1, 2, or 3 for a draw.
        simulations: How many were run in all its searches.
        search_seconds: How long these took.
        values: What each search thought of the move that was made there, in [-1, 1], seen from
            player 1; ``()`` for an episode from a time when that was not kept.
    """

    number: int
    starting_player: int
    actions: tuple[int, ...]
    states: tuple[State, ...]
    labelled: tuple[int, ...]
    distributions: tuple[NDArray[np.float64], ...]
    winner: int
    simulations: int
    search_seconds: float
    values: tuple[float | None, ...] = ()

    def thoughts(self) -> dict[int, Thought]:
        """Return what was thought before each move that was searched for, by its ply."""
        values = self.values or (None,) * len(self.labelled)
        return {
            ply: Thought(distribution, value)
            for ply, distribution, value in zip(
                self.labelled, self.distributions, values, strict=True
            )
        }

    def cases(self, discount: float) -> list[Case]:
        """Return a case (root, D) for each search; the critic learns the discounted outcome."""
        plies = len(self.actions)
        cases = []
        for ply, distribution in zip(self.labelled, self.distributions, strict=True):
            state = self.states[ply]
            outcome = 0.0 if self.winner == DRAW else 1.0 if self.winner == state[0] else -1.0
            cases.append(Case(state, distribution, outcome * discount ** (plies - ply)))
        return cases


def actual_action(
    game: StateManager,
    params: Params,
    state: State,
    distribution: NDArray[np.float64],
    ply: int,
    generator: np.random.Generator,
) -> int:
    """Choose a* from D, `[A]`, as the parameters say for the move after ``ply`` plies."""
    return choose(
        distribution,
        game.legal_actions(state),
        params.rl.action_choice,
        params.rl.epsilon,
        generator,
        schedule.temperature(params, ply),
    )


def play_episode(
    game: StateManager,
    search: MCTS,
    params: Params,
    number: int,
    generator: np.random.Generator,
    observers: Sequence[Observer] = (),
    should_stop: Callable[[], bool] = lambda: False,
) -> Episode:
    """Play an actual game; the ANET plays the rollouts of its searches, for both players.

    Args:
        game: The rules.
        search: The Monte Carlo tree, with the ANET as its default policy.
        params: The pivotal parameters.
        number: The episode's number, from 1.
        generator: Where all its random numbers come from.
        observers: They see the moves as they are made.
        should_stop: Asked before each move.

    Raises:
        EpisodeAborted: If ``should_stop`` said so.
    """
    first = schedule.starting_player(params, number)
    state = game.initial_state(first)  # (a), (b)
    search.reset(generator)  # (c)
    _announce(observers, number, params, state, SEARCH)
    states = [state]
    actions: list[int] = []
    thoughts: list[Thought] = []
    total, seconds = 0, 0.0
    while not game.is_final(state):  # (d)
        if should_stop():
            raise EpisodeAborted
        result = search.search(state, schedule.simulations(params, ply=len(actions)))
        distribution = result.distribution  # D
        action = actual_action(game, params, state, distribution, len(actions), generator)  # a*
        thoughts.append(thought_of(result, action))
        state = game.child_state(state, action)  # s*
        search.advance(action)  # retain the subtree rooted at s*, discard everything else
        states.append(state)
        actions.append(action)
        total += result.simulations
        seconds += result.seconds
        for observer in observers:
            observer.on_move(state, action, thoughts[-1])
    winner = game.winner(state)
    for observer in observers:
        observer.on_game_over(state, winner)
    return Episode(
        number,
        first,
        tuple(actions),
        tuple(states),
        tuple(range(len(actions))),
        tuple(thought.distribution for thought in thoughts),
        winner,
        total,
        seconds,
        tuple(thought.value for thought in thoughts),
    )


def replay(
    episode: Episode, params: Params, observers: Sequence[Observer], player: str = SEARCH
) -> None:
    """Show a finished episode, for those that were played beside others."""
    _announce(observers, episode.number, params, episode.states[0], player)
    thoughts = episode.thoughts()
    for ply, action in enumerate(episode.actions):
        for observer in observers:
            observer.on_move(episode.states[ply + 1], action, thoughts.get(ply))
    for observer in observers:
        observer.on_game_over(episode.states[-1], episode.winner)


def _announce(
    observers: Sequence[Observer], number: int, params: Params, state: State, player: str
) -> None:
    """Tell observers that an episode starts; the same player moves for both sides."""
    for observer in observers:
        title = f"episode {number} of {params.rl.episodes}"
        observer.on_game_start(title, (player, player), state)

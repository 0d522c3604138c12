"""Episodes in lockstep, for nets that are asked in batches: one move of every game, then the next.

Each way of playing here has its counterpart, for nets that play rollouts, in ``rl/schemes``. What
an episode does depends on the seed and its number: an answer of a batch does not depend on the
other rows. Where searches draw, those of a group draw from the same random numbers, and then its
episodes are finished together or not at all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from agents import choose
from anet import ANET, give_back_freed_memory
from base.params import Params
from mcts import BatchedMCTS, SearchResult
from rl import schedule
from rl.episode import Episode, actual_action
from rl.streams import EPISODE_STREAM, ROLLOUT_STREAM, generator
from state_manager import State


@dataclass(eq=False)
class _Game:
    """An episode that is being played."""

    number: int
    generator: np.random.Generator
    starting_player: int
    states: list[State]
    actions: list[int] = field(default_factory=list)
    labelled: list[int] = field(default_factory=list)
    distributions: list[NDArray[np.float64]] = field(default_factory=list)
    values: list[float] = field(default_factory=list)
    simulations: int = 0
    seconds: float = 0.0

    def label(self, ply: int, result: SearchResult) -> None:
        """Keep what a search from the state of a ply has found, whose move has been made."""
        self.labelled.append(ply)
        self.distributions.append(result.distribution)
        self.values.append(float(result.q_values[self.actions[ply]]))
        self.simulations += result.simulations
        self.seconds += result.seconds

    def episode(self, winner: int) -> Episode:
        """Return the finished episode."""
        return Episode(
            self.number,
            self.starting_player,
            tuple(self.actions),
            tuple(self.states),
            tuple(self.labelled),
            tuple(self.distributions),
            winner,
            self.simulations,
            self.seconds,
            tuple(self.values),
        )


def play_by_searches(
    anet: ANET,
    search: BatchedMCTS,
    params: Params,
    numbers: Sequence[int],
    finished: dict[int, Episode],
    on_finished: Callable[[], None] = lambda: None,
) -> None:
    """Play episodes, a search before each move; see ``PlayTogether``."""
    game = anet.game
    for group in _groups(anet, search, params, numbers):
        playing, draws = group, generator(params, ROLLOUT_STREAM, group[0].number)
        while playing:
            ply = len(playing[0].actions)
            results = search.search(
                [each.states[-1] for each in playing],
                [each.generator for each in playing],
                schedule.simulations(params, ply),
                rollout_generator=draws,
            )
            for each, result in zip(playing, results, strict=True):
                state = each.states[-1]
                action = actual_action(
                    game, params, state, result.distribution, ply, each.generator
                )
                each.actions.append(action)
                each.label(ply, result)
                each.states.append(game.child_state(state, action))
            over = [each for each in playing if game.is_final(each.states[-1])]
            if not _draw_together(search, params):  # nothing that the others do depends on these
                _finish(anet, over, finished)
                on_finished()
            playing = [each for each in playing if each not in over]
            give_back_freed_memory()  # an update may be minutes away
        _finish(anet, group, finished)
        on_finished()


def play_apprentices(
    anet: ANET,
    search: BatchedMCTS,
    params: Params,
    numbers: Sequence[int],
    finished: dict[int, Episode],
    on_finished: Callable[[], None] = lambda: None,
) -> None:
    """Let the net play, then ask the expert about one position of each; see ``PlayTogether``."""
    game = anet.game
    for group in _groups(anet, search, params, numbers):
        playing = group
        while playing:
            _move_apprentices(anet, search, params, playing)
            playing = [each for each in playing if not game.is_final(each.states[-1])]
        plies = [int(each.generator.integers(len(each.actions))) for each in group]
        wanted = [schedule.simulations(params, ply) for ply in plies]
        draws = generator(params, ROLLOUT_STREAM, group[0].number)
        for simulations in sorted(set(wanted)):
            some = [i for i in range(len(group)) if wanted[i] == simulations]
            results = search.search(
                [group[i].states[plies[i]] for i in some],
                [group[i].generator for i in some],
                simulations,
                rollout_generator=draws,
            )
            for i, result in zip(some, results, strict=True):
                group[i].label(plies[i], result)
        _finish(anet, group, finished)
        on_finished()


def whole_groups(
    search: BatchedMCTS, params: Params, numbers: Sequence[int], finished: Mapping[int, Episode]
) -> dict[int, Episode]:
    """Return those of the finished episodes of a batch that it would have, if played at a stretch.

    In a run that ended within this batch, a group was smaller: it drew other random numbers.
    """
    if not _draw_together(search, params):
        return dict(finished)
    starts = range(0, len(numbers), search.games)
    groups = [numbers[start : start + search.games] for start in starts]
    return {n: finished[n] for group in groups if finished.keys() >= set(group) for n in group}


def _draw_together(search: BatchedMCTS, params: Params) -> bool:
    """Return whether the searches of a group draw from the same random numbers."""
    return search.variant.draws or params.rl.sigma > 0.0


def _finish(anet: ANET, group: Sequence[_Game], finished: dict[int, Episode]) -> None:
    """Hand in finished episodes, in one step that Ctrl-C cannot divide."""
    winner = anet.game.winner
    finished.update({each.number: each.episode(winner(each.states[-1])) for each in group})


def _move_apprentices(
    anet: ANET, search: BatchedMCTS, params: Params, playing: Sequence[_Game]
) -> None:
    """Make a move in every game, drawn from the net's policy or at random."""
    game = anet.game
    temperature, epsilon = schedule.apprentice_choice(params, ply=len(playing[0].actions))
    policies = search.policies([each.states[-1] for each in playing])
    for each, policy in zip(playing, policies, strict=True):
        state, rng = each.states[-1], each.generator
        legal = game.legal_actions(state)
        if rng.random() < epsilon:
            action = int(legal[int(rng.random() * len(legal))])
        else:
            action = choose(policy, legal, "probabilistic", 0.0, rng, temperature)
        each.actions.append(action)
        each.states.append(game.child_state(state, action))


def _groups(
    anet: ANET, search: BatchedMCTS, params: Params, numbers: Sequence[int]
) -> Iterator[list[_Game]]:
    """Yield new games, as many at a time as the search takes."""
    for begin in range(0, len(numbers), search.games):
        search.set_rollout_probability(schedule.sigma(params, numbers[begin]))
        group = []
        for number in numbers[begin : begin + search.games]:
            first = schedule.starting_player(params, number)
            rng = generator(params, EPISODE_STREAM, number)
            group.append(_Game(number, rng, first, [anet.game.initial_state(first)]))
        yield group

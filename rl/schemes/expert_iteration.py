"""Expert iteration: a fast apprentice plays, and a slow expert tells what it should have played.

Anthony, Tian & Barber 2017, "Thinking Fast and Slow with Deep Learning and Tree Search",
algorithm 1. The apprentice, the net alone, plays an episode against itself; one of its positions,
drawn uniformly, is shown to the expert, a search that the apprentice guides (N-MCTS); the expert's
visit counts are the case, as one position an episode keeps cases independent. With a critic, its
target is the outcome of the apprentice's game, as in section 4.2 of the paper.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from agents.match import Observer
from anet import ANET
from base.params import Params
from mcts import MCTS
from rl import schedule
from rl.episode import Episode, EpisodeAborted, replay
from rl.lockstep import play_apprentices
from rl.schemes.scheme import Scheme
from state_manager.policy import Policy, uniform_policy
from state_manager.self_play import play_against_itself

APPRENTICE = "ANET"


def play_apprentice(
    anet: ANET,
    search: MCTS,
    params: Params,
    number: int,
    generator: np.random.Generator,
    observers: Sequence[Observer] = (),
    should_stop: Callable[[], bool] = lambda: False,
) -> Episode:
    """Let the apprentice play, then ask the expert about one position; see ``PlayEpisode``."""
    if should_stop():
        raise EpisodeAborted
    game = anet.game
    policy = anet.rollout_policy(schedule.rollout_epsilon(params, number))
    first = schedule.starting_player(params, number)
    temperature, epsilon = schedule.apprentice_choice(params)
    actions, states = play_against_itself(
        game,
        policy,
        game.initial_state(first),
        generator,
        temperature=temperature,
        drawn_moves=params.rl.temperature_moves,
        epsilon=epsilon,
    )
    ply = int(generator.integers(len(actions)))
    search.set_rollout_policy(_rollouts_of(policy), schedule.sigma(params, number))
    search.reset(generator)
    result = search.search(states[ply], schedule.simulations(params, ply))
    episode = Episode(
        number=number,
        starting_player=first,
        actions=tuple(actions.tolist()),
        states=tuple(states),
        labelled=(ply,),
        distributions=(result.distribution,),
        winner=game.winner(states[-1]),
        simulations=result.simulations,
        search_seconds=result.seconds,
        values=(float(result.q_values[actions[ply]]),),
    )
    replay(episode, params, observers, APPRENTICE)
    return episode


def _rollouts_of(policy: Policy) -> Policy:
    """Return the policy; where all its rollouts are random, one that may play them the fast way."""
    if policy.net.epsilon < 1.0:
        return policy
    return replace(policy, kernel=uniform_policy, any_uniform_rollout=True)


EXPERT_ITERATION = Scheme(play_apprentice, play_apprentices, player=APPRENTICE)

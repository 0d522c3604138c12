"""Gating: the new net plays the old one, and replaces it only if it is better."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from agents import Agent
from agents.anet_agent import ANETAgent, ANETOptions
from agents.match import GameRecord, PlannedGame, play_series
from agents.mcts_agent import MCTSAgent
from agents.search_options import MCTSOptions
from anet import ANET
from anet.evaluator import Evaluator
from base.cluster import Workers
from base.params import Params
from base.params.search_section import VariantParams
from mcts.tree_memory import memory_share
from rl import schedule
from rl.hooks import Run, Update
from rl.schedule import GATING_STREAM, generator
from state_manager import DRAW

GATING_TEMPERATURE = 0.25
"""Moves are drawn in proportion to the fourth power of their share: games vary where several moves
are about equally good, and moves with a tiny share are practically never played."""


def gate(run: Run, update: Update) -> dict[str, Any]:
    """Let the new net play the old one; keep the old one, but the cases, if the new is not better.

    A hook; see ``rl.hooks``.
    """
    net, params = run.anet, run.params
    if params.rl.gating_games == 0:
        return {}
    old = ANET(net.game, net.params)
    old.restore(update.old_net, run.episode)
    record = play_gating_games(net, old, params, update.episode, run.workers)
    if not record["accepted"]:
        net.restore(update.old_net, run.episode)
    return record


def gating_record(
    games: Sequence[int], wins: Sequence[int], draws: int, threshold: float
) -> dict[str, Any]:
    """Return the fields for ``metrics.jsonl``.

    The new net is accepted, and replaces the old one, if its share of wins, a draw being half of
    one, exceeds the threshold. ``games`` and ``wins`` are its own as player 1 and as player 2.
    """
    fraction = (sum(wins) + 0.5 * draws) / sum(games)
    return {
        "gating_games": list(games),
        "gating_wins": list(wins),
        "gating_draws": draws,
        "win_fraction": fraction,
        "gating_threshold": threshold,
        "accepted": fraction > threshold,
    }


def play_gating_games(
    new: ANET, old: ANET, params: Params, episode: int, workers: int | Workers = 1
) -> dict[str, Any]:
    """Let the new net play the old one, with or without a search before each move.

    The new net is player 1 in every other game, beginning with the first; if the starting player
    alternates, each colour of each net starts equally often, within one game. The new net has
    learnt up to ``episode``; ``workers`` are threads or a cluster. Return the ``gating_record``.
    """
    games, searches = params.rl.gating_games, params.rl.gating_simulations != 0
    nets = [each.evaluator() if searches else each.exact for each in (new, old)]
    records: dict[int, GameRecord] = {}

    def agents(number: int) -> tuple[Agent, Agent]:
        rng = generator(params, GATING_STREAM, episode, number)
        first, second = nets if number % 2 == 0 else nets[::-1]
        return _agent(first, params, episode, rng), _agent(second, params, episode, rng)

    plan = [
        PlannedGame(partial(agents, number), schedule.starting_player(params, 1 + number // 2))
        for number in range(games)
    ]
    play_series(new.game, plan, records, workers)
    winners = [[records[n].winner for n in range(side, games, 2)] for side in (0, 1)]
    wins = winners[0].count(1), winners[1].count(2)
    draws = sum(each.count(DRAW) for each in winners)
    return gating_record([*map(len, winners)], wins, draws, params.rl.gating_threshold)


def _agent(net: Evaluator, params: Params, episode: int, rng: np.random.Generator) -> Agent:
    """Return the agent of a net, which draws each move from its policy, or from D of a search."""
    drawn: dict[str, Any] = {"choice": "probabilistic", "temperature": GATING_TEMPERATURE}
    if params.rl.gating_simulations == 0:
        return ANETAgent(net.game, net, ANETOptions(**drawn), rng)
    search = params.search.model_dump(include=set(VariantParams.model_fields))
    search["memory"] = max(1.0, memory_share(params.mcts.memory, 2 * params.rl.workers))
    options = MCTSOptions(
        **search,
        **drawn,
        simulations=params.rl.gating_simulations or params.mcts.simulations,
        exploration=params.mcts.exploration,
        time_limit=params.mcts.time_limit,
        rollout_epsilon=schedule.rollout_epsilon(params, episode),
        sigma=schedule.sigma(params, episode) if net.facts.plays_rollouts else 0.0,
    )
    return MCTSAgent(net.game, net, options, rng)

"""Gating: the new net plays the old one, and replaces it only if it is better."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from agents import choose
from agents.match import DRAW, GameRecord, play_game
from anet import ANET
from base.params import Params
from mcts import MCTS, make_batched_search
from rl import schedule
from rl.batch import play_side_by_side
from rl.episode import EpisodeAborted
from rl.streams import GATING_STREAM, generator
from state_manager import State

Opinion = Callable[[State, np.random.Generator], NDArray[np.float64]]
"""``opinion(state, rng) -> distribution``: `[A]`, over all actions."""

GATING_TEMPERATURE = 0.25
"""Moves are drawn in proportion to the fourth power of their share: games differ where several
moves are about as good, and a move that is all but given up is not played."""


@dataclass(frozen=True)
class GatingResult:
    """The games of the new net against the old one.

    Attributes:
        games: How many the new net played as player 1 and as player 2.
        wins: How many of them it won.
        draws: How many nobody won.
        threshold: What its fraction must exceed.
    """

    games: tuple[int, int]
    wins: tuple[int, int]
    draws: int
    threshold: float

    @property
    def fraction(self) -> float:
        """Wins of the new net, a draw being half a win, as a share of all games."""
        return (sum(self.wins) + 0.5 * self.draws) / sum(self.games)

    @property
    def accepted(self) -> bool:
        """Whether the new net replaces the old one."""
        return self.fraction > self.threshold

    def record(self) -> dict[str, object]:
        """Return what goes into ``metrics.jsonl``."""
        return {
            "gating_games": list(self.games),
            "gating_wins": list(self.wins),
            "gating_draws": self.draws,
            "win_fraction": self.fraction,
            "gating_threshold": self.threshold,
            "accepted": self.accepted,
        }


def play_gating_games(
    new: ANET, old: ANET, searches: Sequence[MCTS], params: Params, episode: int
) -> GatingResult:
    """Let the new net play the old one, with or without a search before each move.

    The new net is player 1 in every other game, beginning with the first. Who starts follows the
    parameters; where it alternates, each colour of each net starts as often as the other, within
    one game.

    Args:
        new: The net that has learnt.
        old: The net that it was before.
        searches: One for each thread.
        params: The pivotal parameters.
        episode: The last one that the new net has learnt from.
    """
    games = params.rl.gating_games
    opinion = _of_the_net if params.rl.gating_simulations == 0 else _of_a_search
    records: dict[int, GameRecord] = {}

    def play_one(number: int, worker: int, should_stop: Callable[[], bool]) -> GameRecord:
        rng = generator(params, GATING_STREAM, episode, number)
        nets = (new, old) if number % 2 == 0 else (old, new)
        first, second = (
            _Player(net, opinion(net, searches[worker], params, episode), rng, should_stop)
            for net in nets
        )
        starter = schedule.starting_player(params, 1 + number // 2)
        return play_game(new.game, (first, second), starter)

    play_side_by_side(play_one, range(games), len(searches), records)
    winners = [[records[n].winner for n in range(side, games, 2)] for side in (0, 1)]
    return GatingResult(
        games=(len(winners[0]), len(winners[1])),
        wins=(winners[0].count(1), winners[1].count(2)),
        draws=sum(each.count(DRAW) for each in winners),
        threshold=params.rl.gating_threshold,
    )


def _of_the_net(net: ANET, search: MCTS, params: Params, episode: int) -> Opinion:
    """Return the net's own policy."""
    return lambda state, rng: net.policy(state)


def _of_a_search(net: ANET, search: MCTS, params: Params, episode: int) -> Opinion:
    """Return D of a fresh tree; two nets may share a search."""
    if not net.plays_rollouts:
        return _of_a_batched_search(net, params)
    policy = net.rollout_policy(schedule.rollout_epsilon(params, episode))
    simulations = params.rl.gating_simulations or params.mcts.simulations

    def distribution(state: State, rng: np.random.Generator) -> NDArray[np.float64]:
        search.set_rollout_policy(policy, schedule.sigma(params, episode))
        search.reset(rng)
        return search.search(state, simulations).distribution

    return distribution


def _of_a_batched_search(net: ANET, params: Params) -> Opinion:
    """Return D of a search whose leaves the net judges."""
    search = make_batched_search(
        net.game,
        params.mcts,
        params.rl.gating_simulations or params.mcts.simulations,
        net.evaluate_checked,
        exploration=params.mcts.exploration,
        tree_policy=params.rl.tree_policy,
    )
    return lambda state, rng: search.search([state], [rng], rollout_generator=rng)[0].distribution


class _Player:
    """An agent who draws each move from an opinion about the state."""

    def __init__(
        self,
        net: ANET,
        opinion: Opinion,
        rng: np.random.Generator,
        should_stop: Callable[[], bool],
    ) -> None:
        self.name = "ANET"
        self._game = net.game
        self._opinion = opinion
        self._rng = rng
        self._should_stop = should_stop

    def choose_action(self, state: State) -> int:
        """Draw a move."""
        if self._should_stop():
            raise EpisodeAborted
        return choose(
            self._opinion(state, self._rng),
            self._game.legal_actions(state),
            "probabilistic",
            epsilon=0.0,
            rng=self._rng,
            temperature=GATING_TEMPERATURE,
        )

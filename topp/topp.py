"""The Tournament of Progressive Policies: saved nets play each other; none of them learns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from agents.match import Arena, Contestant, PlannedGame, balanced_seats, game_title
from topp.standings import Setup, Standings

if TYPE_CHECKING:
    from agents import Agent
    from base.params import TOPPParams
    from state_manager import StateManager


class TOPP(Arena):
    """A round robin in which each two nets play one series of G games.

    Each series has agents of its own, who go on from game to game with their random numbers; its
    games do not depend on those of other series.
    """

    def __init__(
        self,
        game: StateManager,
        contestants: Sequence[Contestant],
        params: TOPPParams,
        seed: int = 0,
    ) -> None:
        """Prepare a tournament.

        Args:
            game: The rules.
            contestants: At least two nets, of different names; they are put in order of training
                where all their episodes are known.
            params: G, and how the nets choose their actions: openings are varied where the choice
                leaves nothing to chance.
            seed: Of all random numbers, at least 0.

        Raises:
            ValueError: There are fewer than two contestants, or two of one name.
        """
        if all(contestant.episode is not None for contestant in contestants):
            contestants = sorted(contestants, key=lambda contestant: contestant.episode or 0)
        super().__init__(game, contestants, params.games, seed)
        self.watched = self.total_games  # in this thread, since nets are not for several at once
        self._params = params
        choice, epsilon = params.action_choice, params.epsilon
        if choice == "probabilistic" or (choice == "epsilon_greedy" and epsilon > 0.0):
            self.openings = ((),) * params.games

    def plan(self) -> list[PlannedGame]:
        """Return all games, one series after the other, the first side named first in all."""
        plan, games = [], self.games_per_pair
        for pair, sides in enumerate(self.pairs):
            agents = self._agents_of_series(pair)
            names = [self.contestants[place].name for place in sides]
            for played in range(games):
                title = game_title(names, played + 1, games)
                plan.append(self.planned(pair, played, agents)._replace(title=title))
        return plan

    def _agents_of_series(self, pair: int) -> Callable[[tuple[int, int]], tuple[Agent, Agent]]:
        """Make the agents of a series; return what seats them."""
        sides = enumerate(self.pairs[pair])
        agents = {place: self.agent(place, 1 + pair, side) for side, place in sides}
        return lambda places: (agents[places[0]], agents[places[1]])

    def results(self) -> Standings:
        """Return the standings after the games in ``records``, of the nets that have played."""
        starts = zip(balanced_seats(self.games_per_pair), self.openings, strict=True)
        openings = {(seats.starting_player, opening) for seats, opening in starts if opening}
        setup = Setup(
            game=self.game.name,
            game_params=self.game.params,
            seed=self.seed,
            games_per_pair=self.games_per_pair,
            action_choice=self._params.action_choice,
            epsilon=self._params.epsilon,
            openings=len(openings),
        )
        return Standings(**vars(super().results()), setup=setup)

"""The Tournament of Progressive Policies: saved nets play each other without learning."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from agents import AgentError, AgentSpec, common_game, load_net
from agents.match import Arena, Contestant, PlannedGame
from base.storage import printable
from topp.standings import RANDOM, Setup, Standings

if TYPE_CHECKING:
    from base.cluster import Workers
    from base.params import TOPPParams
    from base.params.rl_section import ActionChoice
    from state_manager import StateManager


class TOPP(Arena):
    """A round robin of nets: each pair plays one series of G games, one series after another.

    ``regrets`` and ``regret_positions``, if measured, are those of the ``Standings``.
    """

    names_first_side_first = True

    def __init__(
        self,
        game: StateManager,
        contestants: Sequence[Contestant],
        params: TOPPParams,
        seed: int = 0,
        cluster: Workers | None = None,
    ) -> None:
        """Prepare a tournament of nets, in order of training if all episodes are known.

        Openings vary if the action choice is deterministic; all else is as in ``Arena``.
        """
        if all(each.episode is not None for each in contestants if each.word != RANDOM):
            contestants = sorted(contestants, key=lambda each: each.episode or 0)
        super().__init__(game, contestants, params.games, seed, cluster=cluster)
        self.watched = range(self.total_games)
        self.params = params
        self.regrets: dict[str, float] = {}
        self.regret_positions = 0
        choice, epsilon = params.action_choice, params.epsilon
        if choice == "probabilistic" or (choice == "epsilon_greedy" and epsilon > 0.0):
            self.openings = ((),) * params.games

    def watch_first(self, games: int) -> None:
        """Show only the first games of each series to observers, move by move."""
        self.watched = {n for n in range(self.total_games) if n % self.games_per_pair < games}

    def plan(self) -> list[PlannedGame]:
        """Return all games, one series after the other."""
        pairs, games = range(len(self.pairs)), range(self.games_per_pair)
        return [self.planned(pair, played) for pair in pairs for played in games]

    def results(self) -> Standings:
        """Return the standings after the games in ``records``, without nets that have none."""
        starts = zip(self.seats, self.openings, strict=True)
        openings = {(starter, opening) for (_, starter), opening in starts if opening}
        setup = Setup(
            game=self.game.name,
            game_params=self.game.params,
            seed=self.seed,
            games_per_pair=self.params.games,
            action_choice=self.params.action_choice,
            epsilon=self.params.epsilon,
            openings=len(openings),
        )
        return Standings(
            **vars(super().results()),
            setup=setup,
            regrets=self.regrets,
            regret_positions=self.regret_positions,
        )


def load_entrants(
    paths: Sequence[Path],
    choice: ActionChoice = "greedy",
    epsilon: float = 0.1,
    game: StateManager | None = None,
    with_random: bool = False,
) -> tuple[StateManager, tuple[Contestant, ...]]:
    """Load nets from files, as contestants that play from the policy; return their game, too.

    They play ``game`` if given; a random player may take part, as the first.

    Raises:
        AgentError: There are no files, one cannot be loaded, or not all can play one game.
    """
    from agents.anet_agent import ANETAgent, ANETOptions
    from agents.options import AgentOptions
    from agents.random import RandomAgent

    if not paths:
        raise AgentError("expected the files of at least two nets, got none")
    game = common_game([(path, load_net(path)) for path in paths], game)
    assert game is not None
    options = ANETOptions(choice=choice, epsilon=epsilon)
    names = unique_names([*paths, *[Path(RANDOM)] * with_random])
    contestants = []
    if with_random:
        random = partial(RandomAgent, game, None, AgentOptions(), name=names[-1])
        contestants.append(Contestant(names[-1], random, RANDOM))
    for name, path in zip(names, paths, strict=False):
        net = load_net(path, game)
        agent = partial(ANETAgent, game, net, options, name=name)
        word = str(AgentSpec("anet", path))
        contestants.append(Contestant(name, agent, word, net.episode, net))
    return game, tuple(contestants)


def unique_names(paths: Sequence[Path]) -> tuple[str, ...]:
    """Return names of nets: their file names, with longer parts of the paths until unique."""
    for names in (
        [path.stem for path in paths],
        [f"{path.parent.name}/{path.stem}" for path in paths],
        [str(path.with_suffix("")) for path in paths],
        [str(path) for path in paths],
    ):
        names = [printable(name) for name in names]
        if len(set(names)) == len(paths):
            return tuple(names)
    seen = [names[:place].count(name) for place, name in enumerate(names)]
    return tuple(f"{name} ({n + 1})" if n else name for name, n in zip(names, seen, strict=True))

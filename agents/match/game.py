"""Games between two agents: one game, or several that advance together."""

import operator
import time
from collections import defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import chain
from threading import Event

from agents.agent import Agent, Resign, TakeBack
from agents.match.game_record import Effort, GameRecord, Observer
from base.jit import make_ready
from mcts import Thought
from state_manager import GameError, IllegalActionError, StateManager


class GameStoppedError(Exception):
    """A game was stopped before its end."""


@dataclass
class GameInPlay:
    """A game in progress; ``agents`` are players 1 and 2, ``state`` is `[S]` int8."""

    game: StateManager
    agents: tuple[Agent, Agent]
    starting_player: int = 1
    opening: Sequence[int] = ()
    observers: Sequence[Observer] = ()
    title: str = ""

    def __post_init__(self) -> None:
        """Play the opening; raise an ``IllegalActionError`` if it breaks the rules."""
        make_ready(self.game.rules.legal_actions, self.game.rules.play)
        self.state, self._winner = self.game.initial_state(self.starting_player), 0
        self._players = self.agents[0].name, self.agents[1].name
        self._actions: list[int] = []
        self._efforts: tuple[list[Effort], list[Effort]] = ([], [])
        self._judged: list[int | None] = [None, None]
        for observer in self.observers:
            observer.on_game_start(self.title, self._players, self.state)
        for action in self.opening:
            if self.is_over:
                most = f"at most {len(self._actions)} actions, because the game is then over"
                raise IllegalActionError(f"opening: expected {most}, got {list(self.opening)}")
            self._make(action, "opening", None)

    @property
    def is_over(self) -> bool:
        """Whether the state is final, or a player has resigned."""
        return self._winner != 0 or self.game.is_final(self.state)

    @property
    def mover(self) -> Agent:
        """The agent to move."""
        return self.agents[self.game.to_play(self.state) - 1]

    def move(self, action: int, effort: Effort) -> None:
        """Make the move chosen by the mover, or raise an ``IllegalActionError`` that names it."""
        player = self.game.to_play(self.state)
        thought = self.mover.thought
        self._efforts[player - 1].append(effort)
        if self._judged[player - 1] is None and thought and thought.outcome == player:
            self._judged[player - 1] = len(self._actions)
        self._make(action, f"{self._players[player - 1]} (player {player})", thought)

    def resign(self) -> None:
        """End the game: the player to move loses."""
        self._winner = 3 - self.game.to_play(self.state)

    def take_back(self, plies: int) -> None:
        """Take back the last moves."""
        del self._actions[-plies:]
        start = self.game.initial_state(self.starting_player)
        self.state, made = reduce(self.game.child_state, self._actions, start), len(self._actions)
        self._judged = [None if (ply or 0) >= made else ply for ply in self._judged]
        for observer in self.observers:
            observer.on_take_back(self.state, plies)

    def _make(self, action: int, chooser: str, thought: Thought | None) -> None:
        try:
            self.state = self.game.child_state(self.state, operator.index(action))
        except TypeError:
            what = f"expected an action, a whole number, got {action!r}"
            raise IllegalActionError(f"{chooser}: {what}") from None
        except GameError as error:
            raise IllegalActionError(f"{chooser}: {error}") from error
        self._actions.append(int(action))
        for observer in self.observers:
            observer.on_move(self.state, self._actions[-1], thought)

    def end(self) -> GameRecord:
        """Call the observers at the end of the game, and return its record."""
        winner = self._winner or self.game.winner(self.state)
        for observer in self.observers:
            observer.on_game_over(self.state, winner)
        opening, actions = tuple(map(int, self.opening)), tuple(self._actions)
        played = self._players, self.starting_player, opening, actions, winner
        efforts = Effort.sum(self._efforts[0]), Effort.sum(self._efforts[1])
        judged, ending = (self._judged[0], self._judged[1]), "R" if self._winner else ""
        return GameRecord(*played, efforts, judged, ending=ending)


def play_game(
    game: StateManager,
    agents: tuple[Agent, Agent],
    starting_player: int = 1,
    opening: Sequence[int] = (),
    observers: Sequence[Observer] = (),
    title: str = "",
    stop: Event | None = None,
) -> GameRecord:
    """Play one game to its end; its ``opening`` without the agents, ``title`` for the observers.

    Another thread sets ``stop`` to stop the game and its searches: a ``GameStoppedError``. If an
    agent or the opening breaks the rules, an ``IllegalActionError`` names it.
    """
    one = GameInPlay(game, agents, starting_player, opening, observers, title)
    [(_, record)] = play_together({0: one}, stop)
    return record


def play_together(
    games: Mapping[int, GameInPlay], stop: Event | None = None
) -> Iterator[tuple[int, GameRecord]]:
    """Play games to their ends, and yield number and record of each as soon as it is over.

    Agents with equal batch keys choose together; no agent plays in two games. The key with most
    waiting games comes next: of two keys, one then has nearly all games in its batch. Agents
    without a key come first, one after the other. For ``stop`` and errors see ``play_game``.
    """
    if stop is not None:
        for agent in chain.from_iterable(each.agents for each in games.values()):
            agent.stopped = stop.is_set
    leaders: dict[Hashable, Agent] = {}
    going = dict(games)
    while True:
        for number in [number for number, each in going.items() if each.is_over]:
            yield number, going.pop(number).end()
        if not going:
            break
        if stop is not None and stop.is_set():
            raise GameStoppedError
        waiting: dict[Hashable, list[GameInPlay]] = defaultdict(list)
        for each in going.values():
            waiting[each.mover.batch_key].append(each)
        if None in waiting:
            _let_move(waiting[None][:1], None, stop)
        else:
            batch_key, ready = max(waiting.items(), key=lambda each: len(each[1]))
            _let_move(ready, leaders.setdefault(batch_key, ready[0].mover), stop)


def _let_move(games: Sequence[GameInPlay], leader: Agent | None, stop: Event | None) -> None:
    """Let the movers of some games move; with several, ``leader`` chooses for all of them."""
    movers = [each.mover for each in games]
    before = [(mover.simulations_run, mover.search_seconds) for mover in movers]
    started = time.perf_counter()
    if leader is None or len(games) == 1:
        choice = movers[0].choose_action(games[0].state)
        if isinstance(choice, Resign):
            return games[0].resign()
        if isinstance(choice, TakeBack):
            return games[0].take_back(choice.plies)
        actions = [choice]
    else:
        actions = leader.choose_actions(movers, [each.state for each in games])
    if stop is not None and stop.is_set():
        raise GameStoppedError  # before moves of searches that were cut short are made
    seconds = (time.perf_counter() - started) / len(games)
    for each, mover, action, (run, searched) in zip(games, movers, actions, before, strict=True):
        taken = mover.simulations_run - run, mover.search_seconds - searched
        each.move(action, Effort(1, seconds, *taken))

"""Games between two agents, one or several that advance together."""

from __future__ import annotations

import operator
import time
from collections import defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from itertools import chain
from threading import Event
from typing import TYPE_CHECKING, Any

from agents.match.record import Effort, GameRecord, Observer
from base.jit import make_ready
from state_manager.errors import GameError, IllegalActionError

if TYPE_CHECKING:
    from agents.agent import Agent, AgentKind
    from mcts import Thought
    from state_manager import State, StateManager

_COUNTERS = ("simulations_run", "search_seconds")
"""What an agent that searches counts; see ``agents.agent.SearchAgent``."""


class GameStoppedError(Exception):
    """A game was ended before it was over."""


class GameInPlay:
    """A game that is being played.

    Attributes:
        agents: Player 1 and player 2.
        state: `[S]` int8, where it stands.
    """

    def __init__(
        self,
        game: StateManager,
        agents: tuple[Agent, Agent],
        starting_player: int = 1,
        opening: Sequence[int] = (),
        observers: Sequence[Observer] = (),
        title: str = "",
    ) -> None:
        """Begin a game with its opening; see ``play_game``.

        Raises:
            IllegalActionError: The opening broke the rules.
        """
        make_ready(game.rules.legal_actions, game.rules.play)
        self.agents = agents
        self.state = game.initial_state(starting_player)
        self._game = game
        self._players = agents[0].name, agents[1].name
        self._starting_player = starting_player
        self._opening = tuple(map(int, opening))
        self._observers = observers
        self._actions: list[int] = []
        self._efforts: tuple[list[Effort], list[Effort]] = ([], [])
        self._judged: list[int | None] = [None, None]
        for observer in observers:
            observer.on_game_start(title, self._players, self.state)
        for action in opening:
            if self.is_over:
                raise IllegalActionError(
                    f"opening: expected at most {len(self._actions)} actions, because the game is "
                    f"then over, got {list(opening)}"
                )
            self._make(action, "opening", None)

    @property
    def is_over(self) -> bool:
        """Whether somebody has won, or nobody can."""
        return self._game.is_final(self.state)

    @property
    def mover(self) -> Agent:
        """Who is to move."""
        return self.agents[self._game.to_play(self.state) - 1]

    def move(self, action: int, effort: Effort) -> None:
        """Make the move that the mover has chosen.

        Raises:
            IllegalActionError: It broke the rules; the message says who.
        """
        player = self._game.to_play(self.state)
        thought = getattr(self.mover, "thought", None)
        self._efforts[player - 1].append(effort)
        if self._judged[player - 1] is None and thought and thought.outcome == player:
            self._judged[player - 1] = len(self._actions)
        self._make(action, f"{self._players[player - 1]} (player {player})", thought)

    def _make(self, action: int, chooser: str, thought: Thought | None) -> None:
        """Make a move and tell of it."""
        self.state = _state_after(self._game, self.state, action, chooser)
        self._actions.append(int(action))
        for observer in self._observers:
            observer.on_move(self.state, self._actions[-1], thought)

    def end(self) -> GameRecord:
        """Tell that the game is over, and return its record."""
        winner = self._game.winner(self.state)
        for observer in self._observers:
            observer.on_game_over(self.state, winner)
        return GameRecord(
            self._players,
            self._starting_player,
            self._opening,
            tuple(self._actions),
            winner,
            (Effort.sum(self._efforts[0]), Effort.sum(self._efforts[1])),
            (self._judged[0], self._judged[1]),
        )


def play_game(
    game: StateManager,
    agents: tuple[Agent, Agent],
    starting_player: int = 1,
    opening: Sequence[int] = (),
    observers: Sequence[Observer] = (),
    title: str = "",
    stop: Event | None = None,
) -> GameRecord:
    """Play one game to its end.

    Args:
        game: The rules.
        agents: Player 1 and player 2.
        starting_player: Who makes the first move, 1 or 2.
        opening: Actions laid down first, by the two players in turn, without asking the agents.
        observers: Who is told of the start, of each move and of the end, in this order.
        title: What the observers are told is played.
        stop: Once another thread has set it, no agent is asked, and searches are stopped.

    Raises:
        GameStoppedError: The game was stopped.
        IllegalActionError: An agent or the opening broke the rules; the message says who.
    """
    one = GameInPlay(game, agents, starting_player, opening, observers, title)
    [(_, record)] = play_together({0: one}, stop)
    return record


def play_together(
    games: Mapping[int, GameInPlay], stop: Event | None = None
) -> Iterator[tuple[int, GameRecord]]:
    """Play games to their ends, and yield the number and record of each as soon as it is over.

    Agents of equal ``company`` are asked together. It is always the company whom most games wait
    for: then, between two companies, nearly all games wait for one of them. Those without a
    company come first, one after the other.

    Args:
        games: The games by their numbers; no agent plays in two of them.
        stop: See ``play_game``, and the errors, too.
    """
    if stop is not None:
        for agent in chain.from_iterable(each.agents for each in games.values()):
            if hasattr(agent, "stopped"):
                agent.stopped = stop.is_set
    leaders: dict[Hashable, Any] = {}
    going = dict(games)
    while True:
        for number in [number for number, each in going.items() if each.is_over]:
            yield number, going.pop(number).end()
        if not going:
            break
        _check_going_on(stop)
        waiting: dict[Hashable, list[GameInPlay]] = defaultdict(list)
        for each in going.values():
            waiting[getattr(each.mover, "company", None)].append(each)
        if None in waiting:
            _ask(waiting[None][:1], None, stop)
        else:
            company, asked = max(waiting.items(), key=lambda each: len(each[1]))
            _ask(asked, leaders.setdefault(company, asked[0].mover), stop)


def _check_going_on(stop: Event | None) -> None:
    """Raise an error if games are to stop."""
    if stop is not None and stop.is_set():
        raise GameStoppedError


def _ask(games: Sequence[GameInPlay], leader: AgentKind | None, stop: Event | None) -> None:
    """Let the movers of some games move; ``leader`` asks for all of them, if they are several."""
    movers = [each.mover for each in games]
    before = [[getattr(mover, name, 0) for name in _COUNTERS] for mover in movers]
    started = time.perf_counter()
    if leader is None or len(games) == 1:
        actions = [movers[0].choose_action(games[0].state)]
    else:
        actions = leader.choose_actions(movers, [each.state for each in games])
    _check_going_on(stop)  # else searches that were cut short would end games
    seconds = (time.perf_counter() - started) / len(games)
    for each, mover, action, counts in zip(games, movers, actions, before, strict=True):
        after = [getattr(mover, name, 0) for name in _COUNTERS]
        taken = (b - a for a, b in zip(counts, after, strict=True))
        each.move(action, Effort(1, seconds, *taken))


def _state_after(game: StateManager, state: State, action: int, chooser: str) -> State:
    """Play the action, or raise an error that begins with the name of who chose it."""
    try:
        return game.child_state(state, operator.index(action))
    except TypeError:
        raise IllegalActionError(
            f"{chooser}: expected an action, a whole number, got {action!r}"
        ) from None
    except GameError as error:
        raise IllegalActionError(f"{chooser}: {error}") from error

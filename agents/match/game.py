"""One game between two agents."""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from base.jit import make_ready
from state_manager.errors import GameError, IllegalActionError

if TYPE_CHECKING:
    from agents import Agent
    from agents.match.observer import Observer
    from state_manager import State, StateManager

DRAW = 3
"""The ``winner`` of a game that nobody won."""


@dataclass(frozen=True)
class GameRecord:
    """A finished game: with the rules, all that is needed to play it again.

    Attributes:
        players: The names of player 1 and player 2.
        starting_player: The player who made the first move, 1 or 2.
        opening: The actions that were laid down before the agents were asked.
        actions: All actions of both players in turn, the opening included.
        winner: 1 or 2, or 3 for a draw.
    """

    players: tuple[str, str]
    starting_player: int
    opening: tuple[int, ...]
    actions: tuple[int, ...]
    winner: int

    def to_json(self) -> dict[str, Any]:
        """Return the record as JSON data."""
        return {
            "players": list(self.players),
            "starting_player": self.starting_player,
            "opening": list(self.opening),
            "actions": list(self.actions),
            "winner": self.winner,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> GameRecord:
        """Return the record that ``to_json`` made this data from.

        Raises:
            KeyError: The data lacks a field.
        """
        first, second = data["players"]
        return cls(
            players=(first, second),
            starting_player=data["starting_player"],
            opening=tuple(data["opening"]),
            actions=tuple(data["actions"]),
            winner=data["winner"],
        )


def play_game(
    game: StateManager,
    agents: tuple[Agent, Agent],
    starting_player: int = 1,
    opening: Sequence[int] = (),
    observers: Sequence[Observer] = (),
    title: str = "",
) -> GameRecord:
    """Play one game to its end.

    Args:
        game: The rules.
        agents: Player 1 and player 2.
        starting_player: Who makes the first move, 1 or 2.
        opening: Actions laid down first, by the two players in turn, without asking the agents.
        observers: Who is told of the start, of each move and of the end, in this order.
        title: What the observers are told is played.

    Returns:
        The record of the game.

    Raises:
        IllegalActionError: An agent chose, or the opening holds, an action that the rules do not
            allow; the message says who, and then what the game says of it.
    """
    make_ready(game.rules.legal_actions, game.rules.play)
    players = (agents[0].name, agents[1].name)
    state = game.initial_state(starting_player)
    for observer in observers:
        observer.on_game_start(title, players, state)
    actions: list[int] = []
    while not game.is_final(state):
        if len(actions) < len(opening):
            chooser, thought = "opening", None
            action = opening[len(actions)]
        else:
            player = game.to_play(state)
            chooser = f"{players[player - 1]} (player {player})"
            action = agents[player - 1].choose_action(state)
            thought = getattr(agents[player - 1], "thought", None)
        state = _state_after(game, state, action, chooser)
        actions.append(int(action))
        for observer in observers:
            observer.on_move(state, actions[-1], thought)
    if len(actions) < len(opening):
        raise IllegalActionError(
            f"opening: expected at most {len(actions)} actions, because the game is then over,"
            f" got {list(opening)}"
        )
    winner = game.winner(state)
    for observer in observers:
        observer.on_game_over(state, winner)
    return GameRecord(players, starting_player, tuple(map(int, opening)), tuple(actions), winner)


def _state_after(game: StateManager, state: State, action: object, chooser: str) -> State:
    """Play the action, or raise an error that begins with the name of who chose it."""
    try:
        return game.child_state(state, operator.index(action))  # type: ignore[arg-type]
    except TypeError:
        raise IllegalActionError(
            f"{chooser}: expected an action, a whole number, got {action!r}"
        ) from None
    except GameError as error:
        raise IllegalActionError(f"{chooser}: {error}") from error

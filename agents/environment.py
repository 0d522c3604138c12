"""A game as a PettingZoo environment, for other training libraries (extra ``pettingzoo``)."""

import sys
from typing import Any

import numpy as np
from gymnasium import logger
from gymnasium.spaces import Box, Dict, Discrete, Space
from numpy.typing import NDArray
from pettingzoo import AECEnv

from state_manager import GOES_ON, State, StateManager

Observation = dict[str, NDArray[Any]]

PLAYERS = ("player_1", "player_2")
RENDER_MODES = ("ansi", "human")


class Environment(AECEnv[str, Observation, int]):  # type: ignore[misc]  # untyped
    """Two players move in turns. The winner gets 1 and the loser -1; in a draw both get 0.

    An observation has ``observation``, `[F]` float32 of zeros and ones, the input of this project's
    nets (``StateManager.observation``), and ``action_mask``, `[A]` int8: the legal actions of the
    player to move, none for the other. ``position`` is the state of ``game``, `[S]` int8.
    """

    def __init__(self, game: StateManager, render_mode: str | None = None) -> None:
        """Play ``game``; ``render_mode`` is one of ``RENDER_MODES``, else a ``ValueError``."""
        if render_mode not in (None, *RENDER_MODES):
            words = f"expected render_mode {' or '.join(RENDER_MODES)}, got {render_mode!r}"
            raise ValueError(words)
        modes = list(RENDER_MODES)
        self.metadata = {"name": game.name, "render_modes": modes, "is_parallelizable": False}
        self.game, self.render_mode = game, render_mode
        self.possible_agents = list(PLAYERS)
        observations: dict[str, Space[Any]] = {
            "observation": Box(0.0, 1.0, (game.num_features,), np.float32),
            "action_mask": Box(0, 1, (game.num_actions,), np.int8),
        }
        self._observation_spaces = {player: Dict(observations) for player in PLAYERS}
        self._action_spaces = {player: Discrete(game.num_actions) for player in PLAYERS}
        self.reset()

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a game; of ``options``, ``starting_player`` is 1 or 2, else a ``StateError``."""
        self.position: State = self.game.initial_state((options or {}).get("starting_player", 1))
        self.agents = list(PLAYERS)
        self.rewards, self._cumulative_rewards = ({p: 0.0 for p in PLAYERS} for _ in range(2))
        self.terminations, self.truncations = ({p: False for p in PLAYERS} for _ in range(2))
        self.infos: dict[str, dict[str, Any]] = {player: {} for player in PLAYERS}
        self.agent_selection = self._mover()
        if self.render_mode == "human":
            self.render()

    def step(self, action: Any) -> None:
        """Make a move, or after the end ``None``; an illegal one is an ``IllegalActionError``."""
        if self.terminations[self.agent_selection]:
            self._was_dead_step(action)
            return
        self.position = self.game.child_state(self.position, action)
        self._cumulative_rewards[self.agent_selection] = 0.0
        winner = self.game.winner(self.position)
        if winner != GOES_ON:
            self.terminations = dict.fromkeys(PLAYERS, True)
            if winner in (1, 2):
                self.rewards = {PLAYERS[winner - 1]: 1.0, PLAYERS[2 - winner]: -1.0}
        self._accumulate_rewards()
        self.agent_selection = self._mover()
        if self.render_mode == "human":
            self.render()

    def render(self) -> str | None:
        """Return the board as text (``ansi``), or write it, after each step too (``human``)."""
        if self.render_mode is None:
            logger.warn("expected a render_mode, ansi or human, to render")
            return None
        text = self.game.text(self.position)
        if self.render_mode == "ansi":
            return text
        sys.stdout.write(f"{text}\n\n")  # this mode alone, as the interface wants it
        return None

    def close(self) -> None:
        """Do nothing, as no window is open."""

    def _mover(self) -> str:
        return PLAYERS[self.game.to_play(self.position) - 1]

    def observe(self, agent: str) -> Observation:
        """Return a player's observation."""
        mask = np.zeros(self.game.num_actions, np.int8)
        if agent == self._mover():
            mask[self.game.legal_actions(self.position)] = 1
        return {"observation": self.game.observation(self.position), "action_mask": mask}

    def observation_space(self, agent: str) -> Space[Any]:
        """Return the space of ``observe``."""
        return self._observation_spaces[agent]

    def action_space(self, agent: str) -> Space[Any]:
        """Return the space of actions, legal or not."""
        return self._action_spaces[agent]

"""Three ways to choose an action from a distribution over all actions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from base.params.rl_section import ActionChoice


def choose(
    distribution: NDArray[np.floating],
    legal_actions: NDArray[np.int64],
    choice: ActionChoice,
    epsilon: float,
    rng: np.random.Generator,
    temperature: float = 1.0,
) -> int:
    """Return a legal action. A: actions.

    Args:
        distribution: `[A]` weights, such as visit counts; those of the legal actions are finite, at
            least 0, and need not sum to 1.
        legal_actions: The actions to choose from, ascending, at least one.
        choice: ``greedy`` takes the largest weight, and the lowest action of a tie;
            ``epsilon_greedy`` does the same, but with probability ``epsilon`` takes a uniformly
            random legal action; ``probabilistic`` draws by weight ** (1 / temperature).
        epsilon: In [0, 1].
        rng: Source of random numbers; ``greedy`` draws none.
        temperature: At least 0; 0 is ``greedy``.

    Raises:
        ValueError: A weight is negative or not finite, or ``probabilistic`` gets zeros only.
    """
    weights = np.asarray(distribution, np.float64)[legal_actions]
    if not (np.all(np.isfinite(weights)) and np.all(weights >= 0.0)):
        raise ValueError(f"expected finite weights of at least 0, got {weights.tolist()}")
    if choice == "probabilistic" and temperature > 0.0:
        if weights.max() == 0.0:
            raise ValueError("expected a legal action with a weight above 0, got none")
        from state_manager.draw import draw  # here, as Numba takes a while to load

        return int(legal_actions[draw(weights, len(weights), temperature, rng.random())])
    if choice == "epsilon_greedy" and rng.random() < epsilon:
        return int(rng.choice(legal_actions))
    return int(legal_actions[np.argmax(weights)])

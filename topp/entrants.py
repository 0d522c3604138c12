"""Who takes part in a tournament."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from agents import AgentError, AgentSpec, common_game, load_net
from agents.match import Contestant
from base.storage import printable

if TYPE_CHECKING:
    from agents import ActionChoice
    from state_manager import StateManager


def load_entrants(
    paths: Sequence[Path],
    choice: ActionChoice = "greedy",
    epsilon: float = 0.1,
    game: StateManager | None = None,
) -> tuple[StateManager, tuple[Contestant, ...]]:
    """Load nets from files, as contestants who ask their net and do not learn.

    Args:
        paths: The files of the nets.
        choice: How a net's distribution becomes a move; see ``agents.action_choice``.
        epsilon: Probability of a random move in the actual games, for ``epsilon_greedy``.
        game: The game that is to be played; by default that of the nets.

    Returns:
        The game, and the contestants in the order of ``paths``.

    Raises:
        AgentError: There are no files, one of them cannot be loaded, two nets are for different
            games or sizes, or they are not for ``game``; the message names the files.
    """
    from agents.anet import ANETAgent, ANETOptions

    if not paths:
        raise AgentError("expected the files of at least two nets, got none")
    nets = [(path, load_net(path)) for path in paths]
    theirs = common_game(nets)
    assert theirs is not None
    if game is not None and game != theirs:
        raise AgentError(f"{paths[0]}: expected nets for {game!r}, got one for {theirs!r}")
    options = ANETOptions(choice=choice, epsilon=epsilon)
    return theirs, tuple(
        Contestant(
            name,
            partial(ANETAgent, theirs, net, options, name=name),
            str(AgentSpec("anet", path)),
            net.episode,
        )
        for name, (path, net) in zip(unique_names(paths), nets, strict=True)
    )


def unique_names(paths: Sequence[Path]) -> tuple[str, ...]:
    """Name nets by their files, with as much of the paths as it takes to tell them apart."""
    for candidates in (
        [path.stem for path in paths],
        [f"{path.parent.name}/{path.stem}" for path in paths],
        [str(path.with_suffix("")) for path in paths],
        [str(path) for path in paths],
    ):
        candidates = [printable(candidate) for candidate in candidates]
        if len(set(candidates)) == len(paths):
            return tuple(candidates)
    seen: Counter[str] = Counter()
    names = []
    for name in candidates:
        seen[name] += 1
        names.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return tuple(names)

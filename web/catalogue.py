"""The choices of the page: games, and the agents for a game."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from agents import parse_agent, with_best_net
from base.params import ParamsError
from base.storage import FileError
from display.boards.palette import look_of
from state_manager import game_names, game_schema, make_game
from web.agent_pool import NETS, House, Patience
from web.requests import Asked, GameAsked
from web.run_files import game_of, params_of

if TYPE_CHECKING:
    from state_manager import StateManager

_WITH_NET = (
    ("Random moves", "random"),
    ("Beginner", "anet:best,choice=probabilistic,temperature=2"),
    ("Easy", "anet:best,choice=probabilistic"),
    ("Casual", "anet:best,choice=probabilistic,temperature=0.5"),
    ("The bare net", "anet:best"),
    ("Strong", "mcts:best,simulations=300"),
    ("Full strength", "mcts:best,judge=true,simulations=1000000,time_limit=3"),
)
_WITHOUT_NET = (
    ("Random moves", "random"),
    ("Beginner", "mcts:simulations=15,choice=probabilistic"),
    ("Easy", "mcts:simulations=60,choice=probabilistic"),
    ("Casual", "mcts:simulations=200"),
    ("Club", "mcts:simulations=2000"),
    ("Strong", "mcts:simulations=20000"),
    ("Full strength", "mcts:judge=true,simulations=1000000,time_limit=3"),
)
_TITLES = {"swap": "Swap rule: the second player may take over the first stone"}
_MOST_RUNS, _MOST_NETS = 60, 40


class CatalogueAsked(Asked):
    """The game for which agents are listed."""

    game: GameAsked = GameAsked()


def catalogue(house: House, asked: CatalogueAsked, patience: Patience) -> dict[str, Any]:
    """Return all games with the ranges of their parameters, and the agents for one game."""
    game = asked.game.made()
    best = with_best_net(parse_agent("best"), game).net
    trained_for = None if best is None else _game_of(best.with_name("params.yaml"))
    borrowed = ""
    if trained_for is not None and trained_for != game.without_swap:
        borrowed = f"{'x'.join(map(str, trained_for.board_shape))} net"
    return {
        "games": [_described(name) for name in game_names()],
        "game": {"name": game.name, "params": game.params},
        "players": game.player_names,
        "roles": [look_of(game, player).role for player in (1, 2)],
        "levels": [
            {"title": title, "agent": agent, "note": borrowed if ":best" in agent else ""}
            for title, agent in (_WITH_NET if best else _WITHOUT_NET)
        ],
        "nets": list(_nets(house, game)),
        "given": list(house.given),
        "analyst": "mcts:best" if best else "mcts",
        "analyst_title": f"the {borrowed or 'best net'}" if best else "no net",
        "has_net": best is not None,
    }


@lru_cache
def _described(name: str) -> dict[str, Any]:
    """Return a game's parameters with their least and largest values, ``None`` if unlimited."""
    properties = game_schema(name).model_json_schema()["properties"]
    params = [
        {
            "name": key,
            "default": getattr(make_game(name), key),
            "title": _TITLES.get(key, key.replace("_", " ")),
            "least": about.get("minimum"),
            "most": about.get("maximum"),
        }
        for key, about in properties.items()
    ]
    return {"name": name, "title": name.replace("_", " "), "params": params}


def _nets(house: House, game: StateManager) -> Iterator[dict[str, str]]:
    """Yield the nets for a game, from the folders of the program and of runs."""
    for root in (NETS, house.runs):
        if not root.is_dir():
            continue
        folders = [each.parent for each in root.glob("*/params.yaml")]
        folders.sort(key=lambda folder: (-folder.stat().st_mtime, folder.name))
        for folder in islice(folders, _MOST_RUNS):
            file = folder / "params.yaml"
            if _game_of(file) == game:
                nets = sorted(folder.glob("anet_*.pt"), key=lambda net: net.name)
                for net in nets[:: max(1, -(-len(nets) // _MOST_NETS))]:
                    episode = net.stem.removeprefix("anet_").lstrip("0") or "0"
                    yield {"run": folder.name, "episode": episode, "net": _path(net)}


def _game_of(file: Path) -> StateManager | None:
    """Return the game in a run's parameter file; ``None`` if it cannot be read."""
    try:
        return game_of(params_of(file, file.stat().st_mtime_ns))
    except (OSError, FileError, ParamsError):
        return None


def _path(net: Path) -> str:
    """Return the path of a net for an agent's word: relative where possible."""
    return os.path.relpath(net) if net.is_relative_to(Path.cwd()) else str(net)

"""The choices of the page: games, and the agents for a game."""

import json
import os
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

from agents import parse_agent, with_best_net
from display.boards.palette import look_of
from state_manager import StateManager, game_names, game_schema, make_game, resized
from web.runs.run_files import game_of, params_of
from web.server.agent_pool import NETS, AgentPool, Deadline
from web.server.requests import GameSpec, PageRequest

RATINGS = Path(__file__).parent / "ratings.json"
"""The Elo of each level on boards of Hex, with the ends of the 95 % interval, above random moves
(``python -m benchmarks.level_ratings``)."""
_BARE = "The bare net"
WITH_NET = (
    ("Random moves", "random"),
    ("Beginner", "anet:best,choice=probabilistic,temperature=4"),
    ("Easy", "anet:best,choice=probabilistic,temperature=2"),
    ("Casual", "anet:best,choice=probabilistic,temperature=1.4"),
    ("Club", "anet:best,choice=probabilistic"),
    (_BARE, "anet:best"),
    ("Strong", "mcts:best,simulations=300"),
    ("Full strength", "mcts:best,judge=true,simulations=1000000,time_limit=3"),
)
"""The levels of a board with a net, the weakest first."""
WITHOUT_NET = (
    ("Random moves", "random"),
    ("Beginner", "mcts:simulations=15,choice=probabilistic"),
    ("Easy", "mcts:simulations=60,choice=probabilistic"),
    ("Casual", "mcts:simulations=200"),
    ("Club", "mcts:simulations=2000"),
    ("Strong", "mcts:simulations=20000"),
    ("Full strength", "mcts:judge=true,simulations=1000000,time_limit=3"),
)
"""The levels of a game without a net."""
_TITLES = {"swap": "Swap rule: the second player may take over the first stone"}
_MOST_RUNS, _MOST_NETS = 60, 40


class CatalogueRequest(PageRequest):
    """The game for which agents are listed."""

    game: GameSpec = GameSpec()


def catalogue(pool: AgentPool, request: CatalogueRequest, deadline: Deadline) -> dict[str, Any]:
    """Return all games with the ranges of their parameters, and the agents for one game."""
    game = request.game.made()
    best = with_best_net(parse_agent("best"), game).net
    borrowed = ""
    if best is not None and (trained_for := game_of(params := params_of(best.parent))) is not None:
        sizes = map(int, params.get("rl", {}).get("sizes", {}))
        learned = [resized(trained_for, size) for size in sizes] or [trained_for]
        if game.without_swap not in learned:
            borrowed = f"{'x'.join(map(str, learned[-1].board_shape))} net"
    return {
        "games": [_described(name) for name in game_names()],
        "game": {"name": game.name, "params": game.params},
        "players": game.player_names,
        "roles": [look_of(game, player).role for player in (1, 2)],
        "levels": list(_levels(game, best is not None, borrowed)),
        "nets": list(_nets(pool, game)),
        "given": list(pool.given),
        "analyst": "mcts:best" if best else "mcts",
        "analyst_title": (borrowed or "the best net") if best else "no net",
        "has_net": best is not None,
    }


def _levels(game: StateManager, has_net: bool, borrowed: str) -> Iterator[dict[str, Any]]:
    """Yield the levels for a game, the weakest first; a level without an agent needs a net."""
    elo = _boards().get(repr(game.without_swap), {}).get("elo", {})
    for title, agent in WITH_NET if has_net else WITHOUT_NET:
        note = borrowed if ":best" in agent else ""
        yield {"title": title, "agent": agent, "note": note, "elo": elo.get(agent)}
    if not has_net:
        yield {"title": _BARE, "agent": "", "note": "no net for this board", "elo": None}


@lru_cache
def _boards() -> Any:
    return json.loads(RATINGS.read_text("utf-8"))["boards"]


@lru_cache
def _described(name: str) -> dict[str, Any]:
    """Return a game's parameters with their least and largest values, ``None`` if unlimited."""
    properties = game_schema(name).model_json_schema()["properties"]
    params, usual = [], make_game(name)
    for key, each in properties.items():
        about = {"default": getattr(usual, key), "title": _TITLES.get(key, key.replace("_", " "))}
        limits = {"least": each.get("minimum"), "most": each.get("maximum")}
        params.append({"name": key, **about, **limits})
    return {"name": name, "title": name.replace("_", " "), "params": params}


def _nets(pool: AgentPool, game: StateManager) -> Iterator[dict[str, str]]:
    for root in (NETS, pool.runs):
        folders = [each.parent for each in root.glob("*/params.yaml")]
        folders.sort(key=lambda folder: (-folder.stat().st_mtime, folder.name))
        for folder in folders[:_MOST_RUNS]:
            params = params_of(folder)
            trained_for = game_of(params)
            decides_swap = trained_for == game.without_swap and params.get("anet", {}).get("critic")
            if trained_for == game or decides_swap:
                nets = sorted(folder.glob("anet_*.pt"), key=lambda net: net.name)
                for net in nets[:: max(1, -(-len(nets) // _MOST_NETS))]:
                    episode = net.stem.removeprefix("anet_").lstrip("0") or "0"
                    path = os.path.relpath(net) if net.is_relative_to(Path.cwd()) else str(net)
                    yield {"run": folder.name, "episode": episode, "net": path}

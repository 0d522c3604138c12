"""Games and a search tree as text to be read by people, and kept word for word.

Usage: python -m tests.golden.transcripts [FILE ...]

writes golden files again, all of them if none is named. Read the difference before you keep it: a
change here is a change of the rules, of the order of random numbers, or of the pinned search.
"""

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np

from mcts import MCTS, Variant
from mcts.tree import ROOT, UNEXPANDED, Tree
from state_manager import StateManager, make_game

FOLDER = Path(__file__).parent


def playthrough(name: str, starting_player: int, **params: object) -> str:
    """Return a random game, position by position."""
    game = make_game(name, **params)
    rng = np.random.default_rng(1)
    state = game.initial_state(starting_player)
    parts = [f"{game!r}, player {starting_player} begins"]
    ply = 0
    while not game.is_final(state):
        legal = game.legal_actions(state).tolist()
        action = legal[int(rng.random() * len(legal))]
        names = ", ".join(game.action_name(each) for each in legal)
        parts.append(
            f"ply {ply}\n{game.text(state)}\nto play: {game.to_play(state)}\n"
            f"legal: {names}\naction: {action}, {game.action_name(action)}"
        )
        state = game.child_state(state, action)
        ply += 1
    outcome = {1: "player 1 wins", 2: "player 2 wins", 3: "a draw"}[game.winner(state)]
    path = ", ".join(
        f"({cell // game.board_shape[1]}, {cell % game.board_shape[1]})"
        for cell in game.winning_path(state)
    )
    parts.append(f"ply {ply}\n{game.text(state)}\noutcome: {outcome}")
    if path:
        parts.append(f"winning path: {path}")
    return "\n\n".join(parts) + "\n"


def search_tree(name: str, simulations: int, seed: int, **params: object) -> str:
    """Return the whole tree of one search, a line an edge, deeper edges further right."""
    game = make_game(name, **params)
    search = MCTS(game, simulations, variant=Variant().with_settings(exploration=1.0), seed=seed)
    result = search.search(game.initial_state())
    tree = search.tree
    lines = [
        f"{game!r}, {simulations} simulations, c = 1, seed {seed}",
        f"best action: {game.action_name(result.best_action)}",
        "",
        "Q is seen from player 1; unvisited edges are left out.",
        "",
        f"root: player {tree.nodes[ROOT].to_play} to play, {tree.nodes[ROOT].visit_count} visits",
        *_edges(game, tree, ROOT, "  "),
    ]
    return "\n".join(lines) + "\n"


def _edges(game: StateManager, tree: Tree, node: int, indent: str) -> list[str]:
    lines = []
    first = int(tree.nodes[node].first_edge)
    for edge in range(first, first + int(tree.nodes[node].edge_count)):
        child = int(tree.edges[edge].child)
        if child == UNEXPANDED:
            continue
        at, below = tree.edges[edge], tree.nodes[child]
        state = f"player {below.to_play} to play"
        if below.outcome:
            state = f"player {below.outcome} has won"
        lines.append(
            f"{indent}{game.action_name(int(at.action))}: visits {at.visit_count}, "
            f"Q {at.q_value:+.4f}, node {child}, {state}"
        )
        lines += _edges(game, tree, child, indent + "  ")
    return lines


GOLDEN: dict[str, Callable[[], str]] = {
    "hex_game.txt": partial(playthrough, "hex", 1, size=4),
    "nim_game.txt": partial(playthrough, "nim", 2, stones=10, max_take=3),
    "ledge_game.txt": partial(playthrough, "ledge", 1, board=[0, 1, 0, 2, 0, 1]),
    "tic_tac_toe_game.txt": partial(playthrough, "tic_tac_toe", 1),
    "connect_four_game.txt": partial(playthrough, "connect_four", 2, rows=5, columns=6),
    "hexapawn_game.txt": partial(playthrough, "hexapawn", 1),
    "hex_tree.txt": partial(search_tree, "hex", 30, 1, size=3),
    "nim_tree.txt": partial(search_tree, "nim", 25, 1, stones=5, max_take=2),
}
"""The content of each file of this folder."""


if __name__ == "__main__":
    for file_name in sys.argv[1:] or GOLDEN:
        (FOLDER / file_name).write_text(GOLDEN[file_name](), encoding="utf-8", newline="\n")

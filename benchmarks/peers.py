"""How strong the net ``best`` is against what ``pip`` installs: other nets, and plain searches.

    python -m benchmarks.peers --sizes 5 7

Each opening is a first move of player 1, played from both sides: all first moves where both are
greedy, and where one searches ``--games`` / 2 of them, drawn at random.
"""

import argparse
import time
from collections.abc import Iterator
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

from rich.progress import track

from agents import load_net, parse_agent
from agents.match import Arena
from benchmarks.timing import show
from judge import shared_judge
from state_manager import NodeLimitError, make_game

SIZES = (5, 7, 9, 11, 13, 15)
SIMULATIONS, PLAIN_SIMULATIONS = 100, 1_000
"""A move: of both sides with a net each, and of a search with uniform rollouts."""

Match = tuple[str, str, int | None]
"""Our agent, theirs, and the number of games; ``None`` for all first moves."""


def matches(size: int, games: int) -> Iterator[Match]:
    """Yield the matches on a board, as far as their packages are installed."""
    server = find_spec("hexgame_server")
    for folder in (server and server.submodule_search_locations) or ():
        for net in sorted(Path(folder, "static", "models").glob(f"*_{size}x{size}.onnx")):
            yield "anet:best", f"onnx:{net}", None
            if load_net(net).facts.critic:
                ours, theirs = (f"mcts:{each},simulations={SIMULATIONS}" for each in ("best", net))
                yield ours, theirs, games
    for kind in ("openspiel", "mcts") if find_spec("pyspiel") else ("mcts",):
        yield "anet:best", f"{kind}:simulations={PLAIN_SIMULATIONS}", games


def play(size: int, match: Match, given: argparse.Namespace) -> list[str]:
    """Play a match; return its row of the table."""
    game, began = make_game("hex", size=size), time.perf_counter()
    arena = Arena(game, match[:2], match[2], given.seed)
    arena.seats = [(is_player_1, 1) for is_player_1, _ in arena.seats]  # player 1 always begins
    arena.play(given.workers)
    held: list[bool] = []  # whether we won each game that theory gives us
    with suppress(NodeLimitError):  # the board is too large for theory
        for _, places, record in arena.records:
            opening = game.child_state(game.initial_state(), record.actions[0])
            if places[shared_judge(game).winner(opening) - 1] == 0:
                held.append(places[record.winner - 1] == 0)
    ours, theirs = arena.results().rows
    return [
        f"{size}x{size}",
        *(parse_agent(word).name.replace("simulations=", "") for word in match[:2]),
        f"{ours.wins} of {ours.games}",
        f"{ours.low:.0%} to {ours.high:.0%}",
        f"{sum(held)} of {len(held)}" if held else "",
        *(f"{1000 * (row.effort.seconds_per_move or 0):.1f}" for row in (ours, theirs)),
        f"{time.perf_counter() - began:.0f}",
    ]


def main() -> None:
    """Play all matches, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    names = ", ".join(map(str, SIZES))
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES, help=f"boards ({names})")
    parser.add_argument("--games", type=int, default=20, help="of a match with searches (20)")
    parser.add_argument("--seed", type=int, default=1, help="another one gives other games (1)")
    parser.add_argument("--workers", type=int, default=1, help="games at a time (1)")
    given = parser.parse_args()
    plan = [(size, match) for size in given.sizes for match in matches(size, given.games)]
    rows = [play(*each, given) for each in track(plan, "matches")]
    headings = ("board", "we", "against", "won", "95 %", "held starts", "ms a move", "theirs", "s")
    show(headings, rows, "Numbers after a name: simulations a move.")
    if missing := [name for name in ("hexgame_server", "pyspiel") if not find_spec(name)]:
        print(f"Left out, as they are not installed: {', '.join(missing)}.")


if __name__ == "__main__":
    main()

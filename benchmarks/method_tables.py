r"""Writes what the arena measured into the pages of ``docs/methods``.

Each page has a line ``<!-- table: NAME -->``; the table below it, up to the next blank line, is
replaced. The arena's results come from these commands, in this order:

    python main.py compare --agents benchmarks/methods/hex-5.yaml --gauntlet --simulations 500 \
        --games 400 --out runs/arena-hex-5
    python main.py train --run runs/hex-7 game.size=7 rl.scheme=on_policy rl.episodes=200 \
        display.mode=off
    python main.py compare --agents benchmarks/methods/hex-7.yaml --gauntlet --simulations 500 \
        --games 200 --out runs/arena-hex-7 game.size=7
    python main.py train --run runs/connect-four game.name=connect_four rl.episodes=200 \
        display.mode=off
    python main.py compare --agents benchmarks/methods/connect-four.yaml --gauntlet \
        --simulations 500 --games 200 --out runs/arena-connect-four game.name=connect_four
    python -m benchmarks.method_tables runs/arena-{hex-5,hex-7,connect-four}/compare.json
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from base.storage import write_text
from benchmarks.timing import ROOT

PAGES = ROOT / "docs" / "methods"
COLUMNS = ("Hex 5x5", "Hex 7x7", "connect four")
METHODS = {
    "ucb1_tuned": "UCB1-Tuned",
    "rave": "RAVE; RAVE (ratio)",
    "puct": "PUCT; PUCT, uniform rollouts; ANET rollouts; the net alone",
    "n_mcts": "N-MCTS (gamma 40); N-MCTS (gamma 2); N-MCTS (paper); N-MCTS (proportional);"
    " the net alone",
    "rollouts": "4 rollouts a leaf; discounted rollouts; ANET rollouts",
    "depth": "maximum depth 3",
    "last_good_reply": "last good reply; RAVE and last good reply; RAVE",
    "quality": "quality-based rewards; discounted rollouts",
    "solver": "solver; RAVE and solver; RAVE",
    "nrpa": "NRPA; NRPA (literal)",
}
"""The agents in each table."""


def table(names: Sequence[str], results: Sequence[Mapping[str, Any]]) -> str:
    """Return the table of some agents: win rates against UCT, and the time of a move."""
    heads = [
        f"{column}, {data['setup']['games_per_pair']} games"
        for column, data in zip(COLUMNS, results, strict=True)
    ]
    lines = [f"| against UCT | {' | '.join(heads)} | time of a move, 5x5 |", "|---" * 5 + "|"]
    rows = [{row["name"]: row for row in data["agents"]} for data in results]
    times = {name: row["effort"]["seconds_per_move"] for name, row in rows[0].items()}
    for name in names:
        rates = [
            f"{row['win_rate']:.0%} ({100 * row['low']:.0f} to {100 * row['high']:.0f})"
            for row in (by_name[name] for by_name in rows)
        ]
        lines.append(f"| {name} | {' | '.join(rates)} | {times[name] / times["UCT"]:.1f} |")
    return "\n".join(lines)


def main() -> int:
    """Rewrite the tables of all pages."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", nargs=len(COLUMNS), type=Path, metavar="compare.json")
    results = [json.loads(file.read_text(encoding="utf-8")) for file in parser.parse_args().files]
    left = set(METHODS)
    for page in sorted(PAGES.glob("*.md")):
        text = page.read_text(encoding="utf-8")
        for name in re.findall(r"<!-- table: (\w+) -->", text):
            mark = f"<!-- table: {name} -->\n"
            before, _, after = text.partition(mark)
            after = re.sub(r"\A(\|.*\n)*", "", after)
            text = f"{before}{mark}{table(METHODS[name].split("; "), results)}\n{after}"
            left.discard(name)
        write_text(page, text)
    if left:
        print(f"no page has a place for {', '.join(sorted(left))}", file=sys.stderr)
    return 1 if left else 0


if __name__ == "__main__":
    sys.exit(main())

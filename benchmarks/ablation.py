"""What each part of the recipe for perfect play contributes on 4x4.

    python -m benchmarks.ablation --jobs 2 --out ablation.json

The recipe of ``docs/examples/hex_4_perfect.yaml`` is trained whole, and with one piece after the
other switched off, with the same seeds and no more games. Then the last net is certified. A run
with the exploiter ends at the first round without a refutation; without, it plays all its games.
Processor seconds are those of a run and its certificate; a run before has compiled the kernels.
"""

import argparse
import multiprocessing
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import closing
from pathlib import Path
from typing import Any

from rich.progress import track

from agents.enumeration import Proof, greedy
from agents.sides import alike, sides_of
from base.storage import read_jsonl, write_json
from benchmarks.timing import ROOT, show
from hex_mcts.system import System, read_params
from state_manager import shared_judge

RECIPE = ROOT / "docs" / "examples" / "hex_4_perfect.yaml"
ROWS = {
    "the whole recipe": (),
    "PUCT, visit counts as targets": (
        *("mcts.tree_policy=puct", "mcts.q_scale=null", "mcts.value_discount=null"),
        *("mcts.root_noise=0.25", "rl.action_choice=probabilistic"),
    ),
    "no look-ahead": ("mcts.look_ahead=false",),
    "no solver": ("mcts.solver=false",),
    "the board as it lies": ("anet.view=absolute",),
    "no symmetric play": ("anet.symmetric=false",),
    "no symmetric cases": ("rl.symmetry=false",),
    "no random first moves": ("rl.random_plies=0",),
    "no mixed play": ("rl.mixed_play=false",),
    "half the search's value as a value target": ("rl.bootstrap=0.5",),
    "policy targets nearer to the prior": ("mcts.q_scale=0.2",),
    "a constant learning rate": ("anet.learning_rate_end=1",),
    "no exploiter": ("rl.exploiter=[]",),
    "each case learned from twice": ("rl.reuse=2",),
    "a plain mlp, hence no games in rows": (
        *("anet.network=mlp", "rl.random_plies=0", "rl.mixed_play=false"),
        "rl.bootstrap=0",
    ),
}
"""Parts of the recipe, and the words that switch them off."""


def measure(row: str, seed: int, overrides: Sequence[str]) -> dict[str, Any]:
    """Train with a seed, and certify the last net."""
    words = [f"seed={seed}", *ROWS[row], *overrides]
    system = System(read_params(RECIPE, words))
    began = time.process_time()
    with (
        tempfile.TemporaryDirectory() as folder,
        closing(system.rl_system(Path(folder) / "run")) as run,
    ):
        run.train()
        sides = sides_of(run.game, shared_judge(run.game).winner)
        proofs = [Proof(run.game, greedy(run.anet), group) for group in alike(sides)]
        records = read_jsonl(run.run.metrics_path)
    return {
        "row": row,
        "seed": seed,
        "words": words,
        "sides": len(sides),
        "proven": int(sum(proof.is_held.sum() for proof in proofs)),
        "games": run.episode,
        "cpu_seconds": round(time.process_time() - began, 1),
        "rounds": [
            {key: record[key] for key in ("episode", "exploiter_held", "exploiter_refuted")}
            for record in records
            if "exploiter_held" in record
        ],
    }


def print_table(results: Sequence[dict[str, Any]]) -> None:
    """Print a row for each part, with a number for each seed."""
    rows = []
    for row in ROWS:
        runs = sorted((each for each in results if each["row"] == row), key=lambda e: e["seed"])
        keys = ("proven", "games", "cpu_seconds")
        rows.append([row, *("  ".join(f"{run[key]:,}" for run in runs) for key in keys)])
    headings = ("", f"sides proven of {results[0]['sides']}", "games", "processor seconds")
    show(headings, (row for row in rows if row[1]))


def main() -> None:
    """Measure; print the table, and write everything as JSON."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3], metavar="SEED")
    parser.add_argument("--rows", nargs="+", choices=ROWS, default=list(ROWS), metavar="ROW")
    parser.add_argument("--jobs", type=int, default=1, help="processes (1)")
    parser.add_argument("--out", type=Path, default=Path("ablation.json"), metavar="FILE")
    parser.add_argument("--words", nargs="+", default=[], metavar="section.key=value")
    arguments = parser.parse_args()
    results = []
    with ProcessPoolExecutor(arguments.jobs, multiprocessing.get_context("spawn")) as pool:
        jobs = [
            pool.submit(measure, row, seed, arguments.words)
            for row in arguments.rows
            for seed in arguments.seeds
        ]
        for job in track(as_completed(jobs), "runs", len(jobs)):
            results.append(job.result())
            write_json(arguments.out, results)
    print_table(results)


if __name__ == "__main__":
    main()

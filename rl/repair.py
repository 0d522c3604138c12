"""Repair of damaged, cut or missing files of a run on ``--resume``.

The newest undamaged checkpoint decides. A file that differs from it is renamed and, if possible,
made again; ``RunDirectory.notes`` has a line for each.
"""

from __future__ import annotations

import operator
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from base.storage import (
    AppendLog,
    Checkpoint,
    CheckpointError,
    excerpt,
    load_checkpoint,
    salvage_jsonl,
    set_aside,
)
from rl.run_directory import (
    CHECKPOINT_KIND,
    CHECKPOINTS,
    NET_NAME,
    RunDirectory,
    RunError,
    file_digest,
    holds_run,
    nets_of,
)

if TYPE_CHECKING:
    from anet import ANET


def newest_checkpoint(run: Path) -> tuple[Checkpoint, str | None]:
    """Read the newest undamaged checkpoint of a run, with one line about the damage of a newer one.

    Raises:
        RunError: If there is no checkpoint.
        CheckpointError: If all are damaged.
    """
    if not holds_run(run):
        missing = f"there is no {CHECKPOINTS[0]}; begin it without --resume"
        raise RunError(f"{run}: expected a run to resume, {missing}")
    problems: list[str] = []
    for name in CHECKPOINTS:
        try:
            checkpoint = load_checkpoint(run / name, CHECKPOINT_KIND)
            return checkpoint, problems[0] if problems else None
        except CheckpointError as error:
            problems.append(str(error))
    raise CheckpointError(
        f"{'; '.join(problems)}; no checkpoint is left to resume from: the nets in the folder can "
        "still play, and a new run needs another --run DIR"
    )


def repair(
    run: RunDirectory, checkpoint: Checkpoint, problem: str | None, nets: Iterable[ANET]
) -> None:
    """Repair the files of a run to match its newest undamaged checkpoint, or set them aside.

    ``problem`` is the damage of a newer checkpoint; ``nets`` can be saved again.
    """
    episode = int(checkpoint.meta["episode"])
    lengths = [operator.index(checkpoint.meta[name]) for name in ("metrics", "games")]
    if min(lengths) < 0:
        raise ValueError(f"expected lengths of logs, got {excerpt(lengths)}")
    digests = dict(checkpoint.meta.get("nets", {}))
    saved = checkpoint.meta["params"]["rl"]
    end, is_timed = saved["episodes"], saved.get("minutes") is not None
    cut_short = not is_timed and problem is None and end % saved.get("episodes_per_update", 1) != 0
    for name in digests:
        if not re.fullmatch(NET_NAME, name):  # else it could name a file in any folder
            raise ValueError(f"expected the name of a net of this run, got {excerpt(name)}")
    set_aside_before = _set_no_files_aside(run, episode)
    for number, net in nets_of(run.path):
        if number <= episode:
            continue
        net.unlink()  # from an update that is repeated, or that a longer run does not make
        if cut_short and number == end:
            run.taken_back = end
    if problem is not None:
        run.notes.append(f"{problem}; went back to {CHECKPOINTS[1]}, after episode {episode}")
        if run.checkpoint_path.exists():
            set_aside(run.checkpoint_path)
    logs = (("metrics", run.metrics), ("games", run.games))
    for (name, log), length in zip(logs, lengths, strict=True):
        if log.begins_with(length, checkpoint.meta.get(f"{name}_sha256")):
            log.truncate(length)
        elif log.path not in set_aside_before:
            _begin_again(run, log, episode)
    _repair_nets(run, digests, nets)


def _set_no_files_aside(run: RunDirectory, episode: int) -> set[Path]:
    """Rename folders, pipes and devices with the names of files to be written."""
    logs = (run.metrics_path, run.games_path)
    nets = (net for number, net in nets_of(run.path) if number > episode)
    others = (run.path / CHECKPOINTS[1], run.params_path, *nets)
    aside = {path for path in (*logs, *others) if path.exists() and not path.is_file()}
    for path in sorted(aside):
        run.notes.append(
            f"{path}: not a regular file; now {set_aside(path).name}, and written again"
        )
    return aside


def _begin_again(run: RunDirectory, log: AppendLog, episodes: int) -> None:
    if not log.length:
        run.notes.append(f"{log.path}: missing or empty; begun again")
        return
    log.close()  # Windows cannot rename an open file
    aside = set_aside(log.path)
    records = [r for r in salvage_jsonl(aside) if r.get("episode") in range(1, episodes + 1)]
    shapes = [tuple((key, type(value)) for key, value in r.items()) for r in records]
    # A readable line that lacks the usual fields is damaged, too.
    usual = set(Counter(shapes).most_common(1)[0][0]) if shapes else set()
    records = [r for r, shape in zip(records, shapes, strict=True) if usual <= set(shape)]
    run.begin_again(log, records)
    kept = f"{len(records)} line{'' if len(records) == 1 else 's'}"
    run.notes.append(
        f"{log.path}: damaged or cut; now {aside.name}, and begun again with {kept} of it"
    )


def _repair_nets(run: RunDirectory, digests: Mapping[str, str], nets: Iterable[ANET]) -> None:
    again = {run.net_path(net.episode).name: net for net in nets}
    for name, digest in digests.items():
        path, what = run.path / name, "missing"
        if path.exists():
            if path.is_file() and file_digest(path) == digest:
                run.note_net(path)
                continue
            what = f"damaged, and now {set_aside(path).name}"
        if name in again:
            again[name].save(path)
            run.note_net(path)
            run.notes.append(f"{path}: {what}; saved again")
        else:
            run.notes.append(
                f"{path}: {what}; no checkpoint holds this net, so the run goes on without it"
            )

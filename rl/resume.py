"""What a checkpoint holds, and what may change between the parts of a run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from anet import ANET
from params import Params
from rl.replay_buffer import ReplayBuffer
from rl.run_directory import RunError
from storage import Checkpoint

MAY_CHANGE = ("rl.episodes", "rl.workers")
"""Keys that a resumed run may give anew: no episode depends on them."""
_NOT_OF_THE_RUN = ("display.", "play.", "oht.", "oht_server.")
"""The beginnings of keys that training does not read."""
_BUFFER_PREFIX = "buffer."


def snapshot(
    params: Params, anet: ANET, replay_buffer: ReplayBuffer, seconds: float
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return all that a run is, as plain data and tensors."""
    meta, net = anet.state()
    tensors: dict[str, Any] = dict(net)
    for name, array in replay_buffer.state().items():
        tensors[_BUFFER_PREFIX + name] = array
    return {**meta, "params": params.model_dump(mode="json"), "seconds": seconds}, tensors


def restore(checkpoint: Checkpoint, anet: ANET, replay_buffer: ReplayBuffer) -> None:
    """Put a net and a buffer back to what ``snapshot`` saw."""
    anet.restore(checkpoint.tensors, int(checkpoint.meta["episode"]))
    replay_buffer.restore(
        {
            name.removeprefix(_BUFFER_PREFIX): tensor.numpy()
            for name, tensor in checkpoint.tensors.items()
            if name.startswith(_BUFFER_PREFIX)
        }
    )


def check_resumable(saved: dict[str, Any], played: int, params: Params, run: Path) -> None:
    """Refuse parameters that would make the run another one, or one shorter than it is.

    Raises:
        RunError: The message names the first key that differs.
    """
    before, now = _flat(saved), _flat(params.model_dump(mode="json"))
    for key in sorted(before.keys() | now.keys()):
        if before.get(key) != now.get(key) and not (
            key in MAY_CHANGE or key.startswith(_NOT_OF_THE_RUN)
        ):
            raise RunError(
                f"{run}: --resume cannot change {key.replace('game.options', 'game')} "
                f"from {before.get(key)!r} to {now.get(key)!r}"
            )
    if params.rl.episodes < played:
        raise RunError(
            f"{run}: expected rl.episodes of at least {played}, which have been played, "
            f"got {params.rl.episodes}"
        )


def _flat(section: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    """Return nested mappings as one, with dotted keys."""
    flat: dict[str, Any] = {}
    for key, value in section.items():
        if isinstance(value, dict):
            flat.update(_flat(value, f"{prefix}{key}."))
        else:
            flat[prefix + key] = value
    return flat

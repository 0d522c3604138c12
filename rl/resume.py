"""The contents of a checkpoint, and the parameters that may change on ``--resume``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np

from anet import ANET
from base.params import Params, Section
from base.storage import Checkpoint, excerpt, flattened, printable, with_prefix
from rl.episode import Episode, GameArrays, new_arrays
from rl.run_directory import RunError
from rl.size_parts import SizeParts
from state_manager import StateManager

_EPISODE_PREFIX = "episode."
_KEPT = ["starting_player", *(each.name for each in fields(Episode) if each.name != "arrays")]

MAY_CHANGE = (
    *("rl.engine", "rl.episodes", "rl.minutes", "rl.ray_address", "rl.regret_positions"),
    "rl.workers",
)
"""Keys that a resumed run may change: no episode depends on them."""
_NOT_OF_THE_RUN = ("display.", "play.", "oht.", "oht_server.")
"""Prefixes of keys that training does not read."""


def snapshot(
    params: Params,
    anet: ANET,
    parts: Mapping[int | None, SizeParts],
    finished: Mapping[int, Episode],
    seconds: float,
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the state of a run, as plain data and tensors."""
    meta, net = anet.state()
    tensors: dict[str, Any] = dict(net)
    for size, of_size in parts.items():
        states = {"buffer": of_size.replay_buffer.state(), "exploiter": of_size.hard_cases.state()}
        for part, arrays in states.items():
            tensors |= {_prefix(part, size) + name: array for name, array in arrays.items()}
    for number, episode in finished.items():
        arrays = episode.arrays._asdict()
        del arrays["states"]  # they follow from the actions
        tensors |= {f"{_EPISODE_PREFIX}{number}.{name}": array for name, array in arrays.items()}
    plain = {
        **meta,
        "params": params.model_dump(mode="json"),
        "seconds": seconds,
        "finished": [{key: getattr(each, key) for key in _KEPT} for each in finished.values()],
    }
    return plain, tensors


def restore(
    checkpoint: Checkpoint, anet: ANET, parts: Mapping[int | None, SizeParts]
) -> dict[int, Episode]:
    """Restore a run from a ``snapshot``; return its finished episodes."""
    anet.restore(checkpoint.tensors, int(checkpoint.meta["episode"]))
    for size, of_size in parts.items():
        of_size.replay_buffer.restore(with_prefix(checkpoint.tensors, _prefix("buffer", size)))
        of_size.hard_cases.restore(with_prefix(checkpoint.tensors, _prefix("exploiter", size)))
    game = parts[checkpoint.meta.get("size")].anet.game
    return {
        int(plain["number"]): episode_of(game, plain, checkpoint.tensors)
        for plain in checkpoint.meta.get("finished", ())
        # Those of earlier versions are played again.
        if f"{_EPISODE_PREFIX}{int(plain['number'])}.surprises" in checkpoint.tensors
    }


def _prefix(part: str, size: int | None) -> str:
    return f"{part}." if size is None else f"{part}.{size}."


def episode_of(game: StateManager, plain: Mapping[str, Any], tensors: Mapping[str, Any]) -> Episode:
    """Return an episode of a checkpoint; a ``ValueError`` if its parts are no legal game."""
    found = with_prefix(tensors, f"{_EPISODE_PREFIX}{plain['number']}.")
    states = [game.initial_state(plain["starting_player"])]
    for action in found["actions"].tolist():
        states.append(game.child_state(states[-1], action))
    found = {name: np.asarray(each) for name, each in found.items()}
    arrays = GameArrays(states=np.stack(states), **found)
    count, first = len(arrays.values), plain["first_searched"]
    wanted = new_arrays(count, game.state_length, game.num_actions, 1)
    if (
        game.winner(states[-1]) != plain["winner"]
        or type(first) is not int
        or not 0 <= first <= len(arrays.actions) - count
        or any(
            (kept.shape, kept.dtype) != (own[0].shape, own.dtype)
            for kept, own in zip(arrays[2:], wanted[2:], strict=True)
        )
        or not all(np.isfinite(each).all() for each in arrays[2:])
    ):
        raise ValueError(f"episode {plain['number']} is not as it was played")
    return Episode(**{key: plain[key] for key in _KEPT[1:]}, arrays=arrays)


def check_resumable(saved: dict[str, Any], played: int, params: Params, run: Path) -> None:
    """Raise a ``RunError`` for the first parameter that must not change on ``--resume``."""
    # A run saved before a key existed used its present default.
    defaults = {name: field.default for name, field in type(params).model_fields.items()}
    sections = {name: each for name, each in defaults.items() if isinstance(each, Section)}
    usual = {name: each.model_dump(mode="json") for name, each in sections.items()}
    before = dict(flattened(usual)) | dict(flattened(saved))
    now = dict(flattened(params.model_dump(mode="json")))
    # The scheme goes first, since it settles other keys.
    for key in sorted(now, key=lambda key: (key != "rl.scheme", key)):
        if before.get(key) != now.get(key) and not (
            key in MAY_CHANGE or key.startswith(_NOT_OF_THE_RUN)
        ):
            raise RunError(
                f"{run}: --resume cannot change {printable(key.replace('game.options', 'game'))} "
                f"from {excerpt(before.get(key))} to {excerpt(now.get(key))}"
            )
    if params.rl.minutes is None and params.rl.episodes < played:
        raise RunError(
            f"{run}: expected rl.episodes of at least {played}, which have been played, "
            f"got {params.rl.episodes}"
        )

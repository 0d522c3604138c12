"""Nets for agents: loading them, and searches with them."""

from __future__ import annotations

import os
import timeit
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import mcts
from agents.spec import AgentError
from base.storage import printable

if TYPE_CHECKING:
    from agents.agent import Seed
    from agents.search_options import MCTSOptions
    from anet import ANET
    from anet.card import Card
    from anet.evaluator import Evaluator
    from base.params import MCTSParams
    from state_manager import StateManager

ONNX = ".onnx"
_LONGEST_MESSAGE = 500  # characters
_BATCH, _BATCHES = 128, 20


def load_net(path: Path, game: StateManager | None = None, card: Card | None = None) -> Evaluator:
    """Load a net from its file, to evaluate; agents share the loaded net.

    It plays ``game``; ``None`` stands for the one that it was trained for. The weights of a pooled
    net fit boards of any size. Nets with a critic also play their game with the swap. ``card`` is
    for an ``.onnx`` file, see ``OnnxNet``. An ``AgentError`` if the file is none, or does not fit.
    """
    if not os.path.exists(path):  # before torch is loaded
        raise AgentError(f"{printable(str(path))}: no such file")
    if card is not None and path.suffix != ONNX:
        raise AgentError(f"{printable(str(path))}: expected an ONNX file, with the ending {ONNX}")
    files = [path, path.with_suffix(".yaml")] if path.suffix == ONNX else [path]
    about = [each.stat() for each in files if each.exists()]
    version = [number for a in about for number in (a.st_ino, a.st_mtime_ns, a.st_size)]
    return _loaded(path, game, card, *version)


def load_anet(path: Path, game: StateManager | None = None) -> ANET:
    """Load a net of this program, not only to evaluate; else raise an ``AgentError``."""
    from anet import ANET
    from anet.evaluator import NetEvaluator

    found = load_net(path, game)
    if isinstance(found, NetEvaluator) and isinstance(found.net, ANET):
        return found.net
    what = "of this program, got an ONNX file, which only plays"
    if path.suffix != ONNX:
        what = f"that learned {found.game!r}, got one without the swap"
    raise AgentError(f"{printable(str(path))}: expected a net {what}")


def evaluator_for(
    net: Evaluator, runtime: str, threads: int, seconds: float, exact: bool = False
) -> Evaluator:
    """Return a net as searches evaluate it, by ``fitting_choice``; else raise an ``AgentError``."""
    from anet.errors import NetError
    from anet.runtimes.choice import fitting_choice

    params = net.params if runtime == "auto" else net.params.model_copy(update={"runtime": runtime})
    try:
        chosen = fitting_choice(net.game, params, seconds=seconds, exact=exact).params
        return net.in_runtime(chosen.runtime, chosen.precision, threads)
    except NetError as error:
        raise AgentError(str(error)) from None


@lru_cache(maxsize=32)
def _loaded(path: Path, game: StateManager | None, card: Card | None, *version: int) -> Evaluator:
    from anet import ANET
    from anet.evaluator import SwapEvaluator

    if game is not None and path.suffix != ONNX:
        net = _loaded(path, None, card, *version)
        if net.game == game:
            return net
        knows_swap, has_swap = (each.swap_action is not None for each in (net.game, game))
        own = game if knows_swap else game.without_swap
        fits = net.game == own or (own.name == net.game.name and net.params.network == "pooled")
        if not fits or knows_swap > has_swap:
            raise AgentError(f"{path}: expected a net for {game!r}, got one for {net.game!r}")
        if has_swap and not (knows_swap or net.facts.critic):
            expected = f"a net with a critic, which decides the swap, or one for {game!r}"
            got = f"one without a critic for {net.game!r}"
            raise AgentError(f"{path}: expected {expected}, got {got}")
        if own != game:
            return SwapEvaluator(_loaded(path, own, card, *version), game)
        return load_anet(path).on(own).evaluator()
    try:
        if path.suffix == ONNX:
            from anet.card import Card
            from anet.onnx_net import OnnxNet

            return OnnxNet.read(path, card or Card(), game)
        return ANET.load(path).evaluator()
    except (ValueError, OSError) as error:
        message = str(error) if str(path) in str(error) else f"{path}: {error}"
        raise AgentError(printable(message, _LONGEST_MESSAGE)) from error


def search_of(
    game: StateManager,
    params: MCTSParams | MCTSOptions,
    net: Evaluator | None,
    *,
    games: int = 1,
    sigma: float | None = None,
    leaves: int | None = None,
    seed: Seed = 0,
) -> mcts.MCTS:
    """Return the search that the parameters describe, of some ``games``; see ``MCTS``.

    A net plays the rollouts, if it can, and is evaluated in batches otherwise. Without one,
    rollouts are uniformly random. ``None`` is the method's own number of ``leaves`` that wait
    together; as ``sigma`` it is 0 for a net that is evaluated in batches and has a critic, else 1.
    A method that does not fit the net, or a number out of range, is a ``ValueError``.
    """
    variant = mcts.make_variant(params, exploration=params.exploration, rollout_probability=sigma)
    variant = variant if leaves is None else replace(variant, leaves=leaves)
    given: dict[str, Any] = {"games": games, "time_limit": params.time_limit, "seed": seed}
    if net is not None and net.facts.plays_rollouts:
        given["rollout_policy"] = net.rollout_policy(params.rollout_epsilon)
    elif net is not None:
        given["evaluate"] = net.evaluate_batch
    return mcts.MCTS(game, params.simulations, variant=variant, **given)


def seconds_a_position(net: Evaluator) -> float:
    """Return the seconds per evaluation of a net on this machine, in batches of 128."""
    states = np.stack([net.game.initial_state()] * _BATCH)
    evaluate = partial(net.evaluate_batch, states, net.game.legal_mask(states))
    return min(timeit.repeat(evaluate, number=1, repeat=_BATCHES)) / _BATCH


def common_game(
    nets: Sequence[tuple[Path, Evaluator]], given: StateManager | None = None
) -> StateManager | None:
    """Return the nets' one game, or ``given`` if all can play it; else raise an ``AgentError``."""
    for path, net in nets:
        first, its_net = nets[0]
        if given is not None and (path.suffix != ONNX or net.game != given):
            load_net(path, given)
        elif net.game != its_net.game:
            got = f"{first} for {its_net.game!r} and {path} for {net.game!r}"
            raise AgentError(f"expected nets for one game, got {got}")
    return given or (nets[0][1].game if nets else None)

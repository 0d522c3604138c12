"""The description of a net in its file, and the errors about a wrong one."""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple

import torch
from torch import Tensor

from anet.errors import NetError
from anet.networks import build_network
from anet.view import View
from anet.weights import fitting_weights
from base.params import ANETParams, ParamsError
from base.params.check import check_section
from base.params.yaml12 import Given
from base.storage import CheckpointError, excerpt, load_checkpoint, printable
from state_manager import StateManager, make_game

_MOST_EPISODES = 10_000_000  # limit on the episodes of a run, see ``RLParams``


class NetFile(NamedTuple):
    """The contents of a net's file; the tensors fit a network with these parameters."""

    game: StateManager
    params: ANETParams
    run_params: dict[str, Any]
    episode: int
    tensors: dict[str, Tensor]


def read_net(path: str | os.PathLike[str], kind: str, device: str) -> NetFile:
    """Read a net's file; parameters that it lacks have their defaults. See ``naming``."""
    checkpoint, where = load_checkpoint(path, kind), os.fspath(path)
    meta = checkpoint.meta
    game = make_game(meta["game"], **meta["game_params"])
    given = {key: Given(each, where) for key, each in {**meta["anet"], "device": device}.items()}
    params = check_section(ANETParams, "anet.", given, where)
    # A short description can name a network of gigabytes: check that the file holds its weights
    # before allocating it.
    with torch.device("meta"):
        outline = build_network(params, View(game, params), game.num_actions)
    fitting_weights(outline, checkpoint.tensors)
    episode = described_episode(meta)
    return NetFile(game, params, dict(meta["params"]), episode, checkpoint.tensors)


def described_episode(meta: Mapping[str, Any]) -> int:
    """Return the number of training episodes before a file was saved."""
    episode = meta["episode"]
    if type(episode) is not int or not 0 <= episode <= _MOST_EPISODES:
        raise ValueError(
            f"episode: expected an integer from 0 to {_MOST_EPISODES}, got {excerpt(episode, 60)}"
        )
    return episode


@contextmanager
def naming(path: str | os.PathLike[str], what: str = "a net") -> Iterator[None]:
    """Turn an error from a wrong description of ``what`` into one line that names the file."""
    name = os.fspath(path)
    try:
        yield
    except CheckpointError:  # it names the file
        raise
    except NetError as error:
        raise NetError(f"{name}: {error}") from error
    except ParamsError as error:
        raise CheckpointError(str(error)) from error
    except KeyError as error:
        raise CheckpointError(f"{name}: expected {what}'s {error}, got nothing") from error
    except (TypeError, ValueError, AttributeError, OverflowError, IndexError) as error:
        words = printable(str(error))
        raise CheckpointError(f"{name}: expected the description of {what}: {words}") from error

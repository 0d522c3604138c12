"""What a net's file says about the net, and in what words a file is refused."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from anet.errors import NetError
from params import ANETParams, ParamsError
from params.check import check_section
from params.yaml12 import Given
from state_manager import StateManager, make_game
from storage import CheckpointError


def described_game(meta: Mapping[str, Any]) -> StateManager:
    """Return the game that a net was trained for."""
    return make_game(meta["game"], **meta["game_params"])


def described_params(
    meta: Mapping[str, Any], path: str | os.PathLike[str], device: str
) -> ANETParams:
    """Return a net's parameters, those that its file does not tell having their defaults."""
    given = {**meta["anet"], "device": device}
    where = os.fspath(path)
    return check_section(
        ANETParams, "anet.", {key: Given(value, where) for key, value in given.items()}, where
    )


@contextmanager
def naming(path: str | os.PathLike[str]) -> Iterator[None]:
    """Turn whatever a description that is wrong leads to into one line that names the file.

    Raises:
        CheckpointError: If this does not describe a net.
        NetError: If it describes another one than the file holds.
    """
    name = os.fspath(path)
    try:
        yield
    except NetError as error:
        raise NetError(f"{name}: {error}") from error
    except ParamsError as error:
        raise CheckpointError(str(error)) from error
    except KeyError as error:
        raise CheckpointError(f"{name}: expected a net's {error}, got nothing") from error
    except (TypeError, ValueError, AttributeError) as error:
        raise CheckpointError(f"{name}: expected the description of a net: {error}") from error

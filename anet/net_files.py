"""The description of a net in its file, and the errors about a wrong one."""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from anet.errors import NetError
from base.params import ANETParams, ParamsError
from base.params.check import check_section
from base.params.yaml12 import Given
from base.storage import CheckpointError, excerpt, printable

_MOST_EPISODES = 10_000_000
"""Limit on the episodes of a run, see ``RLParams``."""


def described_params(
    meta: Mapping[str, Any], path: str | os.PathLike[str], device: str
) -> ANETParams:
    """Return a net's parameters, with defaults for those missing in its file."""
    given = {**meta["anet"], "device": device}
    where = os.fspath(path)
    return check_section(
        ANETParams, "anet.", {key: Given(value, where) for key, value in given.items()}, where
    )


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
    except NetError as error:
        raise NetError(f"{name}: {error}") from error
    except ParamsError as error:
        raise CheckpointError(str(error)) from error
    except KeyError as error:
        raise CheckpointError(f"{name}: expected {what}'s {error}, got nothing") from error
    except (TypeError, ValueError, AttributeError, OverflowError, IndexError) as error:
        words = printable(str(error))
        raise CheckpointError(f"{name}: expected the description of {what}: {words}") from error

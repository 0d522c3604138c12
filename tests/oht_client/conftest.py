"""Fixtures of the tests of the tournament."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from oht_client import text_wire
from oht_client.server.tls import ensure_certificate


@pytest.fixture(scope="session")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The certificate of scripted servers, and its key."""
    return ensure_certificate(tmp_path_factory.mktemp("scripted_server"))


@pytest.fixture(scope="module")
def quick_log_in() -> Iterator[None]:
    """Wait only briefly for the rest of a prompt, which in most tests comes in one packet."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text_wire, "QUIET", 0.005)
        patch.setattr(text_wire, "PROMPT_SECONDS", 0.3)
        yield

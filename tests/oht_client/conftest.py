"""Fixtures of the tests of the tournament."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from oht_client.server.tls import ensure_certificate
from tests.oht_client.home import Home, running


@pytest.fixture(scope="session")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    return ensure_certificate(tmp_path_factory.mktemp("scripted_server"))


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    with running(tmp_path_factory.mktemp("home")) as home:
        yield home

"""What tests of compiling share."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.base.jit.few_kernels import KERNELS


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with a module of kernels, each of which calls the one before."""
    (tmp_path / "few_kernels.py").write_text(KERNELS)
    return tmp_path

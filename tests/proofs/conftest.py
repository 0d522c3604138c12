"""Tiny training runs, whose nets are refuted."""

from tests.rl.conftest import make_run

__all__ = ["make_run"]

"""The exact judge: winners and best moves under perfect play."""

from typing import TYPE_CHECKING

from base.lazy import on_first_use

if TYPE_CHECKING:
    from judge.exhaustive import ExactPlay
    from judge.judge import Judge, shared_judge

__getattr__ = on_first_use(__name__, exhaustive="ExactPlay", judge="Judge shared_judge")

"""Puzzles: positions of games of Hex in which few moves win (``python -m benchmarks.puzzles``)."""

import random
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from base.storage import read_jsonl
from state_manager import make_game
from web.play.catalogue import WITH_NET
from web.server.agent_pool import AgentPool, Deadline
from web.server.requests import PageRequest, RequestError

FILE = Path(__file__).parent / "puzzles.jsonl"
"""A puzzle is a line: ``id``, ``size``, the ``moves`` before it, the moves that win (``wins``), and
its ``grade``, the place of the weakest level from which on all levels find one of them."""

_Id = Annotated[str, Field(max_length=12)]


class PuzzleRequest(PageRequest):
    """The puzzle of an id; or another one than those seen, of about a grade. 0: any."""

    id: _Id = ""
    size: Annotated[int, Field(ge=0, le=19)] = 0
    wins: Annotated[int, Field(ge=0, le=3)] = 0
    grade: Annotated[int, Field(ge=0, le=10)] = 0
    seen: Annotated[tuple[_Id, ...], Field(max_length=1000)] = ()


def puzzle(pool: AgentPool, request: PuzzleRequest, deadline: Deadline) -> dict[str, Any]:
    """Return a puzzle, the title of the level of its grade, and all levels and boards."""
    known = puzzles()
    if request.id:
        if request.id not in known:
            raise RequestError(f"expected the id of a puzzle, got {request.id!r}")
        found = known[request.id]
    else:
        sized = (each for each in known.values() if request.size in (0, each["size"]))
        fitting = [each for each in sized if request.wins in (0, len(each["wins"]))]
        if not fitting:
            raise RequestError("there is no such puzzle")
        found = _next(fitting, request)
    game = make_game("hex", size=found["size"])
    names = pool.names(game)
    return {
        **found,
        "game": {"name": game.name, "params": game.params},
        "names": [names.move(each) for each in found["wins"]],
        "level": WITH_NET[found["grade"]][0],
        "levels": [title for title, _ in WITH_NET],
        "sizes": sorted({each["size"] for each in known.values()}),
    }


def _next(fitting: list[dict[str, Any]], request: PuzzleRequest) -> dict[str, Any]:
    """Return one not seen, of the nearest grade; when all are seen, any but the last one."""
    left = [each for each in fitting if each["id"] not in request.seen]
    left = left or [each for each in fitting if each["id"] not in request.seen[-1:]] or fitting
    if request.grade:
        near = min(abs(each["grade"] - request.grade) for each in left)
        left = [each for each in left if abs(each["grade"] - request.grade) == near]
    return random.choice(left)


@lru_cache
def puzzles() -> dict[str, dict[str, Any]]:
    """Return the puzzles by their ids."""
    return {each["id"]: each for each in read_jsonl(FILE)}

"""A registry of two small games, so that these tests need no rules."""

from typing import Annotated, Self

import pytest
from pydantic import Field, field_validator, model_validator

from base.params import Section
from state_manager import game_names


class FakeHexParams(Section):
    size: Annotated[int, Field(ge=3, le=19)] = 5
    swap: bool = False


class FakeNimParams(Section):
    stones: Annotated[int, Field(ge=1, le=120)] = 10
    max_take: Annotated[int, Field(ge=1, le=120)] = 3
    heaps: tuple[Annotated[int, Field(ge=1)], ...] = ()
    label: str = "nim"

    @field_validator("heaps")
    @classmethod
    def _check_heaps(cls, heaps: tuple[int, ...]) -> tuple[int, ...]:
        if len(set(heaps)) < len(heaps):
            raise ValueError(f"expected heaps of different sizes, got {list(heaps)}")
        return heaps

    @model_validator(mode="after")
    def _check_take(self) -> Self:
        if self.max_take > self.stones:
            raise ValueError(
                f"max_take: expected at most stones ({self.stones}), got {self.max_take}"
            )
        return self


class FakeSchemas:
    """Two games that can be loaded, and some that cannot."""

    def names(self) -> list[str]:
        return list(game_names())

    def schema(self, name: str) -> type[Section]:
        games: dict[str, type[Section]] = {"hex": FakeHexParams, "nim": FakeNimParams}
        return games.get(name, Section)


@pytest.fixture(scope="session")
def schemas() -> FakeSchemas:
    return FakeSchemas()

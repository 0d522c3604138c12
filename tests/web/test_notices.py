"""Notices of one kind are counted."""

from __future__ import annotations

import asyncio

from web.notices import Notices


def test_many_notices_of_one_kind_are_counted() -> None:
    lines: list[str] = []

    async def notify() -> None:
        notices = Notices(lines.append)
        for number in range(5):
            notices.say("geese", f"goose {number}", most=2)
        notices.say("ducks", "a duck")
        notices.sum_up()
        notices.say("geese", "another goose")

    asyncio.run(notify())
    assert lines == ["goose 0", "goose 1", "a duck", "3 more geese", "another goose"]

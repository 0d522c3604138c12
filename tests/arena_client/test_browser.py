"""A person on the arena's own page against our client, in Chromium."""

from __future__ import annotations

import json
import re

from playwright.sync_api import Browser, expect

from arena_client.client import Entry
from tests.arena_client.conftest import NewClient
from tests.arena_client.servers import wait_for
from tests.project import TIMEOUT
from tests.web.conftest import browser as browser


def test_a_person_on_the_page_plays_a_game_against_our_client(
    browser: Browser, server: str, new_client: NewClient
) -> None:
    page = browser.new_page()
    page.set_default_timeout(1000 * TIMEOUT)
    page.goto(f"{server.replace('ws', 'http', 1)}/play")
    page.get_by_text("Remote Player").first.click()
    page.locator("input[name=board_size][value='7']").check(force=True)
    page.get_by_role("button", name="Join matchmaking").click()
    wait_for(server, 7)
    client = new_client(Entry(server, query={"board_size": 7, "series_length": 1}), 7)
    client.start()
    clicks = []
    free = page.locator("[role=gridcell]:has(.hex-cell-clickable)")
    while True:
        turn = page.get_by_text(re.compile("Your turn")).or_(
            page.get_by_text(re.compile("won|wins"))
        )
        expect(turn.first).to_be_visible(timeout=1000 * TIMEOUT)
        if not free.count():
            break
        cell = free.first
        label = cell.get_attribute("aria-label")
        assert label is not None
        clicks.append([int(number) for number in re.findall(r"\d+", label)])
        cell.click()
        expect(page.get_by_label(label).locator(".hex-cell-clickable")).to_have_count(0)
    client.join()
    assert client.error is None
    (game,) = map(json.loads, (client.folder / "games.jsonl").read_text().splitlines())
    assert game["series_id"] == 1
    assert game["moves"][::2] == clicks

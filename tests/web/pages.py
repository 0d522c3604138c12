"""What tests look for and do on a page in a real browser."""

import re
from pathlib import Path

from playwright.sync_api import Locator, Page, expect

from tests.project import TIMEOUT

expect.set_options(timeout=1000 * TIMEOUT)
QUICK = """
const wait = setTimeout;
const quick = (ms) => (ms < 1000 ? ms : ms / (ms < 10_000 ? 5 : 50));
globalThis.setTimeout = (work, ms, ...more) => wait(work, quick(ms), ...more);
globalThis.Worker = class extends Worker {
  constructor(url) {
    super(url);
    setInterval(() => this.dispatchEvent(new Event("message")), 200);
  }
};
"""
"""A page that asks the server every second or two asks five times as often; others, fifty."""
BOARD = "main > section:not([hidden]) .board-area"
"""The place of the first board in the open tab."""


def cell(page: Page, number: int) -> Locator:
    return page.locator(f"section:not([hidden]) [data-cell='{number}']")


def taken(page: Page, number: int) -> None:
    """Wait until the board has a number of stones."""
    expect(page.locator(f"{BOARD} .cell.taken")).to_have_count(number)


def holds(page: Page, *cells: int) -> None:
    """Wait until exactly these cells are taken."""
    taken(page, len(cells))
    numbers = "all => all.map((each) => Number(each.dataset.cell))"
    assert page.locator(f"{BOARD} .cell.taken").evaluate_all(numbers) == sorted(cells)


def play(page: Page, *cells: int) -> None:
    """Click on cells, and wait for each stone."""
    for each in cells:
        cell(page, each).click()
        expect(cell(page, each)).to_have_class(re.compile("taken"))


def status(page: Page) -> Locator:
    return page.locator("section:not([hidden]) .status")


def reason(page: Page) -> Locator:
    return page.locator("main > section:not([hidden]) .reason").first


def go(page: Page, fragment: str) -> None:
    """Go to an address of the page, without loading it anew."""
    page.evaluate("(fragment) => { location.hash = fragment; }", fragment)


def unfold(page: Page, title: str) -> None:
    page.click(f"summary:has-text('{title}')")


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def saved(page: Page, button: str = "#save-sgf") -> Path:
    with page.expect_download() as download:
        page.click(button)
    return download.value.path()


def seat(page: Page, red: str, black: str) -> None:
    """Choose who plays the colours, or one; a level's title begins its text, before its rating."""
    for number, title in ((1, red), (2, black)):
        options = page.locator(f"#player-{number} option")
        option = options.filter(has_text=re.compile(f"^{title}(,|$)"))
        if title:
            page.select_option(f"#player-{number}", option.get_attribute("value"))

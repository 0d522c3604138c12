"""The site of the docs, opened as files in Chromium."""

import re
from pathlib import Path

from playwright.sync_api import Browser, expect

from tests.project import TIMEOUT


def test_no_page_of_the_site_is_wider_than_a_phone(browser: Browser, site: Path) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 844}, is_mobile=True)
    page = context.new_page()
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(error.message))
    pages = sorted(site.rglob("*.html"))
    assert len(pages) > 30
    for file in pages:
        page.goto(file.as_uri())
        assert page.evaluate("document.documentElement.scrollWidth") <= 390, file.name
        assert not faults, file.name
    wide = "[...document.querySelectorAll('table')].filter((each) => each.scrollWidth > 390).length"
    page.goto((site / "formats.html").as_uri())
    assert page.evaluate(wide) > 0, "a wide table scrolls inside its own box"
    context.close()


def test_the_first_page_plays_at_once(browser: Browser, site: Path) -> None:
    page = browser.new_context(viewport={"width": 1280, "height": 800}).new_page()
    page.set_default_timeout(1000 * TIMEOUT)
    page.goto((site / "index.html").as_uri())
    board = page.frame_locator("iframe")
    expect(board.locator("#board .cell")).to_have_count(49)
    expect(board.locator("#board svg")).to_be_in_viewport(ratio=1)
    board.locator("[data-cell='7']").click()
    expect(board.locator("#status")).to_have_text(re.compile("^Black (swapped|played ..); Red to"))
    page.click("text=The board alone")
    expect(page.locator("#board .cell").first).to_be_visible()
    page.context.close()


def test_search_and_colours_of_the_site_work_from_files(browser: Browser, site: Path) -> None:
    context = browser.new_context(color_scheme="light")
    page = context.new_page()
    page.set_default_timeout(1000 * TIMEOUT)
    page.goto((site / "methods" / "puct.html").as_uri())
    page.click("[data-bs-target='#mkdocs_search_modal']")
    query = page.locator("#mkdocs-search-query")
    expect(query).to_be_focused()
    query.press_sequentially("hexworld")
    found = page.locator("#mkdocs-search-results article")
    expect(found.first).to_be_visible()
    titles = found.locator("h3").all_inner_texts()
    assert "Games as text" in titles
    found.locator("a", has_text="Games as text").click()
    expect(page.locator("h3#games-as-text")).to_be_visible()
    page.click("#theme-menu")
    page.click("[data-bs-theme-value=dark]")
    expect(page.locator("html[data-bs-theme=dark]")).to_be_attached()
    context.close()

"""The map of first stones on the page, in Chromium without a window."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.web.pages import Open, cell, choose


def test_the_map_of_first_stones_says_which_one_to_swap(open_page: Open) -> None:
    page = open_page()
    choose(page, "You", "You")
    page.locator("summary", has_text="New game").click()
    page.check("#game-swap")
    page.click("#play form button")
    page.keyboard.press("5")
    words = page.locator("#play p", has_text="first stone")
    expect(words).to_contain_text("Red's chances after each first stone (exact)")
    expect(cell(page, 0).locator(".text")).to_have_text("0")
    expect(cell(page, 4).locator(".text")).to_have_text("100")
    cell(page, 4).click()
    expect(words).to_contain_text("Red's chances after the first stone: 100 % (exact): swap it.")
    expect(cell(page, 0).locator(".text")).to_have_text("")
    page.click("#swap")
    expect(words).to_contain_text("100 % (exact).")

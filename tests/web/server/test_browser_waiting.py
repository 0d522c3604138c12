"""No click is silent: while the server works, the page says so."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from tests.web.pages import Open, cell, choose, choose_player, status


class Gate:
    """Holds a page's requests until it is opened."""

    def __init__(self, page: Page) -> None:
        self._page, self._held = page, list[Route]()
        self.shut = False
        page.route("**/api/**", self._take)

    def _take(self, route: Route) -> None:
        if self.shut:
            self._held.append(route)
        else:
            route.continue_()

    def open(self) -> None:
        self.shut = False
        for route in self._held:
            route.continue_()
        self._held.clear()


@pytest.fixture
def page(open_page: Open) -> Iterator[Page]:
    page = open_page("", locale="en")  # an option, since requests that are held end with the page
    yield page
    page.unroute_all(behavior="ignoreErrors")


def waiting(page: Page) -> Locator:
    return page.locator("#waiting")


def button(name: str) -> Callable[[Page], None]:
    return lambda page: page.get_by_role("button", name=name, exact=True).click()


def tab(name: str) -> Callable[[Page], None]:
    return lambda page: page.click(f"nav a[href='#{name}']")


def choose_size(page: Page) -> None:
    page.select_option("#board-size", "4")


CLICKS: dict[str, tuple[str, Callable[[Page], None]]] = {
    "a new game": ("", lambda page: page.click(".quick button")),
    "a size": ("", choose_size),
    "a level": ("", lambda page: choose_player(page, 2, "Random moves")),
    "a move": ("", lambda page: cell(page, 4).click()),
    "an opinion": ("", lambda page: page.keyboard.press("4")),
    "the game in Review": ("", tab("review")),
    "a puzzle": ("", tab("puzzles")),
    "another puzzle": ("puzzles", button("Next puzzle")),
    "the runs": ("", tab("watch")),
    "a game with a friend": ("friends", button("Play a friend")),
}
"""What waits for the server: the tab where it begins, and the click."""


@pytest.mark.parametrize("what", CLICKS)
def test_a_click_that_waits_for_the_server_says_so(page: Page, what: str) -> None:
    begins, click = CLICKS[what]
    choose(page, "You", "You")
    if begins:
        tab(begins)(page)
        expect(page.locator(f"#{begins} [data-cell]").first).to_be_visible()
    if begins == "friends":  # once the games are known
        expect(page.get_by_role("button", name="Play a friend", exact=True)).to_be_visible()
    expect(waiting(page)).to_have_text("")
    gate = Gate(page)
    gate.shut = True
    click(page)
    expect(waiting(page)).to_have_text("Loading \u2026")
    expect(waiting(page)).to_be_in_viewport()
    gate.open()
    expect(waiting(page)).to_have_text("")


def test_a_tab_whose_module_comes_late_says_so_and_so_does_its_first_request(page: Page) -> None:
    held = list[Route]()
    page.route("**/static/watch/watch.js", lambda route: held.append(route))
    gate = Gate(page)
    gate.shut = True
    tab("watch")(page)
    expect(waiting(page)).to_have_text("Loading \u2026")
    page.wait_for_timeout(500)  # longer than from other clicks to their requests
    held.pop().continue_()
    expect(page.locator("#watch .panel").first).to_be_attached()
    expect(waiting(page)).to_have_text("Loading \u2026")
    gate.open()
    expect(waiting(page)).to_have_text("")


def test_an_agent_is_loading_until_it_thinks(page: Page) -> None:
    held = list[Route]()

    def hold(route: Route) -> None:
        held.append(route)

    def pass_on(name: str) -> None:
        with page.expect_response(f"**/api/{name}"):
            held.pop().continue_()

    for name in ("prepare", "move"):
        page.route(f"**/api/{name}", hold)
    choose(page, "You", "Strong")
    with page.expect_request("**/api/prepare"):
        cell(page, 4).click()
    expect(status(page)).to_have_text("black (Strong) is loading \u2026")
    expect(page.locator("#stop")).to_be_visible()
    with page.expect_request("**/api/move"):
        pass_on("prepare")
    expect(status(page)).to_have_text("black (Strong) is thinking \u2026")
    pass_on("move")
    expect(status(page)).to_contain_text("Your move")
    free = page.locator("#play .cell:not(.taken)").first.get_attribute("data-cell")
    with page.expect_request("**/api/move"):  # it is loaded
        cell(page, int(str(free))).click()
    expect(status(page)).to_have_text("black (Strong) is thinking \u2026")
    pass_on("move")


def test_an_agent_that_cannot_be_loaded_waits_for_the_user(page: Page) -> None:
    refusal = {"status": 400, "json": {"error": "no such net"}}
    page.route("**/api/prepare", lambda route: route.fulfill(**refusal))
    choose(page, "You", "Strong")
    cell(page, 4).click()
    expect(page.locator("#notice")).to_have_text("no such net")
    expect(page.locator("#go")).to_be_visible()
    page.unroute("**/api/prepare")
    page.click("#go")
    expect(page.locator("#play .cell.taken")).to_have_count(2)


def test_the_address_that_comes_while_a_tab_loads_is_the_one_that_it_shows(page: Page) -> None:
    held = list[Route]()
    page.route("**/static/review/review.js", lambda route: held.append(route))
    with page.expect_request("**/static/review/review.js"):
        page.evaluate("location.hash = '#review/first/hex.size=3/1/'")
    page.evaluate("location.hash = '#review/second/hex.size=4/1/'")
    held.pop().continue_()
    expect(page.locator("#review .cell")).to_have_count(16)
    assert "second/hex.size=4" in page.url

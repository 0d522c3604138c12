"""No click is silent: while the server works, the page says so."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.web.pages import cell, go, press, seat, status, taken
from tests.web.program import Held, Open

LATER = "() => { const now = performance.now() + 1000; performance.now = () => now; }"


def waiting(page: Page) -> Locator:
    return page.locator("#waiting")


def button(page: Page, name: str) -> Locator:
    return page.get_by_role("button", name=name, exact=True)


def tab(name: str) -> Callable[[Page], None]:
    return lambda page: page.click(f"nav a[href='#{name}']")


CLICKS: dict[str, tuple[str, Callable[[Page], object]]] = {
    "a new game": ("play", lambda page: page.click(".quick button")),
    "a size": ("play", lambda page: page.select_option("#board-size", "4")),
    "a move": ("play", lambda page: cell(page, 4).click()),
    "a level": ("play", lambda page: seat(page, "", "Random moves")),
    "an opinion": ("play", lambda page: press(page, "4")),
    "the game in Review": ("play", tab("review")),
    "a puzzle": ("review", tab("puzzles")),
    "another puzzle": ("puzzles", lambda page: button(page, "Next puzzle").click()),
    "the runs": ("puzzles", tab("watch")),
    "a game with a friend": ("friends", lambda page: button(page, "Play a friend").click()),
}
"""What waits for the server: the tab where it begins, and the click."""


def test_a_click_that_waits_for_the_server_says_so(open_page: Open) -> None:
    page = open_page(fresh=True)
    held = Held(page, "**/api/**")
    held.let_go()
    seat(page, "You", "You")
    for what, (begins, click) in CLICKS.items():
        if f"#{begins}" not in page.url:
            tab(begins)(page)
        expect(page.locator(f"#{begins} [data-cell]").first).to_be_visible()
        if begins == "friends":  # once the games are known
            expect(button(page, "Play a friend")).to_be_visible()
        expect(waiting(page)).to_have_text("")
        held.is_shut = True
        click(page)
        expect(waiting(page), what).to_have_text("Loading \u2026")
        expect(waiting(page), what).to_be_in_viewport()
        held.let_go()
        expect(waiting(page), what).to_have_text("")


def test_a_tab_whose_module_comes_late_says_so_as_does_its_first_request(open_page: Open) -> None:
    page = open_page(fresh=True)
    module, requests = Held(page, "**/watch/watch.js"), Held(page, "**/api/**")
    tab("watch")(page)
    expect(waiting(page)).to_have_text("Loading \u2026")
    page.evaluate(LATER)  # than other clicks lead to their requests
    module.let_go()
    expect(page.locator("#watch .panel").first).to_be_attached()
    expect(waiting(page)).to_have_text("Loading \u2026")
    requests.let_go()
    expect(waiting(page)).to_have_text("")


def test_an_agent_is_loading_until_it_thinks(open_page: Open) -> None:
    page = open_page(fresh=True)
    prepare, move = Held(page, "**/api/prepare"), Held(page, "**/api/move")
    seat(page, "You", "Strong")
    with page.expect_request("**/api/prepare"):
        cell(page, 4).click()
    expect(status(page)).to_have_text("black (Strong) is loading \u2026")
    expect(page.locator("#stop")).to_be_visible()
    with page.expect_request("**/api/move"):
        prepare.let_go()
    expect(status(page)).to_have_text("black (Strong) is thinking \u2026")
    prepare.is_shut = True
    move.let_go()
    expect(status(page)).to_contain_text("Your move")
    move.is_shut = True
    with page.expect_request("**/api/move"):  # it is loaded
        page.locator("#play .cell.empty").first.click()
    expect(status(page)).to_have_text("black (Strong) is thinking \u2026")
    move.let_go()


def test_an_agent_that_cannot_play_waits_for_the_user_or_another_one(open_page: Open) -> None:
    page = open_page()
    refusal = {"status": 400, "json": {"error": "no such net"}}
    page.route("**/api/prepare", lambda route: route.fulfill(**refusal))
    seat(page, "You", "Strong")
    cell(page, 4).click()
    expect(page.locator("#notice")).to_have_text("no such net")
    expect(page.locator("#go")).to_be_visible()
    page.unroute("**/api/prepare")
    page.click("#go")
    taken(page, 2)
    go(page, "#play/next/hex.size=3/1/")
    taken(page, 0)
    seat(page, "", "Another agent …")
    page.get_by_label("Agent, as on the command line").last.fill("mtcs")
    cell(page, 4).click()
    expect(page.locator("#notice")).to_contain_text("did you mean mcts?")
    expect(status(page)).to_have_text("black (mtcs) is to move.")
    seat(page, "", "Random moves")
    expect(status(page)).to_contain_text("Your move")


def test_the_address_that_comes_while_a_tab_loads_is_the_one_that_it_shows(open_page: Open) -> None:
    page = open_page(fresh=True)
    module = Held(page, "**/review/review.js")
    with page.expect_request("**/review/review.js"):
        go(page, "#review/first/hex.size=3/1/")
    go(page, "#review/second/hex.size=4/1/")
    module.let_go()
    expect(page.locator("#review .cell")).to_have_count(16)
    assert "second/hex.size=4" in page.url


@pytest.mark.parametrize(
    ("address", "shown"), [("#watch", "#watch"), ("#play/x/hex.size=4/1/", ".cell[data-cell='15']")]
)
def test_an_address_that_has_come_stays(open_page: Open, address: str, shown: str) -> None:
    page = open_page("#play")
    expect(page.locator("#play .cell.empty").first).to_be_attached()
    page.evaluate(
        """async (address) => {
      const { page } = await import("/static/page/page.js");
      location.hash = address;
      page.setFragment("late");
    }""",
        address,
    )
    expect(page.locator(f"{shown}:visible")).to_have_count(1)
    assert address in page.url

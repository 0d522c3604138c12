"""Positions that are set up, the choices for a new game, and clocks, in Chromium."""

import re
from itertools import combinations, product

import pytest
from playwright.sync_api import FloatRect, Page, Route, expect

from tests.web.pages import cell, go, holds, play, press, reason, saved, seat, status, taken, unfold
from tests.web.program import Held, Open, Server

HELD_TIME = """
let now = 0;
performance.now = () => now;
window.pass = (seconds) => { now += 1000 * seconds; };
"""
PHONE = {"width": 390, "height": 844}


def edit(page: Page, red: list[int], black: list[int]) -> None:
    """Set up stones on the board, which may have some already."""
    page.click("#edit")
    for key, cells in (("1", red), ("2", black)):
        page.check(f"[name=piece][value='{key}']", force=True)
        for each in cells:
            cell(page, each).click()


def test_a_position_is_set_up_played_on_linked_and_reviewed(open_page: Open) -> None:
    page = open_page()
    seat(page, "You", "You")
    edit(page, [1, 5], [7, 8])
    expect(status(page)).to_have_text("Set up a position; red moves next.")
    holds(page, 1, 5, 7, 8)
    cell(page, 8).click()
    holds(page, 1, 5, 7)
    page.check("[name=piece][value=x]", force=True)
    cell(page, 7).click()
    holds(page, 1, 5)
    page.click("#edit-clear")
    holds(page)
    page.click("#edit-cancel")
    expect(status(page)).to_contain_text("Your move: red")
    edit(page, [1, 5], [7, 8])
    page.select_option("#edit-mover", label="black moves next")
    page.click("#edit-done")
    expect(status(page)).to_contain_text("Your move: black")
    assert page.url.endswith("/hex.size=3/2_1r3r1bb/")
    play(page, 4)
    elsewhere = open_page(f"#{page.url.partition('#')[2]}", viewport=PHONE)
    expect(status(elsewhere)).to_contain_text("red")
    holds(elsewhere, 1, 4, 5, 7, 8)
    press(page, "u")
    taken(page, 4)
    press(page, "h")
    expect(reason(page)).to_contain_text("black wins")
    page.check("[value=judge]", force=True)
    expect(cell(page, 6).locator("text")).to_have_text("✓")
    page.goto(page.url.replace("#play", "#review"))
    expect(page.locator("#review .curve circle")).to_have_count(2)
    page.goto(page.url.replace("#review", "#explain"))
    expect(page.locator("#explain .cell.taken").nth(3)).to_be_attached()


def test_a_position_that_is_won_is_answered_with_a_line(open_page: Open) -> None:
    page = open_page()
    seat(page, "You", "You")
    edit(page, [1, 4, 7], [])
    page.click("#edit-done")
    expect(reason(page)).to_have_text("red has already won here: take a stone away.")
    holds(page, 1, 4, 7)
    cell(page, 0).click()
    expect(reason(page)).to_have_text("")
    go(page, "#play/won/hex.size=3/1_1r2r2r1/")
    expect(status(page)).to_have_text("red has already won here.")
    go(page, "#play/odd/hex.size=3/1_1r2r/")
    refused = "setup: expected the 9 cells of 3x3, got 5. A new game instead."
    expect(page.locator("#notice")).to_have_text(refused)
    go(page, "#play/bad/hex.size=3/1_8z/")
    expect(page.locator("#notice")).to_contain_text("position.setup.8: ")


def test_a_position_is_set_up_by_keyboard(open_page: Open) -> None:
    page = open_page()
    seat(page, "You", "You")
    status(page).click()
    press(page, "e", "Enter", "2", "ArrowDown", "Enter", "ArrowRight", "Enter", "x", "Enter")
    taken(page, 2)
    red = page.locator("#play .cell.taken").first
    expect(red).to_have_attribute("aria-label", re.compile("red"))
    status(page).click()
    press(page, "ArrowLeft", "Home")
    taken(page, 2)  # steps wait until the position is played
    press(page, "Escape")
    taken(page, 0)


def test_on_a_phone_the_palette_fits_and_only_hex_has_it(open_page: Open) -> None:
    page = open_page("#play/a/hex.size=11/1/", viewport=PHONE, has_touch=True)
    seat(page, "You", "You")
    page.tap("#edit")
    page.tap("[aria-label=Piece] label:has-text('black')")
    cell(page, 60).tap()
    holds(page, 60)
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    bottom = page.evaluate("document.querySelector('#edit-done').getBoundingClientRect().bottom")
    assert bottom < PHONE["height"]
    page.tap("#edit-cancel")
    go(page, "#play/b/tic_tac_toe/1/")
    expect(status(page)).to_contain_text("X")
    expect(page.locator("#edit")).to_be_hidden()
    expect(page.locator("#board-size")).to_be_hidden()


@pytest.mark.parametrize("width", [390, 1000])
def test_notices_and_the_board_of_a_new_game_are_in_sight(open_page: Open, width: int) -> None:
    page = open_page(viewport={"width": width, "height": 500})
    unfold(page, "Files")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.locator("#copy-link").scroll_into_view_if_needed()
    assert page.evaluate("scrollY") > 0
    page.click("#copy-link")
    expect(page.locator("#notice")).to_be_in_viewport()
    unfold(page, "New game")
    page.fill("#game-size", "4")
    page.click("button.primary:has-text('New game')")
    expect(page.locator("#play .cell")).to_have_count(16)
    expect(status(page)).to_be_in_viewport()
    expect(cell(page, 0)).to_be_in_viewport()


def test_the_size_of_the_board_is_chosen_and_what_is_typed_meanwhile_stays(open_page: Open) -> None:
    page = open_page("#play/x/hex.size=5/2/")
    size = page.locator("#board-size")
    expect(size).to_have_value("5")
    size.select_option("11x11")
    page.click(".quick button")
    expect(page.locator("#play .cell")).to_have_count(121)
    assert "/hex.size=11.swap=true/2/" in page.url  # the first player of the form
    unfold(page, "New game")
    page.fill("#game-size", "4")
    page.select_option("#game-start", "1")
    expect(size).to_have_value("4")
    held = Held(page, "**/api/catalogue")
    with page.expect_request("**/api/catalogue"):
        page.click("#play button.primary:has-text('New game')")
    page.fill("#game-size", "3")
    page.select_option("#game-start", "2")
    held.let_go()
    expect(page.locator("#play .cell")).to_have_count(16)
    expect(size).to_have_value("3")  # what was typed before the answer came
    assert "/hex.size=4/1/" in page.url


def is_apart(one: FloatRect, other: FloatRect) -> bool:
    return any(
        each[at] >= another[at] + another[size]  # type: ignore[literal-required]
        for at, size in (("x", "width"), ("y", "height"))
        for each, another in ((one, other), (other, one))
    )


def test_the_first_screen_has_all_choices_and_each_holds_at_once(open_page: Open) -> None:
    page = open_page()
    choices = ["#board-size", "#own-colour", "#board-swap", "#opponent", "#pace", ".quick button"]
    for width, height in ((390, 844), (1180, 820), (1280, 720)):
        page.set_viewport_size({"width": width, "height": height})
        for each in (*choices, "#play .board-area .board", "#play .sides"):
            expect(page.locator(each)).to_be_in_viewport(ratio=1)
        boxes = [page.locator(each).bounding_box() for each in choices]
        cells = [each.bounding_box() for each in page.locator("#play .board-area .cell").all()]
        pairs = [*combinations(boxes, 2), *product(boxes, cells)]
        assert all(one and other and is_apart(one, other) for one, other in pairs)
    page.route("**/api/move", lambda route: route.fulfill(json={"action": 4, "name": "?"}))
    page.select_option("#board-size", "4")
    expect(page.locator("#play .cell")).to_have_count(16)
    assert "/hex.size=4/" in page.url
    page.select_option("#pace", "3+2")
    expect(page.locator("#play .clock")).to_have_text(["3:00", "3:00"])
    page.select_option("#opponent", label="Easy")
    page.select_option("#own-colour", label="You: black")
    sides = page.locator("#play .sides")
    expect(sides).to_have_text("Easy (red): top and bottomYou (black): left and right")
    page.set_viewport_size({"width": 390, "height": 844})  # the board no longer lies flat
    expect(sides).to_contain_text("Easy (red): north-east and south-west")
    expect(sides).to_contain_text("You (black): north-west and south-east")
    taken(page, 1)
    expect(page.locator("#player-2")).to_have_value("you")
    page.select_option("#own-colour", label="You: red")
    expect(page.locator("#own-colour")).to_have_value("1")
    expect(sides).to_contain_text("You (black)")  # it is for the next game
    page.click(".quick button")
    taken(page, 0)
    expect(status(page)).to_have_text("Your move: red.")
    expect(page.locator("#play .clock")).to_have_text(["3:00", "3:00"])


@pytest.mark.parametrize("size", [6, 7])
def test_from_7x7_the_swap_is_on_until_it_is_off(
    open_page: Open, server: Server, size: int
) -> None:
    html = server.page()
    assert "&quot;swap&quot;: null" in html, "the command line left it open"
    html = html.replace("&quot;size&quot;: 3", f"&quot;size&quot;: {size}")
    page = open_page("#puzzles")
    page.route(server.link, lambda route: route.fulfill(body=html, content_type="text/html"))
    page.reload()
    page.click("nav a[href='#play']")
    swap = page.locator("#board-swap")
    expect(swap).to_be_checked(checked=size == 7)
    page.select_option("#board-size", "11")
    expect(page).to_have_url(re.compile("/hex.size=11.swap=true/1/$"))
    swap.uncheck()
    expect(page).to_have_url(re.compile("/hex.size=11/1/$"))
    page.select_option("#board-size", "5")
    expect(page).to_have_url(re.compile("/hex.size=5/1/$"))
    swap.check()
    expect(page).to_have_url(re.compile("/hex.size=5.swap=true/1/$"))


def test_either_colour_is_drawn_anew(open_page: Open) -> None:
    page = open_page()
    assert page.locator("nav a").all_inner_texts()[:3] == ["Play", "Friends", "Puzzles"]
    page.evaluate("Math.random = () => window.drawn ?? 0.1")
    seat(page, "You", "You")
    expect(page.locator("#opponent")).to_have_value("you")
    page.select_option("#own-colour", label="You: either")
    page.select_option("#opponent", label="Random moves")
    expect(page.locator("#play .sides")).to_contain_text("You (red)")
    page.evaluate("window.drawn = 0.9")
    page.click(".quick button")
    expect(page.locator("#play .sides")).to_contain_text("You (black)")
    expect(page.locator("#own-colour")).to_have_value("3")
    seat(page, "Easy", "Random moves")
    expect(page.locator("#own-colour")).to_have_value("")
    page.select_option("#opponent", label="a friend …")
    expect(page.locator("#friends")).to_be_visible()


@pytest.fixture
def timed_page(open_page: Open) -> Page:
    """Return a page whose time passes only by ``pass(seconds)``."""
    page = open_page(fresh=True)
    page.add_init_script(HELD_TIME)  # after a reload
    page.evaluate(HELD_TIME)
    return page


def begin(page: Page, clock: str, *players: str) -> None:
    seat(page, *players)
    unfold(page, "New game")
    page.select_option("#game-clock", clock)
    page.click("#play form button")
    expect(page.locator("#play .clocks")).to_be_visible()  # a move before this asks an agent twice


def running(page: Page, *clocks: str, player: int = 0) -> None:
    """Expect what the clocks show, and which one runs."""
    expect(page.locator("#play .clock")).to_have_text(list(clocks))
    expect(page.locator("#play .clock.running")).to_have_count(1 if player else 0)
    if player:
        expect(page.locator(f"#play .clock.role{player}.running")).to_be_visible()


def test_clocks_run_after_the_first_moves_and_a_flag_ends_the_game(timed_page: Page) -> None:
    page = timed_page
    begin(page, "3+2", "You", "You")
    running(page, "3:00", "3:00")
    for each in (4, 1):
        page.evaluate("pass(30)")
        play(page, each)
    running(page, "3:00", "3:00", player=1)
    page.evaluate("pass(30.5)")
    running(page, "2:29", "3:00", player=1)
    cell(page, 0).click()
    running(page, "2:31", "3:00", player=2)
    page.evaluate("pass(5)")
    running(page, "2:31", "2:55", player=2)
    page.reload()
    running(page, "2:31", "2:55", player=2)
    for away, back in (("ArrowLeft", "End"), ("t", "t")):
        press(page, away)
        running(page, "2:31", "2:55")
        page.evaluate("pass(60)")
        press(page, back)
        running(page, "2:31", "2:55", player=2)
    page.goto(page.url.replace("#play", "#review"))
    expect(page.locator("#review .curve circle").first).to_be_attached()
    page.evaluate("pass(60)")
    page.goto(page.url.replace("#review", "#play"))
    running(page, "2:31", "2:55", player=2)
    page.evaluate("pass(165.5)")
    running(page, "2:31", "0:09.5", player=2)
    page.evaluate("pass(9.5)")
    over = "black (You) ran out of time: red (You) wins."
    expect(status(page)).to_have_text(over)
    running(page, "2:31", "0:00.0")
    cell(page, 2).click()
    expect(reason(page)).to_have_text("The game is over.")
    unfold(page, "Files")
    assert "RE[B+T]" in saved(page).read_text()
    page.reload()
    expect(status(page)).to_have_text(over)
    press(page, "t")
    expect(status(page)).to_contain_text("Trying a line")
    cell(page, 2).click()
    taken(page, 4)


def test_a_move_in_another_variation_is_timed_from_there(timed_page: Page) -> None:
    page = timed_page
    unfold(page, "New game")
    page.select_option("#game-clock", "another")
    page.fill("#play [placeholder='5+3']", "0+9")
    page.click("#play form button")
    expect(page.locator("#play .clocks")).to_be_hidden()
    page.fill("#play [placeholder='5+3']", "20+0")
    seat(page, "You", "You")
    page.click("#play form button")
    play(page, 0, 4, 2)
    running(page, "20:00", "20:00", player=2)
    page.evaluate("pass(60)")
    running(page, "20:00", "19:00", player=2)
    press(page, "u")
    running(page, "20:00", "19:00")
    page.evaluate("pass(60)")
    cell(page, 8).click()
    running(page, "20:00", "19:00", player=2)


def test_an_agent_thinks_on_its_clock(timed_page: Page) -> None:
    page = timed_page
    held = list[Route]()
    page.route("**/api/move", lambda route: held.append(route))

    def reply(action: int) -> None:
        held.pop().fulfill(json={"action": action, "name": "?"})

    def plays(action: int) -> bool:
        """Return whether the clock allows the three seconds of the level."""
        with page.expect_request("**/api/move") as asked:
            cell(page, action).click()
        question = asked.value.post_data_json
        assert question is not None
        assert "time_limit=3" in question["agent"]
        return bool(question["clock"] >= 3)

    begin(page, "1+0", "You", "Full strength")
    assert plays(0)
    running(page, "1:00", "1:00")
    reply(4)
    running(page, "1:00", "1:00", player=1)
    assert plays(2)
    running(page, "1:00", "1:00", player=2)
    page.evaluate("pass(11)")
    running(page, "1:00", "0:49", player=2)
    reply(1)
    running(page, "1:00", "0:49", player=1)
    assert not plays(8), "less than a twentieth of the time is left for 3 seconds"
    running(page, "1:00", "0:49", player=2)
    page.click("#stop")
    running(page, "1:00", "0:49")
    page.evaluate("pass(60)")
    with page.expect_request("**/api/move"):
        page.click("#go")
    running(page, "1:00", "0:49", player=2)
    page.evaluate("pass(50)")
    expect(status(page)).to_have_text("You won: black (Full strength) ran out of time.")

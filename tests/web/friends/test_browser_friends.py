"""Two people on two pages play each other, and an assistant looks on, in Chromium."""

from __future__ import annotations

import re

from playwright.sync_api import Page, Route, expect

from tests.web.pages import Open, Server, cell, status, stones


def begin(
    open_page: Open, size: int = 3, game: str = "hex", maker: Page | None = None
) -> tuple[Page, Page]:
    """Return the pages of red, who makes the game, and of black, who opens the link."""
    red = maker or open_page("#friends")
    red.fill("#friends-name", "Ada")
    red.select_option("#friends-game-name", game)
    if game == "hex":
        red.fill("#friends-game-size", str(size))
        red.locator("#friends-game-size").blur()  # a new size chooses its usual rule
        red.check("#friends-game-swap")
    red.select_option("#friends-player", "1")
    red.click("text=Play a friend")
    link = red.locator("#friends-friend")
    expect(link).to_have_value(re.compile("#friends/"))
    black = open_page("#" + link.input_value().partition("#")[2])
    expect(status(black)).to_contain_text("Ada to move")
    expect(link).to_be_hidden()  # it is used
    return red, black


def move(page: Page, action: int) -> None:
    """Make a move when it is the page's turn, and wait until it is not."""
    expect(status(page)).to_contain_text("Your move")
    cell(page, action).click()
    expect(cell(page, action)).to_have_class(re.compile("taken"))


def test_two_people_play_a_whole_game_and_a_rematch(open_page: Open) -> None:
    red, black = begin(open_page)
    expect(red.locator("#friends-watch")).to_be_visible()
    black.fill("#friends-name", "<b>Bob</b>")
    black.press("#friends-name", "Enter")
    for page in (red, black):
        expect(page.locator("#friends")).to_contain_text("<b>Bob</b>")
    swap = black.get_by_role("button", name="Swap", exact=True)
    expect(swap).to_be_hidden()
    cell(black, 4).click()
    expect(black.locator("#friends .reason")).to_contain_text("Ada to move")
    cell(red, 1).click()
    expect(status(black)).to_contain_text("Your move")
    swap.click()
    expect(swap).to_be_hidden()
    for page, action in ((red, 1), (black, 4), (red, 2), (black, 5)):
        move(page, action)
    expect(status(red)).to_contain_text("<b>Bob</b> has won after 6 moves")
    expect(status(black)).to_contain_text("You have won")
    assert stones(red) == stones(black) == [1, 2, 3, 4, 5]
    red.click("#friends [data-step=first]")
    expect(status(red)).to_contain_text("Move 0 of 6")
    red.get_by_role("button", name="Offer a rematch").click()

    def late(route: Route) -> None:
        answer = route.fetch()
        expect(status(black)).to_contain_text("Your move")  # another request has been quicker
        route.fulfill(response=answer)

    black.route("**/api/table_action", late)
    with black.expect_response("**/api/table_action"):
        black.get_by_role("button", name="Accept the rematch").click()
    black.unroute("**/api/table_action")
    expect(status(black)).to_contain_text("Your move")
    expect(black.locator("#friends")).to_contain_text("here, 1 won")
    cell(black, 4).click()
    expect(status(red)).to_contain_text("Your move")
    assert stones(red) == [4]


def test_two_people_play_another_game_to_a_draw(open_page: Open, server: Server) -> None:
    first, second = begin(open_page, game="tic_tac_toe")
    for ply, action in enumerate([0, 1, 2, 4, 3, 5, 7, 6, 8]):
        move((first, second)[ply % 2], action)
    expect(status(first)).to_have_text("A draw after 9 moves.")
    expect(second.get_by_role("button", name="Offer a rematch")).to_be_visible()
    second.goto(second.url.partition("#")[0] + server.room)
    expect(second.locator("#room .boards a").last).to_contain_text("Ada \u2013 O: a draw")


def test_a_move_of_two_cells_takes_two_taps(open_page: Open) -> None:
    first, second = begin(open_page, game="hexapawn")
    expect(first.locator("#friends")).not_to_contain_text("not here yet")
    cell(first, 4).click()
    expect(first.locator("#friends .reason")).to_have_text("No move is possible there.")
    for number in (6, 3):
        cell(first, number).click()
    expect(status(second)).to_contain_text("Your move")
    assert stones(second) == [0, 1, 2, 3, 7, 8]


def test_a_reload_and_a_restart_lose_nothing_and_a_resignation_ends_the_game(
    open_page: Open, server: Server
) -> None:
    red, black = begin(open_page, 4)
    cell(red, 5).click()
    expect(status(black)).to_contain_text("Your move")
    server.kill()
    server.start()
    black.reload()
    expect(status(black)).to_contain_text("Your move")
    cell(black, 9).click()
    expect(status(red)).to_contain_text("Your move")
    assert stones(red) == [5, 9]
    red.on("dialog", lambda dialog: dialog.accept())
    red.get_by_role("button", name="Resign").click()
    expect(status(black)).to_contain_text("You have won: Ada resigned")
    black.get_by_role("button", name="Review").click()
    expect(black.locator("#review .moves li")).to_have_count(2)
    resigned = re.compile("red .Ada. resigned: black .black. wins")
    expect(status(black)).to_have_text(resigned)
    black.get_by_role("button", name="Play on from here").click()
    expect(status(black)).to_have_text(resigned)
    black.locator("summary", has_text="Files").click()
    with black.expect_download() as download:
        black.click("#save-sgf")
    text = download.value.path().read_text()
    assert "RE[W+R]" in text
    assert "PB[Ada]" in text


def test_the_room_shows_all_boards_and_leads_to_each(open_page: Open, server: Server) -> None:
    red, _ = begin(open_page, 5)
    cell(red, 7).click()
    page = open_page(server.room)
    card = page.locator("#room .boards a").last
    expect(card).to_contain_text("Ada \u2013 black: move 1")
    expect(card.locator("[data-cell='7']")).to_have_class(re.compile("taken"))
    red.on("dialog", lambda dialog: dialog.accept())
    red.get_by_role("button", name="Resign").click()
    expect(card).to_contain_text("black has won")
    card.click()
    expect(page.locator("#friends")).to_contain_text("black has won: Ada resigned.")
    expect(page.get_by_role("button", name="Resign")).to_be_hidden()
    expect(page.locator("#friends-name")).to_be_hidden()
    assert stones(page) == [7]


def test_a_link_gives_the_seat_once_and_a_later_guest_watches(open_page: Open) -> None:
    red = open_page()
    held: list[Route] = []
    red.route("**/api/catalogue", lambda route: held.append(route))
    with red.expect_request("**/api/catalogue"):
        red.click("nav [href='#friends']")
    expect(red.locator("#friends-name")).to_be_visible()
    expect(red.locator("text=Play a friend")).to_be_hidden()  # before the games are known
    held.pop().continue_()
    red.unroute("**/api/catalogue")
    red.click("text=Play a friend")
    expect(red.locator("#friends-friend")).to_have_value(re.compile("#friends/"))
    link = "#" + red.locator("#friends-friend").input_value().partition("#")[2]
    game = "#" + red.locator("#friends-watch").input_value().partition("#")[2]
    resign = "#friends button:text('Resign')"
    red.evaluate("window.confirm = () => false")  # "Take the other seat, too?"
    red.goto(red.url.partition("#")[0] + link)
    expect(red.locator("#friends-friend")).to_be_visible()
    black, guest = open_page(link), open_page(game)
    expect(black.locator(resign)).to_be_visible()
    guest.goto(guest.url.partition("#")[0] + link)
    expect(guest.locator("#notice")).to_contain_text("this link has been used")
    expect(guest.locator("#friends .moves")).to_be_visible()
    expect(guest.locator(resign)).to_be_hidden()
    for page in (red, black):
        page.goto(page.url.partition("#")[0] + link)
        expect(page.locator(resign)).to_be_visible()
    assert {page.url.partition("#")[2] for page in (red, black, guest)} == {game[1:]}


def test_a_second_game_is_beside_the_first_and_the_title_counts_those_that_wait(
    open_page: Open,
) -> None:
    red, friend = begin(open_page)
    expect(red).to_have_title(re.compile(r"^\(1\) Your move"))
    red.get_by_role("button", name="New game").click()
    _, black = begin(open_page, 4, maker=red)
    expect(red).to_have_title(re.compile(r"^\(2\) Your move"))
    own = red.get_by_role("region", name="Your games")
    expect(own.get_by_role("listitem")).to_contain_text(["hex 3x3", "hex 4x4"])
    cell(red, 5).click()
    expect(status(black)).to_contain_text("Your move")
    expect(own.get_by_role("listitem")).to_contain_text(["your move", "your friend to move"])
    expect(red).to_have_title(re.compile(r"^\(1\) black to move"))
    own.get_by_role("link").first.click()
    expect(status(red)).to_contain_text("Your move")
    expect(red.locator("[data-cell]")).to_have_count(9)
    red.reload()
    red.click("nav [href='#play']")
    expect(red.locator("nav")).to_contain_text("Friends\u00a0(1)")
    friend.on("dialog", lambda dialog: dialog.accept())
    friend.get_by_role("button", name="Resign").click()
    red.click("nav [href='#friends']")
    red.get_by_role("button", name="Offer a rematch").click()
    own.get_by_role("link", name="hex 4x4").click()
    friend.get_by_role("button", name="Accept the rematch").click()
    expect(own).to_contain_text("a rematch has begun")
    expect(red).to_have_title(re.compile(r"^\(1\) black to move"))


def test_a_link_to_no_game_says_so_and_a_new_game_can_begin(open_page: Open) -> None:
    page = open_page("#friends/AAAAAAAAAAAAAAAAAAAAAA")
    expect(page.locator("#notice")).to_contain_text("no longer on the server")
    expect(page.locator("#friends-game-size")).to_be_visible()
    page.reload()
    expect(page.locator("#notice")).to_be_hidden()

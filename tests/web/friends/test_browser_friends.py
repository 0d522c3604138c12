"""Two people on two pages play each other, and an assistant looks on, in Chromium."""

import re
from typing import Any

from playwright.sync_api import APIResponse, Locator, Page, Route, expect

from tests.web.pages import cell, go, holds, saved, status, taken, unfold
from tests.web.program import Held, Open, Server

LISTENED = """
window.heard = 0;
window.told = [];
window.AudioContext = class {
  currentTime = 0;
  destination = {};
  createGain() {
    const nothing = () => {}, connect = () => ({ connect: nothing });
    const frequency = { setValueAtTime: nothing, exponentialRampToValueAtTime: nothing };
    return { frequency, gain: frequency, connect, start: nothing, stop: nothing };
  }
  createOscillator() {
    window.heard += 1;
    return this.createGain();
  }
};
window.Notification = class {
  static requestPermission = async () => window.answer ?? "granted";
  constructor(words) { window.told.push(words); }
  addEventListener() {}
};
undefined;
"""


TICKS = """new Promise((done) => new Worker("/static/friends/tick_worker.js")
  .addEventListener("message", (event) => event instanceof MessageEvent && done(true)))"""


def fragment(page: Page, link: str = "") -> str:
    """Return the part of an address that a link to another browser has."""
    return "#" + (page.locator(link).input_value() if link else page.url).partition("#")[2]


def begin(
    open_page: Open,
    size: int = 3,
    game: str = "hex",
    clock: str = "none",
    swap: bool = False,
    maker: Page | None = None,
) -> tuple[Page, Page]:
    """Return the pages of Ada, who makes the game and is red, and of Bob, who opens her link."""
    red = maker or open_page("#friends")
    red.fill("#friends-name", "Ada")
    red.select_option("#friends-game-name", game)
    if game == "hex":
        red.fill("#friends-game-size", str(size))
        red.locator("#friends-game-size").blur()  # a new size chooses its usual rule
        red.set_checked("#friends-game-swap", swap)
    red.select_option("#friends-player", "1")
    red.select_option("#friends-clock", clock)
    red.click("text=Play a friend")
    link = red.locator("#friends-friend")
    expect(link).to_have_value(re.compile("#friends/"))
    black = open_page(fragment(red, "#friends-friend"))
    expect(status(black)).to_contain_text("Ada to move")
    expect(link).to_be_hidden()  # it is used
    return red, black


def move(page: Page, action: int) -> None:
    """Make a move when it is the page's turn, and wait until it is not."""
    expect(status(page)).to_contain_text("Your move")
    cell(page, action).click()
    expect(cell(page, action)).to_have_class(re.compile("taken"))


def moves(red: Page, black: Page, *actions: int, after: int = 0) -> None:
    """Make moves in turn, with as many before."""
    for ply, action in enumerate(actions, start=after):
        move((red, black)[ply % 2], action)
    for page in (red, black):
        taken(page, after + len(actions))


def button(page: Page, name: str) -> Locator:
    return page.locator("#friends").get_by_role("button", name=name, exact=True)


def resign(page: Page) -> None:
    page.once("dialog", lambda dialog: dialog.accept())
    button(page, "Resign").click()


def test_two_people_play_a_whole_game_and_a_rematch_beside_it(open_page: Open) -> None:
    red, black = begin(open_page, swap=True)
    old = red.url
    expect(red.locator("#friends-watch")).to_be_visible()
    black.fill("#friends-name", "<b>Bob</b>")
    black.press("#friends-name", "Enter")
    for page in (red, black):
        expect(page.locator("#friends")).to_contain_text("<b>Bob</b>")
    swap = button(black, "Swap")
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
    for page in (red, black):
        holds(page, 1, 2, 3, 4, 5)
    red.click("#friends [data-step=first]")
    expect(status(red)).to_contain_text("Move 0 of 6")
    button(red, "Offer a rematch").click()

    def late(route: Route) -> None:
        if delayed:
            return route.continue_()
        delayed.append(answer := route.fetch())
        expect(status(black)).to_contain_text("Your move")  # another request has been quicker
        return route.fulfill(response=answer)

    delayed = list[APIResponse]()
    black.route("**/api/table_action", late)
    with black.expect_response("**/api/table_action"):
        button(black, "Accept the rematch").click()
    expect(black.locator("#friends")).to_contain_text("here, 1 won")
    move(black, 4)
    expect(status(red)).to_contain_text("Your move")
    holds(red, 4)
    assert red.url != old
    assert red.url == black.url, "the address is the spectators'"
    other = open_page("#" + old.partition("#")[2])
    expect(status(other)).to_have_text("<b>Bob</b> has won after 6 moves.")
    button(other, "To the rematch").click()
    holds(other, 4)
    assert other.url == red.url
    expect(button(other, "Resign")).to_be_hidden()
    red.reload()
    expect(status(red)).to_contain_text("Your move")
    red.goto(old)
    expect(status(red)).to_contain_text("<b>Bob</b> has won")


def test_two_people_play_another_game_to_a_draw(open_page: Open, server: Server) -> None:
    first, second = begin(open_page, game="tic_tac_toe")
    for ply, action in enumerate([0, 1, 2, 4, 3, 5, 7, 6, 8]):
        move((first, second)[ply % 2], action)
    expect(status(first)).to_have_text("A draw after 9 moves.")
    expect(button(second, "Offer a rematch")).to_be_visible()
    go(second, server.room)
    expect(second.locator("#room .boards a").last).to_contain_text("Ada \u2013 O: a draw")


def test_a_move_of_two_cells_takes_two_taps(open_page: Open) -> None:
    first, second = begin(open_page, game="hexapawn")
    expect(first.locator("#friends")).not_to_contain_text("not here yet")
    cell(first, 4).click()
    expect(first.locator("#friends .reason")).to_have_text("No move is possible there.")
    for number in (6, 3):
        cell(first, number).click()
    expect(status(second)).to_contain_text("Your move")
    holds(second, 0, 1, 2, 3, 7, 8)


def test_a_reload_and_a_restart_lose_nothing(open_page: Open, server: Server) -> None:
    red, black = begin(open_page, 4)
    move(red, 5)
    expect(status(black)).to_contain_text("Your move")
    server.kill()
    server.start()
    black.reload()
    move(black, 9)
    expect(status(red)).to_contain_text("Your move")
    holds(red, 5, 9)
    room = open_page(server.room)
    card = room.locator("#room .boards a").last
    expect(card).to_contain_text("Ada \u2013 black: move 2")
    expect(card.locator("[data-cell='9']")).to_have_class(re.compile("taken"))
    resign(red)
    expect(card).to_contain_text("black has won")
    card.click()
    expect(status(room)).to_contain_text("black has won: Ada resigned.")
    expect(button(room, "Resign")).to_be_hidden()
    expect(room.locator("#friends-name")).to_be_hidden()
    holds(room, 5, 9)
    expect(status(black)).to_contain_text("You have won: Ada resigned")
    button(black, "Review").click()
    expect(black.locator("#review .moves li")).to_have_count(2)
    resigned = re.compile("red .Ada. resigned: black .black. wins")
    expect(status(black)).to_have_text(resigned)
    black.get_by_role("button", name="Play on from here").click()
    expect(status(black)).to_have_text(resigned)
    unfold(black, "Files")
    text = saved(black).read_text()
    assert "RE[W+R]" in text
    assert "PB[Ada]" in text


def test_a_link_gives_the_seat_once_and_a_later_guest_watches(open_page: Open) -> None:
    red = open_page()
    held = Held(red, "**/api/catalogue")
    with red.expect_request("**/api/catalogue"):
        red.click("nav [href='#friends']")
    expect(red.locator("#friends-name")).to_be_visible()
    expect(red.locator("text=Play a friend")).to_be_hidden()  # before the games are known
    held.let_go()
    red.click("text=Play a friend")
    expect(red.locator("#friends-friend")).to_have_value(re.compile("#friends/"))
    link, game = (fragment(red, f"#friends-{each}") for each in ("friend", "watch"))
    red.evaluate("window.confirm = () => false")  # "Take the other seat, too?"
    go(red, link)
    expect(red.locator("#friends-friend")).to_be_visible()
    black, guest = open_page(link), open_page(game)
    expect(button(black, "Resign")).to_be_visible()
    go(guest, link)
    expect(guest.locator("#notice")).to_contain_text("this link has been used")
    expect(guest.locator("#friends .moves")).to_be_visible()
    expect(button(guest, "Resign")).to_be_hidden()
    for page in (red, black):
        go(page, link)
        expect(button(page, "Resign")).to_be_visible()
    assert {fragment(page) for page in (red, black, guest)} == {game}
    go(guest, "#friends/AAAAAAAAAAAAAAAAAAAAAA")
    expect(guest.locator("#notice")).to_contain_text("no longer on the server")
    expect(guest.locator("#friends-game-size")).to_be_visible()
    guest.reload()
    expect(guest.locator("#notice")).to_be_hidden()


def test_a_second_game_is_beside_the_first_and_the_title_counts_both(open_page: Open) -> None:
    red, friend = begin(open_page)
    expect(red).to_have_title(re.compile(r"^\(1\) Your move"))
    button(red, "New game").click()
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
    resign(friend)
    red.click("nav [href='#friends']")
    button(red, "Offer a rematch").click()
    own.get_by_role("link", name="hex 4x4").click()
    button(friend, "Accept the rematch").click()
    expect(own).to_contain_text("a rematch has begun")
    expect(red).to_have_title(re.compile(r"^\(1\) black to move"))


def test_the_clock_runs_on_both_pages_and_warns_before_the_flag_falls(open_page: Open) -> None:
    red, black = begin(open_page, clock="3+2")
    red.evaluate(LISTENED)
    clocks = red.locator("#friends .clock")
    expect(clocks).to_have_text(["3:00", "3:00"])
    expect(red.locator("#friends .clock.running")).to_have_count(0)
    expect(red.locator("#friends .sides > .side1")).to_have_text("You (red): top and bottom")
    expect(black.locator("#friends .sides > .side1")).to_contain_text("Ada (red)")
    moves(red, black, 4, 1)
    for page in (red, black):
        expect(page.locator("#friends .clock.role1.running")).to_have_text(re.compile("2:5"))
    assert red.evaluate("heard") == 0
    assert red.evaluate(TICKS)
    red.route("**/api/table", lambda route: change(route, left=[6.0, 180.0]))
    expect(clocks.first).to_have_text(re.compile(r"0:0[56]\.\d"))
    expect(clocks.first).to_have_text(re.compile(r"0:05\.\d"))
    assert red.evaluate("heard") == 1
    flagged = {"left": [0.0, 180.0], "runs": 0, "flagged": 1}
    black.route("**/api/table", lambda route: change(route, **flagged))
    cell(red, 0).click()
    expect(status(black)).to_have_text("You have won: Ada is out of time.")
    expect(black.locator("#friends .clock").first).to_have_text("0:00.0")
    button(black, "Review").click()
    expect(black.locator("#review .moves li")).to_have_count(3)
    black.get_by_role("button", name="Play on from here").click()
    expect(status(black)).to_contain_text("ran out of time")


def change(route: Route, **news: Any) -> None:
    """Answer as the server does, but for some news."""
    answer = route.fetch().json()
    if "flagged" in news and "view" in answer:
        news["view"] = answer["view"] | {"winner": 2, "moves": []}
    route.fulfill(json=answer | news)


def test_a_move_is_taken_back_and_a_refusal_leaves_it(open_page: Open) -> None:
    red, black = begin(open_page)
    expect(button(red, "Take back")).to_be_hidden()
    moves(red, black, 4, 1, 0)
    button(red, "Take back").click()
    expect(red.get_by_role("button", name="Asked to take back")).to_be_disabled()
    expect(black.locator("#friends .reason")).to_contain_text("Ada asks to take the last move back")
    button(black, "Refuse").click()
    expect(button(black, "Grant it")).to_be_hidden()
    button(red, "Take back").click()
    button(black, "Grant it").click()
    for page in (red, black):
        taken(page, 2)
    moves(red, black, 8, 2, after=2)
    holds(red, 1, 2, 4, 8)
    button(black, "Take back").click()
    button(black, "Withdraw").click()
    expect(button(red, "Grant it")).to_be_hidden()


def test_players_chat_once_both_switch_it_on(open_page: Open) -> None:
    red, black = begin(open_page)
    watcher = open_page(fragment(red))
    expect(watcher.locator("#friends .moves")).to_be_visible()
    expect(watcher.locator("#friends-chat")).to_be_hidden()
    expect(red.locator("#friends-say")).to_be_hidden()
    red.click("#friends-chat")  # what the server knows may show it unchecked for a moment
    expect(black.locator("[aria-label=Chat]")).to_contain_text("Ada would like to chat.")
    black.click("#friends-chat")
    expect(red.locator("#friends-say")).to_be_visible()
    red.fill("#friends-say", "<b>good luck</b>")
    red.press("#friends-say", "Enter")
    expect(black.locator("[role=log]")).to_have_text("Ada: <b>good luck</b>")
    expect(black.locator("[role=log]")).to_be_visible()
    expect(red.locator("[role=log]")).to_contain_text("Ada (you): ")
    expect(red.locator("#friends-say")).to_have_value("")
    expect(black.locator("#friends-chat")).to_be_checked()
    black.click("#friends-chat")
    expect(red.locator("#friends-say")).to_be_hidden()


def test_two_strangers_meet_in_the_lobby(open_page: Open) -> None:
    maker, other, third = (open_page("#friends") for _ in range(3))
    expect(other.locator("#friends")).to_contain_text("No game waits for a player.")
    maker.fill("#friends-name", "Ada")
    maker.fill("#friends-game-size", "4")
    maker.select_option("#friends-player", "2")
    maker.select_option("#friends-clock", "1 day")
    maker.check("#friends-listed")
    maker.click("text=Play a friend")
    for page in (other, third):
        row = page.locator("#friends .games li")
        expect(row).to_contain_text("Ada: hex 4x4")
        expect(row).to_contain_text("you are red, one day a move")
    other.get_by_role("button", name="Join Ada").click()
    expect(status(other)).to_contain_text("Your move")
    expect(third.locator("#friends")).to_contain_text("No game waits for a player.")
    expect(other.locator("#friends .clock").first).to_have_text("24 h 0 min")
    cell(other, 5).click()
    expect(status(maker)).to_contain_text("Your move")


def test_the_title_and_a_notification_say_that_it_is_your_move(open_page: Open) -> None:
    red, black = begin(open_page)
    black.fill("#friends-name", "Bob")
    black.press("#friends-name", "Enter")
    red.evaluate(LISTENED)
    red.evaluate("window.answer = 'denied'")
    red.locator("#set-notify").click()
    expect(red.locator("#notice")).to_contain_text("no notifications")
    expect(red.locator("#set-notify")).not_to_be_checked()
    red.evaluate("window.answer = 'granted'")
    red.locator("#set-notify").check()
    cell(red, 4).click()
    expect(red).to_have_title(re.compile("Bob to move"))
    red.evaluate("Object.defineProperty(document, 'hidden', { value: true }) && undefined")
    expect(status(black)).to_contain_text("Your move")
    cell(black, 1).click()
    expect(red).to_have_title(re.compile(r"^\(1\) Your move"))
    assert red.evaluate("told") == ["Your move: Bob has moved."]

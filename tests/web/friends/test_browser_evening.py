"""Two people with a clock, takebacks, a rematch, a chat and the lobby, in Chromium."""

from __future__ import annotations

import re
from typing import Any

from playwright.sync_api import Page, Route, expect

from tests.web.pages import Open, cell, status, stones

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


def begin(open_page: Open, clock: str = "none") -> tuple[Page, Page]:
    """Return the pages of Ada, who is red, and of Bob, who opens her link."""
    red = open_page("#friends")
    red.fill("#friends-name", "Ada")
    red.fill("#friends-game-size", "3")
    red.select_option("#friends-player", "1")
    red.select_option("#friends-clock", clock)
    red.click("text=Play a friend")
    link = red.locator("#friends-friend")
    expect(link).to_have_value(re.compile("#friends/"))
    black = open_page("#" + link.input_value().partition("#")[2])
    black.fill("#friends-name", "Bob")
    black.press("#friends-name", "Enter")
    expect(red.locator("#friends")).to_contain_text("Bob")
    return red, black


def play(red: Page, black: Page, *actions: int, after: int = 0) -> None:
    """Make moves in turn, with as many before."""
    for ply, action in enumerate(actions, start=after):
        page = (red, black)[ply % 2]
        expect(status(page)).to_contain_text("Your move")
        cell(page, action).click()
        expect(page.locator("#friends .cell.taken")).to_have_count(ply + 1)  # no longer "Your move"
    for page in (red, black):
        expect(page.locator("#friends .cell.taken")).to_have_count(after + len(actions))


def press(page: Page, name: str) -> None:
    page.locator("#friends").get_by_role("button", name=name, exact=True).click()


def test_the_clock_runs_on_both_pages_and_warns_before_the_flag_falls(open_page: Open) -> None:
    red, black = begin(open_page, "3+2")
    red.evaluate(LISTENED)
    clocks = red.locator("#friends .clock")
    expect(clocks).to_have_text(["3:00", "3:00"])
    expect(red.locator("#friends .clock.running")).to_have_count(0)
    expect(red.locator("#friends .sides > .side1")).to_have_text("You (red): top and bottom")
    expect(black.locator("#friends .sides > .side1")).to_contain_text("Ada (red)")
    play(red, black, 4, 1)
    for page in (red, black):
        expect(page.locator("#friends .clock.role1.running")).to_have_text(re.compile("2:5"))
    assert red.evaluate("heard") == 0

    def short(route: Route) -> None:
        answer = route.fetch().json()
        route.fulfill(json=answer | {"left": [6.0, 180.0]})

    red.route("**/api/table", short)
    expect(clocks.first).to_have_text(re.compile(r"0:0[56]\.\d"))
    expect(clocks.first).to_have_text(re.compile(r"0:05\.\d"))
    assert red.evaluate("heard") == 1

    def flagged(route: Route) -> None:
        answer = route.fetch().json()
        seen: dict[str, Any] = {"left": [0.0, 180.0], "runs": 0, "flagged": 1}
        if "view" in answer:
            seen["view"] = answer["view"] | {"winner": 2, "moves": []}
        route.fulfill(json=answer | seen)

    black.route("**/api/table", flagged)
    cell(red, 0).click()
    expect(status(black)).to_have_text("You have won: Ada is out of time.")
    expect(black.locator("#friends .clock").first).to_have_text("0:00.0")
    black.get_by_role("button", name="Review").click()
    expect(black.locator("#review .moves li")).to_have_count(3)
    black.get_by_role("button", name="Play on from here").click()
    expect(status(black)).to_contain_text("ran out of time")


def test_a_move_is_taken_back_and_a_refusal_leaves_it(open_page: Open) -> None:
    red, black = begin(open_page)
    expect(red.get_by_role("button", name="Take back")).to_be_hidden()
    play(red, black, 4, 1, 0)
    press(red, "Take back")
    asked = red.get_by_role("button", name="Asked to take back")
    expect(asked).to_be_disabled()
    expect(black.locator("#friends .reason")).to_contain_text("Ada asks to take the last move back")
    press(black, "Refuse")
    expect(black.get_by_role("button", name="Grant it")).to_be_hidden()
    press(red, "Take back")
    press(black, "Grant it")
    for page in (red, black):
        expect(page.locator("#friends .cell.taken")).to_have_count(2)
    play(red, black, 8, 2, after=2)
    assert stones(red) == [1, 2, 4, 8]
    press(black, "Take back")
    press(black, "Withdraw")
    expect(red.get_by_role("button", name="Grant it")).to_be_hidden()


def test_the_rematch_is_beside_the_old_game_whose_address_can_be_shared(open_page: Open) -> None:
    red, black = begin(open_page)
    old = red.url
    play(red, black, 1, 0, 4, 3, 7)
    press(red, "Offer a rematch")
    press(black, "Accept the rematch")
    expect(status(black)).to_contain_text("Your move")
    expect(red.locator("#friends .cell.taken")).to_have_count(0)
    cell(black, 8).click()
    expect(status(red)).to_contain_text("Your move")
    assert red.url != old
    assert red.url == black.url, "the address is the spectators'"
    other = open_page("#" + old.partition("#")[2])
    expect(status(other)).to_have_text("Ada has won after 5 moves.")
    assert stones(other) == [0, 1, 3, 4, 7]
    press(other, "To the rematch")
    expect(other.locator("#friends .cell.taken")).to_have_count(1)
    assert other.url == red.url
    expect(other.get_by_role("button", name="Resign")).to_be_hidden()
    red.reload()
    expect(status(red)).to_contain_text("Your move")
    red.goto(old)
    expect(status(red)).to_contain_text("You have won")


def test_players_chat_once_both_switch_it_on(open_page: Open) -> None:
    red, black = begin(open_page)
    watcher = open_page("#" + red.url.partition("#")[2])
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

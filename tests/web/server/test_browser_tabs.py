"""The other tabs and the addresses of the page, in Chromium without a window."""

import re

from playwright.sync_api import expect

from tests.web.pages import cell, go, press, reason, seat, status, taken
from tests.web.program import Open, Server
from tests.web.runs.test_watch import write_run
from web.play.puzzles import puzzles


def test_a_search_is_explained_forwards_and_backwards(open_page: Open) -> None:
    page = open_page("#explain/x/hex.size=3/1/4/mcts/4/0")
    title, now = page.locator("#explain h2"), page.locator("#explain .processes [aria-current]")
    expect(title).to_contain_text("Step 1 of")
    expect(now).to_contain_text("mcts/node_expansion.py")
    press(page, "ArrowRight")
    expect(now).to_contain_text("mcts/tree_search.py")
    expect(page.locator("#explain .looked .taken")).to_have_count(1)
    expect(page.locator("#explain .cell.selected")).to_have_count(1)
    page.click("#explain button:has-text('step →')")
    expect(page.locator("#explain .tree .node.changed")).to_have_count(1)
    press(page, "ArrowRight")
    expect(page.locator("#explain .piece.ghost").first).to_be_visible()
    page.click("#explain .processes >> text=backpropagation")
    expect(now).to_contain_text("mcts/backpropagation.py")
    expect(title).to_contain_text("simulation 1 of 4")
    press(page, "End")
    expect(page.locator("#explain .tree .node")).to_have_count(5)
    expect(page.locator("#explain .tree .visits").first).to_have_text("4")
    last = title.inner_text()
    page.reload()
    expect(title).to_have_text(last)
    press(page, "ArrowUp")
    expect(title).to_contain_text("simulation 3 of 4")


def test_a_run_is_watched_and_its_games_are_reviewed(open_page: Open, server: Server) -> None:
    write_run(server.folder / "runs" / "watched")
    page = open_page("#watch/watched")
    expect(status(page)).to_contain_text("Episode 2, ")
    expect(page.locator("#watch .chart").first).to_be_visible()
    expect(page.locator("#watch section", has_text="Episode 2 of 40")).to_be_visible()
    listed = {"name": "watched", "running": False, "episode": 1}
    older = {"runs": [listed], "training": ""}  # the list is loaded less often
    page.route("**/api/runs", lambda route: route.fulfill(json=older))
    page.reload()
    expect(page.locator("#watch option", has_text="watched, 2 episodes")).to_be_attached()
    page.unroute_all()
    number = page.get_by_label("Game", exact=True)
    number.fill("1")
    number.press("Enter")
    expect(status(page)).to_contain_text("Episode 1, ")
    page.click("#watch .moves li:last-child button")
    expect(status(page)).to_contain_text("red has won after 5 moves")
    page.click("#watch button:has-text('Review')")
    expect(page.locator("#review .moves li")).to_have_count(5)


def test_broken_addresses_give_a_page_and_an_error_message(open_page: Open, server: Server) -> None:
    page = open_page("#play/x/hex.size=20/1/")
    games = ("x/hex.size=3/1/4.4", "<img src=x>/oracle/7/a.b")
    for address in ("", *(f"#play/{each}" for each in games), "#nothing/%zz"):
        if address:
            page.goto(server.nothing)
            page.goto(f"{server.link}{address}")
        expect(page.locator("#play [data-cell]").first).to_be_visible()
        expect(status(page)).to_contain_text("Your move")
    page.goto(server.nothing)
    page.goto(f"{server.link}#watch/%zz")
    expect(page.locator("#watch .panel:visible").first).to_be_attached()
    page.goto(server.nothing)
    page.goto(f"{server.link}#explain/x/hex.size=3/1/4.4/%zz/7/x")
    expect(page.locator("#notice")).to_contain_text("expected a legal action")


def test_an_address_may_hold_a_list_of_one_item_or_a_no(open_page: Open) -> None:
    page = open_page()
    for address in ("a/ledge.board=2,/1/", "a/hex.size=3.swap=false/1/"):
        again = f"({{ Game }}) => Game.from('{address}').fragment()"
        assert page.evaluate(f"import('/static/board/game.js').then({again})") == address


def test_the_page_fits_a_phone_in_dark_mode(open_page: Open) -> None:
    page = open_page(viewport={"width": 360, "height": 700}, color_scheme="dark", has_touch=True)
    for part in page.locator("header, nav a, main, .panel, .board, .tools").all():
        box = part.bounding_box()
        if box is not None:
            assert box["x"] >= 0
            assert box["x"] + box["width"] <= 360
    colour = "getComputedStyle(document.body).backgroundColor"
    dark = page.evaluate(colour)
    page.click("#theme")
    light = page.evaluate(colour)
    assert (dark, light) == ("rgb(22, 23, 26)", "rgb(244, 240, 230)")
    page.reload()
    assert page.evaluate(colour) == light
    seat(page, "You", "You")
    cell(page, 4).tap()
    taken(page, 1)


def test_puzzles_refute_a_wrong_move_and_count_a_streak(open_page: Open, server: Server) -> None:
    single = (each for each in puzzles().values() if len(each["wins"]) == 1)
    puzzle = max(single, key=lambda each: each["size"])
    page = open_page(f"#puzzles/{puzzle['id']}")
    expect(status(page)).to_have_text(re.compile("You are (red|black): find the winning move"))
    win = puzzle["wins"][0]
    numbers = "all => all.map((each) => Number(each.dataset.cell))"
    free = page.locator("#puzzles .cell.empty").evaluate_all(numbers)
    cell(page, next(each for each in free if each != win)).click()
    expect(reason(page)).to_contain_text("loses: after")
    assert page.locator("#puzzles .piece.ghost").count() > 1
    cell(page, win).click()
    expect(status(page)).to_contain_text("Right")
    score = page.locator("[aria-label=Score] dd")
    expect(score).to_have_text(["0", "0", "0 of 1"])
    for solved in (1, 2):
        press(page, "n")
        expect(status(page)).to_contain_text("find the winning move")
        name = page.url.rpartition("/")[2]
        cell(page, puzzles()[name]["wins"][0]).click()
        expect(score).to_have_text([str(solved), str(solved), f"{solved} of {solved + 1}"])
    page.reload()
    expect(status(page)).to_contain_text("find the winning move")
    expect(score).to_have_text(["2", "2", "2 of 3"])
    expect(page.locator("[aria-label=Puzzle]")).to_contain_text("You have seen it")
    page.click("#show-answer")
    expect(reason(page)).to_contain_text("every other move loses")
    expect(score).to_have_text(["2", "2", "2 of 3"])
    go(page, "#puzzles/none")
    expect(page.locator("#notice")).to_contain_text("Another puzzle instead.")
    expect(status(page)).to_contain_text("find the winning move")
    page.click("#show-answer")
    expect(reason(page)).to_contain_text("every other move loses")
    expect(score).to_have_text(["0", "2", "2 of 4"])
    page.click("text=Play on from here")
    expect(status(page)).to_contain_text("Your move")

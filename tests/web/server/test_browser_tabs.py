"""The other tabs and the addresses of the page, in Chromium without a window."""

from __future__ import annotations

import json
import re

import pytest
from playwright.sync_api import expect

from tests.web.pages import Open, Server, cell, choose, status
from web.play.puzzles import puzzles


def test_a_search_is_explained_forwards_and_backwards(open_page: Open) -> None:
    page = open_page("#explain/x/hex.size=3/1/4/mcts/4/0")
    title, now = page.locator("#explain h2"), page.locator("#explain .processes [aria-current]")
    expect(title).to_contain_text("Step 1 of")
    expect(now).to_contain_text("mcts/node_expansion.py")
    page.keyboard.press("ArrowRight")
    expect(now).to_contain_text("mcts/tree_search.py")
    expect(page.locator("#explain .looked .taken")).to_have_count(1)
    expect(page.locator("#explain .cell.selected")).to_have_count(1)
    page.click("#explain button:has-text('step →')")
    expect(page.locator("#explain .tree .node.changed")).to_have_count(1)
    page.keyboard.press("ArrowRight")
    expect(page.locator("#explain .piece.ghost").first).to_be_visible()
    page.click("#explain .processes >> text=backpropagation")
    expect(now).to_contain_text("mcts/backpropagation.py")
    expect(title).to_contain_text("simulation 1 of 4")
    page.keyboard.press("End")
    expect(page.locator("#explain .tree .node")).to_have_count(5)
    expect(page.locator("#explain .tree .visits").first).to_have_text("4")
    last = title.inner_text()
    page.reload()
    expect(title).to_have_text(last)
    page.keyboard.press("ArrowUp")
    expect(title).to_contain_text("simulation 3 of 4")


def test_a_run_is_watched_and_its_games_are_reviewed(open_page: Open, server: Server) -> None:
    run = server.folder / "runs" / "watched"
    run.mkdir(parents=True)
    (run / "params.yaml").write_text("game: {name: hex, size: 3}\nrl: {episodes: 9}\n")
    for name, more in (
        ("metrics.jsonl", {"loss": 1.5, "seconds": 1.0}),
        ("games.jsonl", {"starting_player": 1, "actions": [4, 1, 2, 3, 6], "winner": 1}),
    ):
        lines = (json.dumps({"episode": number, **more}) + "\n" for number in (1, 2))
        (run / name).write_text("".join(lines))
    page = open_page("#watch/watched")
    expect(status(page)).to_contain_text("Episode 2, ")
    expect(page.locator("#watch .chart")).to_have_count(1)
    expect(page.locator("#watch section", has_text="Episode 2 of 9")).to_be_visible()
    listed = {"name": "watched", "running": False, "episode": 1}
    older = {"runs": [listed], "training": ""}  # the list is loaded less often
    page.route("**/api/runs", lambda route: route.fulfill(json=older))
    page.reload()
    expect(page.locator("#watch option", has_text="watched, 2 episodes")).to_be_attached()
    page.unroute_all()
    episode = page.get_by_label("Game", exact=True)
    episode.fill("1")
    episode.press("Enter")
    expect(status(page)).to_contain_text("Episode 1, ")
    page.click("#watch .moves li:last-child button")
    expect(status(page)).to_contain_text("red has won after 5 moves")
    page.click("#watch button:has-text('Review')")
    expect(page.locator("#review .moves li")).to_have_count(5)


@pytest.mark.parametrize(
    "fragment",
    [
        "#play/x/hex.size=20/1/",
        "#play/x/hex.size=3/1/4.4",
        "#play/<img src=x>/oracle/7/a.b",
        "#nothing/%zz",
    ],
)
def test_broken_addresses_still_give_a_page(open_page: Open, fragment: str) -> None:
    page = open_page(fragment)
    expect(page.locator("#play [data-cell]").first).to_be_visible()
    expect(status(page)).to_contain_text("Your move")


def test_broken_addresses_of_other_tabs_give_an_error_message(open_page: Open) -> None:
    page = open_page("#explain/x/hex.size=3/1/4.4/%zz/7/x")
    expect(page.locator("#notice")).to_contain_text("expected a legal action")
    page = open_page("#watch/%zz")
    expect(page.locator("#watch .panel:visible").first).to_be_attached()


@pytest.mark.parametrize("about", ["ledge.board=2,", "hex.size=3.swap=false"])
def test_an_address_may_hold_a_list_of_one_item_or_a_no(open_page: Open, about: str) -> None:
    again = f"({{ Game }}) => Game.from('a/{about}/1/').fragment()"
    assert open_page().evaluate(f"import('/static/board/game.js').then({again})") == f"a/{about}/1/"


def test_a_tab_that_is_left_writes_nothing_into_the_address_of_the_next(open_page: Open) -> None:
    page = open_page("#play")
    expect(page.locator("#play .cell.empty").first).to_be_attached()
    page.evaluate("""async () => {
      const { page } = await import("/static/page/page.js");
      location.hash = "#watch";
      page.setFragment("late");
    }""")
    expect(page.locator("#watch")).to_be_visible()
    expect(page).not_to_have_url(re.compile("late"))


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
    choose(page, "You", "You")
    cell(page, 4).tap()
    expect(page.locator("#play .cell.taken")).to_have_count(1)


def test_puzzles_refute_a_wrong_move_and_count_a_streak(open_page: Open, server: Server) -> None:
    single = (each for each in puzzles().values() if len(each["wins"]) == 1)
    puzzle = max(single, key=lambda each: each["size"])
    page = open_page(f"#puzzles/{puzzle['id']}")
    expect(status(page)).to_have_text(re.compile("You are (red|black): find the winning move"))
    win = puzzle["wins"][0]
    numbers = "all => all.map((each) => Number(each.dataset.cell))"
    free = page.locator("#puzzles .cell.empty").evaluate_all(numbers)
    cell(page, next(each for each in free if each != win)).click()
    expect(page.locator("#puzzles .reason")).to_contain_text("loses: after")
    assert page.locator("#puzzles .piece.ghost").count() > 1
    cell(page, win).click()
    expect(status(page)).to_contain_text("Right")
    score = page.locator("[aria-label=Score] dd")
    expect(score).to_have_text(["0", "0", "0 of 1"])
    for solved in (1, 2):
        page.keyboard.press("n")
        expect(status(page)).to_contain_text("find the winning move")
        name = page.url.rpartition("/")[2]
        cell(page, puzzles()[name]["wins"][0]).click()
        expect(score).to_have_text([str(solved), str(solved), f"{solved} of {solved + 1}"])
    page.reload()
    expect(status(page)).to_contain_text("find the winning move")
    expect(score).to_have_text(["2", "2", "2 of 3"])
    expect(page.locator("[aria-label=Puzzle]")).to_contain_text("You have seen it")
    page.click("#show-answer")
    expect(page.locator("#puzzles .reason")).to_contain_text("every other move loses")
    expect(score).to_have_text(["2", "2", "2 of 3"])
    page.evaluate("location.hash = '#puzzles/none'")
    expect(page.locator("#notice")).to_contain_text("Another puzzle instead.")
    expect(status(page)).to_contain_text("find the winning move")
    page.click("#show-answer")
    expect(page.locator("#puzzles .reason")).to_contain_text("every other move loses")
    expect(score).to_have_text(["0", "2", "2 of 4"])
    page.click("text=Play on from here")
    expect(status(page)).to_contain_text("Your move")

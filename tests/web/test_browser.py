"""The page in a real browser: Chromium, without a window, against a server of its own."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.project import ROOT, TIMEOUT
from tests.web.conftest import position

expect.set_options(timeout=1000 * TIMEOUT)


class Server:
    """The program, as a process that may be killed and started again at the same port."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.port = folder, "0"
        self.start()

    def start(self) -> None:
        command = [sys.executable, str(ROOT / "main.py"), "serve", "--port", self.port]
        self.process = subprocess.Popen(
            [*command, "game.size=3"], cwd=self.folder, stdout=subprocess.PIPE, text=True
        )
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        self.port = re.findall(r":(\d+)/", line)[0]
        self.link = f"http://127.0.0.1:{self.port}/"

    def kill(self) -> None:
        assert self.process.stdout is not None
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()

    def ask(self, name: str, **question: Any) -> Any:
        body = json.dumps(question).encode()
        headers = {"Content-Type": "application/json"}
        request = urllib.request.Request(f"{self.link}api/{name}", body, headers)
        with urllib.request.urlopen(request, timeout=TIMEOUT) as answer:
            return json.load(answer)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    server = Server(tmp_path_factory.mktemp("server"))
    yield server
    server.kill()


Open = Callable[..., Page]


@pytest.fixture(scope="module")
def first_page(browser: Browser) -> Page:
    """Return one page for all tests, since a new one costs more than most of them."""
    return browser.new_context().new_page()


@pytest.fixture
def open_page(browser: Browser, server: Server, first_page: Page) -> Iterator[Open]:
    """Return a function that opens the page; scripts may not fail.

    The first page of a test has an empty memory, and each further one a browser of its own.
    """
    pages, errors = list[Page](), list[str]()

    def note(error: object) -> None:
        errors.append(str(error))

    def open_page(fragment: str = "", **how: Any) -> Page:
        page = first_page if not pages and not how else browser.new_context(**how).new_page()
        page.set_default_timeout(1000 * TIMEOUT)
        pages.append(page)
        page.on("pageerror", note)
        page.goto(f"{server.link}{fragment}")
        if not fragment:
            expect(page.locator("#player-2 option").first).to_be_attached()
        return page

    yield open_page
    for page in pages:
        if page is first_page:
            page.evaluate("localStorage.clear()")
            page.goto("about:blank")
            page.remove_listener("pageerror", note)
        else:
            page.context.close()
    assert errors == []


def cell(page: Page, number: int) -> Locator:
    return page.locator(f"section:not([hidden]) [data-cell='{number}']")


def stones(page: Page) -> list[int]:
    """Return the cells that are taken."""
    taken = page.locator("section:not([hidden]) .cell.taken")
    return [int(str(each.get_attribute("data-cell"))) for each in taken.all()]


def status(page: Page) -> Locator:
    return page.locator("section:not([hidden]) .status")


def choose(page: Page, red: str, black: str) -> None:
    page.select_option("#player-1", label=red)
    page.select_option("#player-2", label=black)


def test_a_whole_game_by_clicks_and_its_review(open_page: Open) -> None:
    page = open_page()
    choose(page, "You", "Random moves")
    for played in range(5):
        expect(status(page)).to_contain_text(re.compile(r"Your move|wins"))
        if "wins" in status(page).inner_text():
            break
        page.locator("#play .cell.empty").nth(-1).click()
        expect(page.locator("#play .cell.taken").nth(2 * played)).to_be_attached()
    expect(status(page)).to_contain_text("wins in")
    assert page.locator("#play .cell.path").count() >= 3
    moves = page.locator("#play .moves li").count()
    page.click("#to-review")
    expect(page.locator("#review .curve circle")).to_have_count(moves + 1)
    expect(page.locator("#review progress")).to_be_hidden()
    if page.locator("#next-mistake").is_enabled():
        page.click("#next-mistake")
        expect(page.locator("#review .cell.bad")).to_have_count(1)
        expect(page.locator("#review .reason")).to_contain_text("for certain")
        expect(page.locator("#review .arrow")).to_have_count(1)


def test_a_lost_game_that_no_judge_decides_has_three_costliest_moves(open_page: Open) -> None:
    page = open_page("#review/x/hex.size=9/1/0.40.1.41.2.39")
    dear = page.locator("#review .mistakes li")
    expect(dear).to_have_count(3)
    expect(page.locator("#review progress")).to_be_hidden()
    expect(dear.first).to_contain_text(re.compile(r"Move [135], red [abc]1: blunder, cost \d+ %"))
    expect(page.locator("#review")).to_contain_text(re.compile(r"Accuracy: red \d+ %, black \d+ %"))
    dear.first.locator("button").click()
    expect(page.locator("#review .cell.bad")).to_have_count(1)
    expect(page.locator("#review .reason")).to_contain_text("of the chances, as a search sees it")


def test_two_games_at_once_a_reload_and_a_killed_server_lose_nothing(
    open_page: Open, server: Server
) -> None:
    first, second = open_page(), open_page()
    for page, cells in ((first, (4, 0)), (second, (1, 3))):
        choose(page, "You", "You")
        for number, each in enumerate(cells, start=1):
            cell(page, each).click()
            expect(page.locator("#play .cell.taken")).to_have_count(number)
    first.reload()
    expect(first.locator("#play .cell.taken")).to_have_count(2)
    assert (stones(first), stones(second)) == ([0, 4], [1, 3])
    server.kill()
    cell(first, 2).click()
    expect(first.locator("#notice")).to_contain_text("does not answer")
    server.start()
    expect(first.locator("#play .cell.taken")).to_have_count(3)
    expect(first.locator("#notice")).to_be_hidden()
    assert stones(first) == [0, 2, 4]
    elsewhere = open_page(f"#{first.url.partition('#')[2]}")
    expect(elsewhere.locator("#play .cell.taken")).to_have_count(3)


def test_fifty_at_once_are_all_answered(open_page: Open, server: Server) -> None:
    pages = [open_page() for _ in range(3)]

    def move(first: int) -> int:
        agent = "mcts:simulations=100,time_limit=null"
        return int(server.ask("move", position=position(first % 9), agent=agent)["action"])

    with ThreadPoolExecutor(50) as pool:
        answers = pool.map(move, range(50))
        for page in pages:
            choose(page, "You", "Easy")
            cell(page, 4).click()
        for page in pages:
            expect(page.locator("#play .cell.taken")).to_have_count(2)
        assert all(answer != first % 9 for first, answer in enumerate(answers))


def test_everything_works_by_keyboard(open_page: Open) -> None:
    page = open_page()
    choose(page, "You", "You")
    page.locator("#play .status").click()
    page.keyboard.press("b")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    expect(page.locator("#play .cell.taken")).to_have_count(1)
    played = stones(page)[0]
    assert played != 0
    expect(cell(page, played)).to_have_attribute("aria-label", re.compile("red, last move"))
    page.keyboard.press("4")
    expect(page.locator("[aria-label=Analysis] p")).to_contain_text(re.compile("win"))
    page.keyboard.press("u")
    expect(page.locator("#play .cell.taken")).to_have_count(0)
    page.keyboard.press("h")
    expect(page.locator("#play .cell.hint")).to_have_count(1)
    expect(page.locator("#play .reason")).to_contain_text("red wins")
    page.locator("#play .status").click()
    page.keyboard.press("End")
    expect(page.locator("#play .cell.taken")).to_have_count(1)
    page.keyboard.press("t")
    expect(status(page)).to_contain_text("Trying a line")
    page.keyboard.press("t")
    expect(status(page)).to_contain_text("Your move")


@pytest.mark.parametrize("viewport", [(1280, 800), (390, 844)])
def test_the_largest_board_is_readable_and_every_cell_can_be_clicked(
    open_page: Open, viewport: tuple[int, int]
) -> None:
    width, height = viewport
    page = open_page("#play/a/hex.size=19/1/", viewport={"width": width, "height": height})
    expect(page.locator("#play .cell")).to_have_count(361)
    choose(page, "You", "You")
    hit = """() => [...document.querySelectorAll("#play .cell")].filter((cell) => {
      const {x, y, width, height} = cell.querySelector(".ground").getBoundingClientRect();
      return document.elementFromPoint(x + width / 2, y + height / 2)?.closest(".cell") === cell;
    }).length"""
    assert page.evaluate(hit) == 361
    letters = """() => [...document.querySelectorAll("#play .names text")].map((each) =>
      parseFloat(getComputedStyle(each).fontSize) * each.getCTM().a)"""
    sizes = page.evaluate(letters)
    assert len(sizes) == 38
    assert min(sizes) > 10
    for number in (0, 18, 342, 360):
        cell(page, number).click()
    expect(page.locator("#play .cell.taken")).to_have_count(4)
    assert stones(page) == [0, 18, 342, 360]


def test_opinions_are_written_on_the_board(open_page: Open) -> None:
    page = open_page("#play/a/hex.size=3/1/")
    expect(page.locator("#analyst option").first).to_be_attached()
    page.select_option("#depth", "200")
    words = page.locator("[aria-label=Analysis] p")
    page.check("[value=policy]")
    expect(words).to_contain_text("No net knows this board")
    page.check("[value=visits]")
    expect(words).to_contain_text("200 simulations; expected: b2")
    texts = page.locator("#play .cell text").all_text_contents()
    assert sum(int(text or 0) for text in texts) in range(90, 105)
    page.check("#expected-line")
    expect(page.locator("#play .piece.ghost").first).to_be_attached()
    page.uncheck("#expected-line")
    page.check("[value=judge]")
    expect(cell(page, 4).locator("text")).to_have_text("✓")
    expect(page.locator(".value-bar span")).to_have_text("red wins")


def test_a_teacher_takes_a_bad_move_back_and_says_why(open_page: Open) -> None:
    page = open_page()
    choose(page, "You", "Random moves")
    page.check("#teach")
    cell(page, 0).click()
    expect(page.locator("#play .reason")).to_contain_text(
        "a1: blunder, gave the win away for certain"
    )
    assert stones(page) == []
    expect(page.locator("#play .cell.bad")).to_have_count(1)
    cell(page, 4).click()
    expect(page.locator("#play .cell.taken")).to_have_count(2)


def swapped(open_page: Open, first: int) -> Page:
    """Return a page where you play yourself, and have taken the first stone over."""
    page = open_page()
    choose(page, "You", "You")
    page.locator("summary", has_text="New game").click()
    page.check("#game-swap")
    page.click("#play form button")
    cell(page, first).click()
    page.click("#swap")
    return page


def test_another_game_with_a_swap_saved_and_loaded(open_page: Open, tmp_path: Path) -> None:
    page = swapped(open_page, 1)
    expect(cell(page, 3)).to_have_class(re.compile("taken"))
    assert stones(page) == [3]
    cell(page, 4).click()
    expect(page.locator("#play .cell.taken")).to_have_count(2)
    page.locator("summary", has_text="Files").click()
    with page.expect_download() as download:
        page.click("#save-sgf")
    download.value.save_as(tmp_path / "game.sgf")
    assert "W[swap-pieces];B[b2]" in (tmp_path / "game.sgf").read_text()
    page.select_option("#game-name", "tic_tac_toe")
    page.click("#play form button")
    expect(status(page)).to_contain_text("X")
    cell(page, 4).click()
    expect(page.locator("#play .moves li")).to_have_count(1)
    page.set_input_files("#sgf-file", tmp_path / "game.sgf")
    expect(page.locator("#play .cell.taken")).to_have_count(2)
    assert stones(page) == [3, 4]


def test_what_was_swapped_is_not_swapped_back(open_page: Open) -> None:
    page = swapped(open_page, 4)
    expect(status(page)).to_contain_text("red")
    page.select_option("#player-1", label="Random moves")
    expect(page.locator("#play .cell.taken")).to_have_count(2)


def test_what_an_older_page_has_kept_is_a_game_with_the_swap(open_page: Open) -> None:
    page = open_page("#play/older/hex.size=3/1/1.x.4.8")  # now it is your turn
    expect(page.locator("#play .cell.taken")).to_have_count(3)
    assert stones(page) == [3, 4, 8]
    nodes = [
        {"action": None, "parent": None, "children": [1], "next": 1},
        {"action": 1, "parent": 0, "children": [2], "next": 2, "name": "b1"},
        {"action": 3, "parent": 1, "children": [3], "next": 3, "swap": True, "name": "swap"},
        {"action": 8, "parent": 2, "children": [], "name": "c3"},
    ]
    about = {"name": "hex", "params": {"size": 3}}
    players = {"1": "you", "2": "you"}
    kept = {"id": "kept", "about": about, "start": 1, "at": 1, "nodes": nodes, "swap": True}
    text = json.dumps(kept | {"players": players})
    page.evaluate("text => localStorage.setItem('hex-game-kept', text)", text)
    page.evaluate("location.hash = '#play/kept/hex.size=3/1/1'")
    expect(page.locator("#play .cell.taken")).to_have_count(1)
    page.click("#play [data-step=last]")
    expect(page.locator("#play .cell.taken")).to_have_count(2)
    assert stones(page) == [3, 8]


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
    episode = page.get_by_label("Episode", exact=True)
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
        "#play/x/hex.size=99/1/",
        "#play/x/hex.size=3/1/4.4",
        "#play/<img src=x>/oracle/7/a.b",
        "#nothing/%zz",
    ],
)
def test_broken_addresses_still_give_a_page(open_page: Open, fragment: str) -> None:
    page = open_page(fragment)
    expect(page.locator("#play [data-cell]").first).to_be_visible()


def test_broken_addresses_of_other_tabs_say_what_is_wrong(open_page: Open) -> None:
    page = open_page("#explain/x/hex.size=3/1/4.4/%zz/7/x")
    expect(page.locator("#notice")).to_contain_text("expected a legal action")
    page = open_page("#watch/%zz")
    expect(page.locator("#watch .panel").first).to_be_visible()


def test_an_address_holds_a_list_of_one(open_page: Open) -> None:
    again = (
        "import('/static/game.js').then(({ Game }) => Game.from('a/ledge.board=2,/1/').fragment())"
    )
    assert open_page().evaluate(again) == "a/ledge.board=2,/1/"


def test_it_fits_a_phone_in_the_dark(open_page: Open) -> None:
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

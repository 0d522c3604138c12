"""The review of games on the page, in Chromium without a window."""

import re
from functools import reduce

from playwright.sync_api import Page, expect

from formats.sgf import read_game
from formats.sgf_text import parse
from judge import Judge
from state_manager import make_game
from tests.web.pages import cell, press, reason, saved, status, unfold
from tests.web.program import Open

GAME = [0, 7, 4, 6, 1, 8]
"""A game on 3x3: the first three moves give the win away, the third for good."""
LINK = "#review/x/hex.size=3/1/" + ".".join(map(str, GAME))
SHARED = "import('/static/board/game.js').then(({ shared }) => shared)"


def reviewed(open_page: Open, link: str = LINK) -> Page:
    """Return the page when all moves are reviewed and explained."""
    page = open_page(link)
    expect(page.locator("#review .moves li").first).to_be_visible()
    expect(page.locator("#review progress")).to_be_hidden()
    expect(page.locator("#save-review")).to_be_enabled()
    return page


def test_moves_have_dots_by_what_they_lost_and_a_table_explains_them(open_page: Open) -> None:
    page = reviewed(open_page)
    expect(page.locator("#review .moves .blunder")).to_have_text(["1. a1", "2. b3", "3. b2"])
    expect(page.locator("#review .moves .fine")).to_have_count(3)
    table = page.locator("#review .grades tr")
    heads = table.first.locator("th")
    expect(heads).to_have_text(["accuracy", "fine", "inaccuracy", "mistake", "blunder"])
    assert re.search(r"\b10 %", heads.nth(2).get_attribute("title") or "")
    expect(table.nth(1).locator("td")).to_have_text(["33 %", "1", "0", "0", "2"])
    expect(table.nth(2).locator("td")).to_have_text(["67 %", "2", "0", "0", "1"])
    for ply, number in enumerate(GAME):
        mark, dots, grade = ("??", 1, "blunder") if ply < 3 else ("", 0, "fine")
        expect(cell(page, number).locator("text")).to_have_text(mark)
        if dots:
            expect(cell(page, number).locator("circle.grade")).to_have_count(dots)
        expect(cell(page, number)).to_have_attribute("aria-label", re.compile(grade))
    content = "all => all.map((each) => getComputedStyle(each, '::after').content)"
    marks = page.locator("#review .grades i").evaluate_all(content)
    assert marks == ["none", '"?!"', '"?"', '"??"'], "the grades differ without colours, too"
    press(page, "Home")
    expect(page.locator("#review .board circle.grade")).to_have_count(0)


def test_a_mistake_is_tried_again_before_its_answer_is_shown(open_page: Open) -> None:
    page = reviewed(open_page)
    answer = page.locator("#review .cell.good")
    press(page, "Home", "n")
    expect(status(page)).to_contain_text("Move 2 of 6: black plays b3")
    expect(reason(page)).to_have_text("Black's b3: blunder, gave the win away. Find a better move.")
    expect(cell(page, 7)).to_have_class(re.compile(r"\bbad\b"))
    expect(page.locator("#review .mistakes")).not_to_contain_text("better")
    expect(answer).to_have_count(0)
    cell(page, 7).click()
    expect(reason(page)).to_contain_text("b3 was played: blunder")
    cell(page, 8).click()
    expect(reason(page)).to_contain_text(re.compile("Black's c3: .* red wins. Try another move."))
    expect(page.locator("#review .cell.bad")).to_have_count(1)
    assert page.locator("#review .piece.ghost").count() > 1
    expect(answer).to_have_count(0)
    cell(page, 4).click()
    expect(reason(page)).to_have_text(re.compile("b2 is better. Black's b3: .* Better: b2."))
    expect(answer).to_have_count(1)
    expect(page.locator("#review .arrow")).to_have_count(1)
    expect(page.locator("#review .mistakes")).to_contain_text("better: b2")
    expect(page.locator("#review")).to_contain_text("Better moves found: 1 of 3.")
    press(page, "n")
    expect(status(page)).to_contain_text("Move 3 of 6: red plays b2")
    expect(answer).to_have_count(0)
    press(page, "a")
    expect(answer).to_have_count(1)
    expect(page.locator("#review-answer")).to_be_hidden()
    expect(page.locator("#review")).to_contain_text("Better moves found: 1 of 3.")
    shared = page.evaluate(f"{SHARED}.then(({{ game }}) => game.nodes.length)")
    assert shared == 1 + len(GAME), "tries are not part of the game"


def test_one_player_goes_through_own_mistakes_and_may_see_answers_at_once(open_page: Open) -> None:
    page = reviewed(open_page)
    page.select_option("#whose", label="red")
    for ply in (1, 3, 1):
        press(page, "Home" if ply == 1 else "n")
        expect(status(page)).to_contain_text(f"Move {ply} of 6: red")
    page.uncheck("#set-retry")
    expect(page.locator("#review .cell.good")).not_to_have_count(0)
    expect(page.locator("#review-answer")).to_be_hidden()
    page.reload()
    expect(page.locator("#review .cell.good")).not_to_have_count(0)
    expect(page.locator("#review .mistakes")).to_contain_text("better: b2")


def test_a_search_judges_games_and_tries_where_the_judge_cannot(open_page: Open) -> None:
    page = reviewed(open_page, "#review/x/hex.size=9/1/0.40.1.41.2.39")
    dear = page.locator("#review .mistakes li")
    expect(dear).to_have_count(3)
    expect(dear.first).to_contain_text(re.compile(r"Move [135], red [abc]1: blunder, cost \d+ %"))
    accuracy = page.locator("#review .grades td:nth-child(2)")
    expect(accuracy).to_have_text([re.compile(r"^\d+ %")] * 2)
    dear.first.locator("button").click()
    expect(reason(page)).to_contain_text("Find a better move")
    found = page.evaluate(f"{SHARED}.then(({{ game }}) => game.nodes[game.ahead()[0]].review)")
    assert not found["exact"]
    cell(page, 8).click()
    expect(reason(page)).to_contain_text(re.compile("i1: .* as a search sees it.*Try another"))
    cell(page, found["better"][0]["action"]).click()
    expect(reason(page)).to_contain_text("is better. Red's")
    expect(page.locator("#review .cell.good")).to_have_count(1)
    dear.nth(1).locator("button").click()
    page.click("#review-answer")
    expect(page.locator("#review .cell.bad")).to_have_count(1)
    expect(reason(page)).to_contain_text("of the chances, as a search sees it")


def test_the_curve_numbers_the_moves_and_goes_to_them(open_page: Open) -> None:
    page = reviewed(open_page)
    curve, at = page.locator("#review .curve"), page.locator("#review .curve .at")
    slider = curve.get_by_label("Who was winning, by move")
    expect(at).to_have_text("6")
    expect(curve.locator(".number")).to_have_text(["0", "1", "2", "3", "4", "5", "6"])
    expect(curve.locator("circle.blunder")).to_have_count(3)
    for ply in (0, 5, 1, 2):  # through the slider, which lies over the curve
        curve.locator(".number", has_text=str(ply)).click(force=True)
        expect(at).to_have_text(str(ply))
    expect(page.locator("#review .moves [aria-current]")).to_have_text("2. b3")
    slider.focus()
    keys = ("ArrowRight", 3), ("ArrowDown", 2), ("Home", 0), ("PageDown", 0), ("ArrowUp", 1)
    for key, ply in (*keys, ("End", 6), ("PageUp", 6)):
        press(page, key)
        expect(at).to_have_text(str(ply))
    expect(slider).to_have_attribute("aria-valuetext", "After 6 of 6 moves: black 100 %")


def test_a_saved_review_has_values_and_best_lines_which_the_page_loads(open_page: Open) -> None:
    page = reviewed(open_page)
    file = saved(page, "#save-review")
    [root] = parse(file.read_text())
    played = [*root.main_line()][1:]
    assert read_game(root).record.actions == tuple(GAME)
    assert [each.get("BM") for each in played] == ["2", "2", "2", "", "", ""]
    assert [each.get("V") for each in played] == ["-1.00", "1.00", *["-1.00"] * 4]
    assert played[0].children[1].properties == {"W": ["b2"], "N": ["Better"], "TE": ["1"]}
    page.get_by_role("link", name="Play", exact=True).click()
    page.set_input_files("#sgf-file", file)
    expect(page.locator("#notice")).to_contain_text("Loaded")
    expect(page.locator("#play .moves .variation li").first).to_be_attached()
    chip = page.locator("#play .moves li button", has_text="2. b3")
    expect(chip).to_have_attribute("title", re.compile("Review: blunder, costs 100 %.*Better: b2"))
    unfold(page, "Files")
    [again] = parse(saved(page).read_text())
    branches = [[len(each.children) for each in tree.main_line()] for tree in (root, again)]
    assert branches[0] == branches[1]


def test_the_finish_is_explained_and_shown_to_the_winning_chain(open_page: Open) -> None:
    page = reviewed(open_page, LINK.rpartition(".")[0])
    decided = "Move 3, red b2, decided the game: from then on black wins, for certain."
    expect(page.locator("#review")).to_contain_text(decided)
    game = make_game("hex", size=3)
    for key, shown in (("Home", 3), ("End", 5)):
        press(page, key, "f")
        expect(reason(page)).to_contain_text("The shortest win against the best defence")
        expect(page.locator("#review .moves [aria-current]")).to_contain_text(f"{shown}. ")
        state = reduce(game.child_state, GAME[:shown], game.initial_state())
        names = re.findall(r"[abc][123]", reason(page).inner_text())
        for name in names:
            assert Judge(game).winner(state) == 2
            state = game.child_state(state, game.parse_action(name))
        assert game.winner(state) == 2
        expect(page.locator("#review .piece.ghost")).to_have_count(len(names))
        path = page.locator("#review .cell.path").evaluate_all("a => a.map((e) => +e.dataset.cell)")
        assert sorted(path) == sorted(game.winning_path(state))
        press(page, "ArrowLeft")
        expect(page.locator("#review .cell.path")).to_have_count(0)
        expect(page.locator("#review .piece.ghost")).to_have_count(0)

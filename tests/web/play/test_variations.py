"""Variations, comments and kept games on the page, in Chromium without a window."""

import re
from pathlib import Path

from playwright.sync_api import Locator, Page, expect

from tests.web.pages import go, holds, play, press, reason, saved, seat, status, taken, unfold
from tests.web.program import Held, Open, Server

TREE = "#play/study/hex.size=3/1/~a%20study.4.0.2~well.-2.1.3.-1"
"""b2 a1 c1, and instead of a1 the variation b1 a2; b1 is shown."""


def rows(page: Page) -> list[str]:
    """Return the moves of each row of the tree."""
    return [re.sub(r"\s+", " ", row) for row in page.locator("#play .moves ol").all_inner_texts()]


def named(page: Page) -> None:
    """Wait until the page knows the names of all moves, and let you play both sides."""
    expect(page.locator("#play .moves")).to_contain_text("c1")
    seat(page, "You", "You")
    expect(here(page)).to_have_count(1)


def here(page: Page) -> Locator:
    return page.locator("#play .moves [aria-current]")


def test_variations_are_drawn_and_walked_by_keys_and_clicks(open_page: Open) -> None:
    page = open_page(TREE)
    named(page)
    assert rows(page) == ["1. b2 2. a1", "2. b1 3. a2", "3. c1"]
    for key, move in (("Right", "3. a2"), ("Up", "2. a1"), ("Down", "2. b1"), ("Left", "1. b2")):
        status(page).click()
        press(page, f"Arrow{key}")
        expect(here(page)).to_have_text(move)
    page.click("#play .moves button:has-text('c1')")
    expect(here(page)).to_have_text("3. c1")
    holds(page, 0, 2, 4)
    expect(page.locator("#comment")).to_have_value("well")
    expect(page.locator("#play .moves .noted")).to_have_text(["3. c1"])


def test_two_boards_compare_lines(open_page: Open) -> None:
    page = open_page(TREE)
    named(page)
    unfold(page, "Second board")
    panel = page.locator("details:has(#keep)")
    expect(panel).to_contain_text("Keep a position here")
    page.click("#play .moves button:has-text('c1')")
    expect(here(page)).to_have_text("3. c1")
    page.click("#keep")
    page.click("#play .moves button:has-text('a2')")
    expect(panel).to_contain_text("The position after 3. c1.")
    first, second = (page.locator(f"{place} .board .taken") for place in (".board-area", ".side"))
    cells = "each => each.map((one) => Number(one.dataset.cell))"
    expect(here(page)).to_have_text("3. a2")
    assert (first.evaluate_all(cells), second.evaluate_all(cells)) == ([1, 3, 4], [0, 2, 4])
    page.evaluate("scrollTo(0, 0)")  # the first stays in sight, the second scrolls
    top = "each => each[0].closest('.board').getBoundingClientRect().top"
    assert abs(first.evaluate_all(top) - second.evaluate_all(top)) < 100, "side by side"
    page.click("#exchange")
    expect(here(page)).to_have_text("3. c1")
    expect(panel).to_contain_text("The position after 3. a2.")
    assert (first.evaluate_all(cells), second.evaluate_all(cells)) == ([0, 2, 4], [1, 3, 4])


def test_without_variations_the_keys_up_and_down_scroll_the_page(open_page: Open) -> None:
    page = open_page(viewport={"width": 800, "height": 500})
    status(page).click()
    press(page, *["ArrowDown"] * 4)
    expect(page.locator("h1")).not_to_be_in_viewport()


def test_a_variation_becomes_the_main_line_and_a_branch_comes_back(open_page: Open) -> None:
    page = open_page(TREE)
    named(page)
    page.click("#promote")
    expect(page.locator("#promote")).to_be_hidden()
    assert rows(page) == ["1. b2 2. b1", "2. a1 3. c1", "3. a2"]
    page.click("#delete-branch")
    expect(page.locator("#play .moves li")).to_have_count(3)
    assert rows(page) == ["1. b2 2. a1 3. c1"]
    page.reload()
    named(page)
    assert rows(page) == ["1. b2 2. a1 3. c1"]
    page.click("#play .moves button:has-text('a1')")
    page.click("#delete-branch")
    expect(page.locator("#play .moves li")).to_have_count(1)
    page.click("#restore-branch")
    expect(here(page)).to_have_text("2. a1")
    expect(page.locator("#restore-branch")).to_be_hidden()
    assert rows(page) == ["1. b2 2. a1 3. c1"]


def test_a_comment_is_text_kept_in_browser_and_link(open_page: Open, server: Server) -> None:
    page = open_page()
    seat(page, "You", "You")
    play(page, 4, 0)
    words = "<b>über</b> 100%? \"~'.-1/x\n# 𝄞"
    page.fill("#comment", words)
    status(page).click()
    press(page, "ArrowLeft")
    expect(page.locator("#comment")).to_have_value("")
    page.wait_for_url("**/*.-1")
    link = page.url
    page.reload()
    page.click("#play .moves button:has-text('a1')")
    expect(page.locator("#comment")).to_have_value(words)
    elsewhere = open_page(link.removeprefix(server.link))
    expect(here(elsewhere)).to_have_text("1. b2")
    elsewhere.click("#play .moves button:has-text('a1')")
    expect(elsewhere.locator("#comment")).to_have_value(words)
    assert elsewhere.locator("#play .moves .noted").get_attribute("title") == words


def test_a_comment_stays_with_its_move_while_an_agent_moves(open_page: Open) -> None:
    page = open_page()
    seat(page, "You", "Casual")
    held = Held(page, "**/api/move")
    with page.expect_request("**/api/move"):
        play(page, 4)
    page.fill("#comment", "mine")
    held.let_go()
    taken(page, 2)
    page.locator("#comment").press_sequentially("!")
    page.click("#play .moves li:first-child button")  # leaving the text does not take the click
    expect(page.locator("#comment")).to_have_value("mine!")


def test_a_tree_that_is_too_long_for_a_link_says_so(open_page: Open, server: Server) -> None:
    page = open_page(TREE)
    named(page)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    unfold(page, "Files")
    page.click("#copy-link")
    expect(page.locator("#notice")).to_contain_text("with its variations and comments")
    page.fill("#comment", "x" * 4000)
    page.click("#copy-link")
    expect(page.locator("#notice")).to_contain_text("too long for a link. Save SGF keeps all")
    assert page.evaluate("navigator.clipboard.readText()") == page.url
    assert page.url == f"{server.link}#play/study/hex.size=3/1/4.1"
    page.reload()
    named(page)
    assert rows(page) == ["1. b2 2. a1", "2. b1 3. a2", "3. c1"]


def test_a_saved_file_has_names_date_tree_and_comments(open_page: Open, tmp_path: Path) -> None:
    page = open_page(TREE)
    named(page)
    seat(page, "", "Full strength")
    unfold(page, "Files")
    with page.expect_download() as download:
        page.click("#save-sgf")
    name = download.value.suggested_filename
    assert re.fullmatch(r"hex-3_you-vs-full-strength_20\d\d-\d\d-\d\d\.sgf", name)
    text, day = download.value.path().read_text(), name[-14:-4]
    assert f"PB[You]PW[Full strength]PL[B]C[a study]DT[{day}];B[b2](;W[a1];B[c1]C[well])(" in text
    file = tmp_path / name
    file.write_text(text.replace("PB[You]", "PB[Æ Ann / ../]").replace(day, "1999-12-31"))
    page.set_input_files("#sgf-file", file)
    expect(page.locator("#notice")).to_contain_text("Loaded: Æ Ann / ../ against Full strength")
    expect(here(page)).to_have_text("3. c1")
    assert rows(page) == ["1. b2 2. a1", "2. b1 3. a2", "3. c1"]
    expect(page.locator("#comment")).to_have_value("well")
    with page.expect_download() as download:
        page.click("#save-sgf")
    assert download.value.suggested_filename == "hex-3_ann-vs-full-strength_1999-12-31.sgf"


def test_a_game_against_an_agent_goes_on_where_you_moved_last(open_page: Open) -> None:
    page = open_page()
    seat(page, "You", "Random moves")
    play(page, 4)
    taken(page, 2)
    page.click("#undo")
    taken(page, 0)
    play(page, 2)
    taken(page, 2)
    first, second = rows(page)[:2]
    assert (first, second[:5]) == ("1. c1", "1. b2")
    page.click("#try")
    page.click("#play [data-step=first]")
    play(page, 6)
    assert rows(page)[0] == "1. c1", "a line that is tried is a variation"


def test_kept_games_are_offered_renamed_and_deleted(open_page: Open, server: Server) -> None:
    page = open_page(viewport={"width": 390, "height": 844})
    seat(page, "You", "Random moves")
    play(page, 4)
    taken(page, 2)
    page.goto(server.nothing)
    page.goto(f"{server.link}#play/second/hex.size=5/1/12~x.6")
    seat(page, "You", "Casual")
    taken(page, 2)
    page.goto(server.nothing)
    page.goto(server.link)
    offer = page.locator("#play .reason a")
    expect(offer).to_have_text("Continue your game against Casual, move 2")
    unfold(page, "Your games")
    names = page.locator("#play .games a")
    expect(names).to_have_text(["Hex 5: You against Casual", "Hex 3: You against Random moves"])
    page.locator("#play .games button:has-text('Delete')").first.press("Enter")
    expect(names).to_have_count(1)
    assert page.evaluate("localStorage.getItem('hex-game-second')") is None
    press(page, "Enter")  # Undo has the focus
    expect(names).to_have_count(2)
    page.once("dialog", lambda dialog: dialog.accept("<i>first</i>"))
    page.locator("#play .games button:has-text('Rename')").last.press("Enter")
    expect(names).to_have_text(["Hex 5: You against Casual", "<i>first</i>"])
    names.last.press("Enter")
    taken(page, 2)
    expect(page.locator("#player-2")).to_have_value("random")
    expect(offer).to_have_count(0)
    expect(page.locator("#play .games a[aria-current]")).to_have_text("<i>first</i>")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_a_finished_game_is_kept_and_not_offered(open_page: Open, server: Server) -> None:
    page = open_page("#play/over/hex.size=3/1/4.0.1.2.7")
    expect(page.locator("#play .cell.path").first).to_be_attached()
    page.evaluate("""() => {
      const empty = JSON.stringify({ nodes: [{ children: [] }], saved: 9e15, date: "" });
      for (let n = 0; n < 40; n++) localStorage.setItem(`hex-game-e${n}`, empty);
    }""")
    page.goto(server.nothing)
    page.goto(server.link)
    expect(page.locator("#player-2 option").first).to_be_attached()
    unfold(page, "Your games")
    expect(page.locator("#play .games li")).to_have_count(1)
    expect(page.locator("#play .games li")).to_contain_text("over after 5 moves")
    expect(page.locator("#play .reason a")).to_have_count(0)
    kept = "Object.keys(localStorage).filter((key) => key.startsWith('hex-game-')).length"
    assert page.evaluate(kept) == 31  # thirty, and the new one


def test_a_file_with_several_games_asks_which(open_page: Open, tmp_path: Path) -> None:
    page = open_page()
    unfold(page, "Files")
    games = "(;SZ[3]PB[Ann];B[a1])(;SZ[3];B[z9])(;SZ[4]PB[Jörg]EV[Cup]RE[W+R];B[b2];W[c3])"
    file = tmp_path / "GAMES.HSGF"
    file.write_bytes(games.encode("latin-1"))
    page.set_input_files("#sgf-file", file)
    notice = page.locator("#notice")
    expect(notice).to_contain_text("choose one")
    expect(page.locator("#sgf-games li")).to_have_count(3)
    expect(page.locator("#sgf-games")).to_contain_text("2. cannot be read")
    page.click("#sgf-games button:has-text('3. Jörg against White, 4x4, 2 moves')")
    expect(notice).to_contain_text("Loaded: Jörg against White. The file is not")
    expect(here(page)).to_have_text("2. c3")
    again = saved(page)
    assert "EV[Cup]RE[W+R]" in again.read_text()
    page.set_input_files("#sgf-file", again)
    expect(notice).to_have_text("Loaded: Jörg against White.")
    expect(page.locator("#sgf-games")).to_be_hidden()


def test_no_agent_moves_in_the_game_of_a_link_until_an_opponent_is_chosen(open_page: Open) -> None:
    page = open_page("#play/sent/hex.size=3/1/4")
    expect(status(page)).to_contain_text("Your move: black")
    expect(reason(page)).to_contain_text("from a link")
    play(page, 0)
    expect(status(page)).to_contain_text("Your move: red")
    holds(page, 0, 4)
    seat(page, "", "Random moves")
    go(page, "#play/sent/hex.size=3/1/4.0.2~like%20this")
    expect(status(page)).to_have_text("black (Random moves) is to move.")
    holds(page, 0, 2, 4)
    page.click("#go")
    taken(page, 4)
    page.reload()
    expect(status(page)).to_contain_text("Your move: red")


def test_a_link_to_an_empty_board_is_a_game_against_the_usual_opponent(open_page: Open) -> None:
    page = open_page("#play/new/hex.size=3/1/")
    play(page, 4)
    taken(page, 2)

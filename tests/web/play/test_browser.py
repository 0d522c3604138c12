"""Games on the page, in Chromium without a window."""

import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.web.conftest import position
from tests.web.pages import cell, holds, play, press, reason, saved, seat, status, taken, unfold
from tests.web.program import Held, Open, Server


def test_a_reload_and_a_killed_server_lose_nothing(open_page: Open, server: Server) -> None:
    first, second = open_page(), open_page()
    for page, cells in ((first, (4, 0)), (second, (1, 3))):
        seat(page, "You", "You")
        play(page, *cells)
    first.reload()
    holds(first, 4, 0)
    holds(second, 1, 3)
    server.kill()
    cell(first, 2).click()
    expect(first.locator("#notice")).to_contain_text("does not answer")
    server.start()
    holds(first, 0, 2, 4)
    expect(first.locator("#notice")).to_be_hidden()
    holds(open_page(f"#{first.url.partition('#')[2]}"), 0, 2, 4)


def test_fifty_parallel_requests_all_get_a_response(open_page: Open, server: Server) -> None:
    pages = [open_page() for _ in range(3)]

    def move(first: int) -> int:
        agent = "mcts:simulations=100,time_limit=null"
        return int(server.post("move", position=position(first % 9), agent=agent)["action"])

    with ThreadPoolExecutor(50) as pool:
        actions = pool.map(move, range(50))
        for page in pages:
            seat(page, "You", "Easy")
            cell(page, 4).click()
        for page in pages:
            taken(page, 2)
        assert all(action != first % 9 for first, action in enumerate(actions))


def test_everything_works_by_keyboard(open_page: Open) -> None:
    page = open_page()
    seat(page, "You", "You")
    status(page).click()
    press(page, "b", "ArrowDown", "ArrowRight", "Enter")
    taken(page, 1)
    stone = page.locator("#play .cell.taken")
    expect(stone).not_to_have_attribute("data-cell", "0")
    expect(stone).to_have_attribute("aria-label", re.compile("red, last move"))
    press(page, "4")
    expect(page.locator("[aria-label=Analysis] p")).to_contain_text(re.compile("win"))
    press(page, "u")
    taken(page, 0)
    press(page, "h")
    expect(page.locator("#play .cell.hint")).to_have_count(1)
    expect(reason(page)).to_contain_text("red wins")
    status(page).click()
    press(page, "End")
    taken(page, 1)
    press(page, "t")
    expect(status(page)).to_contain_text("Trying a line")
    press(page, "t")
    expect(status(page)).to_contain_text("Your move")


HIT = """() => [...document.querySelectorAll("#play .cell")].filter((cell) => {
  const {x, y, width, height} = cell.querySelector(".ground").getBoundingClientRect();
  return document.elementFromPoint(x + width / 2, y + height / 2)?.closest(".cell") === cell;
}).length"""
LETTERS = """() => [...document.querySelectorAll("#play .names text")].map((each) =>
  parseFloat(getComputedStyle(each).fontSize) * each.getCTM().a)"""


def test_the_largest_board_is_readable_and_every_cell_can_be_clicked(open_page: Open) -> None:
    page = open_page("#play/a/hex.size=19/1/", viewport={"width": 1280, "height": 800})
    rating = re.compile(r"Casual, Elo \d+ \(\d+ to \d+\), 14x14 net\. Random moves have Elo 0\.")
    expect(page.locator("[aria-label=Players]")).to_contain_text(rating)
    seat(page, "You", "You")
    for width, height in ((1280, 800), (390, 844)):
        page.set_viewport_size({"width": width, "height": height})
        assert page.evaluate(HIT) == 361
        sizes = page.evaluate(LETTERS)
        assert (len(sizes), min(sizes) > 10) == (38, True)
    for number in (0, 18, 342, 360):
        cell(page, number).click()
    holds(page, 0, 18, 342, 360)


def test_evaluations_are_written_on_the_board(open_page: Open) -> None:
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


def test_a_teacher_takes_a_bad_move_back_and_explains_it(open_page: Open) -> None:
    page = open_page()
    seat(page, "You", "Random moves")
    page.check("#teach")
    cell(page, 0).click()
    lesson = "Red's a1 lets black join its sides, whatever red plays"
    expect(reason(page)).to_contain_text(lesson)
    holds(page)
    expect(page.locator("#play .cell.path")).to_have_count(3)
    numbers = page.locator("#play .piece.ghost ~ .text").all_text_contents()
    assert sorted(numbers) == ["1", "2", "3", "✗"], "the stones that black's chain lacks"
    expect(page.locator("#play .cell.bad")).to_have_count(1)
    page.reload()
    expect(page.locator("#play .cell").first).to_be_visible()
    press(page, "ArrowRight")
    holds(page)  # a move that was taken back is not ahead
    cell(page, 4).click()
    taken(page, 2)


def swapped_game_page(open_page: Open) -> Page:
    """Return a page where you play yourself, with the swap."""
    page = open_page()
    seat(page, "You", "You")
    unfold(page, "New game")
    page.check("#game-swap")
    page.click("#play form button")
    return page


def test_a_game_with_a_swap_is_saved_and_loaded(open_page: Open) -> None:
    page = swapped_game_page(open_page)
    cell(page, 1).click()
    page.click("#swap")
    expect(cell(page, 3)).to_have_class(re.compile("taken"))
    holds(page, 3)
    play(page, 4)
    unfold(page, "Files")
    file = saved(page)
    assert "W[swap-pieces];B[b2]" in file.read_text()
    page.select_option("#game-name", "tic_tac_toe")
    page.click("#play form button")
    expect(status(page)).to_contain_text("X")
    play(page, 4)
    page.set_input_files("#sgf-file", file)
    holds(page, 3, 4)


def test_the_map_of_first_stones_says_which_one_to_swap(open_page: Open) -> None:
    page = swapped_game_page(open_page)
    press(page, "5")
    words = page.locator("#play p", has_text="first stone")
    expect(words).to_contain_text("Red's chances after each first stone (exact)")
    expect(cell(page, 0).locator(".text")).to_have_text("0")
    expect(cell(page, 4).locator(".text")).to_have_text("100")
    cell(page, 4).click()
    expect(words).to_contain_text("Red's chances after the first stone: 100 % (exact): swap it.")
    expect(cell(page, 0).locator(".text")).to_have_text("")
    page.click("#swap")
    expect(words).to_contain_text("100 % (exact).")
    expect(status(page)).to_contain_text("red")
    seat(page, "Random moves", "")
    taken(page, 2)


def test_a_pasted_game_is_loaded_and_its_links_are_shown(open_page: Open) -> None:
    page = open_page()
    unfold(page, "Files")
    page.fill("#paste", "a1 a1")
    page.get_by_role("button", name="Load text").click()
    expect(page.locator("#notice")).to_contain_text("expected an empty cell, got a1")
    page.fill("#paste", "https://hexworld.org/board/#4c1,a1:sb2")
    page.get_by_role("button", name="Load text").click()
    holds(page, 0, 5)
    saved(page)
    link = page.get_by_role("link", name="trmph")
    expect(link).to_have_attribute("href", "https://trmph.com/hex/board#4,a1a1b2")


def test_an_opponent_that_matches_you_moves_up_when_you_win_and_review(open_page: Open) -> None:
    page = open_page()
    bare = page.locator("#player-2 option", has_text="The bare net, no net for this board")
    expect(bare).to_be_disabled()
    page.evaluate("localStorage.setItem('hex-match', 'Random moves')")
    seat(page, "You", "Matches you")
    for number in range(5):
        expect(status(page)).to_contain_text(re.compile("^You"))
        if not status(page).inner_text().startswith("Your move"):
            break
        press(page, "h")
        page.locator("#play .cell.hint").click()
        expect(page.locator("#play .cell.taken").nth(2 * number)).to_be_attached()
    expect(status(page)).to_have_text(re.compile(r"^You won in \d moves"))
    assert page.locator("#play .cell.path").count() >= 3
    moves = page.locator("#play .moves li").count()
    for _ in range(2):  # the result counts once
        expect(page.locator("[aria-label=Players]")).to_contain_text("Matches you, now Beginner")
        unfold(page, "Your games")
        own = page.locator("#play .games:not(#sgf-games)")
        expect(own).to_contain_text("You against Matches you, as Random")
        page.reload()
    page.click("#to-review")
    expect(page.locator("#review .curve circle")).to_have_count(moves + 1)
    expect(page.locator("#review progress")).to_be_hidden()


def test_a_game_against_an_agent_is_resigned(open_page: Open) -> None:
    page = open_page()
    resign = page.locator("#resign")
    seat(page, "You", "You")
    expect(resign).to_be_hidden()
    seat(page, "You", "Random moves")
    cell(page, 4).click()
    taken(page, 2)
    page.once("dialog", lambda dialog: dialog.accept())
    resign.click()
    resigned = "You lost: you resigned."
    expect(status(page)).to_have_text(resigned)
    expect(resign).to_be_hidden()
    page.reload()
    expect(status(page)).to_have_text(resigned)
    unfold(page, "Files")
    assert "RE[W+R]" in saved(page).read_text()
    press(page, "u")
    expect(status(page)).to_contain_text("Your move: red")


def test_a_loaded_game_that_ended_off_the_board_is_over(open_page: Open, tmp_path: Path) -> None:
    page, file = open_page(), tmp_path / "game.sgf"
    begun, won = ";B[b2];W[a1]", ";B[b2];W[a1];B[b1];W[c1];B[b3]"
    for moves, result, words in (
        (begun, "W+Resign", "red (Ada) resigned: black (Bob) wins."),
        (begun, "B+T", "black (Bob) ran out of time: red (Ada) wins."),
        (begun, "W+", "black (Bob) wins, not on the board."),
        (begun, "Void", "Your move: red."),
        (won, "B+R", "red (You) wins in 5 moves."),
    ):
        file.write_text(f"(;FF[4]GM[11]SZ[3]PB[Ada]PW[Bob]RE[{result}]{moves})")
        page.set_input_files("#sgf-file", file)
        expect(status(page)).to_have_text(words)


def test_the_page_answers_a_click_and_tells_whose_move_it_is(open_page: Open) -> None:
    page = open_page()
    seat(page, "You", "You")
    expect(page).to_have_title(re.compile("Your move: red .* Hex"))
    icon = page.locator("link[rel=icon]")
    before = icon.get_attribute("href")
    play(page, 4)
    assert icon.get_attribute("href") != before
    cell(page, 4).click()
    expect(reason(page)).to_have_text("That cell is taken.")
    page.click("#rules summary")
    expect(page.locator("#rules li")).to_have_count(3)
    expect(page.locator("#rules .cell.path")).to_have_count(3)


def test_a_large_board_stays_in_sight_and_a_move_may_take_two_taps(open_page: Open) -> None:
    page = open_page("#play/a/hex.size=11/1/")
    seat(page, "You", "You")
    for each in page.locator("#play .side > details:visible").all():
        each.evaluate("(details) => { details.open = true; }")
    board = page.locator("#play .board-area .board")
    expect(board).to_be_in_viewport(ratio=1)
    page.locator("#play dl dd").last.scroll_into_view_if_needed()
    assert page.evaluate("scrollY") > 300
    expect(board).to_be_in_viewport(ratio=1)
    expect(status(page)).to_be_in_viewport(ratio=1)
    page.check("#set-twice")
    cell(page, 60).click()
    expect(reason(page)).to_have_text("Tap f6 once more to play it.")
    holds(page)
    cell(page, 60).click()
    taken(page, 1)


def test_the_board_lies_flat_on_a_wide_screen_unless_it_is_turned(open_page: Open) -> None:
    page = open_page("#play/a/hex.size=11/1/")
    lies = page.locator("#play .board-area .board-place")
    flat, upright = re.compile("flat"), re.compile("upright")
    expect(lies).to_have_class(flat)
    width = "document.querySelector('#play .ground').getBoundingClientRect().width"
    assert page.evaluate(width) > 40
    page.set_viewport_size({"width": 820, "height": 1180})
    expect(lies).to_have_class(upright)
    page.click("#play button:has-text('Turn')")
    expect(lies).to_have_class(flat)
    page.set_viewport_size({"width": 1280, "height": 720})
    expect(lies).to_have_class(flat)
    press(page, "o")
    expect(lies).to_have_class(upright)
    page.reload()
    expect(lies).to_have_class(upright)
    page.set_viewport_size({"width": 820, "height": 1180})
    expect(lies).to_have_class(flat)


def test_a_stone_appears_before_the_answer_and_goes_if_it_is_refused(open_page: Open) -> None:
    page = open_page()
    seat(page, "You", "Random moves")
    held = Held(page, "**/api/position")
    with page.expect_request("**/api/position"):
        cell(page, 4).click()
    holds(page, 4)
    expect(status(page)).to_contain_text("is thinking")
    held.let_go(status=500, json={"error": "the server failed"})
    expect(page.locator("#notice")).to_have_text("the server failed")
    expect(status(page)).to_have_text("Your move: red.")
    taken(page, 0)
    expect(page.locator("#play .moves li")).to_have_count(0)
    page.route("**/api/move", lambda route: route.fulfill(json={"action": 0, "name": "a1"}))
    cell(page, 4).click()
    taken(page, 2)
    expect(status(page)).to_have_text("Your move: red. black (Random moves) played a1.")
    expect(status(page)).to_have_attribute("aria-live", "polite")
    expect(page).to_have_title(re.compile("^Your move: red \\S Hex$"))

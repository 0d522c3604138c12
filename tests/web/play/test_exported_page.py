"""The exported page, opened from its file in Chromium: the net's own moves, and a whole game."""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import reduce
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from agents import parse_agent
from anet import ANET, NetError
from anet.evaluator import SwapEvaluator
from formats.sgf import read_game
from formats.sgf_text import parse
from proofs.enumeration import NEAR_TIE
from state_manager import State, StateManager, make_game
from tests.anet.conftest import lively_net
from tests.anet.test_networks import NETWORKS, small_net
from tests.project import ROOT, TIMEOUT
from tests.random_play import random_game
from tests.web.conftest import PHONE
from web.play.catalogue import WITH_NET
from web.play.exported_page import page_of

HOSTILE = '</p><script>document.title = "broken"</script><img src="https://example.org/x">'
Open = Callable[..., Page]


@pytest.fixture
def open_net(browser: Browser, tmp_path: Path) -> Iterator[Open]:
    """Return a function that opens a net's file as a page, without errors or loaded files."""
    wrong, requests, own = list[str](), list[str](), list[BrowserContext]()

    def opened(net: ANET, fragment: str = "", sizes: Sequence[int] = (), **how: Any) -> Page:
        permissions = ["clipboard-read", "clipboard-write"]
        own.append(browser.new_context(permissions=permissions, **how))
        page = own[-1].new_page()
        page.set_default_timeout(1000 * TIMEOUT)
        page.on("console", lambda message: wrong.append(message.text))
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("request", lambda request: requests.append(request.url))
        file = tmp_path / "net.html"
        file.write_text(page_of(net, HOSTILE, sizes), encoding="utf-8")
        page.goto(f"{file.as_uri()}#{fragment}")
        expect(page.locator("#board .cell").first).to_be_attached()
        return page

    yield opened
    for context in own:  # pages of other tests stay
        context.close()
    assert wrong == []
    assert {url.partition("://")[0] for url in requests} == {"file"}


def positions(game: StateManager, wanted: int) -> list[State]:
    """Return states of random games, none of them final."""
    states: list[State] = []
    while len(states) < wanted:
        states += random_game(game, seed := len(states), 1 + seed % 2)[0][:-1]
    return states[:wanted]


def shipped(name: str) -> ANET:
    return ANET.load(ROOT / "nets" / name)


SHIPPED = {
    "mlp": ("hex-5/anet_00200.pt", 300),
    "residual_mlp": ("hex-4/anet_03584.pt", 200),
    "pooled": ("hex-7-further/anet_24576.pt", 30),
}
"""A net of each shipped network type, and the number of positions to evaluate."""


GREEDY = """(flat) => flat.map(([player, ...cells]) => {
  const { policy, value } = ask(nets()[0], cells, player);
  return { move: pick(policy, emptyCells(cells), null), policy: [...policy], value };
})"""


@pytest.mark.parametrize("network", NETWORKS)
def test_the_page_plays_the_nets_own_moves(open_net: Open, network: str) -> None:
    file, wanted = SHIPPED.get(network, (None, 100))
    net = shipped(file) if file else small_net(make_game("hex", size=4), network=network)
    page, states = open_net(net), positions(net.game, wanted)
    flat = [net.game.to_flat(state) for state in states]
    moves = np.array([found["move"] for found in page.evaluate(GREEDY, flat)])
    policies = net.policy(states)
    best, rows = policies.argmax(axis=1), np.arange(wanted)
    assert np.all(policies[rows, moves] >= (1 - NEAR_TIE) * policies[rows, best])
    assert np.count_nonzero(moves != best) <= wanted // 100


def test_one_file_plays_every_board_as_the_agent_does(open_net: Open) -> None:
    net = shipped("hex/anet_33682.pt")
    page = open_net(net, "1.1.0", sizes=(3, 8, 14))
    assert page.title() == "Hex"
    assert page.locator("#size").input_value() == "14", "the nearest to the net's own"
    for size in (14, 3, 8):
        page.select_option("#size", str(size))
        expect(page.locator("#board .cell")).to_have_count(size**2)
        game = make_game("hex", size=size)
        states = positions(game, 300)[:: 300 // (450 // size**2)]
        found = page.evaluate(GREEDY, [game.to_flat(state) for state in states])
        policies, values = net.on(game).evaluate(states)
        np.testing.assert_allclose([each["policy"] for each in found], policies, atol=1e-5)
        assert values is not None
        np.testing.assert_allclose([each["value"] for each in found], values, atol=1e-5)
    page.locator("#board .cell.empty").first.click()
    expect(page.locator("#board .cell.taken")).to_have_count(2)


def test_the_net_decides_the_swap_as_the_agent_does(open_net: Open) -> None:
    game = make_game("hex", size=4, swap=True)
    net = lively_net(game.without_swap, critic=True)
    with_swap = SwapEvaluator(net.exact, game)
    page = open_net(net, "1.0.0.4.swap")
    evaluate = """([start, moves]) => {
      [starter.value, actions] = [start, moves];
      const view = position(), { policy, value } = evaluate(view);
      const legal = view.moves.map((move) => move.action);
      return { policy: [...policy], value, move: pick(policy, legal, null) };
    }"""
    swaps = 0
    for starter in (1, 2):
        first = game.initial_state(starter)
        for moves in [(), *((cell,) for cell in range(16))]:
            state = game.child_state(first, *moves) if moves else first
            policy, value = with_swap.evaluate(state)
            found = page.evaluate(evaluate, [str(starter), moves])
            np.testing.assert_allclose(found["policy"], policy[: len(found["policy"])], atol=1e-5)
            assert found["value"] == pytest.approx(value, abs=1e-5)
            assert policy[found["move"]] >= (1 - NEAR_TIE) * policy.max()
            swaps += found["move"] == 16
        assert len(page.evaluate(evaluate, [str(starter), (0, 1)])["policy"]) == 16
    assert 0 < swaps < 32
    without_critic = open_net(small_net(game.without_swap, critic=False), "1.1.0.4.swap")
    expect(without_critic.locator("#rule")).to_be_hidden()
    assert without_critic.locator("#rule").input_value() == "plain"


def test_a_stone_is_swapped_by_either_side_and_the_game_is_shared(open_net: Open) -> None:
    page = open_net(shipped("hex-7-further/anet_24576.pt"), "1.1.50.7.swap")
    cell = "#board .cell[data-cell='{}']".format
    page.click(cell(23))
    expect(page.locator("#status")).to_have_text("Black swapped; Red to move")
    expect(page.locator(cell(17))).to_have_attribute("aria-label", re.compile("black, last move"))
    expect(page.locator(cell(23))).to_have_attribute("aria-label", re.compile("empty"))
    page.click("#undo")
    page.select_option("#human", "0")
    page.click(cell(23))
    page.keyboard.press("s")
    expect(page.locator("#status")).to_have_text("Black swapped; Red to move")
    expect(page.locator("#swap")).to_be_hidden()
    page.click(cell(23))
    page.click("#sgf")
    expect(page.locator("#said")).to_have_text("The game is copied as SGF.")
    params, record, *_ = read_game(parse(page.evaluate("navigator.clipboard.readText()"))[0])
    assert params == {"size": 7, "swap": True}
    assert (record.starting_player, record.actions) == (1, (23, 49, 23))

    lying = page.locator("#board svg").get_attribute("viewBox")
    page.keyboard.press("o")
    expect(page.locator("#board svg")).not_to_have_attribute("viewBox", str(lying))
    page.click("#share")
    expect(page.locator("#said")).to_contain_text("The link to this position is copied.")
    link = page.evaluate("navigator.clipboard.readText()")
    assert link.endswith("#1.0.50.7.swap/23.49.23")
    other = page.context.new_page()
    other.goto(link)
    expect(other.locator("#board .cell.taken")).to_have_count(2)
    expect(other.locator("#board svg")).not_to_have_attribute("viewBox", str(lying))
    other.click("#turn")
    expect(other.locator("#board svg")).to_have_attribute("viewBox", str(lying))


def test_the_levels_are_those_of_the_served_page(open_net: Open) -> None:
    page = open_net(lively_net(make_game("hex", size=4)), "1.0.0")
    titles = page.locator("#strength option").all_inner_texts()
    without_search = {title: word for title, word in WITH_NET if not word.startswith("mcts")}
    assert titles == [*without_search, "50 simulations", "200 simulations", "800 simulations"]
    policy, legal = np.array([0.0, 0.6, 0.1, 0.3, 0.1]), np.array([1, 2, 3])
    pick = """([policy, legal]) => Array.from({ length: 1000 }, (_, k) => pick(
      policy, legal, data.levels[strength.value], (k + 0.5) / 1000))"""
    swaps = """([policy, legal]) => Array.from({ length: 50 }, (_, k) => pickWithSwap(
      policy, legal, data.levels[strength.value], 4, () => (k + 0.5) / 50))"""
    for title, word in without_search.items():
        page.select_option("#strength", title)
        moves = page.evaluate(pick, [policy.tolist(), legal.tolist()])
        options = parse_agent(word).options
        weights = policy[legal] ** (1 / float(options.get("temperature", 1)))
        if title == "Random moves":
            weights = np.ones(3)
        elif "choice" not in options:
            weights = policy[legal] == policy.max()
        shares = np.bincount(moves, minlength=5) / 1000
        np.testing.assert_allclose(shares[legal], weights / weights.sum(), atol=0.002)
        if "choice" in options:
            odds = (0.1 / 0.6) ** (3 / float(options.get("temperature", 1)))
            share = page.evaluate(swaps, [policy.tolist(), [0, 1, 3, 4]]).count(4) / 50
            assert share == pytest.approx(odds / (1 + odds), abs=0.02)
    page.select_option("#human", "1")
    page.select_option("#strength", "Beginner")
    for stones in (2, 4):
        page.locator("#board .cell.empty").first.click()
        expect(page.locator("#board .cell.taken")).to_have_count(stones)


def flat(text: str, player: int) -> list[int]:
    """Return the flat form of a board in words: 1, 2, and . for an empty cell."""
    return [player, *(".12".index(letter) for letter in "".join(text.split()))]


SEARCH = """([player, ...cells]) => {
  const steps = search(nets()[1], sizeNow(), cells, player, 30);
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}"""


@pytest.mark.parametrize("critic", [True, False])
def test_the_search_wins_in_one_and_prevents_it(open_net: Open, critic: bool) -> None:
    page = open_net(lively_net(make_game("hex", size=4), critic=critic))
    board = """
        . 1 2 .
        . 1 2 .
        . 1 2 .
        . . . .
    """
    winning = page.evaluate(SEARCH, flat(board, 1))
    assert winning["action"] in (12, 13)
    assert winning["value"] == 1
    assert page.evaluate(SEARCH, flat(board, 2))["value"] == 1, "there are two ways to win"
    blocking = page.evaluate(SEARCH, flat(board.replace(". . . .", "2 . . ."), 2))
    assert blocking["action"] == 13
    sideways = flat("2 2 2 . 1 1 . 1 . . . . . . . .", 2)
    assert page.evaluate(SEARCH, sideways)["action"] in (3, 6)
    found = page.evaluate(SEARCH, [2, *[0] * 16])
    assert found == page.evaluate(SEARCH, [2, *[0] * 16]), "it is the same each time"
    visits = {int(cell): visited for cell, visited in found["visits"].items()}
    assert (sum(visits.values()), visits[found["action"]]) == (30, max(visits.values()))
    assert -1 < found["value"] < 1


def test_under_a_finger_a_move_on_a_large_board_takes_two_taps(open_net: Open) -> None:
    net = small_net(make_game("hex", size=4), network="pooled")
    page = open_net(net, "1.0..11.plain/", [4, 11], **PHONE)
    taken = page.locator("#board .cell.taken")
    page.tap("#board [data-cell='60']")
    expect(page.locator("#said")).to_have_text("Tap f6 once more to play it.")
    expect(taken).to_have_count(0)
    page.tap("#board [data-cell='60']")
    expect(taken).to_have_count(1)
    expect(page.locator("#said")).to_have_text("")
    page.select_option("#size", "4")
    page.tap("#board [data-cell='5']")
    expect(taken).to_have_count(1)


def test_a_game_is_played_by_mouse_and_keyboard_and_survives_a_reload(open_net: Open) -> None:
    page = open_net(shipped("hex-4/anet_03584.pt"), "1.1.0")
    status, cells = page.locator("#status"), page.locator("#board .cell.taken")
    assert page.title() == "Hex 4x4"
    assert page.locator("img").count() == 0
    expect(page.locator(".about")).to_contain_text(HOSTILE)
    page.select_option("#human", "2")
    expect(cells).to_have_count(1)
    page.locator("#board .cell.empty").first.click()
    expect(cells).to_have_count(3)
    expect(status).to_have_text(re.compile("^Red played [a-d][1-4]; Black to move$"))
    page.reload()
    expect(cells).to_have_count(3)
    page.check("#thoughts")
    expect(status).to_contain_text("the net gives red")
    page.select_option("#strength", "50")
    page.click("#hint")
    page.locator("#board .cell.hint").focus()
    page.keyboard.press("Enter")
    expect(page.locator("body.busy")).to_have_count(0)
    assert cells.count() > 3
    page.click("#undo")
    expect(cells).to_have_count(3)
    page.select_option("#strength", "0")
    while "You" not in status.inner_text():
        page.locator("#board .cell.empty").last.click()
        expect(page.locator("body.busy")).to_have_count(0)
    expect(status).to_have_text("You lost")
    assert page.locator("#board .cell.path").count() >= 4
    page.click("#new")
    expect(cells).to_have_count(1)


def test_an_address_is_read_to_the_first_illegal_move_and_the_winner_named(open_net: Open) -> None:
    game = make_game("hex", size=4)
    page = open_net(small_net(game), "0.2.<b>/3.3.x.99")
    assert page.locator("#human").input_value() == "2"
    assert page.evaluate("actions") == [3]
    assert page.evaluate("document.querySelectorAll('b').length") == 0
    games = [random_game(game, seed)[0] for seed in range(20)]
    finals, before = ([game.to_flat(states[k]) for states in games] for k in (-1, -2))
    chains = "(flat) => flat.map(([, ...cells]) => [1, 2].map((p) => chain(sizeNow(), cells, p)))"
    assert page.evaluate(chains, before) == [[[], []]] * 20
    for states, lines in zip(games, page.evaluate(chains, finals), strict=True):
        winner = game.winner(states[-1])
        assert len(lines[winner - 1]) == len(game.winning_path(states[-1]))
        assert lines[2 - winner] == []


def test_nets_of_other_games_are_refused() -> None:
    with pytest.raises(NetError, match=r"only Hex .* tic_tac_toe"):
        page_of(small_net(make_game("tic_tac_toe")), "mine")


def test_without_a_search_the_net_too_wins_in_one(open_net: Open) -> None:
    game = make_game("hex", size=4)
    net, moves = lively_net(game), [1, 2, 5, 6, 9, 10]  # a column of each player
    state = reduce(game.child_state, moves, game.initial_state(1))
    assert net.policy(state).argmax() not in (12, 13)
    page = open_net(net, f"1.2.0/{'.'.join(map(str, moves))}")
    expect(page.locator("#status")).to_have_text("You lost")

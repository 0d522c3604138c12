"""The exported page, opened from its file in Chromium: the net's own moves, and a whole game."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser, Page, expect

from agents.enumeration import NEAR_TIE
from anet import ANET, NetError
from state_manager import State, StateManager, make_game
from tests.anet.conftest import lively_net
from tests.anet.test_networks import NETWORKS, small_net
from tests.project import ROOT, TIMEOUT
from tests.random_play import random_game
from web.exported_page import page_of

HOSTILE = '</p><script>document.title = "broken"</script><img src="https://example.org/x">'
Open = Callable[..., Page]


expect.set_options(timeout=1000 * TIMEOUT)


@pytest.fixture
def open_net(browser: Browser, tmp_path: Path) -> Iterator[Open]:
    """Return a function that opens a net's file as a page, without errors or loaded files."""
    wrong: list[str] = []
    requests: list[str] = []

    def opened(net: ANET, fragment: str = "") -> Page:
        page = browser.new_page()
        page.set_default_timeout(1000 * TIMEOUT)
        page.on("console", lambda message: wrong.append(message.text))
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("request", lambda request: requests.append(request.url))
        file = tmp_path / "net.html"
        file.write_text(page_of(net, HOSTILE), encoding="utf-8")
        page.goto(f"{file.as_uri()}#{fragment}")
        return page

    yield opened
    for context in browser.contexts:
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
    "mlp": ("hex-5/anet_00200.pt", 1_000),
    "residual_mlp": ("hex-4/anet_03584.pt", 400),
    "pooled": ("hex-7/anet_49152.pt", 30),
}
"""A net of each shipped network type, and the number of positions to evaluate."""


@pytest.mark.parametrize("network", NETWORKS)
def test_the_page_plays_the_nets_own_moves(open_net: Open, network: str) -> None:
    file, wanted = SHIPPED.get(network, (None, 100))
    net = shipped(file) if file else small_net(make_game("hex", size=4), network=network)
    page, states = open_net(net), positions(net.game, wanted)
    greedy = "(flat) => flat.map(([player, ...cells]) => greedy(net, cells, player))"
    moves = np.array(page.evaluate(greedy, [net.game.to_flat(state) for state in states]))
    policies = net.policy(states)
    best, rows = policies.argmax(axis=1), np.arange(wanted)
    assert np.all(policies[rows, moves] >= (1 - NEAR_TIE) * policies[rows, best])
    assert np.count_nonzero(moves != best) <= wanted // 100


def flat(text: str, player: int) -> list[int]:
    """Return the flat form of a board in words: 1, 2, and . for an empty cell."""
    return [player, *(".12".index(letter) for letter in "".join(text.split()))]


SEARCH = """([player, ...cells]) => {
  const steps = search(netInSearch, size, cells, player, 30);
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


def test_a_search_is_the_same_each_time_and_counts_what_it_ran(open_net: Open) -> None:
    page = open_net(lively_net(make_game("hex", size=4), critic=True))
    found = page.evaluate(SEARCH, [2, *[0] * 16])
    assert found == page.evaluate(SEARCH, [2, *[0] * 16])
    visits = {int(cell): visited for cell, visited in found["visits"].items()}
    assert sum(visits.values()) == 30
    assert visits[found["action"]] == max(visits.values())
    assert -1 < found["value"] < 1


def test_the_page_names_the_winner(open_net: Open) -> None:
    game = make_game("hex", size=4)
    page = open_net(small_net(game))
    games = [random_game(game, seed)[0] for seed in range(20)]
    finals, before = ([game.to_flat(states[k]) for states in games] for k in (-1, -2))
    chains = "(flat) => flat.map(([, ...cells]) => [1, 2].map((p) => chain(size, cells, p)))"
    assert page.evaluate(chains, before) == [[[], []]] * 20
    for states, lines in zip(games, page.evaluate(chains, finals), strict=True):
        winner = game.winner(states[-1])
        assert len(lines[winner - 1]) == len(game.winning_path(states[-1]))
        assert lines[2 - winner] == []


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
    expect(status).to_have_text("Black to move")
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
    while "won" not in status.inner_text():
        page.locator("#board .cell.empty").last.click()
        expect(page.locator("body.busy")).to_have_count(0)
    expect(status).to_have_text("Red has won")
    assert page.locator("#board .cell.path").count() >= 4
    page.click("#new")
    expect(cells).to_have_count(1)


def test_an_address_with_an_illegal_game_is_read_up_to_the_first_illegal_move(
    open_net: Open,
) -> None:
    page = open_net(small_net(make_game("hex", size=4)), "0.2.<b>/3.3.x.99")
    assert page.locator("#human").input_value() == "2"
    assert page.evaluate("actions") == [3]
    assert page.evaluate("document.querySelectorAll('b').length") == 0


def test_nets_of_other_games_are_refused() -> None:
    with pytest.raises(NetError, match=r"only Hex .* tic_tac_toe"):
        page_of(small_net(make_game("tic_tac_toe")), "mine")

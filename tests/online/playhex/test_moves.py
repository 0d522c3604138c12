"""Moves that PlayHex asks for: recorded requests, the rules of its histories, many at once."""

import json
import re
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import numpy as np
import pytest

from agents import load_net, parse_agent, with_best_net
from formats.sgf import cell_name
from judge import shared_judge
from online.playhex import bots, server
from online.playhex.bots import Bot, spec_of
from online.playhex.positions import RequestError, position_after, stretches_of
from state_manager import make_game
from tests.online.playhex.conftest import Site, Slow, new_site
from tests.project import TIMEOUT, wait_until

_RECORDED = Path(__file__).with_name("recorded.jsonl").read_text("utf-8")
RECORDED = [json.loads(line) for line in _RECORDED.splitlines()]
"""What a PlayHex of July 2026 has sent."""
MOVES = [each["body"] for each in RECORDED if each["path"] == "/calculate-move"]


@pytest.mark.parametrize("body", MOVES)
def test_a_recorded_request_is_answered_by_one_legal_word(site: Site, body: str) -> None:
    word, game = site.post("/calculate-move", body), json.loads(body)["game"]
    words = [*game["movesHistory"].split(), word]
    assert stretches_of(game["size"], words, game["swapRule"])[-1].actions
    assert re.fullmatch("[a-z][1-9][0-9]?|swap-pieces", word)
    assert [line.split(" (")[0] for line in site.log] == [
        f"full on {game['size']}x{game['size']}, move {len(words)}: {word}"
    ]


def test_words_of_a_history_are_read_as_playhex_means_them() -> None:
    cells = {"a1": 0, "b1": 1, "c1": 2, "a2": 3, "b2": 4, "c2": 5, "a3": 6, "b3": 7, "c3": 8}

    def board(history: str, swap: bool = True) -> tuple[int, str]:
        game, state = position_after(3, tuple(history.split()), swap)
        assert (game.swap_action is not None) == (swap and len(history.split()) < 2)
        return int(state[0]), "".join(".BW"[state[1 + each]] for each in cells.values())

    assert board("") == (1, ".........")
    assert board("b1") == (2, ".B.......")
    assert board("b1 swap-pieces") == (1, "...W.....")
    assert board("b1 swap-pieces b1") == (2, ".B.W.....")
    assert board("b2 pass") == (1, "....B....")
    assert board("b2 pass c1 a1") == (1, "W.B.B....")
    assert board("pass c3") == (1, "........W")
    assert board("pass pass b2") == (2, "....B....")
    assert board("b1 swap-pieces pass c3") == (1, "...W....W")
    assert board('"b2" a03 "c01"') == (2, "..B.B.W..")


@pytest.mark.parametrize(
    "history",
    ["b2 b2", "d1", "a4", "b2 c1 swap-pieces", "pass swap-pieces", "pass b2 swap-pieces", "x", "a"],
)
def test_an_illegal_history_is_refused(history: str) -> None:
    with pytest.raises(RequestError, match=r"move \d: expected a legal move"):
        position_after(3, tuple(history.split()), True)


def test_no_swap_is_possible_in_a_game_without_it() -> None:
    with pytest.raises(RequestError, match="move 2: expected a legal move, got 'swap-pieces'"):
        position_after(3, ("b2", "swap-pieces"), False)
    with pytest.raises(RequestError, match="not over"):
        position_after(3, ("a1", "b1", "a2", "b2", "a3"), False)


def test_exact_swaps_what_wins_and_plays_out_handicaps(site: Site) -> None:
    assert site.move("b2", swap=True, seconds=30.0) == "swap-pieces"
    assert site.move("b2", swap=False, seconds=30.0) != "swap-pieces"
    game = make_game("hex", size=4)
    for history in ("", "d1", "a2 swap-pieces", "pass", "a1 pass", "pass b2 pass"):
        _, state = position_after(4, tuple(history.split()), "swap" in history)
        word = site.move(history, 4, swap="swap" in history, seconds=30.0)
        winning = {cell_name(each, 4) for each in shared_judge(game).winning_actions(state)}
        assert not winning or word in winning, history


def test_boards_that_a_bot_does_not_play_are_resigned(site: Site) -> None:
    for engine, size in (("full", 2), ("full", 20), ("full", 53), ("exact", 7)):
        assert site.move("", size, engine) == "resign", size


def test_a_bot_resigns_only_a_proven_loss_and_only_when_asked_to(site: Site) -> None:
    lost = "b2 a1"  # and then every move of Black wins, so that White has lost after one
    assert site.move(lost + " c1", 3, "judged", seconds=2.0) != "resign"
    assert site.move(lost + " c1", 3, "judged", seconds=2.0, resign=True) == "resign"
    assert site.move(lost, 3, "judged", seconds=2.0, resign=True) != "resign"


def test_names_of_playhexs_own_bots_are_played_unless_they_are_passed_on(site: Site) -> None:
    assert re.fullmatch("[abc][123]", site.move("b2", 3, "mohex", maxGames=50))
    assert re.fullmatch("[a-d][1-4]", site.move("b2", 4, "katahex", treeSearch=False))
    assert "no such engine here: 'gone'" in site.post(
        "/calculate-move", {"game": {"size": 3, "movesHistory": ""}, "ai": {"engine": "gone"}}, 400
    )


def test_a_bots_word_gets_its_net_its_time_and_little_memory() -> None:
    bot = Bot("mcts:best,simulations=300", "mcts:simulations=7")
    large, small = (spec_of(bot, make_game("hex", size=size), 1.5) for size in (11, 3))
    assert large.net is not None
    assert dict(large.options) == {"simulations": "300", "time_limit": "1.5", "memory": "1.5"}
    assert (small.net, small.options["simulations"]) == (None, "7")
    assert spec_of(Bot("mcts", "mcts"), make_game("hex", size=3), 2.0).options["simulations"]


def test_equal_questions_at_the_same_time_share_a_search(slow: Slow) -> None:
    site = new_site()
    with site.http, ThreadPoolExecutor(3) as asking:
        ask = [asking.submit(site.move, "b2", 3, "slow", seconds=30.0) for _ in range(2)]
        other = asking.submit(site.move, "b1", 3, "slow", seconds=30.0)
        wait_until(lambda: slow.asked == 2)
        slow.may.set()
        assert {each.result(TIMEOUT) for each in [*ask, other]} == {"c3"}
    assert slow.asked == 2
    site.desk.close()


def test_late_games_get_the_first_choice(slow: Slow, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bots, "_MOST_SEARCHES", 2)
    site, game = new_site(), make_game("hex", size=4)
    net = load_net(with_best_net(parse_agent("anet:best"), game).net)  # type: ignore[arg-type]
    with site.http, ThreadPoolExecutor(6) as asking:
        firsts = [f"{letter}{number}" for letter in "abc" for number in (1, 2)]
        found = list(asking.map(lambda first: site.move(first, 4, "slow"), firsts))
    for first, word in zip(firsts, found, strict=True):
        _, state = position_after(4, (first,), False)
        assert word == cell_name(int(np.argmax(net.policy(state))), 4)
    assert slow.asked == 2
    slow.may.set()
    site.desk.close()


def test_many_searches_at_once_share_their_net_and_move_in_time(site: Site) -> None:
    firsts = ["", *(f"{letter}{number}" for letter in "abcd" for number in (1, 2, 3))]
    for _ in range(2):  # with new agents, then with known ones
        with ThreadPoolExecutor(len(firsts)) as asking:
            ask = [asking.submit(site.move, each, 4, "searching", swap=True) for each in firsts]
            for first, word in zip(firsts, ask, strict=True):
                assert stretches_of(4, [*first.split(), word.result(TIMEOUT)], True)
    assert not [line for line in site.log if "failed" in line]


def test_a_search_that_fails_costs_no_game(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("no\nmemory\x1b[31m")

    site = new_site()
    with site.http:
        monkeypatch.setattr("agents.random.RandomAgent.choose_action", fail)
        assert site.move("b2", 3, "broken") in ("a3", "b1", "c2", "b3")
    assert "the search failed, the net moves: RuntimeError('no\\nmemory" in site.log[0]
    assert all(line.isprintable() for line in site.log)
    site.desk.close()


def test_searches_end_at_once_when_the_server_leaves() -> None:
    site = new_site()
    site.desk.leave_when(lambda: True)
    with site.http:
        assert re.fullmatch("[a-e][1-5]", site.move("c3", 5, "judged", seconds=60.0))
    site.desk.close()


class Another(BaseHTTPRequestHandler):
    """Another server, which answers as its engine says."""

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        data = json.loads(body)
        self.server.bodies.append(body)  # type: ignore[attr-defined]
        self.send_response(data["ai"].get("status", 200))
        self.end_headers()
        self.wfile.write(b"d4")

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def test_other_engines_are_passed_on_as_they_came(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "_RETRY_SECONDS", 0.0)
    with HTTPServer(("127.0.0.1", 0), Another) as other:
        other.bodies = []  # type: ignore[attr-defined]
        Thread(target=other.serve_forever).start()
        site = new_site(f"http://127.0.0.1:{other.server_port}/")
        with site.http:
            body = '{"game": {"size": 5,"movesHistory":""}, "ai": {"engine": "mohex", "x": [1]}}'
            assert site.post("/calculate-move", body) == "d4"
            assert other.bodies == [body.encode()]  # type: ignore[attr-defined]
            site.post("/calculate-move", body.replace('"x"', '"status": 500, "x"'), 500)
            assert re.fullmatch("[a-c][1-3]", site.move("", 3, "exact"))
            other.shutdown()
            other.server_close()
            assert "refused" in site.post("/calculate-move", body, 400)
    assert len(other.bodies) == 2  # type: ignore[attr-defined]
    site.desk.close()

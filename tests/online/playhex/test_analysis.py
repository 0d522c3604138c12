"""Analyses of games: every number beside what a naive analysis by the exact judge says."""

import asyncio
import json
import math
import time
from itertools import pairwise
from typing import Any

import pytest

from judge import shared_judge
from online.playhex import analysis
from online.playhex.analysis import Entry, analysed
from online.playhex.bots import best_net
from online.playhex.positions import position_after, stretches_of
from state_manager import make_game
from tests.online.playhex.conftest import new_site

GAMES = {
    "a game": "b2 c3 c2 b3 d1 a3 a4",
    "a swap": "a2 swap-pieces c2 b3 c3",
    "a pass": "a1 pass b2 b3 c2 c1 pass d1",
    "passes at first": "pass pass b2 c2",
}


@pytest.fixture(autouse=True)
def few_simulations(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(analysis, "_SIMULATIONS", (20, 20))
    monkeypatch.setattr("online.playhex.server._SOONEST", 0.0)


def exact_chance(words: list[str]) -> float:
    """Return White's chance by the judge, after all words."""
    has_swap = "swap-pieces" in words
    stretch = stretches_of(4, words, has_swap)[-1]
    state = stretch.game.states_without_swap(stretch.states[-1])
    return float(shared_judge(make_game("hex", size=4)).winner(state) == 2)


@pytest.mark.parametrize("history", GAMES.values(), ids=GAMES)
def test_entries_are_as_playhex_expects_them(history: str) -> None:
    words = history.split()
    entries = analysed(4, words, 0, math.inf)
    assert [each["moveIndex"] for each in entries] == [*range(len(words))]
    assert [each["color"] for each in entries] == (["black", "white"] * len(words))[: len(words)]
    assert [each["move"]["move"] for each in entries] == words
    json.dumps(entries, allow_nan=False)
    for number, entry in enumerate(entries):
        best, chances = entry["bestMoves"], [entry["whiteWin"], entry["move"]["whiteWin"]]
        assert all(0 <= chance <= 1 for chance in chances)
        assert 1 <= len(best) <= 4
        assert len({each["move"] for each in best}) == len(best)
        if words[number] == "pass":
            assert entry["move"]["value"] == 0
            continue
        if number > 1 or "swap-pieces" not in words:
            assert chances == [exact_chance(words[:number]), exact_chance(words[: number + 1])]
            assert best[0]["whiteWin"] == chances[0], "the best move keeps what is certain"
        loss = (chances[1] - best[0]["whiteWin"]) * (1 - 2 * (number % 2))
        assert loss >= 0, "the best move is at least as good as the move played"
        after = exact_chance([*words[:number], best[0]["move"]])
        assert best[0]["whiteWin"] == after or "swap-pieces" in words[: number + 1]
        shares = [each["value"] for each in best[1:] if each["move"] != "swap-pieces"]
        assert shares == sorted(shares, reverse=True)
    for entry, following in pairwise(entries):
        if "pass" not in (entry["move"]["move"], following["move"]["move"]):
            assert entry["move"]["whiteWin"] == following["whiteWin"]


def test_a_swap_is_the_best_move_where_it_wins() -> None:
    entry = analysed(4, ["c2", "d4", "c3"], 0, math.inf)[1]
    assert "swap-pieces" not in json.dumps(entry), "nobody swapped"
    entry = analysed(4, ["c2", "swap-pieces", "d4"], 0, math.inf)[1]
    swap = {"move": "swap-pieces", "value": 0, "whiteWin": entry["move"]["whiteWin"]}
    assert entry["bestMoves"][0] == swap


def test_the_last_move_alone_has_the_entry_of_the_whole_game() -> None:
    for history in GAMES.values():
        words = history.split()
        [last] = analysed(4, words, len(words) - 1, math.inf)
        whole = analysed(4, words, 0, math.inf)[-1]
        assert (last["move"], last["moveIndex"]) == (whole["move"], whole["moveIndex"])


def test_moves_for_which_there_is_too_little_time_have_the_nets_own_values() -> None:
    entries = analysed(4, GAMES["a game"].split(), 0, time.time())
    game = make_game("hex", size=4)
    net: Any = best_net(game)
    for number, entry in enumerate(entries[1:], start=1):
        _, state = position_after(4, tuple(GAMES["a game"].split()[:number]), False)
        assert entry["whiteWin"] == pytest.approx((1 - net.value(state)) / 2, abs=1e-3)
        assert entry["bestMoves"]


def test_a_board_without_a_net_is_judged() -> None:
    entries = analysed(3, ["a1", "b2", "a3"], 0, math.inf)
    assert [each["move"]["whiteWin"] for each in entries] == [1, 1, 1]


def test_analyses_run_in_a_process_of_their_own_and_whatever_fails_is_null() -> None:
    site = new_site()

    def ask(size: Any, history: Any) -> list[Entry] | None:
        found = json.loads(site.post("/analyze-game", {"size": size, "movesHistory": history}))
        assert found is None or isinstance(found, list)
        return found

    with site.http:
        for size, history in ((4, "b2 b2"), (20, "a1 b1"), ("4", "a1"), (4, 7), (4, "x" * 30_000)):
            assert ask(size, history) is None
        assert json.loads(site.post("/analyze-game", "{")) is None
        found = ask(4, GAMES["a swap"])
        assert found is not None
        assert [each["move"]["move"] for each in found] == GAMES["a swap"].split()
        assert ask(4, "") == []
        assert all(line.startswith("no analysis: ") and line.isprintable() for line in site.log)
        site.desk.leave_when(lambda: True)
        assert ask(4, GAMES["a game"]) is None
    site.desk.close()


def test_equal_questions_share_an_analysis_and_few_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    site, asked = new_site(), []

    async def ask() -> list[Any]:
        future: asyncio.Future[list[Entry]] = asyncio.get_running_loop().create_future()
        monkeypatch.setattr(analysis, "process_pool", lambda count: Pool())
        monkeypatch.setattr(asyncio, "wrap_future", lambda each: future)
        games = [site.desk.analyst.game(4, ["a1"]) for _ in range(3)]
        tasks = [asyncio.create_task(each) for each in games]
        await asyncio.sleep(0)
        monkeypatch.setattr(analysis, "_MOST_WAITING", 1)
        assert await site.desk.analyst.game(5, ["a1"]) is None
        future.set_result([{"moveIndex": 0}])
        return await asyncio.gather(*tasks)

    class Pool:
        def submit(self, *job: object) -> None:
            asked.append(job)

        def shutdown(self, kill_workers: bool) -> None: ...

    assert asyncio.run(ask()) == [[{"moveIndex": 0}]] * 3
    assert len(asked) == 2  # with that of the priority
    assert site.log == ["no analysis: too many wait"]
    site.desk.close()

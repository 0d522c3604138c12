"""Requests of the page to the server: positions, moves, evaluations, files."""

import re
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agents import parse_agent
from base.params import DisplayParams
from judge import Judge
from mcts.tree_memory import memory_share
from state_manager import NodeLimitError, State, game_names, make_game
from tests.web.conftest import NETS, SEARCH, Post, hex_game, position
from web.play.evaluations import MoveRequest
from web.play.reviewing import ReviewRequest, review
from web.server.agent_pool import AgentPool, Deadline
from web.server.positions import position as show_position
from web.server.requests import RequestError


@pytest.mark.parametrize("name", game_names())
def test_every_position_of_a_game_can_be_shown_and_played_on(name: str, post: Post) -> None:
    rng, actions = np.random.default_rng(1), list[int]()
    about = post("catalogue", game={"name": name})["game"]
    while True:
        view = post("position", position={"game": about, "actions": actions})
        assert len(view["cells"]) == view["rows"] * view["columns"]
        assert len(view["history"]) == len(actions)
        if view["winner"]:
            break
        cells = [tuple(move["cells"]) for move in view["moves"]]
        assert len(set(cells)) == len(cells), "a click identifies one move"
        actions.append(int(rng.choice([move["action"] for move in view["moves"]])))
    assert view["moves"] == []


def test_pages_set_the_time_of_an_agent_that_is_given(pool: AgentPool, tmp_path: Path) -> None:
    given = f"mcts:{shutil.copy(NETS / 'hex-4' / 'anet_03584.pt', tmp_path)},simulations=20"
    own, game = AgentPool(pool.params, given=[given]), make_game("hex", size=4)
    for word in (given, given.replace("=20", "=1000000,time_limit=1")):
        with own.agent(parse_agent(word), game, Deadline()) as agent:
            assert agent.search is not None
    other_net = given.removesuffix(",simulations=20") + "x"
    for word, message in (
        (f"{given},exploration=2", "expected a net below"),
        (other_net, "expected a net below"),
        (f"{given}0000000", "at most 1000000 simulations"),
    ):
        with pytest.raises(RequestError, match=message):
            own.agent(parse_agent(word), game, Deadline()).__enter__()


@pytest.mark.parametrize(
    ("agent", "seconds", "clock", "timed"),
    [
        ("mcts:best,judge=true,simulations=9,time_limit=3", None, None, None),
        ("mcts:best,time_limit=3", None, 3.5, None),
        ("mcts:best,time_limit=3", None, 2.9, 1.0),
        ("mcts:best,time_limit=3", None, 0.9, 0.1),
        ("mcts:best,simulations=9", None, 0.1, None),
        ("best", 10.0, None, 10.0),
        ("mcts", 10.0, 4.0, 1.0),
        ("random", 10.0, 4.0, None),
    ],
)
def test_a_move_has_the_time_that_the_page_gives_within_the_clock(
    agent: str, seconds: float | None, clock: float | None, timed: float | None
) -> None:
    question: dict[str, Any] = {"position": {}, "agent": agent, "seconds": seconds, "clock": clock}
    spec, given = MoveRequest.model_validate(question).spec(), parse_agent(agent)
    effort = {} if timed is None else {"simulations": 1_000_000, "time_limit": timed}
    assert spec == given.with_options(**effort)


def test_the_page_takes_the_notation_of_the_parameters(pool: AgentPool) -> None:
    params = pool.params.model_copy(update={"display": DisplayParams(notation="course")})
    course = AgentPool(params)
    request = ReviewRequest.model_validate({"position": {**position(), "actions": (1, 0)}})
    view = show_position(course, request, Deadline())
    assert (view["row_names"], view["column_names"]) == (["0", "1", "2"], ["0", "1", "2"])
    assert view["history"] == ["(0, 1)", "(0, 0)"]
    assert review(course, request, Deadline())["name"] == "(0, 0)"


def catalogue(post: Post, size: int, **more: Any) -> Any:
    return post("catalogue", game=hex_game(size, **more))


def test_the_catalogue_has_levels_with_their_ratings(post: Post) -> None:
    with_net, without = (catalogue(post, size) for size in (5, 3))
    assert (with_net["analyst"], without["analyst"]) == ("mcts:best", "mcts")
    bare = {"title": "The bare net", "agent": "", "note": "no net for this board", "elo": None}
    assert without["levels"][-1] == bare
    assert without["levels"][-2]["title"] == "Full strength"
    elo = [level["elo"] for level in with_net["levels"]]
    assert elo[0] == [0, 0, 0]
    assert all(low <= middle <= high for middle, low, high in elo)
    assert without["given"] == ["engine:true"]
    assert {level["note"] for level in (*with_net["levels"], *without["levels"][:-1])} == {""}
    learned, borrowed = (catalogue(post, size) for size in (11, 16))
    assert (learned["analyst_title"], learned["levels"][-1]["note"]) == ("the best net", "")
    assert borrowed["analyst_title"] == "14x14 net"
    notes = {level["title"]: level["note"] for level in borrowed["levels"]}
    assert (notes["Random moves"], notes["Full strength"]) == ("", "14x14 net")


def test_the_catalogue_has_the_nets_of_runs_for_the_board(pool: AgentPool, post: Post) -> None:
    nets = catalogue(post, 5)["nets"]
    episodes = [net["episode"] for net in nets if net["run"] == "hex-5"]
    assert episodes == ["0", "50", "100", "150", "200"]
    for size, run, decides in ((5, "hex-5", False), (7, "hex-7-further", True)):
        plain, swap = (catalogue(post, size, swap=each) for each in (False, True))
        assert [each["elo"] for each in swap["levels"]] == [each["elo"] for each in plain["levels"]]
        runs = {each["run"] for each in swap["nets"]}
        assert (run in runs) == decides, "a critic decides the swap"
    shutil.copytree(NETS / "hex-4", pool.runs / "mine")
    for name, text in (("broken", "game: ["), ("begun", (NETS / "hex-4/params.yaml").read_text())):
        (pool.runs / name).mkdir()
        (pool.runs / name / "params.yaml").write_text(text)
    nets = catalogue(post, 4)["nets"]
    (net_file,) = (NETS / "hex-4").glob("*.pt")
    episode = net_file.stem.removeprefix("anet_").lstrip("0")
    assert [(net["run"], net["episode"]) for net in nets] == [("hex-4", episode), ("mine", episode)]
    move = post("move", position=position(size=4), agent=f"anet:{nets[1]['net']}")
    assert move["action"] in range(16)


@pytest.mark.parametrize("agent", ["random", "exact", SEARCH, "nrpa:level=1,iterations=5"])
def test_agents_return_a_legal_move(post: Post, agent: str) -> None:
    assert list(post("prepare", position=position(4), agent=agent)) == ["agent"]
    assert post("move", position=position(4), agent=agent)["action"] in {0, 1, 2, 3, 5, 6, 7, 8}


def test_with_the_swap_rule_a_strong_first_stone_is_taken_over(post: Post) -> None:
    def after(*actions: int, size: int = 3) -> dict[str, Any]:
        return position(*actions, game=hex_game(size, swap=True))

    assert post("move", position=after(4), agent=SEARCH)["name"] == "swap"
    assert post("move", position=after(0), agent=SEARCH)["name"] != "swap"
    opening = post("move", position=after(size=4), agent="anet:best")
    assert opening["name"] != post("move", position=position(size=4), agent="anet:best")["name"]
    policy = post("policy", position=after(6, size=4))["policy"]
    assert max(policy, key=policy.__getitem__) == "16"


def test_policy_and_visits_are_returned_for_each_action(post: Post) -> None:
    policy = post("policy", position=position(5, size=4))
    assert sum(policy["policy"].values()) == pytest.approx(1, abs=0.1)
    assert policy["net"] == next((NETS / "hex-4").glob("*.pt")).stem
    found = post("search", position=position(4), agent="mcts", simulations=200)
    assert sum(found["visits"].values()) == pytest.approx(1, abs=0.05)
    assert found["line"][0] == found["action"]
    assert found["value"] > 0, "red has the centre"
    gumbel = "mcts:best,tree_policy=gumbel"
    gumbel = post("search", position=position(size=4), agent=gumbel, simulations=20)
    assert gumbel["line"][0] == gumbel["action"]
    assert {*gumbel["visits"]} == {*gumbel["values"]}, "what was visited"


HINT = {"agent": "mcts:best", "simulations": 200, "seconds": 20.0}


def test_a_hint_is_the_likeliest_proven_move(post: Post) -> None:
    for moves in ((), (0,)):
        where = position(*moves, size=5)
        keep = post("judge", position=where, seconds=20.0)["keep"]
        hint = post("hint", position=where, **HINT)
        policy = post("policy", position=where)["policy"]
        assert hint["action"] == max(keep, key=lambda each: policy.get(str(each), 0.0))
        assert f" {len(keep)} of {25 - len(moves)} moves keep the win, for certain" in hint["words"]
    assert post("hint", position=position(size=5), **HINT)["words"].startswith("c3: red wins: 13 ")


@pytest.mark.parametrize("moves", [(), (60,), (60, 62, 36, 50)])
def test_an_unproven_hint_says_what_the_search_expects(post: Post, moves: tuple[int, ...]) -> None:
    question = HINT | {"seconds": 0.1, "position": position(*moves, size=11)}
    hint = post("hint", **question)
    found = re.fullmatch(
        r"(\w+): a search gives (red|black) (\d+) % with it, and expects ([\w ]+)"
        r"(?:; next best: (\w+), \d+ %)?\. Not proven: .*",
        hint["words"],
    )
    assert found is not None, hint["words"]
    name, player, chance, line, other = found.groups()
    assert player == ("red", "black")[len(moves) % 2]
    assert 0 < int(chance) < 100
    assert line.split()[0] == name != other
    assert hint["line"][0] == hint["action"]


def test_a_hint_proves_the_move_of_the_search_if_the_judge_runs_out_of_time(
    post: Post, monkeypatch: pytest.MonkeyPatch
) -> None:
    def best_actions(judge: Judge, state: State, seconds: float) -> None:
        raise NodeLimitError("there are too many")

    monkeypatch.setattr(Judge, "best_actions", best_actions)
    hint = post("hint", position=position(size=5), **HINT)
    assert hint["words"] == "c3: this wins, for certain; too little time to find every such move."
    judged = post("judge", position=position(size=5))
    assert (judged["keep"], judged["is_whole"]) == ([12], False)
    assert judged["words"] == "red wins with c3; too little time to find every such move"


def test_agents_share_the_memory_that_a_run_may_take(pool: AgentPool) -> None:
    with pool.agent(parse_agent("mcts"), make_game("hex", size=3), Deadline()) as agent:
        assert agent.search is not None
        assert agent.search.memory == pytest.approx(memory_share(None, 12), abs=1)


# . R .    three red stones and a black one; black is to move, and cannot stop both a2 and b2
#  . . R
#   R B .
CELLS = [0, 1, 0, 0, 0, 1, 1, 2, 0]


def test_agents_and_an_explanation_know_the_stones_that_are_set_up(post: Post) -> None:
    where = position(start=2, setup=CELLS)
    for agent in ("random", "exact", "mcts:simulations=20,judge=true"):
        assert post("move", position=where, agent=agent)["action"] in {0, 2, 3, 4, 8}
    found = post("explain", position=where, agent="mcts:simulations=9", simulations=3)
    assert found["view"]["cells"] == CELLS
    assert len(found["processes"]) == 4
    assert found["steps"][-1]["simulation"] == 3
    assert all(step["words"] and step["board"]["cells"][1] == 1 for step in found["steps"])

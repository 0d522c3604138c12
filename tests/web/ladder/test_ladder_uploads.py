"""Nets that clients add to the ladder: checked before they are kept, and limited."""

import pickle
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from tests.web.conftest import THREE, Post, in_base64
from tests.web.ladder.test_ladder import Here, folder, games, play_all, played, save_net
from web.ladder.ladder import Ladder
from web.server.access_control import AccessControl
from web.server.agent_pool import AgentPool
from web.server.app import create_app
from web.server.requests import RequestError

__all__ = ["folder"]  # a fixture


@pytest.fixture
def open_ladder(folder: Path) -> Ladder:
    """Return the ladder of a folder to which clients may add nets."""
    ladder = played(folder, Here())
    ladder.takes_nets = True
    return ladder


def test_a_net_that_a_client_adds_plays_next_round(open_ladder: Ladder, tmp_path: Path) -> None:
    for seed in (11, 12):
        data = save_net(tmp_path / "any.pt", seed).read_bytes()
        assert open_ladder.add(" Bj\u00f8rn ", data, "a") == f"Bj\u00f8rn-{seed - 10}"
    play_all(open_ladder)
    assert set(games(open_ladder).values()) == {8 * 4}
    assert {"Bj\u00f8rn-1", "Bj\u00f8rn-2"} < games(open_ladder).keys()


@pytest.mark.parametrize(
    ("name", "what", "match"),
    [
        ("Zoe", "other board", r"expected a net for hex\(size=3\), got one for hex\(size=4\)"),
        ("Zoe", "known", "the same net as Ada"),
        ("Zoe", "damaged", "corrupted"),
        ("Zoe", "code", "not a checkpoint"),
        ("Zoe", "nothing", "not a checkpoint"),
        *((name, "good", "name: expected") for name in ("", "../x", "a/b", ".x", "-x", "a b")),
        *((name, "good", "name: expected") for name in ("<b>", "x.pt", "x\0", "x\u202e", "x" * 21)),
    ],
)
def test_a_net_that_cannot_play_is_refused_with_the_reason_and_leaves_no_file(
    open_ladder: Ladder, folder: Path, tmp_path: Path, name: str, what: str, match: str
) -> None:
    good = save_net(tmp_path / "any.pt", 11, 4 if what == "other board" else 3).read_bytes()
    data = {"damaged": good[:-9], "code": pickle.dumps(print), "nothing": b""}
    data |= {"known": (folder / "Ada.pt").read_bytes()}
    before = {*tmp_path.rglob("*")}
    with pytest.raises(RequestError, match=match) as refused:
        open_ladder.add(name, data.get(what, good), "a")
    assert str(folder) not in str(refused.value)
    assert {*tmp_path.rglob("*")} == before


def test_nets_of_clients_are_limited_and_taken_only_where_the_server_allows_it(
    open_ladder: Ladder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = save_net(tmp_path / "any.pt", 11).read_bytes()
    for _ in range(20):
        with pytest.raises(RequestError, match="cannot play"):
            open_ladder.add("Zoe", b"", "a")
    with pytest.raises(RequestError, match="too many nets"):
        open_ladder.add("Zoe", data, "a")
    assert open_ladder.add("Zoe", data, "b") == "Zoe-1", "another client"
    monkeypatch.setattr("web.ladder.ladder._MOST_NETS", 4)
    with pytest.raises(RequestError, match="full"):
        open_ladder.add("Zoe", save_net(tmp_path / "any.pt", 12).read_bytes(), "b")
    open_ladder.takes_nets = False
    with pytest.raises(RequestError, match="--uploads"):
        open_ladder.add("Zoe", data, "b")


def test_the_requests_for_the_ladder_are_checked(
    post: Post,
    pool: AgentPool,
    open_ladder: Ladder,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pool.ladder = open_ladder
    shown = post("ladder")
    assert shown["rows"] == open_ladder.shown["rows"]
    assert post("ladder", version=shown["version"]) == {"version": shown["version"]}
    nets = [row["id"] for row in shown["rows"]][:2]
    found = post("ladder_games", nets=nets)
    assert (found["game"], len(found["games"])) == (THREE, 8)
    assert {*found["nets"]} == {row["name"] for row in shown["rows"][:2]}
    for wrong in ([], nets[:1], ["../x", nets[0]], [nets[0], nets[0]], [nets[0], "0" * 64]):
        post("ladder_games", 400, nets=wrong)
    data = save_net(tmp_path / "any.pt", 11).read_bytes()
    assert post("add_net", name="Zoe", file=in_base64(data)) == {"name": "Zoe-1"}
    post("add_net", 400, name="Zoe", file="!")
    post("add_net", 400, name="Zoe", file="")
    post("add_net", 400, name="x" * 5000, file=in_base64(data))
    post("add_net", 413, name="Zoe", file="A" * 23_000_000)
    post("table", 413, token="A" * 1_100_000)
    monkeypatch.setattr("web.server.app._MOST_UPLOADS", 0)
    full = TestClient(create_app(pool, AccessControl(), THREE), base_url="http://localhost")
    assert full.post("/api/add_net", json={"name": "Zoe", "file": "!"}).status_code == 503
    assert full.post("/api/ladder", json={}).status_code == 200
    pool.ladder = None

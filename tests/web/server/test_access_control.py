"""Hostile messages: each gets one line and the status of a client or a server error."""

import json
import urllib.request
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from tests.project import TIMEOUT
from tests.web.conftest import NETS, THREE, Post, position
from tests.web.program import Server
from web.server.access_control import AccessControl
from web.server.agent_pool import AgentPool
from web.server.app import create_app

BODY = json.dumps({"position": position(4)})
JSON = {"content-type": "application/json"}


@pytest.mark.parametrize(
    "body",
    [
        *("", "[" * 100_000, json.dumps({"position": {"actions": [*range(600)]}})),
        json.dumps({"position": {"game": {"name": "ledge", "params": {"board": [5] * 999}}}}),
        b'{"position": {"game": {"name": "\xff"}}}',
    ],
)
def test_a_malformed_request_is_refused(client: TestClient, body: str | bytes) -> None:
    response = client.post("/api/position", content=body, headers=JSON)
    words = response.json()["error"]
    assert (response.status_code, 0 < len(words) <= 300, "\n" in words) == (400, True, False)


def test_a_net_elsewhere_is_refused_even_through_a_link(pool: AgentPool, post: Post) -> None:
    link = pool.runs / "anet_1.pt"
    link.symlink_to(Path(__file__))
    for net in (str(link), str(Path(__file__)), str(NETS / "best.yaml"), "nets\0.pt"):
        post("policy", 400, position=position(4, size=4), net=net)


def test_an_agent_of_the_command_line_runs_commands_and_other_words_are_limited(post: Post) -> None:
    assert "true" in post("move", 400, position=position(4), agent="engine:true")
    for what in ("move", "prepare"):
        post(what, 400, position=position(4), agent="x" * 1000)


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        *(({"host": host}, 421) for host in ("evil.example", "", "[")),
        *(({"host": host}, 200) for host in ("127.0.0.1:8765", "[::1]:8765")),
        *(({"origin": f"http://{origin}"}, 403) for origin in ("evil.example", "localhost:1", "[")),
        *(({"origin": "null"}, 403), ({"sec-fetch-site": "cross-site"}, 403)),
        ({"content-type": "text/plain"}, 415),
        ({"origin": "http://localhost", "sec-fetch-site": "same-origin"}, 200),
    ],
)
def test_other_origins_are_refused(
    client: TestClient, headers: dict[str, str], status: int
) -> None:
    response = client.post("/api/position", content=BODY, headers=JSON | headers)
    assert response.status_code == status


@pytest.mark.parametrize(
    ("request_line", "status"),
    [
        *(("GET /api/position", 405), ("POST /api/nothing", 404), ("POST /api/../server", 404)),
        *(("GET /static/../server.py", 404), ("GET /static/%2e%2e/server.py", 404)),
        *(("GET /elsewhere", 404), ("GET /static/board/board.js", 200)),
    ],
)
def test_other_paths_are_refused(client: TestClient, request_line: str, status: int) -> None:
    method, path = request_line.split()
    assert client.request(method, path, headers=JSON).status_code == status


def test_a_huge_message_is_not_read_to_its_end(client: TestClient) -> None:
    response = client.post("/api/position", content=b" " * 2_000_000, headers=JSON)
    assert (response.status_code, "bytes" in response.json()["error"]) == (413, True)


def test_the_page_may_load_nothing_from_elsewhere(client: TestClient) -> None:
    page = client.get("/")
    policy = "default-src 'none'; script-src 'self'"
    assert page.headers["content-security-policy"].startswith(policy)
    assert "http" not in page.text
    assert json.dumps(THREE).replace('"', "&quot;") in page.text


ACCESS = AccessControl.for_host("0.0.0.0")


@pytest.fixture
def public(pool: AgentPool) -> TestClient:
    """Return a client of a server that other machines reach."""
    app = create_app(pool, ACCESS, THREE)
    return TestClient(app, base_url="http://box.example:8765", follow_redirects=False)


def test_a_public_server_refuses_requests_without_the_token(public: TestClient) -> None:
    assert ACCESS.token != AccessControl.for_host("0.0.0.0").token
    for path in ("/", "/?token=", "/?token=wrong", "/static/board/board.js"):
        assert public.get(path).status_code == 401
    assert public.post("/api/position", content=BODY, headers=JSON).status_code == 401
    assert public.get("/", headers={"cookie": "hex_token=wrong; ;=;"}).status_code == 401
    response = public.get(f"/?token={ACCESS.token}")
    assert (response.status_code, response.headers["location"]) == (303, "/")
    cookie = response.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=lax" in cookie, "links work wherever clicked"
    assert public.get("/").status_code == 200
    assert public.post("/api/position", content=BODY, headers=JSON).status_code == 200


def test_two_servers_of_one_host_do_not_log_each_other_out(pool: AgentPool) -> None:
    doors = [AccessControl.for_host("0.0.0.0") for _ in range(2)]
    jar = {}  # of a browser, which does not tell ports apart
    for door in doors:
        client = TestClient(create_app(pool, door, THREE), follow_redirects=False)
        given = client.get(f"/?token={door.token}").headers["set-cookie"]
        name, _, value = given.partition(";")[0].partition("=")
        jar[name] = value
    cookie = {"cookie": "; ".join(f"{name}={value}" for name, value in jar.items())}
    for door in doors:
        client = TestClient(create_app(pool, door, THREE))
        assert client.get("/", headers=cookie).status_code == 200


@pytest.mark.parametrize(
    "cookies",
    [
        *("NAME=RIGHT", ' NAME = RIGHT ; prefs={"a":1}', 'prefs={"a":1}; NAME=RIGHT;'),
        *('a="open; NAME=RIGHT', "a=b=c; name with blanks=1; bare; NAME=RIGHT"),
        *("=; ;;=x; NAME=RIGHT", "a[1]=(2,3); NAME=RIGHT; a@b:/=?", "é=ü; NAME=RIGHT"),
        *("$Version=1; NAME=RIGHT", "expires=Mon, 1 Jan 2024; NAME=RIGHT; a\\=1"),
        *("hex_token=wrong; NAME=RIGHT", "NAME=RIGHT; hex_token="),
    ],
)
def test_cookies_of_other_programs_do_not_matter(public: TestClient, cookies: str) -> None:
    cookies = cookies.replace("NAME", ACCESS.cookie)
    for value in (ACCESS.token, "WRONG", "", f"{ACCESS.token}x", ACCESS.token.swapcase()):
        given = {b"cookie": cookies.replace("RIGHT", value).encode()}
        expected = 200 if value == ACCESS.token else 401
        assert public.get("/", headers=given).status_code == expected


@pytest.mark.parametrize("path", ["/api/position/", "/static", "/api/x/"])
@pytest.mark.parametrize("host", ["localhost", "0.0.0.0"])
def test_no_response_redirects_to_the_host_it_names(pool: AgentPool, host: str, path: str) -> None:
    access = AccessControl.for_host(host)
    headers = {"host": "evil.example" if access.token else "localhost:1"}
    headers |= {"cookie": f"{access.cookie}={access.token}"}
    client = TestClient(create_app(pool, access, THREE), follow_redirects=False)
    response = client.get(path, headers=headers)
    assert (response.status_code, "location" in response.headers) == (404, False)


def test_an_internal_error_is_reported_without_details(
    client: TestClient, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*given: Any) -> None:
        raise ZeroDivisionError("secret")

    monkeypatch.setattr("web.server.positions.view_of", fail)
    response = client.post("/api/position", content=BODY, headers=JSON)
    assert response.status_code == 500
    assert response.json() == {"error": "the server failed: ZeroDivisionError"}
    assert "secret" in caplog.text


def test_the_cookies_of_many_other_programs_are_accepted(server: Server) -> None:
    cookies = "; ".join(f"other{number}={'x' * 4000}" for number in range(50))
    request = urllib.request.Request(server.link, headers={"Cookie": cookies})
    with urllib.request.urlopen(request, timeout=TIMEOUT) as response:
        assert response.status == 200

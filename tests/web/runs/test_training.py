"""The training that a page starts in the server."""

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import expect
from starlette.testclient import TestClient

from base.storage import is_locked, locked, read_jsonl
from rl import holds_run
from tests.project import TIMEOUT, wait_until
from tests.web.conftest import THREE
from tests.web.pages import status
from tests.web.program import Open, Server
from web.server.access_control import AccessControl
from web.server.agent_pool import AgentPool
from web.server.app import create_app
from web.server.requests import RequestError
from web.runs.training import Training


@pytest.mark.skipif(sys.platform == "win32", reason="a process cannot be asked to end there")
def test_one_training_runs_at_a_time_and_ends_with_the_server(tmp_path: Path) -> None:
    server = Server(tmp_path)
    run = tmp_path / "runs" / server.post("training", wanted=True)["run"]
    assert server.post("runs")["training"] == run.name
    with pytest.raises(OSError, match="400"):
        server.post("training", wanted=True)
    wait_until(lambda: bool(read_jsonl(run / "metrics.jsonl")))
    assert is_locked(run / ".lock")
    server.process.send_signal(signal.SIGTERM)
    assert server.process.wait(TIMEOUT) == 128 + signal.SIGTERM
    server.kill()
    assert not (run / ".lock").exists(), "the process is gone, and has removed its lock"
    assert holds_run(run)
    assert (run / "training.png").exists(), "it ended as after Ctrl-C"


def test_a_training_that_fails_at_once_is_reported(tmp_path: Path) -> None:
    file = tmp_path / "runs"
    file.touch()
    training = Training(file)
    with pytest.raises(RequestError, match=r"has ended: main\.py train: .*runs") as caught:
        training.start(lambda: False)
    assert "\n" not in str(caught.value)
    assert training.name == ""
    training.stop()


def test_a_stranger_starts_no_training(pool: AgentPool, tmp_path: Path) -> None:
    own = AgentPool(pool.params, tmp_path)
    for access, url, wanted, refused in (
        (AccessControl("secret"), "http://elsewhere", {}, 401),
        (AccessControl(), "http://evil.example", {}, 421),
        (AccessControl(), "http://localhost", {"words": ["rl.episodes=9"]}, 400),
    ):
        client = TestClient(create_app(own, access, THREE), base_url=url)
        response = client.post("/api/training", json={"wanted": True, **wanted})
        assert response.status_code == refused
    assert own.training.name == ""
    assert list(tmp_path.iterdir()) == []


def test_without_a_run_the_page_starts_one_and_stops_it(open_page: Open, server: Server) -> None:
    runs = server.folder / "runs"
    (server.folder / "elsewhere").mkdir()
    for other in [each for each in runs.glob("*") if each.is_dir()]:
        other.rename(server.folder / "elsewhere" / other.name)
    page = open_page("#watch")
    expect(page.locator("#watch h2").first).to_have_text("No run yet")
    page.get_by_role("button", name="Start a small training").click()
    expect(status(page)).to_contain_text("Episode ")
    (run,) = runs.glob("page-*")
    assert page.url.endswith(f"#watch/{run.name}")
    headline = page.locator("[aria-label='The run'] p.soft").nth(1)
    expect(headline).to_contain_text(" of 400")
    page.get_by_role("button", name="Stop the small training").click()
    expect(headline).to_contain_text("stopped ")
    expect(page.get_by_role("button", name="Start a small training")).to_be_enabled()
    assert not (run / ".lock").exists()
    (run / ".lock").touch()
    expect(headline).to_contain_text("crashed ")
    (run / ".lock").unlink()


def test_a_run_that_starts_later_is_shown_unless_one_was(open_page: Open, server: Server) -> None:
    @contextmanager
    def training(name: str) -> Iterator[None]:
        run = server.folder / "runs" / name
        run.mkdir(parents=True)
        with locked(run / ".lock"):
            (run / "params.yaml").write_text("game: {name: hex, size: 3}\nrl: {episodes: 9}\n")
            yield

    with training("ended"):
        pass
    page = open_page("#watch", fresh=True)
    page.evaluate("() => { const now = Date.now; Date.now = () => 20 * now(); }")
    shown = page.get_by_label("Run", exact=True)
    names = shown.locator("option")
    expect(names.filter(has_text="ended")).to_be_attached()
    with training("first"):
        expect(shown).to_have_value("first")
        expect(names.filter(has_text="● first")).to_be_attached()
    shown.select_option("ended")
    shown.focus()
    with training("second"):
        expect(names.filter(has_text="● second")).to_be_attached()
        expect(shown).to_have_value("ended")

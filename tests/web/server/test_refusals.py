"""Requests that are refused: ``refusals.txt`` has each, and below it the answer.

``python -m tests.web.server.test_refusals`` writes the answers anew.
"""

from __future__ import annotations

from pathlib import Path
from tempfile import mkdtemp

import pytest
from starlette.testclient import TestClient

from base.params import GameParams, Params, Section
from web.server.access_control import AccessControl
from web.server.agent_pool import AgentPool
from web.server.app import create_app

TABLE = Path(__file__).with_name("refusals.txt")
CASES = [each.split("\n")[:2] for each in TABLE.read_text("utf-8").strip().split("\n\n")]


def answer(client: TestClient, question: str) -> str:
    """Return the line with which a request in a line, its name first, is refused."""
    name, _, body = question.partition(" ")
    headers = {"content-type": "application/json"}
    response = client.post(f"/api/{name}", content=body, headers=headers)
    error: str = response.json()["error"]
    assert (response.status_code, "\n" in error, 0 < len(error) <= 300) == (400, False, True)
    return f"  {error}"


@pytest.mark.parametrize(("question", "error"), CASES, ids=[question[:60] for question, _ in CASES])
def test_a_request_is_refused_in_a_line(client: TestClient, question: str, error: str) -> None:
    assert answer(client, question) == error


if __name__ == "__main__":
    pool = AgentPool(
        Params(game=GameParams(name="hex", options=Section())), Path(mkdtemp()) / "runs"
    )
    new = TestClient(create_app(pool, AccessControl(), {}), base_url="http://localhost")
    cases = [f"{question}\n{answer(new, question)}\n" for question, _ in CASES]
    TABLE.write_text("\n".join(cases), "utf-8")

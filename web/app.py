"""The server of the page: static files, and requests posted as JSON."""

from __future__ import annotations

import asyncio
import importlib
import json
import logging
import os
import traceback
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from html import escape
from pathlib import Path
from typing import Any, get_type_hints

from pydantic import ValidationError
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from base.storage import printable
from web.access_control import Door
from web.agent_pool import Answer, House, Patience
from web.requests import AskError

QUICK = {
    "catalogue": "web.catalogue:catalogue",
    "position": "web.positions:position",
    "policy": "web.moves:policy",
    "read_sgf": "web.sgf_tree:read_sgf",
    "write_sgf": "web.sgf_tree:write_sgf",
    "runs": "web.watch:runs",
    "run": "web.watch:run",
    "run_game": "web.watch:run_game",
}
"""Requests that are handled at once. Each names a function of a ``House``, an ``Asked`` and a
``Patience``. The function is imported at its first use and returns data for JSON."""
THINKING = {
    "explain": "web.search_steps:explain",
    "move": "web.moves:move",
    "search": "web.moves:search",
    "judge": "web.judging:judge",
    "hint": "web.hints:hint",
    "review": "web.reviewing:review",
}
"""Requests that take time: a few run in parallel, the others wait in a queue."""

_STATIC = Path(__file__).parent / "static"
_MOST_BYTES = 1_000_000
_MOST_WAITING = 400
_LOOK_AROUND = 0.25
"""Seconds between checks for a disconnected client."""


def create_app(house: House, door: Door, first_game: Mapping[str, Any]) -> Starlette:
    """Return the application.

    Args:
        house: The agents.
        door: Access control.
        first_game: Name and parameters of the first game on a page.
    """
    desks = {
        **dict.fromkeys(QUICK, _Desk(house, 4)),
        **dict.fromkeys(THINKING, _Desk(house, max(2, os.cpu_count() or 2))),
    }

    async def page(request: Request) -> Response:
        text = (_STATIC / "page.html").read_text(encoding="utf-8")
        return HTMLResponse(text.replace("GAME", escape(json.dumps(first_game)), 1))

    async def ask(request: Request) -> Response:
        name = request.path_params["name"]
        if name not in desks:
            return refusal(404, f"expected a question ({', '.join(desks)})")
        try:
            return await desks[name].answer({**QUICK, **THINKING}[name], request)
        except ClientDisconnect:
            return Response(status_code=499)

    routes = [
        Route("/", page),
        Route("/api/{name}", ask, methods=["POST"]),
        Mount("/static", StaticFiles(directory=_STATIC)),
    ]
    middleware = [Middleware(lambda app: door.guarding(app)), Middleware(GZipMiddleware)]
    app = Starlette(routes=routes, middleware=middleware)
    app.router.redirect_slashes = False  # it would redirect to the host named in the request
    return app


class _Desk:
    """A pool of threads that handle requests, and its queue."""

    def __init__(self, house: House, threads: int) -> None:
        self._house, self._waiting = house, 0
        self._pool = ThreadPoolExecutor(threads, "page")

    async def answer(self, function: str, request: Request) -> Response:
        """Handle a request; cancel when the client disconnects."""
        body = b""
        async for part in request.stream():
            body += part
            if len(body) > _MOST_BYTES:
                return refusal(413, f"expected at most {_MOST_BYTES} bytes")
        if self._waiting >= _MOST_WAITING:
            return refusal(503, "too many questions at once, try again")
        patience, loop = Patience(), asyncio.get_running_loop()
        self._waiting += 1
        try:
            work = loop.run_in_executor(self._pool, _answer, function, self._house, body, patience)
            while not (await asyncio.wait([work], timeout=_LOOK_AROUND))[0]:
                if await request.is_disconnected():
                    patience.end()
            return await work
        finally:
            patience.end()
            self._waiting -= 1


def _answer(name: str, house: House, body: bytes, patience: Patience) -> Response:
    """Handle a request with the named function; errors become one line."""
    from agents.spec import AgentError
    from base.params import ParamsError
    from base.storage import FileError
    from formats.sgf import SgfError
    from state_manager import GameError

    if patience.is_over():
        return refusal(503, "nobody waits for the answer")
    patience.begin()
    module, _, attribute = name.partition(":")
    try:
        function: Answer = getattr(importlib.import_module(module), attribute)
        model: Any = get_type_hints(function)["asked"]
        answer = function(house, model.model_validate_json(body), patience)
        # In ASCII: names of files may hold lone surrogates, which UTF-8 cannot encode.
        return Response(json.dumps(answer, allow_nan=False), media_type="application/json")
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        return refusal(400, f"{where}: {first['msg']}" if where else first["msg"])
    except (AskError, AgentError, FileError, GameError, OSError, ParamsError, SgfError) as error:
        return refusal(400, str(error).partition("\n")[0])
    except Exception as error:
        logging.getLogger(__name__).error("%s", traceback.format_exc())
        return refusal(500, f"the server failed: {type(error).__name__}")


def refusal(status: int, words: str) -> Response:
    """Return an error response with one line of text."""
    return JSONResponse({"error": printable(words, 300)}, status)

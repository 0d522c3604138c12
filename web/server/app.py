"""The server of the page: static files, and requests posted as JSON."""

import asyncio
import json
import logging
import os
import re
import traceback
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from html import escape
from pathlib import Path
from posixpath import dirname, normpath
from typing import Any, get_type_hints

import uvicorn
from pydantic import ValidationError
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from base.project import is_own_error
from web.friends import requests as friends
from web.ladder import requests as ladder
from web.play import catalogue, evaluations, puzzles, reviewing
from web.play.sgf_tree import read_sgf, write_sgf
from web.runs import watch
from web.server import positions
from web.server.access_control import AccessControl
from web.server.agent_pool import AgentPool, Deadline
from web.server.requests import PageRequest, mistake_in, refusal

Respond = Callable[[AgentPool, Any, Deadline], dict[str, Any]]
"""Returns data for JSON. It is given the agent pool, the checked request and its deadline."""
Requests = dict[str, tuple[type[PageRequest], Respond]]
"""By the name of its function, the fields of each request and the function."""


def _named(*functions: Respond) -> Requests:
    return {each.__name__: (get_type_hints(each)["request"], each) for each in functions}


QUICK = _named(
    *(catalogue.catalogue, positions.position, evaluations.policy, evaluations.openings),
    *(puzzles.puzzle, read_sgf, write_sgf, watch.runs, watch.run, watch.run_game),
    *(friends.new_table, friends.table, friends.table_action, friends.room, friends.lobby),
    *(friends.join_table, friends.own_tables, ladder.ladder, ladder.ladder_games),
)
"""Requests that are handled at once."""
THINKING = _named(
    *(evaluations.explain, evaluations.prepare, evaluations.move, evaluations.search),
    *(evaluations.judge, evaluations.hint, reviewing.review, reviewing.reviews, reviewing.sketch),
    *(reviewing.finish, watch.training),
)
"""Requests that take time: a few run in parallel, the others wait in a queue."""
UPLOADS = _named(ladder.add_net)
"""Large requests, which take room in memory: a few are read, and one at a time is handled."""

_STATIC = Path(__file__).parents[1] / "static"
_MOST_CONNECTIONS, _MOST_WAITING, _MOST_UPLOADS = 1000, 400, 4
_HEAD_BYTES = 1 << 18
"""Limit of a request's head; leaves room for the cookies of all programs on the same host."""
_CHECK_SECONDS = 0.25  # time between checks for a disconnected client


def create_app(pool: AgentPool, access: AccessControl, first_game: Mapping[str, Any]) -> Starlette:
    """Return the application; ``first_game`` holds name and parameters of a page's first game."""
    queues = (
        (QUICK, _WorkerQueue(pool, 4, _MOST_WAITING)),
        (THINKING, _WorkerQueue(pool, max(2, os.cpu_count() or 2), _MOST_WAITING)),
        (UPLOADS, _WorkerQueue(pool, 1, _MOST_UPLOADS)),
    )
    preloads = _preloads()

    async def page(request: Request) -> Response:
        text = (_STATIC / "page" / "page.html").read_text(encoding="utf-8")
        text = text.replace("LADDER", "yes" if pool.ladder else "", 1)
        text = text.replace("PRELOADS", preloads, 1)
        return HTMLResponse(text.replace("GAME", escape(json.dumps(first_game)), 1))

    routes = [
        Route("/", page),
        *(
            Route(f"/api/{name}", partial(queue.response, *known), methods=["POST"])
            for requests, queue in queues
            for name, known in requests.items()
        ),
        Mount("/static", StaticFiles(directory=_STATIC)),
    ]
    middleware = [Middleware(access.guarding), Middleware(GZipMiddleware)]
    app = Starlette(routes=routes, middleware=middleware)
    app.router.redirect_slashes = False  # it would redirect to the host named in the request
    return app


def page_server(app: Starlette, **more: Any) -> uvicorn.Server:
    """Return a server over HTTP/1.1; above its limit of connections it answers 503.

    ``more`` are settings of ``uvicorn.Config`` in place of those of the page.
    """
    settings = dict[str, Any](
        http="h11",
        loop="asyncio",
        ws="none",
        lifespan="off",
        log_config=None,  # uvicorn's own would end the handlers of other libraries
        log_level="critical",
        server_header=False,
        limit_concurrency=_MOST_CONNECTIONS,
        h11_max_incomplete_event_size=_HEAD_BYTES,
        timeout_graceful_shutdown=1,  # slower responses are dropped
    )
    return uvicorn.Server(uvicorn.Config(app, **{**settings, **more}))


def _preloads() -> str:
    """Return links to the modules of the first tab and of what it imports: all load at once."""
    found = ["play/play.js"]
    for each in found:
        text = (_STATIC / each).read_text(encoding="utf-8")
        imported = re.findall(r'^(?:import|\}) .*"(\.[./\w]+\.js)"', text, re.MULTILINE)
        names = (normpath(f"{dirname(each)}/{name}") for name in dict.fromkeys(imported))
        found += [name for name in names if name not in found]
    return "\n  ".join(f'<link rel="modulepreload" href="/static/{each}">' for each in found)


class _WorkerQueue:
    """Threads for requests, of which at most ``most`` are read, wait or are handled."""

    def __init__(self, pool: AgentPool, threads: int, most: int) -> None:
        self._agents, self._most, self._open = pool, most, 0
        self._threads = ThreadPoolExecutor(threads, "page")

    async def response(
        self, kind: type[PageRequest], respond: Respond, request: Request
    ) -> Response:
        """Handle a request; cancel when the client disconnects."""
        if self._open >= self._most:
            return refusal(503, "too many requests at once, try again")
        deadline, body = Deadline(request.client.host if request.client else ""), bytearray()
        self._open += 1
        try:
            async for part in request.stream():
                body += part
                if len(body) > kind.most_bytes:
                    return refusal(413, f"expected at most {kind.most_bytes} bytes")
            handle = partial(_response, kind, respond, self._agents, bytes(body), deadline)
            work = asyncio.get_running_loop().run_in_executor(self._threads, handle)
            while not (await asyncio.wait([work], timeout=_CHECK_SECONDS))[0]:
                if await request.is_disconnected():
                    deadline.cancel()
            return await work
        except ClientDisconnect:
            return Response(status_code=499)
        finally:
            deadline.cancel()
            self._open -= 1


def _response(
    kind: type[PageRequest], respond: Respond, pool: AgentPool, body: bytes, deadline: Deadline
) -> Response:
    if deadline.is_over():
        return refusal(503, "the request was cancelled")
    deadline.start()
    try:
        result = respond(pool, kind.model_validate_json(body), deadline)
        # In ASCII: names of files may hold lone surrogates, which UTF-8 cannot encode.
        return Response(json.dumps(result, allow_nan=False), media_type="application/json")
    except ValidationError as error:
        return refusal(400, mistake_in(error))
    except Exception as error:
        if isinstance(error, OSError) and error.strerror:  # without the path of a file here
            is_path = isinstance(error.filename, str | bytes | os.PathLike)
            name = Path(os.fsdecode(error.filename)).name if is_path else "the server"
            return refusal(400, f"{name}: {error.strerror}")
        if isinstance(error, OSError) or is_own_error(error):
            return refusal(400, str(error).partition("\n")[0])
        logging.getLogger(__name__).error("%s", traceback.format_exc())
        return refusal(500, f"the server failed: {type(error).__name__}")

"""A worker for hex-ai-distributed, whose peer server sends jobs over TCP.

Neither side frames its messages: each is one short write, some time after the one before.
"""

import asyncio
import json
import re
import signal
import time
from contextlib import suppress
from typing import Any

from base.storage import excerpt, parse_json, printable
from online.playhex.bots import Tell
from online.playhex.positions import RequestError
from online.playhex.server import Desk, mistake_in

_JOB = re.compile(rb"\s*job (\d{1,18}) (.*)", re.DOTALL)
_CONNECT_SECONDS, _AGAIN_SECONDS, _APART_SECONDS = 5.0, 2.0, 0.1
_CHECK_SECONDS = 0.25
_JOB_SECONDS = 40.0  # after 60 s, with those that it waited, another worker gets the job as well
_MOST_BYTES, _LEAST_SHARE = 1_000_000, 0.0005


class Worker:
    """Works for the peer server at an address, one job at a time."""

    def __init__(self, desk: Desk, address: tuple[str, int], secondary: bool, tell: Tell) -> None:
        """Do the jobs at ``desk``; a ``secondary`` worker gets some where there is no other."""
        self._desk, self._address, self._secondary, self._tell = desk, address, secondary, tell
        self._sent = 0.0

    async def run(self) -> None:
        """Work until Ctrl-C, after the present job; connect again whenever that is lost."""
        leaving = asyncio.Event()
        self._desk.leave_when(leaving.is_set)
        with suppress(NotImplementedError):  # Windows; there, Ctrl-C cuts the connection
            asyncio.get_running_loop().add_signal_handler(signal.SIGINT, leaving.set)
        while not leaving.is_set():
            await self._connected(leaving)
            with suppress(TimeoutError):
                await asyncio.wait_for(leaving.wait(), _AGAIN_SECONDS)

    async def _connected(self, leaving: asyncio.Event) -> None:
        where, writer, waiting = f"{self._address[0]}:{self._address[1]}", None, b""
        try:
            async with asyncio.timeout(_CONNECT_SECONDS):
                reader, writer = await asyncio.open_connection(*self._address)
            self._tell(f"connected to {where}")
            if self._secondary:
                await self._send(writer, "set_secondary true")
            while not leaving.is_set():
                try:
                    part = await asyncio.wait_for(reader.read(_MOST_BYTES), _CHECK_SECONDS)
                except TimeoutError:
                    continue
                waiting += part
                found = _JOB.fullmatch(waiting)
                is_job = found is not None or b"job ".startswith(waiting[:4])
                if not (part and is_job) or len(waiting) > _MOST_BYTES:
                    raise ConnectionError(f"expected a job, got {excerpt(waiting[:40])}")
                with suppress(ValueError):  # the rest of the job is still to come
                    job = parse_json(found[2] if found else b"")
                    waiting, number = b"", int(found[1]) if found else 0
                    await self._send(writer, f"job_result {number} {await self._result(job)}")
        except (OSError, TimeoutError) as error:
            self._tell(printable(f"{where}: {error or 'no answer'}; again in 2 s"))
        finally:
            if writer is not None:
                writer.close()

    async def _result(self, job: Any) -> str:
        """Return the result of a job as short JSON, which fits in a segment."""
        try:
            result = {"success": True, "data": await self._done(job)}
        except Exception as error:
            self._tell(f"failed: {mistake_in(error)}")
            result = {"success": False, "error": mistake_in(error)}
        return json.dumps(result, separators=(",", ":"))

    async def _done(self, job: Any) -> object:
        kind, data = (job.get("type"), job.get("data")) if isinstance(job, dict) else (None, None)
        if kind == "calculate-move":
            return await self._desk.move(data)
        if kind == "analyze-position":
            found = await self._desk.position(data)
            for row in found["policy"]:
                row[:] = [0 if each < _LEAST_SHARE else round(each, 3) for each in row]
            return found
        if kind == "analyze-move" and isinstance(data, dict):
            found = await self._desk.played_move(data, _JOB_SECONDS)
            if not data.get("isLastMoveOfGame"):
                found["move"].pop("whiteWin", None)
            return found
        raise RequestError(f"expected a job, got {excerpt(kind)}")

    async def _send(self, writer: asyncio.StreamWriter, message: str) -> None:
        await asyncio.sleep(max(0.0, self._sent + _APART_SECONDS - time.monotonic()))
        writer.write(message.encode())  # with TCP_NODELAY, as asyncio sets it
        await writer.drain()
        self._sent = time.monotonic()

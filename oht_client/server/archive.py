"""What the server keeps, in the words of the client's own records: results, and their games."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from base.storage import AppendLog
from oht_client.errors import OHTError
from oht_client.server.notices import Notices

RESULTS_FILE, GAMES_FILE = "results.jsonl", "games.jsonl"


class Archive:
    """Two logs in the server's folder; a full disk ends no tournament."""

    def __init__(self, folder: Path, notices: Notices) -> None:
        """Keep things in a folder, once it is open; say through ``notices`` what is not kept."""
        self._folder = folder
        self._notices = notices
        self._logs: dict[str, AppendLog] = {}

    def open(self) -> None:
        """Open the files.

        Raises:
            OHTError: One of them cannot be written.
        """
        for name in (RESULTS_FILE, GAMES_FILE):
            self._logs[name] = _open(self._folder / name)

    def close(self) -> None:
        """Close the files."""
        for log in self._logs.values():
            log.close()
        self._logs.clear()

    def add_result(self, result: Mapping[str, Any]) -> None:
        """Keep the result of a tournament, or of one side of a league series."""
        self._add(RESULTS_FILE, result)

    def add_game(self, game: Mapping[str, Any]) -> None:
        """Keep a game."""
        self._add(GAMES_FILE, game)

    def _add(self, name: str, record: Mapping[str, Any]) -> None:
        try:
            if name in self._logs:
                self._logs[name].append(record)
        except OSError as error:
            self._notices.say(
                f"records not kept in {name}",
                f"{self._folder / name}: cannot be written: {error.strerror or error}",
                most=1,
            )


def _open(path: Path) -> AppendLog:
    """Open a log; half a line at its end, left by a crash, is cut off."""
    try:
        whole = path.read_bytes().rfind(b"\n") + 1 if path.exists() else 0
        log = AppendLog(path)
        log.truncate(whole)
    except OSError as error:
        raise OHTError(f"{path}: cannot be written: {error.strerror or error}") from error
    return log

"""What the server keeps, in the words of the client's own records: results, and their games."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from base.storage import AppendLog
from oht_client.errors import OHTError
from oht_client.server.limits import Notices

RESULTS_FILE, GAMES_FILE = "results.jsonl", "games.jsonl"


class Archive:
    """Two logs in the server's folder; a full disk ends no tournament."""

    def __init__(self, folder: Path, notices: Notices) -> None:
        """Keep things in a folder, once it is open; say through ``notices`` what is not kept."""
        self._folder = folder
        self._notices = notices
        self._logs: dict[str, AppendLog] = {}

    def open(self) -> None:
        """Open the files; half a line at the end of one, left by a crash, is cut off.

        Raises:
            OHTError: One of them cannot be written.
        """
        for name in (RESULTS_FILE, GAMES_FILE):
            path = self._folder / name
            try:
                whole = path.read_bytes().rfind(b"\n") + 1 if path.exists() else 0
                self._logs[name] = AppendLog(path)
                self._logs[name].truncate(whole)
            except OSError as error:
                raise OHTError(f"{path}: cannot be written: {error.strerror or error}") from error

    def close(self) -> None:
        """Close the files."""
        for log in self._logs.values():
            log.close()
        self._logs.clear()

    def add(self, name: str, record: Mapping[str, Any]) -> None:
        """Keep a result (of a tournament, or of one side of a league series), or a game.

        Args:
            name: Of the file.
            record: What to keep.
        """
        try:
            if name in self._logs:
                self._logs[name].append(record)
        except OSError as error:
            self._notices.say(
                f"records not kept in {name}",
                f"{self._folder / name}: cannot be written: {error.strerror or error}",
                most=1,
            )

"""The ladder: nets in a folder play each other, and keep their results."""

from __future__ import annotations

import re
import shutil
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from anet import ANET
from base.cluster import Workers
from base.params import ANETParams
from base.storage import LockedError
from state_manager import make_game
from tests.web.pages import Open, Server
from web.ladder import Ladder

HEX = make_game("hex", size=3)


class Here(Workers):
    """Plays in this process, and counts the games; or fails."""

    games, fails = 0, False
    reason = "out of memory"

    @property
    def cores(self) -> int:
        return 1

    def share_out(
        self,
        job: Callable[[Any], Any],
        items: Sequence[Any],
        on_results: Callable[[int, list[Any]], object],
        meanwhile: Callable[[], object] = lambda: None,
    ) -> None:
        for place, item in enumerate(items):
            if place and self.fails:
                raise RuntimeError(self.reason)
            [record] = [job(item)]
            self.games += len(record)
            on_results(place, [record])
            meanwhile()


def save_net(file: Path, seed: int, size: int = 3) -> Path:
    params = ANETParams(hidden_layers=(4,))
    ANET(make_game("hex", size=size), params, seed=seed).save(file)
    return file


def folder_of_nets(parent: Path) -> Path:
    (parent / "nets").mkdir()
    for seed, name in enumerate(("Ada", "<b>Bob<_b>", "Cy")):
        save_net(parent / "nets" / f"{name}.pt", seed)
    return parent / "nets"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with three nets."""
    return folder_of_nets(tmp_path)


def played(folder: Path, workers: Here, told: list[str] | None = None) -> Ladder:
    """Return the ladder of a folder, after all rounds."""
    ladder = Ladder(folder, HEX, (told if told is not None else []).append, workers)
    rounds = 0
    while ladder.play_round():
        rounds += 1
        assert rounds <= 10
    return ladder


def games(ladder: Ladder) -> dict[str, int]:
    return {row["name"]: row["games"] for row in ladder.shown["rows"]}


def test_each_two_nets_play_eight_games_and_are_ranked(folder: Path) -> None:
    workers = Here()
    shown = played(folder, workers).shown
    rows, left = shown["rows"], shown["left"]
    assert (workers.games, left, shown["notes"]) == (24, 0, [])
    assert [row["games"] for row in rows] == [16] * 3
    wins = [row["wins"] for row in rows]
    assert sum(wins) == 24
    assert wins == sorted(wins, reverse=True)
    assert rows[0]["elo"] == [0, 0, 0]
    for row in rows[1:]:
        elo, low, high = row["elo"]
        assert (low < elo < high, elo <= 0) == (True, True)


def test_files_that_cannot_play_are_listed_and_stop_no_other(folder: Path) -> None:
    save_net(folder / "large.pt", 1, size=4)
    (folder / "broken.pt").write_bytes((folder / "Ada.pt").read_bytes()[:-100])
    (folder / "text.pt").write_text("\x1b")
    shutil.copy(folder / "Ada.pt", folder / "copy.pt")
    (folder / "folder.pt").mkdir()
    ladder = played(folder, Here())
    notes = dict(note.split(": ", 1) for note in ladder.shown["notes"])
    assert notes.keys() == {"large.pt", "broken.pt", "text.pt", "copy.pt"}
    assert "expected a net for hex(size=3), got one for hex(size=4)" in notes["large.pt"]
    assert "corrupted" in notes["broken.pt"]
    assert notes["text.pt"] == "not a checkpoint"
    assert notes["copy.pt"] == "the same net as Ada.pt"
    assert set(games(ladder).values()) == {16}


def test_results_survive_a_restart_and_a_changed_file_plays_anew(folder: Path) -> None:
    before, workers = played(folder, Here()), Here()
    (folder / "Cy.pt").rename(folder / "Zoe.pt")
    after = played(folder, workers)
    assert workers.games == 0
    assert [row["wins"] for row in after.shown["rows"]] == [
        row["wins"] for row in before.shown["rows"]
    ]
    save_net(folder / "Zoe.pt", 9)
    assert after.play_round()
    while after.play_round():
        pass
    assert (workers.games, set(games(after).values())) == (16, {16})
    (folder / "Zoe.pt").unlink()
    assert not after.play_round()
    assert set(games(after).values()) == {8}


def test_another_board_has_its_own_results_in_the_same_file(folder: Path) -> None:
    played(folder, Here())
    params = ANETParams(network="pooled", channels=4, blocks=1)
    for seed in range(2):
        ANET(HEX, params, seed=seed).save(folder / f"any{seed}.pt")
    other = Ladder(folder, make_game("hex", size=4), print, Here())
    while other.play_round():
        pass
    assert games(other) == {"any0": 8, "any1": 8}
    workers = Here()
    assert set(games(played(folder, workers)).values()) == {32}
    assert workers.games == 8 * (10 - 3)


def test_a_pair_that_fails_is_listed_and_its_finished_games_are_kept(folder: Path) -> None:
    workers = Here()
    workers.fails, workers.reason = True, f"{folder / 'Ada.pt'}: out of memory"
    ladder = played(folder, workers)
    assert workers.games == 12
    assert len(ladder.shown["notes"]) == 3
    for note in ladder.shown["notes"]:
        assert note.endswith(": Ada.pt: out of memory")
        assert str(folder) not in note, "all in the room see the notes"
    again = Here()
    assert set(games(played(folder, again)).values()) == {16}
    assert again.games == 12, "only those that are left"


def test_a_full_disk_is_told_and_nothing_is_lost(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ladder = Ladder(folder, HEX, print, workers := Here())

    def full(*given: Any) -> None:
        raise OSError(28, "No space left on device", "ladder.json")

    monkeypatch.setattr("web.ladder.write_text", full)
    for _ in range(3):
        with pytest.raises(OSError, match="No space"):
            ladder.play_round()
    monkeypatch.undo()
    assert not ladder.play_round()
    with ladder.running():
        pass
    played(folder, workers)
    assert workers.games == 24


def test_one_process_plays_and_stops_at_once_with_finished_games_kept(folder: Path) -> None:
    ladder = Ladder(folder, HEX)
    assert ladder.play_round()
    workers = Here()
    with ladder.running(), pytest.raises(LockedError, match="in use"), ladder.running():
        pass
    assert set(games(played(folder, workers)).values()) == {16}
    assert workers.games <= 16, "the first pair was kept"
    assert not (folder / ".ladder.lock").exists()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Start the program with a ladder of three nets."""
    server = Server(folder_of_nets(tmp_path_factory.mktemp("ladder")).parent, "--ladder", "nets")
    yield server
    server.kill()


def test_the_page_shows_the_table_and_ctrl_c_ends_the_ladder(
    open_page: Open, server: Server
) -> None:
    page = open_page(server.room, locale="en")  # an option, since the server ends here
    table = page.locator("#room table")
    expect(table.locator("tr")).to_have_count(4)
    expect(page.locator("#room")).to_contain_text("All pairs have played.")
    expect(table).to_contain_text("<b>Bob<_b>")
    assert re.search(r"1\s+\S+\s+16\s+\d+\s+0", table.inner_text())
    save_net(server.folder / "nets" / "large.pt", 1, size=4)
    expect(page.locator("#room li")).to_contain_text("large.pt: expected a net for hex")
    if sys.platform != "win32":
        server.process.send_signal(signal.SIGINT)
        server.process.wait()
        left = {each.name for each in (server.folder / "nets").iterdir() if each.suffix != ".pt"}
        assert left == {"ladder.json"}

"""The ladder: nets in a folder play each other, and keep their results."""

import re
import shlex
import shutil
import signal
import sys
from collections.abc import Iterator
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from anet import ANET
from base.cluster import Workers
from base.params import ANETParams
from base.storage import LockedError
from state_manager import make_game
from tests.web.conftest import PHONE, full_disk
from tests.web.pages import status
from tests.web.program import Open, Server
from tests.web.server.test_page_quality import CONTRASTS, check
from web.ladder.ladder import Ladder
from web.server.requests import GameSpec, Position, RequestError

HEX = make_game("hex", size=3)


class Here(Workers):
    """Plays in this process, and counts the games; or fails."""

    games, fails = 0, False
    reason = "out of memory"

    @property
    def cores(self) -> int:
        return 1

    def share_out(self, job: Any, items: Any, on_results: Any, meanwhile: Any = None) -> None:
        for place, item in enumerate(items):
            if place and self.fails:
                raise RuntimeError(self.reason)
            [record] = [job(item)]
            self.games += len(record)
            on_results(place, [record])
            if meanwhile:
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
    return folder_of_nets(tmp_path)


def played(folder: Path, workers: Here, told: list[str] | None = None) -> Ladder:
    """Return the ladder of a folder, after all rounds."""
    ladder = Ladder(folder, HEX, (told if told is not None else []).append, workers)
    play_all(ladder)
    return ladder


def play_all(ladder: Ladder) -> None:
    rounds = 0
    while ladder.play_round():
        rounds += 1
        assert rounds <= 10


def games(ladder: Ladder) -> dict[str, int]:
    return {row["name"]: row["games"] for row in ladder.shown["rows"]}


def test_each_two_nets_play_eight_games_that_can_be_opened_and_are_ranked(folder: Path) -> None:
    ladder = played(folder, workers := Here())
    shown = ladder.shown
    rows, left, points = shown["rows"], shown["left"], shown["points"]
    assert (workers.games, left, shown["notes"]) == (24, 0, [])
    assert [row["games"] for row in rows] == [16] * 3
    wins = [row["wins"] for row in rows]
    assert (sum(wins), wins) == (24, sorted(wins, reverse=True))
    assert rows[0]["elo"] == [0, 0, 0]
    for elo, low, high in (row["elo"] for row in rows[1:]):
        assert low < elo < high
        assert elo <= 0
    assert [sum(row) for row in points] == wins
    assert shown["met"] == [[8 * (i != j) for j in range(3)] for i in range(3)]
    for (i, one), (j, other) in permutations(enumerate(rows), 2):
        names, games = ladder.games([one["id"], other["id"]])
        assert sorted(names) == sorted([one["name"], other["name"]])
        won = 0
        for game in games:
            begun = {"game": GameSpec(params={"size": 3}), "start": game.start}
            known, states = Position.model_validate({**begun, "actions": game.actions}).states()
            assert known.winner(states[-1]) == game.winner
            winner = game.first if game.winner == 1 else 1 - game.first
            won += names[winner] == one["name"]
        assert (len(games), won) == (8, points[i][j])


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
    wins = [[row["wins"] for row in each.shown["rows"]] for each in (before, after)]
    assert wins[0] == wins[1]
    save_net(folder / "Zoe.pt", 9)
    play_all(after)
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
    play_all(other)
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


def test_on_a_full_disk_nothing_is_lost(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ladder = Ladder(folder, HEX, print, workers := Here())
    monkeypatch.setattr("web.ladder.ladder.write_text", full_disk)
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


def pair_of(ladder: Ladder, *names: str) -> list[str]:
    """Return the digests of nets, by their names."""
    found = {row["name"]: row["id"] for row in ladder.shown["rows"]}
    return [found[name] for name in names]


def test_games_survive_a_restart_and_missing_or_damaged_ones_stop_nothing(folder: Path) -> None:
    before, told = played(folder, Here()), list[str]()
    pair = pair_of(before, "Ada", "Cy")
    games = before.games(pair)
    after = played(folder, workers := Here(), told)
    assert (after.games(pair), workers.games, told) == (games, 0, [])
    with pytest.raises(RequestError, match="not played"):
        after.games([pair[0], "0" * 64])
    for file in (folder / "ladder_games").iterdir():
        file.write_text("[")
    assert after.games(pair)[1] == []
    assert len(told) == 1


def test_a_round_is_shown_while_it_is_played(folder: Path) -> None:
    save_net(folder / "Dan.pt", 7)
    seen = list[Any]()

    class Watching(Here):
        def share_out(self, job: Any, items: Any, on_results: Any, meanwhile: Any = None) -> None:
            def see(place: int, results: list[Any]) -> None:
                on_results(place, results)
                seen.append((ladder.shown["version"], ladder.shown["round"]))

            super().share_out(job, items, see, meanwhile)

    ladder = Ladder(folder, HEX, print, Watching())
    assert ladder.play_round()
    versions = [version for version, _ in seen]
    assert versions == sorted({*versions})
    assert len(seen) >= 4, "several times in each pair"
    for place, (_, shown) in enumerate(seen):
        is_second = place >= len(seen) // 2
        assert [each["plays"] for each in shown] == [not is_second, is_second]
        assert all(sum(each["points"]) == each["games"] for each in shown)
    for half in (seen[: len(seen) // 2], seen[len(seen) // 2 :]):
        counts = [sum(each["games"] for each in shown) for _, shown in half]
        assert counts == sorted({*counts})
    assert not any(each["plays"] for each in ladder.shown["round"])


def test_the_best_net_comes_with_the_command_that_enters_the_arena(folder: Path) -> None:
    ladder = played(folder, Here())
    assert ladder.shown["arena"] == "", "only the program knows its command"
    ladder.arena = "main.py arena --server URL"
    ladder.play_round()
    shown = ladder.shown
    net = f"{folder.name}/{shown['rows'][0]['name']}.pt"
    assert shlex.split(shown["arena"])[-4:] == ["--size", "3", "--net", net]
    assert str(folder) not in shown["arena"], "all who open the page see it"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Start the program with a ladder of three nets."""
    server = Server(
        folder_of_nets(tmp_path_factory.mktemp("ladder")).parent, "--ladder", "nets", "--uploads"
    )
    yield server
    server.kill()


def test_a_student_adds_a_net_and_reviews(open_page: Open, server: Server, tmp_path: Path) -> None:
    page = open_page("#ladder")
    ladder, told = page.locator("#ladder"), page.locator("#ladder form + p")
    expect(ladder).to_contain_text("All pairs have played.")
    page.fill("#net-name", "Zo\u00e9")
    page.set_input_files("#net-file", save_net(tmp_path / "large.pt", 1, size=4))
    page.get_by_role("button", name="Add").click()
    expect(told).to_contain_text("cannot play: expected a net for hex(size=3)")
    page.set_input_files("#net-file", save_net(tmp_path / "mine.pt", 5))
    page.get_by_role("button", name="Add").click()
    expect(told).to_contain_text("Zo\u00e9-1")
    cell = page.get_by_role("button", name=re.compile("^Zo\u00e9-1 against Ada:"))
    cell.focus()
    page.keyboard.press("Enter")
    expect(page.locator("#ladder h2:focus")).to_have_text("Zo\u00e9-1 against Ada")
    game = page.locator("#ladder li", has=page.get_by_role("button", name="Review game 3"))
    expect(game).to_contain_text(re.compile("(Zo\u00e9-1|Ada) wins in \\d moves"))
    moves = int(re.findall(r"(\d+) moves", game.inner_text())[0])
    game.get_by_role("button").click()
    expect(page.locator("#review .moves .move")).to_have_count(moves)
    expect(status(page)).to_contain_text(f"has won after {moves} moves")
    page.go_back()
    with page.expect_download() as download:
        page.click("#ladder-csv")
    text = download.value.path().read_text("utf-8")
    assert len(text.splitlines()) == page.locator("#ladder tr").count()
    assert '"Zo\u00e9-1"' in text


def test_the_ladder_fits_and_can_be_read_and_touched(open_page: Open, server: Server) -> None:
    page = open_page("#ladder", color_scheme="dark", **PHONE)
    page.locator("#ladder td button").first.click()
    expect(page.locator("#ladder li button").first).to_be_visible()
    check(page, 390)
    assert [each for each in page.evaluate(CONTRASTS) if each[2] < 4.5] == []


def test_the_page_shows_the_table_and_ctrl_c_ends_it(open_page: Open, server: Server) -> None:
    page = open_page("#ladder", fresh=True)  # as the server ends here
    table = page.locator("#ladder table")
    expect(table.locator("tr").nth(3)).to_be_attached()
    expect(page.locator("#ladder")).to_contain_text("All pairs have played.")
    expect(table).to_contain_text("<b>Bob<_b>")
    assert re.search(r"1\s+\S+\s+\d\d\s+\d+\s+0", table.inner_text())
    save_net(server.folder / "nets" / "large.pt", 1, size=4)
    expect(page.locator("#ladder ul.soft li")).to_contain_text("large.pt: expected a net for hex")
    if sys.platform != "win32":
        server.process.send_signal(signal.SIGINT)
        server.process.wait()
        left = {each.name for each in (server.folder / "nets").iterdir() if each.suffix != ".pt"}
        assert left == {"ladder.json", "ladder_games"}

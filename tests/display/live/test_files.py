"""Pictures and animations of games."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image, ImageChops
from rich.console import Console

from display.boards.palette import BLACK, GOLD, RED
from display.boards.picture import save_animation, save_board
from display.live.file import FileDisplay, slug
from state_manager import make_game
from tests.display.conftest import params, played


def share_of(colour: str, picture: Image.Image) -> float:
    """Return how much of a picture has nearly this colour, from 0 to 1."""
    wanted = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)])
    pixels = np.asarray(picture.convert("RGB")).astype(int)
    return float(np.mean(np.abs(pixels - wanted).max(axis=-1) < 12))


def frames_of(path: Path) -> int:
    with Image.open(path) as animation:
        assert animation.format == "GIF"
        return int(getattr(animation, "n_frames", 1))


def test_a_board_is_saved_as_a_picture_with_both_colours(hex_game: Any, tmp_path: Path) -> None:
    path = tmp_path / "board.png"
    save_board(path, hex_game.views("the end")[-1])
    with Image.open(path) as picture:
        assert picture.format == "PNG"
        assert share_of(RED, picture) > 0.03
        assert share_of(BLACK, picture) > 0.03
        assert share_of(GOLD, picture) > 0.002
        assert picture.height > picture.width, "a diamond of hexagons is higher than wide"
    assert [each.name for each in tmp_path.iterdir()] == ["board.png"]


@pytest.mark.parametrize("name", ["hex", "nim", "ledge", "hexapawn"])
def test_every_frame_of_an_animation_has_the_colours_of_its_picture_and_the_last_is_held(
    name: str, tmp_path: Path
) -> None:
    game = played(make_game(name, **({"size": 3} if name == "hex" else {})))
    views, path = game.views("game", ("ANET 50", "MCTS")), tmp_path / "x.gif"
    save_animation(path, views, seconds_per_move=0.4)
    assert frames_of(path) == len(game.states)
    with Image.open(path) as animation:
        for number in {0, len(game.states) // 2, len(game.states) - 1}:
            save_board(tmp_path / "x.png", views[number])
            animation.seek(number)
            is_last = number == len(game.states) - 1
            assert animation.info["duration"] == (2500 if is_last else 400)
            with Image.open(tmp_path / "x.png") as expected:
                both = animation.convert("RGB"), expected.convert("RGB")
                farthest = np.asarray(ImageChops.difference(*both)).max(axis=-1)
            assert np.quantile(farthest, 0.99) <= 8
            assert farthest.max() <= 48


def test_a_picture_that_fails_leaves_the_old_file(
    hex_game: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "board.png"
    path.write_text("old")
    monkeypatch.setattr("matplotlib.figure.Figure.savefig", lambda *_, **__: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        save_board(path, hex_game.views()[-1])
    assert path.read_text() == "old"
    assert len(list(tmp_path.iterdir())) == 1


def test_each_shown_game_becomes_an_animation_and_a_picture(
    nim_game: Any, tmp_path: Path, plain_console: Console
) -> None:
    directory = tmp_path / "run" / "games"
    shown = params(mode="file", every=2, delay=60)
    for numbers in (1, 2, 3), (1,):
        with FileDisplay(nim_game.game, shown, directory, plain_console) as display:
            for number in numbers:
                nim_game.announce(display, f"Episode {number} of 3")
    stems = ("0001-episode-1-of-3", "0002-episode-2-of-3", "0003-episode-1-of-3")
    names = [f"{stem}.{suffix}" for stem in stems for suffix in ("gif", "png")]
    assert sorted(path.name for path in directory.iterdir()) == names


@pytest.mark.parametrize("toggled_at", [(1, 2), (3, 5)])
def test_a_game_is_kept_from_where_it_was_last_switched_on(
    toggled_at: tuple[int, int], hex_game: Any, tmp_path: Path, plain_console: Console
) -> None:
    with FileDisplay(hex_game.game, params(mode="file"), tmp_path, plain_console) as display:
        hex_game.announce(display, "game 1", toggled_at)
        display.on_game_start("game 2", ("a", "b"), hex_game.states[0])
        display.toggle()
        display.toggle()
        display.on_game_over(hex_game.states[-1], 1)
    assert [path.name for path in tmp_path.glob("*.gif")] == ["0001-game-1.gif"]
    assert frames_of(tmp_path / "0001-game-1.gif") == len(hex_game.states) - toggled_at[1]


def test_a_title_becomes_a_harmless_file_name() -> None:
    title = "anet_00050 against anet_00200, game 3 of 50"
    assert slug(title) == "anet-00050-against-anet-00200-game-3-of-50"
    assert (slug("../../etc/passwd"), slug(""), slug("x" * 200)) == ("etc-passwd", "game", "x" * 60)

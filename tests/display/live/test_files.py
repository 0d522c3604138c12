"""Pictures and animations of games."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image, ImageChops
from rich.console import Console

from base.params import DisplayParams
from display.boards.palette import BLACK, GOLD, RED
from display.boards.picture import save_animation, save_board
from display.live.file import FileDisplay, slug

MakeParams = Callable[..., DisplayParams]


def share_of(colour: str, picture: Image.Image) -> float:
    """Return how much of a picture has nearly this colour, from 0 to 1."""
    wanted = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)])
    pixels = np.asarray(picture.convert("RGB")).astype(int)
    return float(np.mean(np.abs(pixels - wanted).max(axis=-1) < 12))


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


@pytest.mark.parametrize("which", ["hex_game", "nim_game", "ledge_game", "grid_game"])
def test_every_frame_of_an_animation_has_the_colours_of_its_picture(
    which: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    played = request.getfixturevalue(which)
    views = played.views("game", ("ANET 50", "MCTS"))
    save_animation(tmp_path / "x.gif", views)
    with Image.open(tmp_path / "x.gif") as animation:
        for number in {0, len(played.states) // 2, len(played.states) - 1}:
            picture = tmp_path / "x.png"
            save_board(picture, views[number])
            animation.seek(number)
            with Image.open(picture) as expected:
                differences = ImageChops.difference(
                    animation.convert("RGB"), expected.convert("RGB")
                )
            farthest = np.asarray(differences).max(axis=-1)
            assert np.quantile(farthest, 0.99) <= 8
            assert farthest.max() <= 48


@pytest.mark.parametrize("which", ["hex_game", "nim_game"])
def test_an_animation_has_a_frame_for_each_state_and_holds_the_last(
    which: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    played = request.getfixturevalue(which)
    path = tmp_path / "game.gif"
    save_animation(path, played.views(), seconds_per_move=0.4)
    with Image.open(path) as animation:
        assert animation.format == "GIF"
        frames = getattr(animation, "n_frames", 1)
        assert frames == len(played.states)
        durations = []
        for frame in range(frames):
            animation.seek(frame)
            durations.append(animation.info["duration"])
        assert durations == [400] * (frames - 1) + [2500]


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
    nim_game: Any, make_params: MakeParams, tmp_path: Path, plain_console: Console
) -> None:
    directory = tmp_path / "run" / "games"
    params = make_params(mode="file", every=2, delay=60)
    for numbers in (1, 2, 3), (1,):
        with FileDisplay(nim_game.game, params, directory, plain_console) as display:
            for number in numbers:
                nim_game.announce(display, f"Episode {number} of 3")
    assert sorted(path.name for path in directory.iterdir()) == [
        "0001-episode-1-of-3.gif",
        "0001-episode-1-of-3.png",
        "0002-episode-2-of-3.gif",
        "0002-episode-2-of-3.png",
        "0003-episode-1-of-3.gif",
        "0003-episode-1-of-3.png",
    ]


def test_a_game_switched_on_halfway_is_kept_from_then_on(
    hex_game: Any, make_params: MakeParams, tmp_path: Path, plain_console: Console
) -> None:
    params = make_params(mode="file")
    with FileDisplay(hex_game.game, params, tmp_path, plain_console) as display:
        display.toggle()
        display.on_game_start("game 1", ("a", "b"), hex_game.states[0])
        display.on_move(hex_game.states[1], hex_game.actions[0])
        display.toggle()
        for state, action in zip(hex_game.states[2:], hex_game.actions[1:], strict=True):
            display.on_move(state, action)
        display.on_game_over(hex_game.states[-1], hex_game.winner)
    with Image.open(tmp_path / "0001-game-1.gif") as animation:
        assert getattr(animation, "n_frames", 1) == len(hex_game.states) - 2


def test_a_game_switched_off_and_on_again_starts_anew_without_a_gap(
    hex_game: Any, make_params: MakeParams, tmp_path: Path, plain_console: Console
) -> None:
    params = make_params(mode="file")
    with FileDisplay(hex_game.game, params, tmp_path, plain_console) as display:
        display.on_game_start("game 1", ("a", "b"), hex_game.states[0])
        for number, action in enumerate(hex_game.actions, start=1):
            if number in (3, 5):
                display.toggle()
            display.on_move(hex_game.states[number], action)
        display.on_game_over(hex_game.states[-1], hex_game.winner)
        display.on_game_start("game 2", ("a", "b"), hex_game.states[0])
        display.toggle()
        display.toggle()
        display.on_game_over(hex_game.states[-1], hex_game.winner)
    assert sorted(path.name for path in tmp_path.glob("*.gif")) == ["0001-game-1.gif"]
    with Image.open(tmp_path / "0001-game-1.gif") as animation:
        assert getattr(animation, "n_frames", 1) == len(hex_game.states) - 5


@pytest.mark.parametrize(
    ("title", "name"),
    [
        (
            "anet_00050 against anet_00200, game 3 of 50",
            "anet-00050-against-anet-00200-game-3-of-50",
        ),
        ("../../etc/passwd", "etc-passwd"),
        ("", "game"),
        ("x" * 200, "x" * 60),
    ],
)
def test_a_title_becomes_a_harmless_file_name(title: str, name: str) -> None:
    assert slug(title) == name

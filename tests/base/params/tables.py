"""How parameters are read and refused: mistakes.txt and values.txt, read in review.

Usage: python -m tests.base.params.tables

writes them anew.
"""

import shlex
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, get_args

from base.params import ParamsError, load_list, load_params, parse_scalar
from base.params.rl_section import SchemeName
from base.params.yaml12 import parse
from base.words import one_of
from hex_mcts.system import DEFAULT_PARAMS, PRESETS, read_params
from state_manager import game_names
from tests.base.params.conftest import FakeSchemas
from tests.golden.tables import Answers, rewrite

GAMES, SCHEMES = one_of(game_names()), one_of(get_args(SchemeName))
MISTAKES, VALUES = (Path(__file__).with_name(f"{name}.txt") for name in ("mistakes", "values"))


def _refusal(read: Callable[[Path], Any], content: str | bytes = "") -> str:
    """Return what is read of a file, or the line of its refusal, with the file's name alone."""
    with TemporaryDirectory() as folder:
        file = Path(folder, "params.yaml")
        file.write_bytes(content.encode() if isinstance(content, str) else content)
        try:
            return str(read(file))
        except ParamsError as error:
            message = str(error).replace(f"{file}", file.name)
            return message.replace(GAMES, "(a game)").replace(SCHEMES, "(a scheme)")


def of_file(content: str | bytes) -> str:
    return _refusal(lambda file: load_params(file, game_schemas=FakeSchemas()), content)


def of_override(word: str) -> str:
    return _refusal(lambda file: load_params(file, [word], game_schemas=FakeSchemas()))


def of_list(content: str) -> str:
    """Return the items of a file that holds a list, each with its line."""

    def read(file: Path) -> str:
        items = [f"{item.where.rpartition(':')[2]}: {item.plain!r}" for item in load_list(file)]
        return "\n".join(items or ["no items"])

    return _refusal(read, content)


def of_value(word: str) -> str:
    """Return the value that a word of the command line gives to its key."""
    setup = ["rl.scheme=alphazero", "anet.network=pooled", "rl.gating_games=0"]
    setup += ["game.name=nim"] if word.startswith("game.h") else []
    params: Any = load_params(None, [*setup, word], game_schemas=FakeSchemas())
    section, _, key = word.partition("=")[0].partition(".")
    found = params.game.options if word.startswith("game.h") else getattr(params, section)
    return f"{getattr(found, key)!r}"


def of_saves(words: str) -> str:
    setup = [f"rl.{word}" for word in words.split()]
    return f"{load_params(None, setup, game_schemas=FakeSchemas()).rl.save_episodes}"


def of_scalar(text: str) -> str:
    """Return the value of a scalar by itself, and in a document if it differs there."""
    document: Any = parse(f"key: {text}", str).plain
    return " ".join(dict.fromkeys(repr(value) for value in (parse_scalar(text), document["key"])))


def of_preset(line: str) -> str:
    """Return the values without effect of a preset, or of none, with further words."""
    name, *words = shlex.split(line)
    try:
        params = read_params(PRESETS.get(name, DEFAULT_PARAMS), words)
    except ParamsError as error:
        return str(error).rpartition("/")[2]
    return "\n".join(params.without_effect or ["all have an effect"])


ANSWERS: Answers = {
    "file": lambda: of_file,
    "override": lambda: of_override,
    "list": lambda: of_list,
    "value": lambda: of_value,
    "saves": lambda: of_saves,
    "scalar": lambda: of_scalar,
    "preset": lambda: of_preset,
}

if __name__ == "__main__":
    rewrite(MISTAKES, ANSWERS)
    rewrite(VALUES, ANSWERS)

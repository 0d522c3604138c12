"""The command that explains every parameter."""

from __future__ import annotations

import re

import pytest

from base.params import Params
from base.params.check import SECTIONS
from base.words import one_of
from state_manager import game_names, game_schema
from tests.commands.conftest import Call
from tests.commands.test_usage import assert_one_line
from tests.project import ROOT


def test_every_parameter_is_explained_from_the_schema(
    call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("COLUMNS")
    result = call("params")
    assert (result.status, result.errors) == (0, "")
    assert "\x1b" not in result.output
    rows = [re.split(r"  +", line.strip()) for line in result.output.splitlines()]
    by_key = {row[0]: row for row in rows}
    keys = {key for schema in SECTIONS.values() for key in schema.model_fields} - {"options"}
    games = {key for name in game_names() for key in game_schema(name).model_fields}
    assert keys | games | {"seed"} <= by_key.keys()
    assert by_key["episodes"] == [
        *("episodes", "200", "an integer from 1 to 10000000", "actual games in the run")
    ]
    assert by_key["name"] == ["name", "hex", one_of(game_names()), "rules"]
    assert by_key["size"][-1].startswith("hex: k, cells a side")
    assert by_key["max_take"] == [
        "max_take",
        "3",
        "an integer from 1 to 120",
        "nim: K, stones of a move at most",
    ]
    for name in Params.model_fields:
        assert name == "seed" or f"\n{name}  " in result.output, "a heading"


def test_sections_and_keys_can_be_requested(call: Call) -> None:
    output = call("params", "topp.", "rl.epochs", "rl.scheme=alphazero", "seed").output
    below = re.split(r"^ ?─+ *$", output, flags=re.MULTILINE)[1:]
    rows = [re.findall(r"^ (\w+)  ", part.partition("\n  ")[0], re.MULTILINE) for part in below]
    assert rows == [
        ["games", "action_choice", "epsilon", "regret_positions"],
        ["scheme", "epochs"],
        ["seed"],
    ]


def test_the_page_of_the_docs_is_what_the_command_writes(call: Call) -> None:
    page = (ROOT / "docs" / "parameters.md").read_text(encoding="utf-8")
    assert call("params", "--markdown").output == page


@pytest.mark.parametrize(
    ("word", "hint"),
    [
        ("rl.episods", "rl.episods: unknown key (did you mean episodes?)"),
        ("game.stone", "game.stone: unknown key (did you mean stones?)"),
        ("episodes", "episodes: unknown section (did you mean rl.episodes?)"),
        ("mtcs", "mtcs: unknown section (did you mean mcts?)"),
        ("seed.x", "unknown section"),
        ("", "unknown section"),
        ("--sections", "unknown option --sections (expected --help or --markdown)"),
    ],
)
def test_a_misspelt_key_gives_a_hint_with_the_nearest_one(call: Call, word: str, hint: str) -> None:
    result = call("params", word)
    assert (result.status, result.output) == (2, "")
    assert_one_line(result.errors, hint)

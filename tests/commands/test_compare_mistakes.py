"""Mistakes in ``compare``: one line, and no files."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.commands.conftest import Call, mistakes
from tests.commands.test_usage import assert_one_line

TWO = ("mcts:simulations=20", "random")

MISTAKES = """\
 | at least two agents to compare, got 0
random | at least two agents to compare, got 1
random foo | expected a kind of agent | 'foo'
random mcts:simulation=3 | did you mean simulations?
random mcts:simulation=3 --simulations 5 | agent 'mcts:simulation=3': simulation: unknown
random human | 'human' | several games are played at a time
random anet:none.pt | none.pt: no such file
random anet:3.pt game.size=4 | hex(size=3) | hex(size=4)
random mcts:simulations=4 --simulations 5 | --simulations: agent 'mcts:simulations=4': simulati
random mcts:time_limit=4 --seconds 5 | --seconds: agent 'mcts:time_limit=4': time_limit: expec
random mcts --seconds 1 --simulations 9 | not allowed
random mcts --simulations 10000001 | simulations | 1 to 10000000 | got '10000001'
random mcts --seconds 3601 | --seconds | up to 3600
random mcts --seconds 0 | --seconds | '0'
random mcts --seconds nan | --seconds | 'nan'
random mcts --games 0 | --games | '0'
random mcts --won-starts --games 4 | --won-starts: expected neither --games nor --gauntlet with it
random mcts --won-starts --gauntlet | --won-starts: expected neither --games nor --gauntlet with it
random mcts --won-starts game.size=8 | hex(size=8) is too large for the exact | (Hex up to 7x7)
random mcts --workers none | --workers | 'none'
random mcts --out used | used: holds compare.json already
random mcts --out 3.pt | 3.pt: expected a folder
random --agents none.yaml | none.yaml: no such file
random --agents mapping.yaml | mapping.yaml:1: expected a list
"""

WRONG_ITEMS = {
    "3": "expected an agent or {name: ..., agent: ...}, got 3",
    "[random]": "expected an agent or {name: ..., agent: ...}, got ['random']",
    "foo": "expected a kind of agent",
    "mcts:choice=best": "agent 'mcts:choice=best': choice: expected greedy",
    "'mcts:=3'": "agent 'mcts:=3': expected a net or name=value, got '=3'",
    "anet:none.pt": "none.pt: no such file",
    "{nam: x, agent: random}": "nam: unknown key (did you mean name?)",
    "{name: x}": "agent: expected a text, got nothing",
    "{name: 3, agent: random}": "name: expected null or a text, got 3",
    "{name: ' ', agent: random}": "name: expected a name, got ''",
    "{name: first, agent: random}": "name: 'first': given twice, first at list.yaml:1",
    "{agent: random, agent: mcts}": "agent: given twice",
}


@pytest.mark.parametrize(("words", "expected"), mistakes(MISTAKES))
def test_a_mistake_gives_one_line(
    call: Call, tmp_path: Path, trained: Path, words: list[str], expected: list[str]
) -> None:
    (tmp_path / "3.pt").write_bytes((trained / "anet_00000.pt").read_bytes())
    (tmp_path / "mapping.yaml").write_text("agents: [random]\n")
    (tmp_path / "used").mkdir()
    (tmp_path / "used" / "compare.json").touch()
    before = sorted(tmp_path.rglob("*"))
    result = call("compare", *words)
    assert (result.status, result.output) == (2, "")
    assert_one_line(result.errors, *expected)
    assert sorted(tmp_path.rglob("*")) == before, "a mistake leaves nothing behind"


@pytest.mark.parametrize(("item", "expected"), WRONG_ITEMS.items(), ids=WRONG_ITEMS)
def test_a_mistake_in_a_list_is_reported_with_its_line_number(
    call: Call, tmp_path: Path, item: str, expected: str
) -> None:
    (tmp_path / "list.yaml").write_text(f"- {{name: first, agent: random}}\n\n- {item}\n")
    result = call("compare", "--agents", "list.yaml")
    assert result.status == 2
    assert_one_line(result.errors, f"main.py compare: list.yaml:3: {expected}")

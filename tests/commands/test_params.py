"""The commands that explain every parameter, and complete them with the key Tab."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import main
from base.params import Params
from state_manager import game_names
from tests.commands.conftest import Call
from tests.project import ROOT


def test_the_page_of_the_docs_is_what_the_command_writes(call: Call) -> None:
    page = (ROOT / "docs" / "parameters.md").read_text(encoding="utf-8")
    assert call("params", "--markdown").output == page


LINES = {
    "python main.py ": list(main.COMMANDS),
    "python main.py tr": ["train"],
    "python3 -X dev ../x/main.py cert": ["certify"],
    "python main.py train --r": ["--run", "--resume"],
    "python main.py topp --run x --j": ["--json"],
    "python main.py play --starting-player ": ["1", "2", "alternate"],
    "python main.py train ": ["seed=", *(f"{each}." for each in list(Params.model_fields)[1:])],
    "python main.py train rl.ep": [
        *("rl.episodes=", "rl.episodes_per_update=", "rl.epochs=", "rl.epsilon=")
    ],
    "python main.py train game.s": ["game.size=", "game.stones=", "game.starting_player="],
    "./main.py train seed=2 anet.activation=": ["linear", "sigmoid", "tanh", "relu"],
    "./main.py train mcts.prior_weight=": [],
    "python main.py train mcts.tree_policy=n": [
        *("null", "n_mcts", "n_mcts_paper", "n_mcts_proportional")
    ],
    "python main.py train mcts.solver=": ["true", "false"],
    "python main.py play game.name=": list(game_names()),
    "python main.py params rl.epo": ["rl.epochs"],
    "python main.py completion ": ["bash", "zsh"],
    "python main.py topp nets/": [],
    "python main.py train --run ": [],
    "python other.py tr": [],
    "hex-mcts tr": ["train"],
    "python other.py hex-mcts tr": [],
    ".venv/bin/hex-mcts cert": ["certify"],
}
BASH = """
source ./script
while read -r line; do
    COMP_LINE="${line%;}" COMP_POINT=$((${#line} - 1))
    _hex_mcts
    echo "${COMPREPLY[*]}"
done < lines
"""
ZSH = """
compdef() { registered=($@); }
source ./script
_files() { :; }
compadd() { while [[ $1 != -- ]]; do shift; done; shift; offered+=($@); }
while IFS= read -r line; do
    words=(${(s: :)${line%;}}) offered=()
    [[ $line == *' ;' ]] && words+=("")
    CURRENT=$#words
    _hex_mcts
    print -r -- ${(M)offered:#${words[CURRENT]}*}
done < lines
"""


@pytest.mark.parametrize(("shell", "script"), [("bash", BASH), ("zsh", ZSH)])
def test_a_shell_offers_the_next_words(call: Call, shell: str, script: str, tmp_path: Path) -> None:
    output = call.output("completion", shell)
    if (program := shutil.which(shell)) is None or sys.platform == "win32":
        pytest.skip(f"there is no {shell}")
    (tmp_path / "script").write_text(output)
    (tmp_path / "lines").write_text("".join(f"{line};\n" for line in LINES))
    done = subprocess.run([program, "-c", script], cwd=tmp_path, capture_output=True, text=True)
    assert done.stderr == ""
    offered = [sorted(line.split()) for line in done.stdout.splitlines()]
    for (line, words), found in zip(LINES.items(), offered, strict=True):
        key = line.split()[-1].partition("=")
        if shell == "zsh" and key[1] and not line.endswith(" "):
            words = [f"{key[0]}={word}" for word in words]
        assert found == sorted(words), line

"""What the program answers: messages.txt and sessions.txt, kept word for word and read in review.

Usage: python -m tests.commands.messages

writes them anew. Their parts begin with ``== TITLE``, and each is played in a folder of its own:

> FILE: TEXT       makes a file; FILE.pt is an untrained net of this game with these parameters
< TEXT             is what is typed in the next call
$ WORDS            is a call of main.py, and below it is its answer: status and error if it fails,
                   the output indented, and the files that a failed call has changed
$ WORDS | PATTERN  shows no more of the output than the lines with this regular expression
"""

import io
import os
import re
import shlex
import sys
import tempfile
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from unittest import mock

import yaml

import main
from anet import ANET
from base.params import ANETParams
from state_manager import make_game
from tests.commands.conftest import TINY_RUN
from tests.project import ROOT

FOLDER = Path(__file__).parent
TABLES = ("messages", "sessions")
SHORT_FOR = {
    "$TINY": " ".join(shlex.quote(word) for word in TINY_RUN),
    "$RED": "'\x1b[31mred\nnext\x07'",
    "$LONG": "x" * 450,
    "$WORDS": f"'{'x ' * 200}'",
}
CHANGING = {
    r"\(choose from [^)]*\)": "(choose from ...)",  # quoted as the version of Python does
    r"\b\d+:\d\d\b.*": "0:00",  # durations, and a loss behind them
    r"\.py:\d+": ".py",  # lines of the code
    re.escape(f"{ROOT}{os.sep}"): "",
}


def parts(name: str) -> dict[str, str]:
    parts = (FOLDER / f"{name}.txt").read_text(encoding="utf-8").split("== ")[1:]
    return {title: part for title, _, part in (each.partition("\n") for each in parts)}


def answered(part: str) -> str:
    """Return a part with the answers that the program gives now, in the current folder."""
    lines, typed = [], ""
    for line in part.splitlines():
        kind, text = line[:2], line[2:]
        if kind == "> ":
            _make_file(*text.split(": ", 1))
        if kind == "< ":
            typed = _unescaped(text).decode() + "\n"
        if kind in ("> ", "< ", "$ ", ""):
            lines.append(line)
        if kind == "$ ":
            words, _, pattern = text.partition(" | ")
            lines += _answer(words, typed, pattern)
            typed = ""
    return "".join(f"{line}\n" for line in lines)


def _unescaped(text: str) -> bytes:
    return text.encode().decode("unicode_escape").encode("latin-1")


def _make_file(name: str, text: str) -> None:
    file = Path(name)
    file.parent.mkdir(parents=True, exist_ok=True)
    if file.suffix == ".pt":
        game, *words = text.split()
        values = {key: yaml.safe_load(value) for key, _, value in (w.partition("=") for w in words)}
        of_net = {key: values.pop(key) for key in values.keys() & ANETParams.model_fields.keys()}
        params = ANETParams.model_validate({"hidden_layers": [4], **of_net})
        ANET(make_game(game, **values), params, seed=1).save(file)
    else:
        file.write_bytes(_unescaped(text))


def _found() -> dict[str, bytes]:
    paths = sorted(Path().rglob("*"))
    return {each.as_posix(): each.read_bytes() if each.is_file() else b"" for each in paths}


def _answer(call: str, typed: str, pattern: str) -> list[str]:
    for name, text in SHORT_FOR.items():
        call = call.replace(name, text)
    before, output, errors = _found(), io.StringIO(), io.StringIO()
    with (
        redirect_stdout(output),
        redirect_stderr(errors),
        mock.patch.object(sys, "stdin", io.StringIO(typed)),
        mock.patch.dict(os.environ, COLUMNS="100"),
    ):
        try:
            status = main.main(shlex.split(call))
        except SystemExit as end:
            status = int(end.code or 0)
    said, error = output.getvalue(), f"{status} {errors.getvalue()}"
    for changing, always in CHANGING.items():
        said, error = re.sub(changing, always, said), re.sub(changing, always, error)
    lines = (line.rstrip() for line in said.splitlines())
    answer = [f"  {line}" for line in lines if line and re.search(pattern, line)]
    if status or errors.getvalue():
        after = _found().items()
        changed = [f"changed {name}" for name, content in after if before.get(name) != content]
        answer = [*error.rstrip().splitlines(), *answer, *changed]
    return answer


if __name__ == "__main__":
    for name in TABLES:
        text = ""
        for title, part in parts(name).items():
            with tempfile.TemporaryDirectory() as folder:
                os.chdir(folder)
                text += f"== {title}\n{answered(part)}"
        (FOLDER / f"{name}.txt").write_text(text, encoding="utf-8")

"""The agent that is another program: moves, new games, and protocol violations."""

import shlex
import sys
from pathlib import Path

import numpy as np
import pytest

import agents.engine_agent
import formats.htp
from agents import AgentError, chosen_action, make_agent, parse_agent
from agents.match import play_game
from state_manager import make_game

GAME = make_game("hex", size=4)
PERFECT = """
import sys
sys.path.insert(0, {root!r})
from agents import make_agent
from formats.htp import HTPEngine
from state_manager import make_game
engine = HTPEngine(lambda size, _: make_agent("exact", make_game("hex", size=size)), 5, "", "")
for line in sys.stdin:
    print(*engine.responses(line), sep="", end="", flush=True)
"""
SIMPLE = """
import sys
cells = [f"{{column}}{{row}}" for row in range(1, 5) for column in "abcd"]
played = []
for line in sys.stdin:
    command, *words = line.split()
    answer = "=\\n\\n"
    if command in ("boardsize", "clear_board"):
        played.clear()
    elif command == "undo":
        played.pop()
    elif command == "play":
        played.append(words[1])
    elif command == "genmove":
        played.append(next(cell for cell in cells if cell not in played))
        answer = f"= {{played[-1]}}\\n\\n"
        {deed}
    print(answer, end="", flush=True)
"""
"""A player that takes the first empty cell, and imports nothing that is slow to load."""


def program(folder: Path, text: str = SIMPLE, deed: str = "pass") -> str:
    """Return the command of a player; ``deed`` replaces its reply to a move request."""
    file = folder / "program.py"
    file.write_text(text.format(root=str(Path(__file__).parents[2]), deed=deed))
    return shlex.join([sys.executable, str(file)])


def test_the_whole_word_after_the_colon_is_the_command() -> None:
    word = "engine:mohex --seed=1, and more: a=b"
    spec = parse_agent(word)
    assert spec.options == {"command": "mohex --seed=1, and more: a=b"}
    assert (str(spec), spec.name, spec.net) == (word, word, None)
    assert len(parse_agent(f"engine:{'x' * 100}").name) <= 60


def test_a_perfect_program_wins_every_won_position_in_successive_games(tmp_path: Path) -> None:
    engine = make_agent(f"engine:{program(tmp_path, PERFECT)}", GAME)
    for opening in (12, 9, 6, 3):  # player 1 wins after these
        record = play_game(GAME, (engine, make_agent("random", GAME)), opening=(opening,))
        assert record.winner == 1
    record = play_game(GAME, (make_agent("random", GAME), engine), opening=(0,))
    assert record.winner == 2


def test_the_engine_plays_from_any_position(tmp_path: Path) -> None:
    engine = make_agent(f"engine:{program(tmp_path)}", GAME)
    rng = np.random.default_rng(1)
    for starter in (1, 2, 1, 2):
        state = GAME.initial_state(starter)
        for _ in range(int(rng.integers(1, 6))):
            state = GAME.child_state(state, int(rng.choice(GAME.legal_actions(state))))
        assert engine.choose_action(state) in GAME.legal_actions(state)
    cells = np.zeros(GAME.num_actions, int)
    cells[[0, 1, 7]] = 1
    for mover in (1, 2):
        state = GAME.initial_state(mover, cells.tolist())
        assert engine.choose_action(state) in GAME.legal_actions(state)


def test_a_program_may_leave_the_swapped_stone_where_it_is(tmp_path: Path) -> None:
    """As MoHex does; in our games it is mirrored, from a2 to b1 here."""
    deed = "answer = '= swap-pieces' + chr(10) * 2 if len(played) == 2 and played.pop() else answer"
    game = make_game("hex", size=4, swap=True)
    engine = make_agent(f"engine:{program(tmp_path, deed=deed)}", game)
    state = game.child_state(game.initial_state(1), 4)
    assert engine.choose_action(state) == 16
    for action in (16, 0):
        state = game.child_state(state, action)
    assert engine.choose_action(state) == 2  # a1 and b1 are taken


TALK = "answer = 'I think.' + 2 * chr(10) + ' Chances: 48 %' + chr(10) + answer"


@pytest.mark.parametrize("deed", [TALK, "answer = answer.replace(chr(10), chr(13) + chr(10))"])
def test_what_a_program_prints_beside_its_answers_is_skipped(tmp_path: Path, deed: str) -> None:
    engine = make_agent(f"engine:{program(tmp_path, deed=deed)}", GAME)
    state = GAME.child_state(GAME.initial_state(1), 0)
    assert engine.choose_action(state) == 1
    assert engine.choose_action(GAME.child_state(GAME.child_state(state, 1), 5)) == 2


WRONG = {
    "answer = '= z9\\n\\n'": "expected a legal move, got 'z9'",
    "answer = '= a1\\n\\n'": "expected a legal move, got 'a1'",
    "answer = '? I do not know\\n\\n'": "'genmove black' got '? I do not know'",
    "sys.exit(3)": "it ended before it answered 'genmove black'",
}


@pytest.mark.parametrize("deed", WRONG)
def test_a_program_that_breaks_the_protocol_is_named(tmp_path: Path, deed: str) -> None:
    engine = make_agent(f"engine:{program(tmp_path, deed=deed)}", GAME)
    state = GAME.child_state(GAME.child_state(GAME.initial_state(1), 0), 5)
    with pytest.raises(AgentError, match=r"^engine .*: ") as caught:
        engine.choose_action(state)
    assert str(caught.value).endswith(WRONG[deed])


def test_a_program_that_is_silent_times_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = program(tmp_path, deed="answer = ''")
    engine = make_agent(f"engine:{command}", GAME)
    monkeypatch.setattr(agents.engine_agent, "ANSWER_LIMIT", 0.2)
    with pytest.raises(AgentError, match=r"expected an answer to '.*' within 0.2 s"):
        engine.choose_action(GAME.child_state(GAME.initial_state(1), 0))


def test_a_program_that_resigns_loses(tmp_path: Path) -> None:
    command = program(tmp_path, deed="answer = '= resign' + chr(10) * 2; played.pop()")
    engine = make_agent(f"engine:{command}", GAME)
    record = play_game(GAME, (engine, make_agent("random", GAME)))
    assert (record.winner, record.ending, record.actions) == (2, "R", ())
    record = play_game(GAME, (make_agent("random", GAME), engine))
    assert (record.winner, record.ending, len(record.actions)) == (1, "R", 1)
    with pytest.raises(AgentError, match="expected a move, got resign"):
        chosen_action(engine, GAME.initial_state())
    behind = formats.htp.HTPEngine(lambda size, seconds: engine, 4, "behind", "1")
    assert [*behind.responses("genmove w")] == ["= resign\n\n"]
    assert [*behind.responses("final_score")] == ["= B+\n\n"]

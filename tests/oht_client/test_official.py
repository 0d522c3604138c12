from __future__ import annotations

import logging
import os
import signal
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal

import pytest

from oht_client import OfficialClientError, OHTError, run_official
from tests.oht_client import json_tournament as second
from tests.oht_client import text_tournament as first
from tests.oht_client.scripted_server import Peer, Recorder, first_free_cell, scripted_server
from tests.oht_client.stand_ins import first_generation, second_generation
from tests.project import PATIENCE

Certificates = tuple[Path, Path]
Script = Callable[[Peer], None]

KNOWN = {
    "username": "somebody",
    "password": "a secret",
    "player-name": "Nick",
    "qualify": "n",
    "token": second.TOKEN,
}
PLAIN_CALLS = [
    ("series_start", 1234567, 1, [[1234567, 1], [2020, 2]], 1, [3]),
    ("game_start", 1),
    ("get_action", [1, *[0] * 9]),
    ("get_action", [1, 1, 2, *[0] * 7]),
    ("game_over", 1, [2, 1, 2, 0, 1, 2, 0, 1, 0, 0]),
    ("series_over", [[1234567, 1, 1, 0], [2020, 2, 0, 1]]),
    ("tournament_over", 100.0),
]
"""The first generation's calls; JSON has no tuples."""


def say_after_welcome(*messages: str) -> Script:
    """Return the script of a server of the first generation that then waits."""

    def script(peer: Peer) -> None:
        peer.say("Welcome", *messages)
        peer.wait_until_left()

    return script


def run(
    protocol: Literal[1, 2],
    certificates: Certificates,
    folder: Path,
    script: Script,
    player: Recorder | None = None,
    answer: Callable[[str, str], str] = lambda keyword, prompt: KNOWN[keyword],
    **options: Any,
) -> float | None:
    """Play with a scripted server and a stand-in for the course's client."""
    with scripted_server(certificates, script) as port:
        if protocol == 1:
            first_generation(folder, certificates[0], port)
        else:
            second_generation(folder, certificates[0])
        usual = {
            "host": "localhost",
            "port": port if protocol == 2 else None,
            "league_port": None,
            "silence_limit": PATIENCE,
        }
        return run_official(folder, protocol, player or Recorder(), answer, **{**usual, **options})


def test_the_first_generation_s_client_plays_a_tournament(
    certificates: Certificates, tmp_path: Path
) -> None:
    player = Recorder()
    assert run(1, certificates, tmp_path, first.speak(first.WHOLE), player) == 100.0
    assert player.calls == PLAIN_CALLS


def test_the_second_generation_s_client_plays_a_tournament(
    certificates: Certificates, tmp_path: Path
) -> None:
    player = Recorder()
    script = second.speak(second.WHOLE, Peer.hear_json_in_two)
    assert run(2, certificates, tmp_path, script, player) == 100.0
    assert player.calls == second.CALLS


def test_it_plays_in_the_league(certificates: Certificates, tmp_path: Path) -> None:
    script = second.speak([([*second.SERIES_OVER, second.FINISH], second.NOTHING)])
    player = Recorder()
    with scripted_server(certificates, script) as port:
        score = run_official(
            second_generation(tmp_path, certificates[0]),
            2,
            player,
            lambda keyword, prompt: KNOWN[keyword],
            host="localhost",
            port=None,
            league_port=port,
            mode="league",
            silence_limit=PATIENCE,
        )
    assert score is None
    assert player.calls == second.CALLS[-3:-1]


def test_questions_are_answered_by_keyword(certificates: Certificates, tmp_path: Path) -> None:
    asked: list[tuple[str, str]] = []

    def answer(keyword: str, prompt: str) -> str:
        asked.append((keyword, prompt))
        return KNOWN[keyword]

    stress: first.Dialogue = [(["Take part in the stress test?"], b"n")]
    script = first.speak([*first.LOG_IN, *stress, *first.GAME, (first.END, b"")])
    assert run(1, certificates, tmp_path, script, answer=answer) == 100.0
    words = ("username", "password", "player-name", "qualify")
    prompts = [messages[0] for messages, _ in first.LOG_IN]
    assert asked == list(zip(words, prompts, strict=True))


def test_what_the_parent_decides_is_not_taken_from_the_environment(
    certificates: Certificates,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setenv("IT3105_AUTH", "another token")
    monkeypatch.setenv("IT3105_QUALIFY", "1")
    monkeypatch.setenv("IT3105_ECHO", "1")
    caplog.set_level(logging.DEBUG)
    script = second.speak(second.WHOLE, Peer.hear_json_in_two)
    assert run(2, certificates, tmp_path, script) == 100.0
    assert "Authenticating..." in caplog.text
    assert "token" not in caplog.text
    assert second.TOKEN not in caplog.text


def test_the_certificate_of_the_environment_is_used(
    certificates: Certificates, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("IT3105_CERT", str(certificates[0]))
    folder = second_generation(tmp_path, certificates[0])
    (folder / "server.crt").unlink()
    with scripted_server(certificates, second.speak([([second.FINISH], second.NOTHING)])) as port:
        assert (
            run_official(
                folder,
                2,
                Recorder(),
                lambda keyword, prompt: "",
                host="localhost",
                port=port,
                league_port=None,
                silence_limit=PATIENCE,
            )
            is None
        )


def test_nothing_is_left_in_the_folder(certificates: Certificates, tmp_path: Path) -> None:
    assert run(1, certificates, tmp_path, first.speak(first.WHOLE)) == 100.0
    assert {path.name for path in tmp_path.iterdir()} == {"BasicClientActorAbs.py", "server.crt"}


@pytest.mark.parametrize(
    ("protocol", "options", "line"),
    [
        (1, {"port": 33001}, "expected port 33000, which is fixed in the course's client"),
        (1, {"mode": "league"}, "protocol 1 has no league"),
        (1, {"league_port": 30000}, "protocol 1 has no league"),
        (1, {"certificate": Path("other.crt")}, "expected the certificate in .*server.crt"),
        (2, {"certificate": Path("other.crt")}, "other.crt: expected the server's certificate"),
    ],
)
def test_an_option_that_cannot_reach_the_client_is_refused(
    certificates: Certificates,
    tmp_path: Path,
    protocol: Literal[1, 2],
    options: dict[str, Any],
    line: str,
) -> None:
    with pytest.raises(OfficialClientError, match=line):
        run(protocol, certificates, tmp_path, lambda peer: None, **options)


@pytest.mark.parametrize("protocol", [1, 2])
@pytest.mark.parametrize("file", ["client", "server.crt", "folder"])
def test_a_missing_file_is_named(
    certificates: Certificates, tmp_path: Path, protocol: Literal[1, 2], file: str
) -> None:
    folder = tmp_path / "official"
    if protocol == 1:
        first_generation(folder, certificates[0], 33000)
    else:
        second_generation(folder, certificates[0])
    for path in list(folder.iterdir()):
        if file == "folder" or (path.suffix == ".py") == (file == "client"):
            path.unlink()
    if file == "folder":
        folder.rmdir()
    missing = "server.crt" if file == "server.crt" else "py"
    with pytest.raises(OfficialClientError, match=rf"{missing}: expected .*, got no such file$"):
        run_official(
            folder,
            protocol,
            Recorder(),
            lambda keyword, prompt: "",
            host=None,
            port=None,
            league_port=None,
            silence_limit=PATIENCE,
        )


def test_a_refused_move_is_told(certificates: Certificates, tmp_path: Path) -> None:
    player = Recorder()
    script = say_after_welcome(*first.SERIES, "Illegal action", first.LATER, "(0, 0)")
    assert run(1, certificates, tmp_path, script, player) is None
    assert player.calls[-1] == ("illegal_action", [1, 1, 2, *[0] * 7], [0, 0])


def test_an_absent_server_is_one_clear_line(certificates: Certificates, tmp_path: Path) -> None:
    with scripted_server(certificates, lambda peer: None) as port:
        pass
    folder = first_generation(tmp_path, certificates[0], port)
    with pytest.raises(OHTError, match=r"broke down: ConnectionRefusedError.*refused$"):
        run_official(
            folder,
            1,
            Recorder(),
            lambda keyword, prompt: "",
            host="localhost",
            port=None,
            league_port=None,
            silence_limit=PATIENCE,
        )


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("Invalid credentials, go away", "Its last words: Invalid credentials, go away"),
        ("Sorry", "no attempts left?"),
        ("What is your quest?", "Unrecognized response from server"),
    ],
)
def test_a_client_that_leaves_before_the_tournament_is_an_error(
    certificates: Certificates, tmp_path: Path, text: str, line: str
) -> None:
    with pytest.raises(OHTError, match=line):
        run(1, certificates, tmp_path, lambda peer: peer.say(text))


@pytest.mark.parametrize(
    ("protocol", "script", "line"),
    [
        (1, lambda peer: peer.say("Welcome", *first.SERIES), r"SyntaxError.* \(so it ends when"),
        (1, say_after_welcome("Series start", "x"), "ValueError"),
        (1, say_after_welcome(*first.SERIES, "The read operation timed out"), "came too late"),
        (1, say_after_welcome(*first.SERIES, "(1, 0, 0)"), "expected the state of a square board"),
        (1, say_after_welcome(*first.SERIES, "Game start", "7"), "expected a player"),
        (2, lambda peer: None, r"Received empty string \(so it ends when"),
        (2, lambda peer: peer.say_json({"topic": "error", "error": "no"}), "Error: no$"),
        (2, lambda peer: peer.say_json({"topic": "surprise"}), "unexpected message"),
        (2, lambda peer: peer.say_json({**second.SERIES, "game_params": []}), "board's size"),
    ],
)
def test_what_goes_wrong_is_one_clear_line(
    certificates: Certificates, tmp_path: Path, protocol: Literal[1, 2], script: Script, line: str
) -> None:
    with pytest.raises(OHTError, match=line) as caught:
        run(protocol, certificates, tmp_path, script)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("protocol", [1, 2])
def test_silence_has_a_limit_and_the_child_is_ended(
    certificates: Certificates, tmp_path: Path, protocol: Literal[1, 2]
) -> None:
    with pytest.raises(OHTError, match=r"no word from the course's client for 0\.5 seconds"):
        run(protocol, certificates, tmp_path, Peer.wait_until_left, silence_limit=0.5)


def test_a_client_that_does_not_even_start_is_one_clear_line(
    certificates: Certificates, tmp_path: Path
) -> None:
    folder = second_generation(tmp_path, certificates[0])
    (folder / "ActorClient.py").write_text("import nothing_of_that_name")
    with pytest.raises(OHTError, match="broke down: ModuleNotFoundError"):
        run_official(
            folder,
            2,
            Recorder(),
            lambda keyword, prompt: "",
            host=None,
            port=None,
            league_port=None,
            silence_limit=PATIENCE,
        )


@pytest.mark.parametrize(
    ("prompt", "line"),
    [("username", "expected an answer to 'username'"), ("stress", None)],
)
def test_an_empty_answer_is_never_sent(
    certificates: Certificates, tmp_path: Path, prompt: str, line: str | None
) -> None:
    def script(peer: Peer) -> None:
        peer.say(prompt)
        assert peer.hear() == (b"n" if line is None else b"")

    expected = "before a tournament" if line is None else line
    with pytest.raises(OHTError, match=expected):
        run(1, certificates, tmp_path, script, answer=lambda keyword, prompt: " ")


def test_a_question_without_a_keyword_is_quoted(certificates: Certificates, tmp_path: Path) -> None:
    question = {"topic": "question", "question": "quest", "prompt": "What is your quest?"}

    def script(peer: Peer) -> None:
        peer.say_json(question)
        peer.wait_until_left()

    with pytest.raises(OHTError, match=r"got 'What is your quest\? \[y/n\] '"):
        run(2, certificates, tmp_path, script)


@pytest.mark.parametrize("fault", [KeyboardInterrupt, OHTError])
def test_the_child_ends_with_its_parent(
    certificates: Certificates, tmp_path: Path, fault: type[BaseException]
) -> None:
    left = threading.Event()

    def script(peer: Peer) -> None:
        peer.say("Welcome", *first.SERIES, first.EMPTY)
        peer.wait_until_left()
        left.set()

    def fail(state: Sequence[int]) -> tuple[int, int]:
        raise fault

    with pytest.raises(fault):
        run(1, certificates, tmp_path, script, Recorder(fail))
    assert left.wait(PATIENCE)


def test_ctrl_c_is_heard_while_the_child_waits_for_its_server(
    certificates: Certificates, tmp_path: Path
) -> None:
    def script(peer: Peer) -> None:
        peer.say("Welcome", *first.SERIES, first.EMPTY)
        assert peer.hear() == b"(0, 0)"
        os.kill(os.getpid(), signal.SIGINT)
        peer.wait_until_left()

    with pytest.raises(KeyboardInterrupt):
        run(1, certificates, tmp_path, script, Recorder(first_free_cell))

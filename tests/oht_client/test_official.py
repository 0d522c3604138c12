"""The course's own client files, or stand-ins for them, replace our client."""

import logging
import os
import socket
import ssl
import sys
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal

import pytest

from base.params import OHTParams
from oht_client.answers import Answers, SessionOptions
from oht_client.client import find_client
from oht_client.official import OfficialClientError, load
from online.errors import TournamentError
from tests.oht_client.generations import FIRST, JSON_SERIES, KNOWN, SECOND, TOKEN, Generation
from tests.oht_client.scripted_server import (
    Recorder,
    Script,
    no_prompt_expected,
    over_tls,
    scripted_server,
    wait_until_left,
)
from tests.oht_client.stand_ins import NAMES, put_client
from tests.project import TIMEOUT

Run = Callable[..., float | None]


@pytest.fixture
def run(certificates: tuple[Path, Path], tmp_path: Path) -> Run:
    """Return a function that plays with a scripted server: ``run(generation, script, ...)``."""

    def run(
        generation: Generation,
        script: Script,
        player: Recorder | None = None,
        answers: Answers | None = None,
        tell: Callable[[str], None] = lambda text: None,
        **oht: Any,
    ) -> float | None:
        put_client(generation.protocol, tmp_path, certificates[0])
        given = {"silence_limit": TIMEOUT, "official_client": str(tmp_path), **oht}
        params = OHTParams(protocol=generation.protocol, **given)
        known = answers or Answers(KNOWN, no_prompt_expected, no_prompt_expected)
        options = SessionOptions(known, tell, silence_limit=params.silence_limit)
        with scripted_server(certificates, script) as server:
            return find_client(params, server)(player or Recorder(), options)

    return run


def state_of_the_process() -> tuple[object, ...]:
    timeout = socket.getdefaulttimeout()
    return Path.cwd(), dict(os.environ), sys.path[:], {*sys.modules}, timeout, sys.stdin.closed


@pytest.mark.parametrize("generation", [FIRST, SECOND])
def test_a_tournament_is_played_with_known_answers_and_leaves_the_process_unchanged(
    run: Run,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
    generation: Generation,
) -> None:
    for name, value in {"AUTH": "another token", "QUALIFY": "1", "ECHO": "1"}.items():
        monkeypatch.setenv(f"IT3105_{name}", value)
    caplog.set_level(logging.DEBUG)
    player, messages, before = Recorder(), list[str](), state_of_the_process()
    answers = Answers(KNOWN, no_prompt_expected, no_prompt_expected)
    script = over_tls(generation.whole)
    assert run(generation, script, player, answers, messages.append) == 100.0
    assert player.calls == generation.calls
    assert (answers.name, answers.official) == ("Nick" if generation is FIRST else None, False)
    assert ("Authenticating..." in messages) == (generation is SECOND)
    assert TOKEN not in caplog.text + "".join(messages)
    assert state_of_the_process() == before
    assert capfd.readouterr() == ("", "")
    files = {path.name for path in tmp_path.iterdir()}
    assert files == {NAMES[generation.protocol], "server.crt"}


def silent(generation: Generation, *messages: Any) -> Script:
    """Return the script of a server that sends messages, and then waits for the client's end."""

    def script(sock: ssl.SSLSocket) -> None:
        over_tls(generation.dialogue((messages, None)))(sock)
        wait_until_left(sock)

    return script


@pytest.mark.parametrize(("mode", "limit"), [("league", None), ("qualifiers", TIMEOUT)])
def test_silence_has_a_limit_except_in_the_wait_for_a_league_opponent(
    run: Run, mode: str, limit: float | None
) -> None:
    limits: list[float | None] = []

    def ask(prompt: str) -> str:
        limits.append(socket.getdefaulttimeout())
        return TOKEN if "token" in prompt else "n"

    answers = Answers({}, ask, ask)
    assert run(SECOND, over_tls(SECOND.whole), mode=mode, answers=answers) == 100.0
    assert limits == [limit] * 2
    script = silent(SECOND, *[JSON_SERIES] * (mode == "league"))  # it ends that wait
    with pytest.raises(TournamentError, match=r"no word from the server for 0\.2 seconds"):
        run(SECOND, script, mode=mode, silence_limit=0.2)


def test_a_refused_move_is_reported(run: Run) -> None:
    player, later = Recorder(), FIRST.calls[3][1]
    script = silent(FIRST, *FIRST.begin, "Illegal action", str(later), "(0, 0)")
    assert run(FIRST, script, player=player) is None
    assert player.calls[-1] == ("illegal_action", later, (0, 0))


def test_a_token_that_the_server_repeats_is_not_shown(run: Run) -> None:
    hello = {"topic": "message", "message": f"hello {TOKEN}", "level": "INFO"}
    error = {"topic": "error", "error": f"nobody knows {TOKEN}"}
    dialogue = SECOND.dialogue(*SECOND.log_in[:2], ([hello, error], None))
    messages: list[str] = []
    with pytest.raises(TournamentError, match=r"nobody knows <token>$"):
        run(SECOND, over_tls(dialogue), tell=messages.append)
    assert "hello <token>" in messages


@pytest.mark.parametrize(
    ("protocol", "source", "line"),
    [
        (1, None, "expected .*, got no such file$"),
        (2, None, "expected .*, got no such file$"),
        (2, "import nothing_of_that_name", "ModuleNotFoundError: No module named"),
        (2, "class ActorClient", "SyntaxError"),
        (2, "exit()", "SystemExit"),
        (2, "class Another: pass", "expected a class ActorClient, got none"),
    ],
)
def test_a_file_that_is_missing_or_no_client_is_one_clear_line(
    tmp_path: Path, protocol: Literal[1, 2], source: str | None, line: str
) -> None:
    if source is not None:
        (tmp_path / "ActorClient.py").write_text(source)
    with pytest.raises(OfficialClientError, match=rf"\.py: [^\n]*{line}[^\n]*$"):
        load(tmp_path, protocol)


@pytest.mark.parametrize(
    ("generation", "messages", "line"),
    [
        (FIRST, ["Invalid credentials, bye"], "last words: Invalid credentials"),
        (FIRST, ["Sorry"], "no attempts left"),
        (FIRST, ["What is your quest?"], "Unrecognized response from server"),
        (FIRST, FIRST.begin, r"SyntaxError.* \(so it ends when"),
        (FIRST, ["Welcome", "Series start", "x"], "ValueError"),
        (FIRST, [*FIRST.begin, "The read operation timed out"], "came too late"),
        (FIRST, [*FIRST.begin, "Game start", "7"], "expected a player"),
        (SECOND, [], r"Received empty string \(so it ends when"),
        (SECOND, [{"topic": "error", "error": "no"}], "Exception: no$"),
        (SECOND, [{"topic": "surprise"}], "unexpected message"),
        (SECOND, [{**JSON_SERIES, "game_params": []}], "board's size"),
    ],
)
def test_a_failure_gives_one_clear_line(
    run: Run, generation: Generation, messages: list[object], line: str
) -> None:
    with pytest.raises(TournamentError, match=line) as caught:
        run(generation, over_tls(generation.dialogue((messages, None))))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("fault", [KeyboardInterrupt, TournamentError, ZeroDivisionError, OSError])
def test_an_error_of_the_player_is_raised_unchanged_and_closes_the_connection(
    run: Run, fault: type[BaseException]
) -> None:
    left = threading.Event()

    def script(sock: ssl.SSLSocket) -> None:
        silent(FIRST, *FIRST.begin, str(FIRST.calls[2][1]))(sock)
        left.set()

    def fail(state: Sequence[int]) -> tuple[int, int]:
        raise fault("mine")

    with pytest.raises(fault, match=r"^mine$"):
        run(FIRST, script, player=Recorder(fail))
    assert left.wait(TIMEOUT)

"""Plays with the course's own client files, unmodified, from a folder that a person put them in."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from oht_client import messages
from oht_client.child_process import ChildProcess
from oht_client.errors import OfficialClientError, OHTError
from oht_client.login import QUESTIONS, keyword_of

if TYPE_CHECKING:
    from oht_client.player import Hooks

FIXED_PORT = 33000
"""The port that is written into the first generation's client."""

_MODULES = {1: "BasicClientActorAbs", 2: "ActorClient"}
_CERTIFICATE = "server.crt"


def run_official(
    folder: Path,
    protocol: Literal[1, 2],
    player: Hooks,
    answer: Callable[[str, str], str],
    *,
    host: str | None,
    port: int | None,
    league_port: int | None,
    mode: str = "qualifiers",
    certificate: Path | None = None,
    silence_limit: float,
) -> float | None:
    """Play one tournament with the course's client.

    Args:
        folder: Where the course's file lies: ``BasicClientActorAbs.py`` with ``server.crt`` for
            the first generation, ``ActorClient.py`` for the second.
        protocol: The generation.
        player: Who is told what happens, and asked for moves.
        answer: Answers the client's questions, given a keyword (``username``, ``password``,
            ``player-name``, ``qualify`` or ``token``) and the prompt.
        host: The server; ``None`` for the client's own choice, as in all the following.
        port: Its port.
        league_port: Its port for the league, in the second generation.
        mode: ``qualifiers`` or, in the second generation, ``league``.
        certificate: File with the server's certificate.
        silence_limit: Seconds without a word from the client after which it is given up.

    Returns:
        The score, the percentage of games won; ``None`` if the server told none.

    Raises:
        OfficialClientError: The client is not there or cannot do this.
        OHTError: It did not come to the end of the tournament.
    """
    folder = folder.resolve()
    module = folder / f"{_MODULES[protocol]}.py"
    if not module.is_file():
        raise OfficialClientError(f"{module}: expected the course's client there, got no such file")
    if protocol == 1:
        job = _first_generation_job(folder, host, port, league_port, mode, certificate)
    else:
        job = _second_generation_job(folder, host, port, league_port, mode, certificate)
    with ChildProcess(folder, {"module": _MODULES[protocol], **job}, silence_limit) as child:
        return _play(child, protocol, player, answer)


def _first_generation_job(
    folder: Path,
    host: str | None,
    port: int | None,
    league_port: int | None,
    mode: str,
    certificate: Path | None,
) -> dict[str, Any]:
    """Return the job for ``bridge``; refuse what cannot reach the client."""
    own_certificate = folder / _CERTIFICATE
    if port not in (None, FIXED_PORT):
        raise OfficialClientError(
            f"expected port {FIXED_PORT}, which is fixed in the course's client, got {port}"
        )
    if league_port is not None or mode != "qualifiers":
        raise OfficialClientError("expected mode qualifiers, as protocol 1 has no league")
    if certificate is not None and certificate.resolve() != own_certificate.resolve():
        raise OfficialClientError(
            f"expected the certificate in {own_certificate}, where the course's client looks,"
            f" got {certificate}"
        )
    _check_certificate(own_certificate)
    return {
        "arguments": {"IP_address": host, "verbose": False},
        "method": "connect_to_server",
        "method_arguments": [],
    }


def _second_generation_job(
    folder: Path,
    host: str | None,
    port: int | None,
    league_port: int | None,
    mode: str,
    certificate: Path | None,
) -> dict[str, Any]:
    """Return the job for ``bridge``."""
    usual = os.environ.get("IT3105_CERT", folder / _CERTIFICATE)
    cert = Path(certificate or usual).resolve()
    _check_certificate(cert)
    where = {"host": host, "port": port, "league_port": league_port}
    given = {name: value for name, value in where.items() if value is not None}
    return {
        # Whether to spend an attempt is asked for.
        "arguments": {**given, "cert": str(cert), "qualify": None},
        "method": "run",
        "method_arguments": [mode],
    }


def _check_certificate(path: Path) -> None:
    if not path.is_file():
        raise OfficialClientError(f"{path}: expected the server's certificate, got no such file")


def _play(
    child: ChildProcess, protocol: int, player: Hooks, answer: Callable[[str, str], str]
) -> float | None:
    """Answer the child's calls until it has ended; return the score."""
    score: float | None = None
    is_over = protocol == 2  # whose client ends without an error only after a whole session
    while True:
        name, *arguments = child.next_call()
        reply: object = None
        match name:
            case "ask":
                reply = _answer(answer, *arguments)
            case "series_start":
                player.series_start(*messages.series_start(*arguments))
            case "game_start":
                player.game_start(messages.player(*arguments))
            case "get_action":
                reply = player.get_action(messages.state(*arguments))
            case "game_over":
                winner, end_state = arguments
                player.game_over(messages.player(winner), messages.state(end_state))
            case "series_over":
                player.series_over(messages.stats(*arguments))
            case "tournament_over":
                score, is_over = messages.score(*arguments), True
                player.tournament_over(score)
            case "illegal_action":
                is_over = True
                player.illegal_action(*arguments)
            case "end":
                child.answer(None)
                break
        child.answer(reply)
    if not is_over:
        raise OHTError(
            "the course's client ended before a tournament: wrong user name or password, or no"
            f" attempts left? Its last words: {child.last_words()}"
        )
    return score


def _answer(answer: Callable[[str, str], str], prompt: str) -> str:
    """Return the answer to a question of the client or of its server."""
    keyword = keyword_of(prompt)
    if keyword not in QUESTIONS:
        messages.unexpected("a question with a keyword", prompt)
    if keyword == "stress":
        return "n"
    reply = answer(keyword, prompt)
    if not reply.strip():
        raise OHTError(f"expected an answer to {messages.excerpt(prompt)}, got none")
    return reply

"""Servers of both generations that leave, fall silent, or send impossible messages."""

import struct
from collections.abc import Callable
from typing import Any

import pytest

from online.errors import TournamentError
from tests.oht_client.generations import FIRST, JSON_SERIES, REQUEST, SECOND, TOKEN, Generation
from tests.oht_client.scripted_server import Dialogue, Line, Recorder


def up_to(dialogue: Dialogue, count: int, sent: float) -> Dialogue:
    """Return the first messages of a dialogue, and a part of the next one."""
    begun: list[Any] = []
    for packets, reply in dialogue:
        if count < len(packets):
            part = packets[count][: int(sent * len(packets[count]))]
            return [*begun, ([*packets[:count], part], None)]
        begun.append((packets, reply))
        count -= len(packets)
    return begun


@pytest.mark.parametrize("is_silent", [False, True], ids=["closed", "silent"])
@pytest.mark.parametrize("sent", [0.0, 0.1, 0.5], ids=["after", "begun", "half"])
@pytest.mark.parametrize("generation", [FIRST, SECOND])
def test_a_server_that_leaves_or_falls_silent_in_any_phase_gives_one_clear_line(
    generation: Generation, sent: float, is_silent: bool
) -> None:
    messages = sum(len(packets) for packets, _ in generation.whole)
    for count in range(messages - 1):
        player = Recorder()
        with pytest.raises(TournamentError) as caught:
            generation.play(Line(up_to(generation.whole, count, sent), is_silent), player)
        assert "\n" not in str(caught.value)
        assert player.calls == generation.calls[: len(player.calls)]
        # The ends of the game and of the series, which have come whole, are kept.
        left = messages - count - len(generation.end)
        missing = sum(left > after for after in ((0, 2) if generation is FIRST else (0, 1)))
        kept = sum(call[0] in ("game_over", "series_over") for call in player.calls)
        assert sent or kept == 2 - missing, count


@pytest.mark.parametrize("is_silent", [False, True], ids=["closed", "silent"])
@pytest.mark.parametrize("is_league", [True, False])
def test_after_all_games_a_server_that_leaves_loses_nothing(
    is_league: bool, is_silent: bool
) -> None:
    messages: list[str] = []
    end = [] if is_league else SECOND.end[:1]
    dialogue = SECOND.dialogue(*SECOND.log_in, *SECOND.game, ([*SECOND.over, *end], None))
    line = Line(dialogue, is_silent)
    score = SECOND.play(line, league=is_league, tell=messages.append)
    assert score == (None if is_league else 100.0)
    assert messages[-1].startswith("All games are over, but ")


QUESTIONS, MESSAGES = "at most 20 questions", "a game within 30 messages"


@pytest.mark.parametrize(
    ("generation", "begin", "sent", "reply", "words"),
    [
        (FIRST, [], ["username: "], "somebody", QUESTIONS),
        (FIRST, [], ["password"], "a secret", QUESTIONS),
        (FIRST, [], ["qualify? (Y/n)"], "n", QUESTIONS),
        (FIRST, ["Welcome"], FIRST.begin[1:], None, MESSAGES),
        (SECOND, [], [{"topic": "authentication"}], TOKEN, QUESTIONS),
        (SECOND, [], SECOND.log_in[2][0], False, QUESTIONS),
        (SECOND, [], SECOND.log_in[0][0], None, MESSAGES),
        (SECOND, [], [JSON_SERIES], None, MESSAGES),
    ],
)
def test_the_client_leaves_a_server_that_repeats_a_message_forever(
    monkeypatch: pytest.MonkeyPatch, generation: Any, begin: Any, sent: Any, reply: Any, words: str
) -> None:
    monkeypatch.setattr("online.session._MOST_IDLE", 30)
    with pytest.raises(TournamentError, match=f"^expected {words}[^\n]*$"):
        generation.play(generation.dialogue((begin, None), *[(sent, reply)] * 40))


TEXTS = [
    "Series start|x", "Series start|1.5|[]", "Series start|7|[(7, 1), (9, 2)]|01|[3]",
    "Series start|7|[(7, 1), (9, 2)]|1|['3']", "Series start|7|[(7, 1), (9, 2)]|1|[[[3]]]",
    "Series start|" + "9" * 5000 + "|[(7, 1), (9, 2)]|1|[3]", "Game start|3",
    "Game start|1|(1, 0, 0)", "Game start|1|(1, 0, 0, 0, 1-2)", "Game start|1|(1, 0, 0, 0, (0))]",
    "Game start|1|{1: 2}", "Game start|1|(1, 0, 0, 0, __import__('os'))", "Series end|[(1, 2, 3)]",
    "Game over|1", "Tournament end|excellent", "Tournament end|True", "Tournament end|1e999",
    "Tournament end|" + "9" * 400, "Nothing that the protocol knows", "(" * 100,
    "(1" + ", 0" * 10_000, "Welcome again" * 1000,
]  # fmt: skip
VALUES: dict[str, dict[str, list[object]]] = {
    "series_start": {
        "unique_player_id": [5, True],
        "player_id_map": [{}, [[-200, 0], [999, 1]], [[-200], [999]]],
        "num_games": ["many", -5, 0, 100_001, 10**30, True],
        "game_params": [[], [3.0]],
    },
    "game_start": {"start_player": [0, True]},
    "request_action": {"state": [[1, 0, 0], [1, 0, 0, 0, "0"], [[1], [0]]]},
    "game_over": {"winner": [3]},
    "series_over": {"stats": [[[1, 2], [3, 4]], [[-200, 1, -1, 2]], [[-200, 1, 10**30, 0]]]},
    "tournament_over": {"score": ["100", -5, 101, float("nan"), 10**400]},
}
"""Impossible values of messages that are otherwise well."""
OBJECTS: list[object] = [
    *([], None, "finish", {}, {"topic": None}, {"topic": ["finish"]}),
    *({"topic": topic} for topic in ("message", "question", "request_action", "error", "game_end")),
    *({key: JSON_SERIES[key] for key in JSON_SERIES if key != out} for out in JSON_SERIES),
    {"topic": "game_over", "winner": 1},
]
WELL = {message["topic"]: message for message in [JSON_SERIES, *SECOND.over, *SECOND.end, REQUEST]}
IMPOSSIBLE_OBJECTS = OBJECTS + [
    {**WELL.get(topic, {"topic": topic}), key: value}
    for topic, keys in VALUES.items()
    for key, values in keys.items()
    for value in values
]


IMPOSSIBLE = r"^expected [^\n]* from the server, got [^\n]*$"
BODIES = [
    b"{", b"\xff\xfe", b"{'topic': 1}", b"[" * 20_000, b"9" * 5000, b"finish", b'"\xed\xa0\x80"',
]  # fmt: skip
LENGTHS = (0, -1, -(2**31), 64 * 1024 + 1, 2**31 - 1)
FAULTS: list[tuple[Generation, list[Any], str]] = [
    *((FIRST, [*FIRST.begin, *text.split("|")], IMPOSSIBLE) for text in TEXTS),
    (FIRST, [*FIRST.begin, b"\xff\xfe\x00\x80"], IMPOSSIBLE),
    *((SECOND, [message], IMPOSSIBLE) for message in IMPOSSIBLE_OBJECTS),
    *((SECOND, [struct.pack("<i", len(body)) + body], r"expected .*JSON") for body in BODIES),
    *((SECOND, [struct.pack("<i", length)], r"of 1 to 65536.*protocol 1\?") for length in LENGTHS),
    (FIRST, ["Invalid credentials, go away"], "refused the log-in: 'Invalid credentials, go"),
    (FIRST, ["Sorry, no attempts left"], "Sorry, no attempts left"),
    (FIRST, ["User did not want to participate in stress test."], "did not want to"),
    (FIRST, ["What is your quest?"], r"got 'What is your quest\?'"),
    (FIRST, ['{"topic": 1}'], r"\(protocol 2\?\)"),
    (FIRST, [*FIRST.begin, "The read operation timed out"], "a move came too late"),
    (SECOND, [{"topic": "error", "error": "too\nlate"}], "session: too late$"),
]


@pytest.mark.parametrize(("generation", "messages", "line"), FAULTS, ids=lambda it: repr(it)[-40:])
def test_a_refusal_or_an_impossible_message_gives_one_clear_line(
    generation: Generation, messages: list[Any], line: str
) -> None:
    with pytest.raises(TournamentError, match=line) as caught:
        generation.play(Line(generation.dialogue((messages, None)), is_silent=True))
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize(
    ("generation", "question", "ask", "words"),
    [
        (FIRST, "password", lambda prompt: "", "expected an answer to 'password'"),
        (FIRST, "password", lambda prompt: "a secret" * 1000, "at most 1024 bytes"),
        (SECOND, SECOND.log_in[2][0][0], lambda prompt: "maybe", "expected yes or no to 'Qualify"),
    ],
)
def test_an_answer_that_cannot_be_sent_ends_the_session(
    generation: Generation, question: object, ask: Callable[[str], str], words: str
) -> None:
    with pytest.raises(TournamentError, match=words) as caught:
        generation.play(generation.dialogue(([question], None)), known={}, ask=ask, ask_secret=ask)
    assert "secret" not in str(caught.value)

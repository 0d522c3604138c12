"""The client for the server's second generation, whose messages are JSON frames."""

import contextlib
from collections.abc import Mapping

from base.storage import excerpt
from oht_client import messages, transport
from oht_client.answers import NO, YES, printable
from oht_client.basic_client_actor import TournamentClient
from oht_client.errors import OHTError
from oht_client.messages import field, framed, receive_message


class ActorClient(TournamentClient):
    """Connects to the server, and plays a session of a tournament, or of the league."""

    def run(self, mode: str = "qualifiers") -> float | None:
        """Play one session, and return the score; ``None`` if the server sent none.

        The mode is ``qualifiers``, against the server's players, or ``league``: one series against
        another client, perhaps after a wait for it. An early end raises an ``OHTError``.
        """
        self._league, self._score = mode == "league", None
        self._may_end = False  # without "finish", after the last game
        with contextlib.closing(transport.connect(self.server, self.options)) as connection:
            try:
                while self._react(connection, receive_message(connection)):
                    pass
            except OHTError as error:
                if not self._may_end:
                    raise
                self.options.tell(f"All games are over, but {error}")
        return self._score

    def _react(self, connection: transport.Connection, message: Mapping[str, object]) -> bool:
        """Handle a message; return whether the session goes on."""
        tell, answers = self.options.tell, self.options.answers
        self._count(str(message.get("topic")))
        match message.get("topic"):
            case "message":
                tell(answers.redacted(printable(str(field(message, "message")))))
            case "authentication":
                tell("Authenticating...")
                connection.send(framed(answers.ask("Enter API token: ")))
                if self._league:
                    tell("Waiting for an opponent, as long as it takes")
                    connection.silence_limit = None
            case "question":
                question, prompt = str(field(message, "question")), str(field(message, "prompt"))
                connection.send(framed(self._yes_or_no(question, prompt)))
            case "request_action":
                connection.send(framed(self._call("get_action", message)))
            case "series_start":
                self._may_end = False
                connection.silence_limit = self.options.silence_limit
                self._call("series_start", message)
            case "game_start" | "game_over" | "series_over" | "tournament_over" as hook:
                self._call(hook, message)
                if hook == "tournament_over" or (self._league and hook == "series_over"):
                    self._may_end = True
            case "finish":
                tell("Connection closed")
                return False
            case "error":
                reason = answers.redacted(printable(str(field(message, "error"))))
                raise OHTError(f"the server ended the session: {reason}")
            case _:
                messages.unexpected("a message with a known topic", message)
        return True

    def _yes_or_no(self, question: str, prompt: str) -> bool:
        """Answer a question with yes or no."""
        # ``Answers`` needs the keyword in the text; a server may word its question without it.
        words = prompt if question in prompt.lower() else f"{question}: {prompt}"
        answer = self.options.answers.ask(f"{words} [y/n] ")
        if (word := answer.lower()) not in YES | NO:
            raise OHTError(f"expected yes or no to {excerpt(prompt)}, got {answer!r}")
        return word in YES

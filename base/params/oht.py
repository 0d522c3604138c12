"""The sections of ``params.yaml`` about the Online Hex Tournament."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from base.params.section import Section

Port = Annotated[int, Field(ge=0, le=65535)]
Text = Annotated[str, Field(min_length=1, pattern=r"^[^\x00-\x1f\x7f]*$")]
Seconds = Annotated[float, Field(gt=0, le=3600)]


class OHTParams(Section):
    """The client.

    Attributes:
        protocol: Generation of the server's protocol: 1 speaks text, 2 speaks JSON.
        server: ``HOST:PORT``; ``None`` for the course's own server of that generation.
        mode: Of generation 2: ``qualifiers`` or ``league``.
        board_size: The board that is expected; also the one that ``oht-server`` plays on.
        agent: The word of the agent that plays; the net of ``--net`` is put into it.
        move_time_limit: Seconds after which a move is answered, whatever the search does; ``None``
            for what suits the generation: 2 for 1, whose limit is not known, and 1 for 2, whose
            limit that is.
        certificate: The server's certificate; ``None`` to look where it usually lies.
        official_client: A folder with the course's own client, to be used instead of ours.
        connect_attempts: How often to try to reach the server, a second apart.
        silence_limit: Seconds without a word from the server after which it is given up, but for
            the wait for an opponent in the league.
    """

    protocol: Literal[1, 2] = 1
    server: Text | None = None
    mode: Literal["qualifiers", "league"] = "qualifiers"
    board_size: Annotated[int, Field(ge=3, le=13)] = 5
    agent: Text = "mcts"
    move_time_limit: Seconds | None = None
    certificate: Text | None = None
    official_client: Text | None = None
    connect_attempts: Annotated[int, Field(ge=1, le=1000)] = 3
    silence_limit: Annotated[float, Field(gt=0, le=86400)] = 600.0

    @property
    def seconds_per_move(self) -> float:
        """``move_time_limit``, or what suits the generation."""
        return self.move_time_limit or {1: 2.0, 2: 1.0}[self.protocol]


class OHTServerParams(Section):
    """The local tournament server.

    Attributes:
        host: The address to listen on.
        port: Of generation 1; 0 for any free one, here and below.
        qualifiers_port: Of generation 2's qualifiers.
        league_port: Of generation 2's league.
        opponents: The words of the agents to play against, a series each.
        verification_games: Games of a verification or practice tournament, shared out among the
            opponents.
        official_games: Games against each opponent in an official tournament, or a league series.
        official_attempts: Official tournaments for each user name, in generation 1.
        qualification_attempts: The same for each token, in generation 2.
        first_starter: The player who starts the first game of a series.
        connections: Connections at once, in all; fewer where the system allows few open files.
        connections_per_address: Connections at once from one address.
        move_limit: Seconds that a client has for a move in generation 1; ``None`` for no limit.
        qualifiers_move_limit: The same in generation 2.
        answer_limit: Seconds that a client has for anything else.
    """

    host: Text = "127.0.0.1"
    port: Port = 33000
    qualifiers_port: Port = 33001
    league_port: Port = 30000
    opponents: Annotated[tuple[Text, ...], Field(min_length=1)] = (
        "random",
        "mcts:simulations=20",
        "mcts:simulations=100",
        "mcts:simulations=500",
    )
    verification_games: Annotated[int, Field(ge=1, le=100_000)] = 100
    official_games: Annotated[int, Field(ge=1, le=100_000)] = 50
    official_attempts: Annotated[int, Field(ge=0, le=1000)] = 5
    qualification_attempts: Annotated[int, Field(ge=0, le=1000)] = 3
    first_starter: Literal[1, 2] = 1
    connections: Annotated[int, Field(ge=1, le=10_000)] = 200
    connections_per_address: Annotated[int, Field(ge=1, le=10_000)] = 50
    move_limit: Seconds | None = 60.0
    qualifiers_move_limit: Seconds | None = 2.0
    answer_limit: Seconds = 300.0

"""``arena``: play in the public hexgame arena, or in one of your own."""

import argparse
import json
import math
import os
import sys
import time

from base.params import Params
from base.storage import printable
from cli.exits import UsageError
from cli.shell import command_line
from cli.tournament_display import tournament
from hex_mcts.system import System
from oht_client.answers import ask_secret
from online.arena.client import ArenaClient, Entry
from online.arena.connection import check_address, read_slots
from online.arena.messages import Slot, name_of
from online.errors import TournamentError
from online.lineup import Lineup
from online.results import Event

_TOKEN = "HEXGAME_TOKEN"  # the variable with ``--reconnect``'s token, else prompted for
_SIZE = 11


def run(system: System, arguments: argparse.Namespace) -> int:
    """Enter the arena, play, and show the result; or list the slots of a server."""
    check_address(arguments.server)
    if arguments.slots:
        for each in read_slots(arguments.server):
            print(_in_words(each))
        return 0
    given = {"agent": arguments.agent, "move_time_limit": arguments.seconds}
    shared = [f"oht.{key}={json.dumps(each)}" for key, each in given.items() if each is not None]
    params = system.with_overrides(shared).params
    size, way, query = _way_in(arguments)
    lineup = Lineup(params.for_games(1), arguments.net, size)
    user = arguments.name and printable(arguments.name, 80)
    query |= {"model_name": printable(lineup.expected.name, 80), "username": user}
    event = Event(arguments.server, 1, kind="arena", name=arguments.name)
    with tournament(params, lineup, event, "Arena", "arena") as (display, _, player):
        display.tells_results = True
        arena = ArenaClient(_entry(arguments, params, way, query), player, display.message)
        result = player.result
        try:
            arena.play()
        except (KeyboardInterrupt, TournamentError) as reason:
            result.broken_off = str(reason) or "interrupted"
            if arena.way_back is not None:
                slot, token = arena.way_back
                command = command_line("arena", "--server", arguments.server, "--reconnect", slot)
                display.message(f"The seat is held for half a minute; to return: {command}")
                if sys.stdout.isatty():  # the token is for a person, never for a file
                    display.message(f"It asks for this token, which works once: {token}")
            raise
        finally:
            if games := result.won + result.lost:
                result.score = round(100 * result.won / games, 2)
    return 0 if player.is_kept and result.score is not None else 1


def _way_in(arguments: argparse.Namespace) -> tuple[int, str, dict[str, object]]:
    """Return the board's size, and the way and the query of ``Entry``."""
    number = arguments.slot or arguments.reconnect
    if number is None:
        size, length = int(arguments.size or _SIZE), int(arguments.length or 1)
        return size, "matchmake", {"board_size": size, "series_length": length}
    option = "--slot" if arguments.slot else "--reconnect"
    if arguments.size or arguments.length:
        raise UsageError(f"{option}: the slot has its board and series; leave out --size, --length")
    if arguments.forever or arguments.minutes or (arguments.series or 1) > 1:
        raise UsageError(f"{option}: expected one series, which is the one in the slot")
    found = [slot for slot in read_slots(arguments.server) if slot.slot_id == number]
    if not found or found[0].board_size is None:
        raise UsageError(f"{option}: slot {number:g} holds no series; --slots lists those that do")
    size = found[0].board_size
    if arguments.slot:
        return size, "join-slot", {"slot_id": number}
    token = os.environ.get(_TOKEN) or ask_secret("Token: ")
    return size, "reconnect", {"slot_id": number, "token": token}


def _entry(
    arguments: argparse.Namespace, params: Params, way: str, query: dict[str, object]
) -> Entry:
    oht, minutes = params.oht, arguments.minutes
    until = math.inf if minutes is None else time.monotonic() + 60 * minutes
    endless = arguments.forever or minutes is not None
    series, limit = None if endless else int(arguments.series or 1), oht.silence_limit
    return Entry(arguments.server, way, query, oht.connect_attempts, series, until, limit)


def _in_words(slot: Slot) -> str:
    if slot.board_size is None:
        return f"slot {slot.slot_id}: empty"
    series = f"{slot.board_size}x{slot.board_size}, best of {slot.series_length}"
    players = [name_of(player, slot) for player in (2, 1)]
    waits = slot.state == "waiting"
    who = f"{players[0]} waits" if waits else f"{players[0]} (red) against {players[1]} (blue)"
    return f"slot {slot.slot_id}: {series}, {who}"

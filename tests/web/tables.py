"""Requests of the page and their answers: refusals.txt and the tables beside it, read in review.

Usage: python -m tests.web.tables

writes the answers anew.
"""

import json
import shlex
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from starlette.testclient import TestClient

from base.params import GameParams, Params, Section
from tests.golden.tables import Answers, rewrite
from tests.web.conftest import Time, in_base64
from web.friends.rooms import Room, new_token
from web.server.access_control import AccessControl
from web.server.agent_pool import AgentPool
from web.server.app import create_app

NAMES = "questions", "files", "refusals", "friends"
FILES = [Path(__file__).with_name(f"{name}.txt") for name in NAMES]


@cache
def new_server() -> tuple[AgentPool, TestClient]:
    """Return a server of its own, without runs."""
    params = Params(game=GameParams(name="hex", options=Section()))
    pool = AgentPool(params, Path(mkdtemp()) / "runs")
    app = create_app(pool, AccessControl(), {})
    return pool, TestClient(app, base_url="http://localhost", raise_server_exceptions=False)


def ask(name: str, body: str) -> Any:
    """Return the answer to a request; a refusal is one line."""
    headers = {"content-type": "application/json"}
    response = new_server()[1].post(f"/api/{name}", content=body, headers=headers)
    answer = response.json()
    if response.status_code != 200:
        error = answer["error"]
        assert (response.status_code, "\n" in error, 0 < len(error) <= 300) == (400, False, True)
        assert list(answer) == ["error"]
    return answer


def of_refused(line: str) -> str:
    """Return the line with which a request, its name and its body, is refused."""
    name, _, body = line.partition(" ")
    return str(ask(name, body)["error"])


def value(word: str) -> Any:
    """Return a value in JSON; another word is itself."""
    try:
        return json.loads(word)
    except ValueError:
        return word


def values(words: list[str]) -> dict[str, Any]:
    return {key: value(word) for key, _, word in (each.partition("=") for each in words)}


def of_question(line: str) -> str:
    """Return what ``NAME GAME OPTION=VALUE ... | ACTION ... | KEY=VALUE ... | KEY ...`` names.

    The last keys are of the answer. ``start`` and ``setup`` are of the position, as the actions.
    """
    words, actions, more, keys = (part.split() for part in line.split("|"))
    position: dict[str, Any] = {"game": {"name": words[1], "params": values(words[2:])}}
    position["actions"] = [*map(int, actions)]
    asked = values(more)
    position |= {key: asked.pop(key) for key in ("start", "setup") if key in asked}
    found = ask(words[0], json.dumps(asked | {"position": position}))
    return "\n".join(f"{key}: {json.dumps(found[key])}" for key in keys or found)


def of_file(case: str) -> str:
    """Return what a file has, and its links; a case may begin with more of the request, in JSON."""
    more, end = json.JSONDecoder().raw_decode(case) if case.startswith("{") else ({}, 0)
    found = ask("read_sgf", json.dumps({"file": in_base64(case[end:].lstrip()), **more}))
    if "error" in found:
        return f"refused: {found['error']}"
    written = {key: found[key] for key in ("game", "start", "setup")}
    nodes = [{key: each[key] for key in ("action", "parent")} for each in found["nodes"]]
    links = ask("write_sgf", json.dumps({**written, "nodes": nodes}))
    return f"{shown(found)}\nlinks: {links['link']} {links['trmph']}"


def shown(found: dict[str, Any]) -> str:
    """Return what a file has, with each node as its name, its parent and its comment."""
    setup, nodes = found.pop("setup"), found.pop("nodes")
    lines = [f"{key}: {json.dumps(value)}" for key, value in found.items() if value]
    comments = (f" {each['comment']!r}" if each.get("comment") else "" for each in nodes)
    moves = (f"{each['name']} after {each['parent']}" for each in nodes)
    moves = (f"{move}{comment}" for move, comment in zip(moves, comments, strict=True))
    return "\n".join([*lines, f"setup: {''.join('.12'[each] for each in setup)}", *moves])


def of_tree(case: str) -> str:
    """Return the file and the links of a tree in JSON, and the tree read from that file."""
    written = ask("write_sgf", case)
    again = ask("read_sgf", json.dumps({"file": in_base64(written["sgf"])}))
    return "\n".join([*map(str.rstrip, written.values()), "read again:", shown(again)])


BEGUN: dict[str, Any] = {
    **{"left": None, "runs": 0, "said": [], "game": {"name": "hex", "params": {"size": 3}}},
    **{"start": 1, "setup": [], "actions": [], "history": [], "path": [], "last": None},
    **{"offers": [0, 0], "chats": [0, 0], "wins": [0, 0]},
    **dict.fromkeys(("resigned", "flagged", "takeback", "winner"), 0),
    **{"clock": "none", "rematch": "", "friend": ""},
}
"""What answers leave out of a game that has just begun."""


class Evening:
    """Games between friends in a new room, in which time passes only when a line says so.

    A line is ``WHO WHAT KEY=VALUE ...``; its answer is what has changed since this person last
    asked. Names stand for tokens: ``Ada`` for that of her seat, ``Ada.watch`` for the spectators'.
    """

    def __init__(self) -> None:
        self.pool, self.time = new_server()[0], Time()
        self.file = Path(mkdtemp()) / "room.json"
        self.pool.room = Room(self.file, now=self.time)
        self.tokens = {"nobody": new_token()}
        self.seen: dict[str, dict[str, Any]] = {}

    def answer(self, line: str) -> str:
        who, what, *words = shlex.split(line)
        found = self.found(who, what, {key: self.token(key, v) for key, v in values(words).items()})
        if "error" in found:
            return f"refused: {found['error']}"
        known = self.seen.setdefault(who, dict(BEGUN)) if "away" in found else {}
        new = {key: value for key, value in found.items() if known.get(key, ...) != value}
        text = "; ".join(f"{key} {json.dumps(value)}" for key, value in new.items()) or "as before"
        text += " (presence alone)" * ("away" in found and "you" not in found)
        known.update(found)
        for name, token in self.tokens.items():
            text = text.replace(token, name)
        return text

    def token(self, key: str, value: Any) -> Any:
        """Return the token that a name stands for in a request."""
        if key == "seats":
            return [self.tokens.get(each, each) for each in value.split(",")]
        return self.tokens.get(value, value) if key in ("id", "token") else value

    def found(self, who: str, what: str, more: dict[str, Any]) -> dict[str, Any]:
        match what:
            case "waits":
                self.time.now += more["seconds"]
                return {}
            case "restarts":
                self.time.now = more.get("now", self.time.now)
                self.pool.room = Room(self.file, now=self.time)
                return {}
            case "makes":
                game = {"name": more.pop("game", "hex")}
                game["params"] = {key: more.pop(key) for key in ("size", "swap") if key in more}
                about = {"player": 1, "name": who, **more, "game": game}
                found = ask("new_table", json.dumps(about))
                return self.named(who, found.get("token", ""), {}) if "token" in found else found
            case "joins":
                self.tokens.setdefault(who, new_token())
                return dict(ask("join_table", json.dumps({"seat": self.tokens[who], **more})))
            case "room" | "lobby" | "own_tables":
                own = {"token": self.pool.room.assistant} if what == "room" else {}
                return dict(ask(what, json.dumps(own | more)))
        token = {"token": self.tokens.get(who, who), **more}
        if what == "sees":
            return self.named(who, token["token"], dict(ask("table", json.dumps(token))))
        tables = (each for each in self.pool.room.tables if token["token"] in each.seats)
        plies = sum(len(each.position.actions) for each in tables)
        action = {"what": what, **({"ply": plies} if plies else {}), **token}
        for _ in range(action.pop("times", 1)):
            found = ask("table_action", json.dumps(action))
        return self.named(who, token["token"], dict(found))

    def named(self, who: str, token: str, found: dict[str, Any]) -> dict[str, Any]:
        """Give names to the tokens of a table; return the answer with a shorter view."""
        self.tokens.setdefault(who, token)
        table = next((each for each in self.pool.room.tables if token in each.seats), None)
        if table is not None:
            mine = who if table.seats[0] == token else f"{who}'s"
            names = {f"{mine}.watch": table.watch, f"{mine}.link": table.invite}
            self.tokens |= {k: v for k, v in names.items() if v and v not in self.tokens.values()}
        if rematch := found.get("rematch"):
            self.tokens.setdefault(f"{who}.rematch", rematch)
        if view := found.pop("view", None):
            found |= {key: view[key] for key in ("to_play", "winner", "last", "path", "history")}
            found |= {"moves": len(view["moves"]), **found.pop("position")}
        return found


ANSWERS: Answers = {
    "refused": lambda: of_refused,
    "asked": lambda: of_question,
    "file": lambda: of_file,
    "tree": lambda: of_tree,
    "evening": lambda: Evening().answer,
}

if __name__ == "__main__":
    for table in FILES:
        rewrite(table, ANSWERS)

"""The input boundaries for files: parameters, lists of agents, nets, checkpoints of runs, logs."""

import functools
import io
import json
import random
import re
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import torch

from agents import AgentError, load_net
from anet import ANET, NetError
from anet.onnx import onnx_of
from base.params import ANETParams, Params, ParamsError, load_params
from base.storage import (
    AppendLog,
    CheckpointError,
    LogError,
    load_checkpoint,
    read_jsonl,
    save_checkpoint,
)
from cli.contestants import read_candidates
from cli.exits import UsageError
from cli.saved_games import SavedGames, write_sgf
from formats.annotations import MoveReview, annotate
from formats.sgf import MoveReader, read_game
from formats.sgf_text import parse, write
from hex_mcts.system import System
from main import DEFAULT_PARAMS
from proofs.certificate import CertificateError, read_certificate
from proofs.recheck import recheck
from rl import RunDirectory, RunError
from state_manager import GameError, game_names, game_schema, make_game
from tests.fuzz.boundary import Boundary, Enter
from tests.fuzz.mutation import WORDS, broken, edited, value
from tests.rl.conftest import make_system
from web.friends.rooms import Room, new_token
from web.ladder.ladder import Ladder
from web.server.requests import RequestError

SCHEMAS = SimpleNamespace(names=game_names, schema=game_schema)
PARAMS = re.sub(r" +#.*|^#.*\n", "", DEFAULT_PARAMS.read_text(), flags=re.MULTILINE)
"""``params.yaml`` without its comments."""
KEYS: list[str] = re.findall(r"^ *(\w+):", PARAMS, re.MULTILINE)


@functools.cache
def default_params() -> Params:
    return load_params(DEFAULT_PARAMS, game_schemas=SCHEMAS)


def params(folder: Path) -> Enter:
    sections = re.split(r"(?m)^(?=\w)", PARAMS)

    def enter(rng: random.Random) -> None:
        some = "".join(rng.sample(sections, rng.randint(0, 2)))
        if rng.random() < 0.7:
            key = rng.choice(KEYS)
            some = re.sub(rf"\b{key}: .*", lambda _: f"{key}: {json.dumps(value(rng))}", some)
        data = some.encode()
        data = broken(data, rng) if rng.random() < 0.7 else data
        (folder / "params.yaml").write_bytes(data)
        names = ("rl", "mcts", "game", "oht", "x")
        overrides = [
            f"{rng.choice(names)}.{rng.choice(KEYS)}={rng.choice(WORDS)}"
            for _ in range(rng.choice([0, 0, 0, 1, 2]))
        ]
        load_params(folder / "params.yaml", overrides, game_schemas=SCHEMAS)

    return enter


def edited_json(whole: dict[str, Any], rng: random.Random) -> bytes:
    data = json.dumps(edited(whole, rng)).encode()
    return broken(data, rng) if rng.random() < 0.5 else data


def agent_lists(folder: Path) -> Enter:
    whole = b"- random\n- {name: deep, agent: 'mcts:simulations=9'}\n- anet:net.pt,choice=greedy\n"

    def enter(rng: random.Random) -> None:
        data = broken(whole, rng) if rng.random() < 0.8 else json.dumps([value(rng)]).encode()
        (folder / "agents.yaml").write_bytes(data)
        read_candidates([], folder / "agents.yaml")

    return enter


def with_edits(whole: bytes, path: Path, kind: str, rng: random.Random) -> None:
    """Write a checkpoint with broken bytes, or with a right digest over wrong content."""
    path.write_bytes(whole)
    if rng.random() < 0.3:
        path.write_bytes(broken(whole, rng))
        return
    saved = load_checkpoint(path, kind)
    meta, tensors = saved.meta, saved.tensors
    if rng.random() < 0.7:
        meta = edited(meta, rng)
    if rng.random() < 0.4:
        name = rng.choice(list(tensors))
        tensors[name] = rng.choice(TENSOR_EDITS)(tensors[name])
    if rng.random() < 0.1:
        tensors[rng.choice(WORDS)] = tensors.pop(rng.choice(list(tensors)))
    if isinstance(meta, dict) and rng.random() < 0.9:
        save_checkpoint(path, kind, meta, tensors)
    else:
        path.write_bytes(as_torch(kind, meta, tensors, rng))


TENSOR_EDITS: list[Callable[[torch.Tensor], torch.Tensor]] = [
    lambda tensor: tensor[:0].clone() if tensor.ndim else tensor,
    lambda tensor: tensor.unsqueeze(0),
    lambda tensor: torch.full_like(tensor, 99),
    lambda tensor: torch.full_like(tensor, -1),
    lambda tensor: tensor.double() * torch.nan,
    lambda tensor: torch.full_like(tensor.float(), torch.inf),
    lambda tensor: torch.full_like(tensor.float(), 3e38),
    lambda tensor: tensor.to(torch.complex64),
    lambda tensor: tensor.to(torch.bool),
]


def as_torch(kind: object, meta: object, tensors: object, rng: random.Random) -> bytes:
    """Return the file that torch writes for an invalid content."""
    content: Any = {"format": 1, "kind": kind, "meta": json.dumps(meta), "tensors": tensors}
    content["sha256"] = "0" * 64
    content[rng.choice(list(content))] = value(rng)
    buffer = io.BytesIO()
    torch.save(content if rng.random() < 0.9 else value(rng), buffer)
    return buffer.getvalue()


def nets(folder: Path) -> Enter:
    path = folder / "net.pt"
    wholes = []
    for architecture in (
        {"hidden_layers": (8,), "critic": True},
        {"network": "convolutional", "channels": 2, "blocks": 1, "hidden_layers": ()},
        {"network": "residual", "channels": 2, "blocks": 1, "hidden_layers": (4,), "critic": True},
    ):
        ANET(make_game("hex", size=3), ANETParams.model_validate(architecture)).save(path)
        wholes.append(path.read_bytes())

    def enter(rng: random.Random) -> None:
        with_edits(rng.choice(wholes), path, "anet", rng)
        net = load_net(path)
        net.policy(net.game.initial_state())

    return enter


def onnx_nets(folder: Path) -> Enter:
    path, game = folder / "net.onnx", make_game("hex", size=3)
    whole = onnx_of(ANET(game, ANETParams(hidden_layers=(4,), critic=True)), "x")
    card = b"planes: state\njoins: either\npolicy: policy\nseen_by: player1\n"

    def enter(rng: random.Random) -> None:
        path.write_bytes(broken(whole, rng) if rng.random() < 0.5 else whole)
        path.with_suffix(".yaml").write_bytes(broken(card, rng) if rng.random() < 0.5 else card)
        load_net(path, game).policy(game.initial_state())

    return enter


def added_nets(folder: Path) -> Enter:
    path, game = folder / "net.pt", make_game("hex", size=3)
    ANET(game, ANETParams(hidden_layers=(8,))).save(path)
    whole, ladder = path.read_bytes(), Ladder(folder / "nets", game)
    ladder.takes_nets = True

    def enter(rng: random.Random) -> None:
        with_edits(whole, path, "anet", rng)
        name = broken(b"Zoe-2", rng).decode(errors="replace") if rng.random() < 0.3 else "Zoe"
        ladder.add(name, path.read_bytes(), str(rng.random()))

    return enter


def checkpoints(folder: Path) -> Enter:
    words = ("rl.episodes=4", "rl.cached_nets=2", "mcts.simulations=4")
    run = folder / "run"
    system: System = make_system(*words)
    rl_system = system.rl_system(run)
    rl_system.train()
    rl_system.close()
    path = run / "checkpoint.pt"
    wholes = {file: file.read_bytes() for file in (path, *run.glob("*.jsonl"))}

    def enter(rng: random.Random) -> None:
        for file, whole in wholes.items():
            file.write_bytes(whole)
        with_edits(wholes[path], path, "training", rng)
        rl_system.run = RunDirectory(run)
        try:
            rl_system.resume()
        finally:
            rl_system.close()

    return enter


def logs(folder: Path) -> Enter:
    path = folder / "log.jsonl"
    whole = b'{"episode": 1, "loss": 2.5, "plies": [1, 2]}\n{"episode": 2, "name": "\\u00e9"}\n'

    def enter(rng: random.Random) -> None:
        data = broken(whole, rng)
        if rng.random() < 0.2:
            data = (json.dumps(value(rng)) + "\n").encode()
        path.write_bytes(data)
        with AppendLog(path) as log:
            if rng.random() < 0.5:
                log.truncate(rng.choice([0, -1, 10**30, len(data), data.rfind(b"\n") + 1]))
            log.append({"episode": 3})
        read_jsonl(path)

    return enter


def certificates(folder: Path) -> Enter:
    net = ANET(make_game("hex", size=3), ANETParams(hidden_layers=(4,)))
    whole: dict[str, Any] = {"game": "hex", "game_params": {"size": 3}, "agent": "anet"}
    whole |= {"net": "0" * 64, "near_tie": 0.0, "sides": 10, "proven": 1, "positions": 5}
    whole |= {"held": [{"opening": [4], "player": 1}], "digest": "0" * 64}

    def enter(rng: random.Random) -> None:
        (folder / "c.json").write_bytes(edited_json(whole, rng))
        recheck(net, read_certificate(folder / "c.json"))

    return enter


def rooms(folder: Path) -> Enter:
    tokens = [new_token() for _ in range(5)]
    table: dict[str, Any] = {"seats": tokens[:2], "watch": tokens[2], "names": ["x", ""]}
    table |= {"position": {"game": {"name": "hex", "params": {"size": 3}}, "actions": [4, 0]}}
    table |= {"first": 1, "joined": [1, 0], "changed": 1e9, "version": 3}
    whole: dict[str, Any] = {"access": tokens[3], "assistant": tokens[4], "tables": [table]}

    def enter(rng: random.Random) -> None:
        (folder / "r.json").write_bytes(edited_json(whole, rng))
        told: list[str] = []
        room = Room(folder / "r.json", told.append)
        if told:
            raise RequestError(told[0])
        for each in room.tables:
            each.played()
            room.change(each.seats[0], lambda table, seat: table.with_seat("names", seat, "y"))
        assert Room(folder / "r.json", told.append).tables == room.tables

    return enter


def sgf_files(folder: Path) -> Enter:
    games = [
        b"(;FF[4]GM[11]SZ[3]PB[Ann]RE[B+R];B[b1];W[swap-pieces];B[c3](;W[a1]C[x])(;W[c1]))\n",
        b"(;CA[GB2312]SZ[3]AB[a1][b2:c2]PL[W];W[a2];AE[a1]AW[c3];W[b1];B[pass];B[resign])\n",
        b"text (;EV[hex.ld]SZ[4];W[ad];B[cb];W[bc];B[a1]AE[c2];B[b1];B[b2])\n",
        b"(;CA[ISO-8859-1]SZ[3]PB[\xf6];B[b1];W[a1];B[b2];W[a2];B[b3];W[a3])\n",
        b"(;GM[11]SU[hex-14]\n;P0[1 dropb W A 1];P1[2 swap];P0[3 dropb B B 2];P1[4 resign])\n",
    ]
    texts = [
        b"https://hexworld.org/board/#4c1,a1:sb2:pc3,:rb",
        b"#5,a2a2b4:S:p",
        b"1.c2 2.swap-pieces 3. D4, e5 pass forfeit",
    ]

    def enter(rng: random.Random) -> None:
        whole = b"".join(rng.choices(games, k=2)) if rng.randrange(2) else rng.choice(texts)
        (folder / "g.sgf").write_bytes(broken(whole, rng))
        log = SavedGames(folder / "g.sgf", None)
        assert log.gaps.isprintable()
        saved = [log.read(index) for index in range(len(log.numbers))]
        (folder / "new.SGF").write_text(write_sgf(log.game, saved), encoding="utf-8")
        for index, each in enumerate(saved):
            reader = MoveReader(root := log.tree(index))
            played = [node for node in read_game(root).begin.main_line() if reader.move(node)]
            line = tuple(rng.choices(range(10), k=3))
            judged = MoveReview(rng.uniform(-1, 1), False, 30.0, "blunder", line, line[::-1])
            annotate(root, [(node, judged) for node in played])
            [annotated] = parse(write([root]))
            known = each.record.actions
            assert read_game(annotated).record.actions[: len(known)] == known
        again = SavedGames(folder / "new.SGF", None)
        for index, each in enumerate(saved):
            assert again.read(index).states[-1].tolist() == each.states[-1].tolist()

    return enter


BOUNDARIES = {
    "SGF files": Boundary((LogError, UsageError), sgf_files),
    "certificates": Boundary((CertificateError,), certificates),
    "params": Boundary((ParamsError,), params),
    "agent lists": Boundary((AgentError, ParamsError), agent_lists),
    "nets": Boundary((AgentError,), nets),
    "onnx nets": Boundary((AgentError, NetError), onnx_nets),
    "added nets": Boundary((RequestError,), added_nets),
    "checkpoints": Boundary((CheckpointError, LogError, NetError, RunError), checkpoints),
    "logs": Boundary((LogError,), logs),
    "rooms": Boundary((RequestError, GameError), rooms, boards=True),
}

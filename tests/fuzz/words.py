"""The input boundaries for words: command lines, agents, moves that are typed, flat states."""

import contextlib
import io
import random
from pathlib import Path
from typing import Any
from unittest.mock import patch

import main
from agents import AgentError, HumanIO, make_agent
from agents.human import HumanAgent
from anet import ANET
from state_manager import GameError, make_game
from tests.fuzz.boundary import Boundary, Enter, fault_of
from tests.fuzz.files import PARAMS, default_params
from tests.fuzz.mutation import text, value

GAMES: tuple[tuple[str, dict[str, Any]], ...] = (
    ("hex", {"size": 3}),
    ("nim", {"stones": 9, "max_take": 3}),
    ("ledge", {}),
    ("tic_tac_toe", {}),
    ("connect_four", {}),
    ("hexapawn", {}),
)

COMMAND_WORDS = (
    *main.COMMANDS, "--help", "-h", "--params", "params.yaml", "--run", "run", "--resume",
    "--games", "--first", "--second", "--starting-player", "random", "human", "mcts", "anet:net.pt",
    "--seconds", "--out", "--net", "--simulations", "--workers", "--agents", "--gauntlet",
    "--verify", "--official", "--server", "--protocol", "--nickname", "--positions",
    "--temperatures", "0.5,1", "game.size=", "game.name=", "nim", "game.board=", "seed=",
    "rl.episodes=", "mcts.simulations=", "oht_server.host=", "anet.hidden_layers=",
    "display.mode=off",
)  # fmt: skip


def command_lines(folder: Path) -> Enter:
    (folder / "params.yaml").write_text(PARAMS)
    modules = [main.command_module(name) for name in main.COMMANDS]

    def enter(rng: random.Random) -> None:
        words = [text(rng, COMMAND_WORDS).replace("\0", "") for _ in range(rng.randint(0, 5))]
        words[:0] = [rng.choice(list(main.COMMANDS))] if rng.random() < 0.8 else []
        output, errors = io.StringIO(), io.StringIO()
        with contextlib.ExitStack() as stack:
            for module in modules:
                stack.enter_context(patch.object(module, "run", lambda *given: 0))
            stack.enter_context(patch.object(main, "DEFAULT_PARAMS", folder / "params.yaml"))
            stack.enter_context(contextlib.chdir(folder))
            stack.enter_context(contextlib.redirect_stdout(output))
            stack.enter_context(contextlib.redirect_stderr(errors))
            try:
                status = main.main(words)
            except SystemExit as end:
                status = int(end.code or 0)
        printed = errors.getvalue()
        assert status in (0, 1, 2), status
        assert (status == 0) == (printed == ""), (status, printed)
        if printed:
            assert printed.endswith("\n")
            assert not (fault := fault_of(printed[:-1])), fault

    return enter


KINDS = ("random", "human", "exact", "nrpa", "mcts", "mcts", "anet", "engine", "")
NETS = ("net.pt", "net.pt", "none.pt", "folder", "/")
OPTIONS = (
    "simulations=9", "time_limit=0.5", "tree_policy=puct", "tree_policy=uct_rave", "choice=greedy",
    "choice=epsilon_greedy", "epsilon=0.1", "exploration=2", "level=1", "iterations=2",
    "rollout=several", "rollouts=3", "solver=true", "simulations=10000000", "epsilon=", "=",
)  # fmt: skip


def agent_word(rng: random.Random) -> str:
    items = rng.sample(OPTIONS, rng.randint(0, 3)) + rng.sample(NETS, rng.choice([0, 0, 1, 1, 2]))
    word = f"{rng.choice(KINDS)}:{','.join(items)}".removesuffix(":")
    return word if rng.random() < 0.6 else text(rng, [word, *OPTIONS, *NETS, ":", ","])


def agents(folder: Path) -> Enter:
    game = make_game("hex", size=3)
    ANET(game).save(folder / "net.pt")
    (folder / "folder").mkdir()
    human_io = HumanIO(lambda prompt: "", lambda text: None)

    def enter(rng: random.Random) -> None:
        with contextlib.chdir(folder):
            make_agent(agent_word(rng), game, defaults=default_params(), human_io=human_io)

    return enter


def typed_moves(folder: Path) -> Enter:
    games = [make_game(name, **params) for name, params in GAMES]

    def enter(rng: random.Random) -> None:
        game = rng.choice(games)
        names = [game.action_name(action) for action in range(game.num_actions)]
        lines = [text(rng, [*names, " ", "\n", "?"]) for _ in range(rng.randint(0, 4))]
        data = "\n".join(lines).encode(errors="replace")
        data += rng.randbytes(rng.randint(0, 9)) + b"\n"
        data += f"{rng.choice(names)}\n".encode() * rng.randint(0, 1)
        stream = io.TextIOWrapper(io.BytesIO(data), "utf-8", rng.choice(["replace", "strict"]))
        printed: list[str] = []

        def ask(prompt: str) -> str:
            if not (line := stream.readline()):
                raise EOFError
            return line

        state = game.initial_state()
        with contextlib.suppress(EOFError):
            action = HumanAgent(game, human_io=HumanIO(ask, printed.append)).choose_action(state)
            assert action in game.legal_actions(state)
        for shown in printed:
            assert not (fault := fault_of(shown, lines=True)), fault

    return enter


def flat_states(folder: Path) -> Enter:
    games = [make_game(name, **params) for name, params in GAMES]

    def enter(rng: random.Random) -> None:
        game, flat = rng.choice(games), value(rng)
        if rng.random() < 0.8:
            rows, columns = game.board_shape
            length = rows * columns + rng.choice([0] * 9 + [1])
            numbers = [rng.randint(1, 2), *(rng.choice([0, 0, 1, 2]) for _ in range(length))]
            if rng.random() < 0.5:
                numbers[rng.randrange(len(numbers))] = value(rng)
            flat = rng.choice([list, tuple])(numbers)
        state = game.from_flat(flat)
        game.text(state)
        if not game.is_final(state):
            game.child_state(state, int(game.legal_actions(state)[0]))
        assert game.from_flat(game.to_flat(state)).tolist() == state.tolist()

    return enter


BOUNDARIES = {
    "command lines": Boundary((), command_lines),
    "agents": Boundary((AgentError,), agents),
    "typed moves": Boundary((), typed_moves),
    "flat states": Boundary((GameError,), flat_states, boards=True),
}

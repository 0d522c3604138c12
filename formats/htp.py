"""The Hex Text Protocol, which connects HexGui and other programs to a Hex engine.

It is the Go Text Protocol, version 2, with a few commands of its own. A line is a command, with an
optional number before it. The response begins with ``=``, or with ``?`` and an error message,
repeats the number, and ends with an empty line. Black is player 1 and joins top and bottom. Each
command with a colour may name either, so that positions can be set up.
"""

import inspect
import math
import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import chain, takewhile
from pathlib import Path
from string import ascii_lowercase
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from agents.agent import Agent, Resign, TakeBack
from agents.spec import AgentError
from base.storage import FileError, excerpt, printable, read_file
from base.words import one_of
from formats.continuous_analysis import NextLine, Request, reports
from formats.game_text import games_in, is_pasted
from formats.sgf import action_of, cell_name, read_game
from formats.sgf_text import SgfError, decoded
from judge import Judge, shared_judge
from mcts import SearchResult
from state_manager import NodeLimitError, State, make_game

Found = TypeVar("Found")
Players = Callable[[int, float | None], Agent]
"""``players(size, seconds) -> agent``: an agent for boards of a size. ``seconds`` limits its moves
from now on; ``None`` ends that. An ``AgentError`` says why there is no such agent."""

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_SCORES = {1: "B+", 2: "W+"}
_COLOURS = {"b": 1, "black": 1, "w": 2, "white": 2}
_MOST_BYTES = 1_000_000
_SIZES = range(3, 20)
_SHARE = 1 / 5
"""Moves that one player has still to search, as a share of the empty cells: in games on 11x11, 23
of 121. In longer games each move gets less; so the opening gets most."""
_USED = 0.9  # share of the time for a move that the search gets; the rest covers the delivery
_SHOWN = 0.005  # shares below this are not shown
_KEYS = {
    **{"interval": 1, "minmoves": 1, "maxmoves": 1, "allow": 3, "avoid": 3},
    **dict.fromkeys(("rootInfo", "ownership", "movesOwnership", "pvVisits"), 1),
}
"""The words of an analysis, with the number of their values; the last ones of KataGo do nothing."""
_NUMBER, _MOST_MOVES = re.compile(r"[-+.\d]"), 10
_SOLVE_SECONDS = 30.0  # time limit of a query to the exact judge

_ANALYZE = (
    *("string/Winner/dfpn-solve-state %m", "plist/Winning Moves/dfpn-solver-find-winning %m"),
    "string/Continuous Analysis/gogui-gfx-analyze %m",
    *("pspairs/Policy/policy", "pspairs/Visits/visits", "pspairs/Values/values"),
    *("var/Principal Variation/pv", "string/Swap/swap"),
)


class HTPError(ValueError):
    """A command failed; the text is the response."""


class HTPEngine:
    """Carries out commands of the protocol; ``is_open`` until the command ``quit``."""

    _number: str
    _next_line: NextLine

    def __init__(
        self,
        players: Players,
        size: int,
        name: str,
        version: str,
        swaps: bool = False,
        resigns: bool = False,
    ) -> None:
        """Begin with an empty board of this size.

        ``name`` and ``version`` are responses; ``swaps`` says whether the agent's game has the
        swap, which the other program may use in any case; ``resigns`` whether it resigns when it
        knows that it has lost.
        """
        self.is_open = True
        self._players = players
        self._swaps, self._resigns = swaps, resigns
        self._time: dict[int, tuple[float, int]] = {}
        self._commands: dict[str, Callable[..., str | Iterator[str] | None]] = {
            "all_legal_moves": lambda: self._cells(self._game.legal_actions(self._states[-1])),
            "clear_board": lambda: self._clear(self._size),
            "dfpn-solve-state": self._solve,
            "dfpn-solver-find-winning": self._find_winning,
            "final_score": lambda: _SCORES.get(self._winner(), "cannot score"),
            "genmove": lambda colour: self._chosen(colour, is_made=True),
            "gogui-gfx-analyze": partial(self._analyse, "gogui"),
            "hexgui-analyze_commands": lambda: "\n".join(_ANALYZE),
            "kata-analyze": partial(self._analyse, "kata"),
            "komi": lambda points: None,  # GoGui sends it; Hex has none
            "known_command": lambda name: "true" if name in self._commands else "false",
            "list_commands": lambda: "\n".join(sorted(self._commands)),
            "lz-analyze": partial(self._analyse, "lz"),
            "name": lambda: name,
            "protocol_version": lambda: "2",
            "reg_genmove": lambda colour: self._chosen(colour, is_made=False),
            "version": lambda: version,
        }
        methods = (each for each in dir(self) if each.startswith("_do_"))
        self._commands |= {each.removeprefix("_do_"): getattr(self, each) for each in methods}
        self._clear(size)

    def responses(self, line: str, next_line: NextLine = lambda seconds: "") -> Iterator[str]:
        """Carry out a line, and yield the parts of the response as they come; none if it is empty.

        By default a continuous analysis ends after its first report.
        """
        words = _CONTROL.sub("", line).partition("#")[0].split()
        if not words:
            return
        self._number = number = words.pop(0) if words[0].isdecimal() else ""
        self._next_line = next_line
        name, *given = words or [""]
        try:
            if name not in self._commands:
                raise HTPError(f"unknown command: {excerpt(name)}")
            command = self._commands[name]
            wanted = inspect.signature(command)
            try:
                wanted.bind(*given)
            except TypeError:
                names = " ".join(map(str.upper, wanted.parameters)) or "no words"
                raise HTPError(f"expected {name} with {names}") from None
            result = command(*given) or ""
        except (HTPError, AgentError) as error:
            yield f"?{number} {printable(str(error))}\n\n"
            return
        if isinstance(result, str):
            result = iter([f"={number} {result}".rstrip(" ") + "\n\n"])
        yield from result

    def _clear(self, size: int) -> None:
        self._size, self._game = size, make_game("hex", size=size, swap=True)
        self._states: list[State] = [self._game.initial_state(1)]
        self._agent: Agent | None = None
        self._resigned = 0  # the player who has resigned

    def _do_quit(self) -> None:
        self.is_open = False

    def _do_boardsize(self, width: str, height: str = "") -> None:
        if height not in ("", width) or width not in map(str, _SIZES):
            raise HTPError(f"expected a square board of {_SIZES[0]} to {_SIZES[-1]} rows")
        if int(width) != self._size:
            self._players(int(width), None)  # raises if the agent cannot play on this size
        self._clear(int(width))

    def _do_play(self, colour: str, cell: str) -> None:
        player, word = self._player(colour), cell.lower()
        if word == "resign":
            self._resigned = player
            return
        if word == "pass":  # of a handicap: the other player is next
            board = self._with_mover(player)[1 : 1 + self._size**2].tolist()
            self._states.append(self._game.initial_state(3 - player, board))
            return
        state, action = self._with_mover(player), action_of(cell, self._size)
        if action is None or action not in self._game.legal_actions(state):
            raise HTPError(f"illegal move: expected an empty cell, got {excerpt(cell)}")
        self._states.append(self._game.child_state(state, action))
        self._resigned = 0

    def _do_undo(self) -> None:
        if self._resigned:
            self._resigned = 0
            return
        if len(self._states) == 1:
            raise HTPError("cannot undo")
        self._states.pop()

    def _winner(self) -> int:
        return 3 - self._resigned if self._resigned else self._game.winner(self._states[-1])

    def _do_showboard(self) -> str:
        board = self._states[-1][1 : 1 + self._size**2].reshape(self._size, self._size)
        lines = [f"\n{'':2}{' '.join(ascii_lowercase[: self._size])}"]
        for row, cells in enumerate(board.tolist()):
            lines.append(f"{'':{row}}{row + 1:2} {' '.join('.BW'[cell] for cell in cells)}")
        return "\n".join(lines)

    def _do_time_settings(self, main: str, byo_yomi: str, stones: str) -> None:
        left = _number(main), 0
        if left[0] == 0:
            left = _number(byo_yomi), int(_number(stones))
        self._time = dict.fromkeys((1, 2), left) if left[0] > 0 else {}

    def _do_time_left(self, colour: str, seconds: str, stones: str = "0") -> None:
        self._time[self._player(colour)] = _number(seconds), int(_number(stones))

    def _do_loadsgf(self, file: str, move: str = "") -> None:
        try:
            text = file if is_pasted(file) else decoded(read_file(Path(file), _MOST_BYTES))[0]
            games, mistake = games_in(text, self._size)
            if not games:
                raise mistake or SgfError("expected a game, got none")
            params, record, *_ = read_game(games[0])
        except (FileError, SgfError) as error:
            raise HTPError(f"cannot load {excerpt(file)}: {error}") from None
        before = _number(move) if move else len(record.actions) + 1
        self._do_boardsize(str(params["size"]))
        self._states = [self._game.initial_state(record.starting_player, record.setup)]
        for number, action in enumerate(record.actions[: max(0, int(before) - 1)], start=1):
            if action not in self._game.legal_actions(self._states[-1]):
                raise HTPError(f"cannot load {excerpt(file)}: move {number} is illegal")
            self._states.append(self._game.child_state(self._states[-1], action))

    def _do_policy(self) -> str:
        if (net := self._playing().net) is None:
            raise HTPError("expected a player with a net")
        return self._pairs(net.policy(self._seen_by_agent(self._states[-1])))

    def _do_visits(self) -> str:
        result, _ = self._found()
        return self._pairs(result.visit_counts / result.visit_counts.sum())

    def _do_values(self) -> str:
        return self._pairs(self._win_shares(self._found()[0]))

    def _do_swap(self) -> str:
        """Tell in words what cannot be drawn on cells."""
        swap = self._size**2
        if not self._swaps or swap not in self._game.legal_actions(self._states[-1]):
            return "no swap is possible here"
        result, _ = self._found()
        visits = result.visit_counts[swap] / result.visit_counts.sum()
        wins = self._win_shares(result)[swap]
        return f"the swap has {visits:.0%} of the visits and wins {wins:.0%}"

    def _asked(self, colour: str) -> State:
        """Return the current position as the agent sees it, with this colour to move, if any."""
        state = self._with_mover(self._player(colour)) if colour else self._states[-1]
        return self._seen_by_agent(state)

    def _solve(self, colour: str = "") -> str:
        return "white" if self._judged(Judge.winner, colour) == 2 else "black"

    def _find_winning(self, colour: str = "") -> str:
        actions = self._judged(Judge.winning_actions, colour).tolist()
        if self._size**2 in actions:
            raise HTPError("the swap wins, which HexGui cannot draw")
        return self._cells(actions)

    def _judged(self, query: Callable[[Judge, State, float], Found], colour: str) -> Found:
        """Return what the exact judge finds; the line that HexGui's *Stop* sends ends it."""
        judge = shared_judge(self._game if self._swaps else self._game.without_swap)
        with judge.until(lambda: (self._next_line(0.0) or "").startswith("# interrupt")):
            try:
                return query(judge, self._asked(colour), _SOLVE_SECONDS)
            except NodeLimitError:
                limit = f"within {_SOLVE_SECONDS:g} s"
                raise HTPError(f"the exact judge could not decide this {limit}") from None

    def _analyse(self, form: str, *words: str) -> Iterator[str]:
        """Return the parts of a response; see ``Request`` for the forms.

        The words are a colour and hundredths of a second, either or none, then keys with values.
        """
        left, colour = [*words], ""
        if left and left[0] not in _KEYS and not _NUMBER.match(left[0]):
            colour = left.pop(0)
        state, agent, head = self._asked(colour), self._playing(), f"={self._number}"
        if agent.search is None:
            raise HTPError("expected a player who searches")
        if self._winner():
            raise HTPError("the game is over")
        if left and _NUMBER.match(left[0]):
            left.insert(0, "interval")
        numbers = {"interval": 50.0, "minmoves": 0.0, "maxmoves": float(_MOST_MOVES)}
        cells = {*range(self._size**2)}
        while left:
            key, *given = left[: 1 + _KEYS.get(left[0], 0)]
            del left[: 1 + len(given)]
            if len(given) != _KEYS.get(key):
                expected = f"{one_of(_KEYS)}, each with its values"
                raise HTPError(f"expected {expected}, got {excerpt(key)}")
            if key in numbers:
                numbers[key] = _number(given[0])
            elif key in ("allow", "avoid") and self._player(given[0]) == state[0]:
                named = {action_of(each, self._size) for each in given[1].split(",")}
                cells = {each for each in cells if (each in named) == (key == "allow")}
        seconds = min(max(numbers["interval"] / 100, 0.01), 60.0)
        request = Request(form, cells, seconds, int(max(numbers["minmoves"], numbers["maxmoves"])))
        found = reports(agent, state, self._size, request, self._next_line)
        if form == "gogui":
            return chain(found, [f"{head} the analysis is over\n\n"])
        return chain([f"{head}\n"], found, ["\n"])

    def _win_shares(self, result: SearchResult) -> NDArray[np.float64]:
        """Return how often the mover wins after each action; 0 for those that were not tried."""
        values = result.q_values if self._states[-1][0] == 1 else -result.q_values
        return (1.0 + values) / 2 * (result.visit_counts > 0)

    def _do_pv(self) -> str:
        _, line = self._found()
        # Up to a swap: HexGui cannot draw it, and what follows would have the other colour.
        return self._cells(takewhile(lambda action: action < self._size**2, line))

    def _found(self) -> tuple[SearchResult, list[int]]:
        """Return what the last search knows of the current position, and the line from there on."""
        if (agent := self._playing()).search is None:
            raise HTPError("expected a player who searches")
        if self._winner():
            raise HTPError("the game is over")
        found = agent.look(self._seen_by_agent(self._states[-1]))
        if found is None:
            raise HTPError("expected a position that the last search knows")
        return found

    def _cells(self, actions: Iterable[int]) -> str:
        return " ".join(cell_name(action, self._size) for action in actions)

    def _pairs(self, shares: NDArray[np.float64]) -> str:
        """Return shares of cells, the largest first; HexGui cannot draw the swap."""
        shares = shares[: self._size**2]
        order = [int(each) for each in np.argsort(-shares, kind="stable") if shares[each] >= _SHOWN]
        return " ".join(f"{cell_name(each, self._size)} {100 * shares[each]:.0f}" for each in order)

    def _playing(self) -> Agent:
        """Return the agent that made the last move, or a new one."""
        self._agent = self._agent or self._players(self._size, None)
        return self._agent

    def _chosen(self, colour: str, is_made: bool) -> str:
        player = self._player(colour)
        state = self._with_mover(player)
        legal = self._game.legal_actions(state)
        if not len(legal) or self._resigned:
            raise HTPError("the game is over")
        seconds = None
        if player in self._time:
            left, stones = self._time[player]
            moves = stones or 1 + math.ceil(_SHARE * len(legal))
            seconds = max(0.01, _USED * left / moves)
        self._agent = self._players(self._size, seconds)
        choice = self._agent.choose_action(self._seen_by_agent(state))
        knows_loss = self._agent.known_outcome == 3 - player
        if isinstance(choice, Resign | TakeBack) or (is_made and self._resigns and knows_loss):
            self._resigned = player
            return "resign"
        if is_made:
            self._states.append(self._game.child_state(state, choice))
        return cell_name(int(choice), self._size)

    def _with_mover(self, player: int) -> State:
        """Return the current state with this player to move; out of turn, the swap is over.

        After a swap, the first stone is mirrored and the opponent of its player is next. In HexGui
        up to 0.9 and in MoHex it stays, and the player who swapped is next.
        """
        cells, state = slice(1, 1 + self._size**2), self._states[-1]
        if int(state[0]) == player:
            return state
        stones = [np.count_nonzero(each[cells]) for each in self._states[-2:]]
        board = self._states[-2] if stones == [1, 1] else state
        return self._game.initial_state(player, board[cells].tolist())

    def _seen_by_agent(self, state: State) -> State:
        return state if self._swaps else self._game.states_without_swap(state)

    def _player(self, colour: str) -> int:
        player = _COLOURS.get(colour.lower())
        if player is None:
            raise HTPError(f"expected black or white, got {excerpt(colour)}")
        return player


def _number(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not 0 <= number < 1e9:
        raise HTPError(f"expected a number from 0 on, got {excerpt(text)}")
    return number

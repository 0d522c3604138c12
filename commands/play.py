"""``play``: a series between any two agents, humans included."""

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from agents import BEST, Agent, AgentSpec, HumanIO, make_agent, match, parse_agent, with_best_net
from agents.agent import Resign, TakeBack
from agents.match import GameRecord
from base.params import Params
from cli.contestants import named_agents
from cli.saved_games import check_save, links_of, save_games
from display.boards.moment import GameView, Insight
from display.boards.palette import player_name
from display.boards.terminal import TerminalBoard
from display.live import make_display
from display.live.display import Display
from display.reports.tables import judged_words, series_table
from hex_mcts.system import System
from mcts import Thought
from state_manager import State, StateManager


def run(system: System, arguments: argparse.Namespace) -> int:
    """Play a series and print the results."""
    first = arguments.first or (BEST if arguments.second else "human")
    words = parse_agent(first), parse_agent(arguments.second or BEST)
    game, specs, notes = named_agents(system, *words)
    starter: Any = arguments.starting_player or system.params.game.starting_player
    starter = starter if starter == "alternate" else int(starter)
    starters = match.starting_players(arguments.games, starter)
    save = arguments.save
    check_save(save, game)
    display = make_display(system.params.display, game, Path("runs") / "games")
    display.listens = all(spec.kind != "human" for spec in specs)
    with display:
        display.message(*notes)
        series = _Series(system, game, specs, starters, display)
        try:
            played = series.play()
        finally:
            if save is not None and (records := series.records()):
                save_games(save, game, records)
                display.message(f"Saved in {save}.")
                if len(records) == 1 and game.has_hex_formats:
                    display.message(*links_of(game, records[0]))
    return 0 if played == arguments.games or series.has_quit else 1


class _Moves:
    """Observes the moves of a game that may stay unfinished."""

    record: GameRecord | None = None

    def on_game_start(self, title: str, players: tuple[str, str], state: State) -> None:
        self.record = GameRecord(players, int(state[0]), (), (), 0)

    def on_move(self, state: State, action: int, thought: Thought | None) -> None:
        assert self.record is not None
        self.record = replace(self.record, actions=(*self.record.actions, action))

    def on_take_back(self, state: State, plies: int) -> None:
        assert self.record is not None
        self.record = replace(self.record, actions=self.record.actions[:-plies])

    def on_game_over(self, state: State, winner: int) -> None:
        self.record = None


class _QuitError(Exception):
    """A human leaves the game."""


@dataclass
class _Series:
    """Games between the same two agents; each has its own agents and random numbers."""

    system: System
    game: StateManager
    specs: Sequence[AgentSpec]
    starting_players: Sequence[int]
    display: Display
    finished: dict[int, GameRecord] = field(default_factory=dict)
    moves: _Moves = field(default_factory=_Moves)
    has_quit: bool = False

    def records(self) -> list[GameRecord]:
        last = self.moves.record
        return [*self._in_order(), *([last] if last is not None and last.actions else [])]

    def _in_order(self) -> list[GameRecord]:
        return [self.finished[number] for number in sorted(self.finished)]

    def play(self) -> int:
        self.display.new_series()
        self.display.tells_results = True
        humans = [spec.kind == "human" for spec in self.specs]
        try:
            if any(humans):
                self._play_with_human(humans)
            else:
                self._play_agents()
        finally:
            self.display.stop_progress()
            self._print_results()
        return len(self.finished)

    def _play_agents(self) -> None:
        games, params, display = len(self.starting_players), self.system.params, self.display
        watched = min(games, params.display.games) if display.enabled else 0
        display.show_first(params.display.games)
        if games > 1:
            display.start_progress("games", games)
        if not watched:
            self._agents(0)  # compiles here, where Ctrl-C works at once
        workers, observers = params.play.workers, [display, self.moves]
        self._play_plan(None, workers, observers, range(watched), lambda number: display.advance())

    def _play_with_human(self, humans: Sequence[bool]) -> None:
        games, display = len(self.starting_players), self.display
        view = _HumanView(self.system.params, self.game, humans, display)
        display.show_first(games)

        def on_result(number: int) -> None:
            if number + 1 < games and display.has_window:
                display.ask("Press Enter for the next game: ")

        try:
            observers = [view, self.moves, *([] if display.in_terminal else [display])]
            self._play_plan(view.human_io, 1, observers, range(games), on_result)
        except EOFError:
            display.message("The input has ended, and the game with it.")
        except _QuitError:
            self.moves.record, self.has_quit = None, True

    def _play_plan(self, human_io: HumanIO | None, *how: Any) -> None:
        """Play all games; ``how`` goes to ``play_series``."""
        names, games = [spec.name for spec in self.specs], len(self.starting_players)
        plan = []
        for number, starter in enumerate(self.starting_players):
            title = match.game_title(names, number + 1, games)
            agents = partial(self._agents, number, human_io)
            plan.append(match.PlannedGame(agents, starter, title=title))
        match.play_series(self.game, plan, self.finished, *how)

    def _agents(self, number: int, human_io: HumanIO | None = None) -> tuple[Agent, Agent]:
        params = self.system.params
        at_once = 1 if human_io else min(params.play.workers, len(self.starting_players))
        params = params.for_games(at_once)
        seeds = [np.random.SeedSequence(params.seed, spawn_key=(number, side)) for side in (0, 1)]
        first, second = (
            make_agent(spec, self.game, seed=seed, defaults=params, human_io=human_io)
            for spec, seed in zip(self.specs, seeds, strict=True)
        )
        if first.name == second.name:
            first.name, second.name = f"{first.name} (1)", f"{second.name} (2)"
        return first, second

    def _print_results(self) -> None:
        if not (records := self._in_order()):
            return
        if len(self.starting_players) > 1:
            outcomes = [(record.starting_player, record.winner) for record in records]
            colours = (player_name(self.game, 1), player_name(self.game, 2))
            self.display.write(series_table(records[0].players, outcomes, colours))
            distinct = match.count_distinct(records)
            self.display.message(f"{distinct} of {len(records)} games were distinct.")
        for side, name in enumerate(records[0].players):
            if known := [moves for each in records if (moves := each.judged[side]) is not None]:
                self.display.message(judged_words(name, known, len(records)))


class _HumanView:
    """Shows a human the board, in the terminal or a window, and the opponent's moves."""

    def __init__(
        self, params: Params, game: StateManager, humans: Sequence[bool], display: Display
    ) -> None:
        self._params, self._game, self._humans, self._display = params, game, humans, display
        self._title, self._players, self._start = "", ("", ""), game.initial_state()
        self._state, self._past = self._start, list[Insight]()
        back = "your last move" if all(humans) else "your last move and the reply"
        window = "Or click in the window. " if display.has_window else ""
        words = f"undo: take {back} back; hint: a good move; resign; quit: leave without saving."
        hint = f"{window}{display.controls.switches}.\n{words}"
        about = self._show_board, hint, lambda action: display.names.move(action)
        self.human_io = HumanIO(self._ask, lambda text: display.message(*text.split("\n")), *about)
        self._acts: dict[str, Callable[[], TakeBack | Resign | None]] = {
            "undo": self._undo,
            "hint": self._hint,
            "resign": Resign,
            **dict.fromkeys(("quit", "exit", "q"), _quit),
        }

    def _ask(self, prompt: str) -> str | TakeBack | Resign:
        """Prompt for a line; the keys for the boards are typed like moves."""
        while True:
            word = (text := self._display.ask(prompt)).strip().lower()
            if word in self._acts:
                if (choice := self._acts[word]()) is not None:
                    return choice
            elif self._display.controls.press(word):
                self._show_board(self._state)
            else:
                return text

    def _undo(self) -> TakeBack | None:
        plies = 1 if all(self._humans) else 2
        if len(self._past) >= plies:
            return TakeBack(plies)
        self._display.message("There is no move to take back.")
        return None

    def _hint(self) -> None:
        from web.play.evaluations import HintRequest, hint
        from web.server.agent_pool import AgentPool, Deadline

        has_net = with_best_net(parse_agent(BEST), self._game).net is not None
        position = {
            "game": {"name": self._game.name, "params": self._game.params},
            "start": int(self._start[0]),
            "actions": tuple(each.action for each in self._past),
        }
        agent = "mcts:best" if has_net else "mcts"
        request = HintRequest.model_validate({"position": position, "agent": agent})
        notation = "a1" if self._display.controls.letters else "course"
        shown = self._params.display.model_copy(update={"notation": notation})
        pool = AgentPool(self._params.model_copy(update={"display": shown}))
        self._display.message(hint(pool, request, Deadline())["words"])

    def _show_board(self, state: State, winner: int = 0) -> None:
        if self._display.has_window:
            return
        controls, insight = self._display.controls, self._past[-1] if self._past else None
        last = None if insight is None else insight.action
        about = (self._title, self._players, len(self._past), last, winner)
        shown = insight if controls.thoughts else None
        view = GameView(self._game, state, *about, shown, controls.letters)
        self._display.write(TerminalBoard(view))

    def on_game_start(self, title: str, players: tuple[str, str], state: State) -> None:
        self._title, self._players, self._start = title, players, state
        self._state, self._past = state, []

    def on_move(self, state: State, action: int, thought: Thought | None) -> None:
        """Print a move, unless a human has just typed it."""
        mover = self._game.to_play(self._state)
        insight = Insight(self._game, self._state, action, thought)
        self._past.append(insight)
        self._state = state
        if not self._humans[mover - 1]:
            names = self._display.names
            why = insight.words(names) if self._display.controls.thoughts else ""
            player = f"{player_name(self._game, mover)} ({self._players[mover - 1]})"
            self._display.message(f"{player}: {names.move(action)}{why}")

    def on_take_back(self, state: State, plies: int) -> None:
        del self._past[-plies:]
        self._state = state

    def on_game_over(self, state: State, winner: int) -> None:
        self._show_board(state, winner)


def _quit() -> None:
    raise _QuitError

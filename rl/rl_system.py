"""``RLSystem``: the assignment's algorithm, with the numbers and letters of its pseudocode."""

import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np

from agents.match import Observer
from agents.regret import Regret
from anet import ANET, DivergedError, TrainingMetrics, give_back_freed_memory
from anet.net_files import described_episode, naming
from base.cluster import side_by_side
from base.jit import deferred_interrupts
from base.params import Params
from rl import schedule
from rl.boards import Board, minibatches
from rl.clock import Clock
from rl.episode import Episode, title_of
from rl.exploiter import Round
from rl.resume import check_resumable, restore, snapshot
from rl.run_directory import RunDirectory, newest_checkpoint, repair
from rl.schedule import MINIBATCH_STREAM, SIZE_STREAM, generator
from rl.schemes import scheme
from rl.self_play_engine import Ahead
from state_manager import StateManager

_Steps = dict[int | None, list[TrainingMetrics]]
CHECKPOINT_SECONDS = 30.0
"""Seconds between checkpoints; a killed process loses its work since the last one."""


class RLSystem:
    """Trains the ANET by on-policy Monte Carlo tree search, or by another learning scheme.

    Attributes:
        anet: The actor network, target policy and behaviour policy in one.
        boards: By size, with RBUF of each; the first is that of ``game.size``.
        exploiter: That of the first board.
        episode: Number of episodes that the net has been trained on.
    """

    def __init__(
        self,
        boards: Mapping[int | None, Board],
        params: Params,
        run: RunDirectory,
        regret: Regret | None = None,
    ) -> None:
        """Wire the parts of a new run, or one to resume; ``regret`` measures the cached nets."""
        self.boards = boards
        self.anet, self._engine, _, self.exploiter = next(iter(boards.values()))
        self.game: StateManager = self.anet.game
        self.params = params
        self.run = run
        self.episode = 0
        self._scheme = scheme(params)
        self._ahead = Ahead(self.anet, params)
        self._regret = regret
        self._new_cases = 0
        self._take_back_cases: Callable[[], None] | None = None  # during an update
        self._old_net: dict[str, Any] = {}
        self._is_whole = True
        self._clock, self._updated = Clock(params), 0.0
        self._checkpointed = time.perf_counter()

    def train(
        self,
        observers: Sequence[Observer] = (),
        on_update: Callable[[dict[str, Any]], None] = lambda record: None,
        began: float | None = None,
    ) -> None:
        """Play the remaining episodes, and train the net after each batch.

        Ctrl-C loses only the unfinished episodes. Observers receive every actual game on the board
        of ``game.size``, move by move; ``on_update`` receives the metrics of each update; ``began``
        is the start of this part, by ``time.perf_counter``, and by default that of the call.

        Raises:
            DivergedError: If the net diverged; the last good one has been saved.
            KeyboardInterrupt: After saving.
        """
        self._checkpointed = time.perf_counter()
        if self.episode == 0:  # 2. RBUF is empty, 3. the ANET's weights are random
            self._save_checkpoint()  # first, so that the run can always be resumed
            self.run.write_params(self.params)
            self._save_as_it_is(0.0)  # net 0, which the TOPP compares with the trained ones
        try:
            self._clock.start(began)
            while not self.is_over:  # 4. for g_a in number_actual_games
                planned, size = schedule.batch(self.params, self.episode), self._size
                episodes = self._play(planned, observers)  # (a) to (d)
                numbers = planned[: len(episodes)]  # fewer if the time is up
                seconds = self._clock.note_games(is_cut=len(numbers) < len(planned))
                if not numbers:
                    with deferred_interrupts():
                        self._save_as_it_is(seconds)
                    break
                self._checkpoint_if_due(now=schedule.ends_early(self.params, numbers[-1]))
                before = schedule.nets_due(self.params, self.progress)
                progress = schedule.progress(self.params, numbers[-1], seconds)
                with deferred_interrupts():
                    self._add_cases(episodes)  # (d) add case (root, D) to RBUF
                steps = self._train_anet(numbers[-1], progress)  # (e)
                gating = self._compare_nets(numbers[-1])
                rounds = self._hold_round(numbers[-1], progress)
                with deferred_interrupts():
                    self._settle(numbers[-1], seconds, rounds)
                    # 1. i_s, the interval of saving the ANET's parameters: schedule.nets_due
                    is_saved = self.is_over or schedule.nets_due(self.params, progress) > before
                    more = gating | ({} if size is None else {"size": size})
                    for attacked, found in rounds.items():
                        more |= found.record
                        more |= {} if attacked is None else {"exploiter_size": attacked}
                    if is_saved and self._regret:
                        more |= self._regret.record(self.anet)
                    record = self._log(episodes, steps, more)
                    if is_saved:  # (f)
                        self._save_net()
                    self._is_whole = True
                    self._checkpoint_if_due()
                    give_back_freed_memory()
                    on_update(record)
                self._clock.note_update()
        finally:
            with deferred_interrupts():
                self._ahead.end()
                self._take_back_update()
                self._save_checkpoint()

    def resume(self) -> None:
        """Continue from the newest undamaged checkpoint; ``run.notes`` lists damaged files.

        Raises:
            RunError: If there is none, or a parameter changed that must not.
            CheckpointError: If all are damaged.
            NetError: If its weights belong to another net.
        """
        checkpoint, problem = newest_checkpoint(self.run.path)
        meta = checkpoint.meta
        with naming(self.run.checkpoint_path, "a run"):
            played, saved = described_episode(meta), dict(meta["params"])
        check_resumable(saved, played, self.params, self.run.path)
        nets = ANET(self.game, self.params.anet, self.params.seed, self.anet.run_params), self.anet
        with naming(self.run.checkpoint_path, "a run"):
            self._ahead.finished = restore(checkpoint, self.anet, self.boards)
            self._clock.before = float(meta["seconds"])
            self._updated = float(meta.get("updated", meta["seconds"]))
            self._ahead.restore(checkpoint.tensors)
            repair(self.run, checkpoint, problem, nets[bool(self.params.rl.start) :])
        self.episode = self.anet.episode
        if self._size != meta.get("size"):  # the run was planned longer or shorter
            self._ahead.finished = {}
        self.run.write_params(self.params)
        if self.run.notes:
            self._save_checkpoint()

    @property
    def is_over(self) -> bool:
        """Whether the run is done, or the exploiter has proven the net."""
        return self.progress.is_over or self.is_proven

    @property
    def is_proven(self) -> bool:
        """Whether the exploiter has proven the net, on the only board."""
        return len(self.boards) == 1 and self.exploiter.is_content

    @property
    def progress(self) -> schedule.Progress:
        """The progress of the run at the last update."""
        return schedule.progress(self.params, self.episode, self._updated)

    @property
    def _size(self) -> int | None:
        """The board size of the next batch."""
        return self._size_at(self.episode // self.params.rl.episodes_per_update)

    def _size_at(self, place: int) -> int | None:
        """Return a board size of the sequence, by the weights at the last update."""
        weights = schedule.size_weights(self.params, self.progress)
        return next(schedule.sizes(weights, generator(self.params, SIZE_STREAM), place))

    @property
    def waiting(self) -> int:
        """The number of finished episodes that wait for the rest of their batch."""
        return len(self._ahead.finished)

    def close(self) -> None:
        """Close the run directory's files."""
        self.run.close()

    def _play(self, numbers: Sequence[int], observers: Sequence[Observer]) -> list[Episode]:
        """Play episodes with the current net, or with the one ``rl.lag`` updates older.

        Observers receive a single episode during play, several after their end.
        """
        engine = self.boards[self._size].engine
        observers = observers if engine is self._engine else ()
        is_live = engine.shows_moves(numbers, self._ahead.finished)
        seen_by, until = observers if is_live else (), self._clock.games_end()
        played = self._ahead.play(engine, self.episode, seen_by, self._checkpoint_if_due, until)
        for each in played if observers and not is_live else ():
            each.show(observers, self._scheme.player, title_of(each.number, self.params))
        return played

    def _add_cases(self, episodes: Sequence[Episode]) -> None:
        """Add the cases of the episodes to RBUF, and begin an update, which can be undone."""
        cases = [case for episode in episodes for case in episode.cases(self.params.rl)]
        self._new_cases = len(cases)
        _, self._old_net = self.anet.state()
        self._take_back_cases = self.boards[self._size].replay_buffer.add_all(cases)

    def _train_anet(self, episode: int, progress: schedule.Progress) -> _Steps:
        """Train the ANET on minibatches of RBUF; a net that diverges is restored and saved.

        Return the metrics of the steps, by the size of their boards. Ctrl-C and the end of the time
        take effect between two minibatches, as an update of a large net may take many minutes.
        """
        rng = generator(self.params, MINIBATCH_STREAM, episode)
        steps: _Steps = defaultdict(list)
        try:
            self.anet.set_learning_rate(schedule.learning_rate(self.params, progress))
            sizes = self._learned_sizes(episode)
            planned = minibatches(self.boards, sizes, self.params.rl, rng, self._new_cases)
            in_time = self._clock.while_time_is_left(planned)
            with side_by_side(self.params.rl.workers) as sharing:
                learn = deferred_interrupts()(ANET.train)  # Ctrl-C cannot divide a step
                for size, each in in_time:
                    steps[size].append(learn(self.boards[size].anet, each, sharing))
            self.anet.check_weights()
        except DivergedError as error:
            self._take_back_update()
            self._save_net()
            good = self.run.net_path(self.episode)
            raise DivergedError(
                f"episode {episode}: {error}; the last good net is {good}"
            ) from error
        return steps

    def _learned_sizes(self, episode: int) -> Iterator[int | None]:
        """Yield the size of each minibatch, in proportion to the new cases of each size.

        These are its share of the games times the cases of its last batch, so that ``rl.reuse``
        holds for each size, although games on large boards have more cases.
        """
        weights = schedule.size_weights(self.params, self.progress)
        buffers = {size: self.boards[size].replay_buffer for size in weights}
        new = {s: w * max(1, buffers[s].newest) for s, w in weights.items() if len(buffers[s])}
        return schedule.sizes(new, generator(self.params, SIZE_STREAM, episode))

    def _compare_nets(self, episode: int) -> dict[str, object]:
        """Gate the new net, if the scheme does; return the fields for ``metrics.jsonl``."""
        judge, rl = self._scheme.judge, self.params.rl
        if judge is None or rl.gating_games == 0:
            return {}
        old = ANET(self.game, self.anet.params)
        old.restore(self._old_net, self.episode)
        workers = self._engine.cluster or rl.workers
        gating = judge(self.anet, old, self.params, episode, workers)
        if not gating["accepted"]:
            self.anet.restore(self._old_net, self.episode)  # the cases stay
        return gating

    def _hold_round(self, episode: int, progress: schedule.Progress) -> dict[int | None, Round]:
        """Return a round of the exploiter if one is due, by the size of the next board in turn.

        In a run by time, a round has a deadline; when the time is up, it is left out.
        """
        due, before = (schedule.rounds_due(self.params, at) for at in (progress, self.progress))
        is_late = progress.is_over and self.params.rl.minutes is not None
        if due == before or is_late:
            return {}
        began, until = self._clock.seconds, self._clock.round_end()
        size = self._size_at(sum(board.exploiter.rounds for board in self.boards.values()))
        found = self.boards[size].exploiter.hold_round(self.boards[size].anet, episode, until)
        self._clock.leave_out(self._clock.seconds - began)
        return {size: found}

    def _settle(self, episode: int, seconds: float, rounds: dict[int | None, Round]) -> None:
        """Complete an update; its cases and the exploiter's results stay."""
        self._is_whole = False  # until all files are written
        for size, found in rounds.items():
            self.boards[size].exploiter.add(found)
            self.boards[size].engine.starts = self.boards[size].exploiter.starts
        self._ahead.go_on(range(self.episode + 1, episode + 1))
        self.episode = self.anet.episode = episode
        self._updated = seconds
        self._take_back_cases, self._old_net = None, {}

    def _save_as_it_is(self, seconds: float) -> None:
        """Save and measure the net outside updates: at the beginning, or when the time is up."""
        self._updated, is_new = seconds, not self.run.net_path(self.episode).exists()
        self._save_net()
        if self._regret is not None and (is_new or not self.run.metrics.length):
            line = {"episode": self.episode, "seconds": seconds}
            self.run.metrics.append(line | self._regret.record(self.anet))

    def _take_back_update(self) -> None:
        """Undo an incomplete update; its episodes stay, to repeat it."""
        if self._take_back_cases is not None:
            self.anet.restore(self._old_net, self.episode)
            self._take_back_cases()
            self._take_back_cases, self._old_net = None, {}

    def _log(
        self, episodes: Sequence[Episode], steps: _Steps, more: dict[str, Any]
    ) -> dict[str, Any]:
        """Write the lines of an update to the logs; return its metrics."""
        last, metrics = episodes[-1].number, TrainingMetrics.mean([*chain(*steps.values())])
        record: dict[str, Any] = {
            "episode": last,
            "loss": metrics.loss,
            "entropy": metrics.entropy,
            "accuracy": metrics.accuracy,
            "cases": sum(len(board.replay_buffer) for board in self.boards.values()),
            "plies": float(np.mean([len(each.actions) for each in episodes])),
            "rollout_epsilon": schedule.rollout_epsilon(self.params, last),
            "simulations_per_second": sum(each.simulations for each in episodes)
            / sum(each.search_seconds for each in episodes),
        }
        if metrics.value_loss is not None:
            record["value_loss"] = metrics.value_loss
            record["sigma"] = schedule.sigma(self.params, last)
        record |= {"seconds": self._clock.seconds} | more
        if "size" in more:
            record["sizes"] = {
                str(size): {"minibatches": len(each), **vars(TrainingMetrics.mean(each))}
                for size, each in steps.items()
            }
        for each in episodes:
            self.run.games.append(
                {
                    "episode": each.number,
                    "starting_player": each.starting_player,
                    "actions": each.actions,
                    "winner": each.winner,
                    **({"size": more["size"]} if "size" in more else {}),
                }
            )
        self.run.metrics.append(record)
        return record

    def _save_net(self) -> None:
        path = self.run.net_path(self.episode)
        self.anet.save(path)
        self.run.note_net(path)

    def _checkpoint_if_due(self, now: bool = False) -> None:
        """Save a checkpoint if the last one is old; never halfway through an update."""
        if now or time.perf_counter() - self._checkpointed > CHECKPOINT_SECONDS:
            with deferred_interrupts():  # which takes as long as a move
                self._save_checkpoint()

    def _save_checkpoint(self) -> None:
        """Save the state of the run for ``--resume``.

        After an update that a longer run would not make, the earlier checkpoint stays, so that the
        run can be extended; a resumed run of the same length repeats that update.
        """
        if not self._is_whole or schedule.ends_early(self.params, self.episode):
            return
        finished = dict(self._ahead.finished)
        meta, tensors = snapshot(self.params, self.anet, self.boards, finished, self._clock.seconds)
        meta |= {"updated": self._updated, "size": self._size}
        self.run.save_checkpoint(meta, tensors | self._ahead.tensors())
        self._checkpointed = time.perf_counter()

"""``RLSystem``: the assignment's algorithm, with the numbers and letters of its pseudocode."""

import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from typing import Any

from agents.match import Observer
from anet import ANET, DivergedError, give_back_freed_memory
from anet.net_files import described_episode, naming
from base.cluster import Workers, side_by_side
from base.jit import deferred_interrupts
from base.params import Params
from rl import schedule
from rl.clock import RunClock
from rl.episode import Episode, title_of
from rl.hooks import Hook, Update
from rl.replay_buffer import Cases
from rl.resume import check_resumable, restore, snapshot
from rl.run_directory import RunDirectory, newest_checkpoint, repair
from rl.schedule import SIZE_STREAM, generator
from rl.schemes import scheme
from rl.size_parts import SizeParts, minibatches
from state_manager import StateManager

CHECKPOINT_SECONDS = 30.0
"""Seconds between checkpoints; a killed process loses its work since the last one."""


class RLSystem:
    """Trains the ANET by on-policy Monte Carlo tree search, or by another learning scheme.

    Attributes:
        anet: The actor network, target policy and behaviour policy in one.
        parts: By size, with RBUF of each; the first are those of ``game.size``.
        hard_cases: Those of ``game.size``.
        episode: Number of episodes that the net has been trained on.
        clock: Counts the seconds of training.
        undo: Undoes the steps of an update that does not come to its end.
    """

    def __init__(
        self,
        parts: Mapping[int | None, SizeParts],
        params: Params,
        run: RunDirectory,
        hooks: Sequence[Hook] = (),
        measure: Callable[[ANET], dict[str, Any]] = lambda net: {},
    ) -> None:
        """Wire the parts of a new run, or one to resume.

        ``hooks`` run after each update, after those of the scheme; ``measure`` returns further
        fields for ``metrics.jsonl`` where a net is cached.
        """
        self.parts = parts
        own = next(iter(parts.values()))
        self.anet, self._engine, self.hard_cases = own.anet, own.engine, own.hard_cases
        self.game: StateManager = self.anet.game
        self.params = params
        self.run = run
        self.episode = 0
        self.clock = RunClock(params)
        self.undo = ExitStack()
        self._scheme = scheme(params)
        self._hooks = *self._scheme.hooks, *hooks
        self._measure = measure
        self._finished: dict[int, Episode] = {}  # by number, waiting for the rest of their batch
        self._updated = 0.0  # seconds of training at the last update
        self._nets = 0  # those cached so far
        self._is_whole = True  # whether all files of the last update are written
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
        if self.episode == 0:  # 2. RBUF is empty, 3. the ANET's weights are random
            self._begin_run()
        try:
            self.clock.start(began)
            while not self.is_over:  # 4. for g_a in number_actual_games
                update = self._play(observers)  # (a) to (d), with a search before each move
                if not update.episodes:  # the time is up
                    self._save_outside_updates(update.seconds)
                    break
                self._add_cases(update)  # (d) add case (root, D) to RBUF
                self._train_anet(update)  # (e) on minibatches of RBUF
                for hook in self._hooks:
                    update.record |= hook(self, update)
                with deferred_interrupts():
                    self._settle(update)
                    if update.is_net_due or self.is_over:  # (f) if g_a modulo i_s == 0
                        self._save_net()
                        update.record |= self._measure(self.anet)
                    on_update(self._log(update))
                self.clock.note_update()
        finally:
            with deferred_interrupts():
                self.undo.close()
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
        nets = [self.anet]
        if not self.params.rl.start:  # net 0 can be made again
            first = ANET(self.game, self.params.anet, self.params.seed, self.anet.run_params)
            nets.insert(0, first)
        with naming(self.run.checkpoint_path, "a run"):
            self._finished = restore(checkpoint, self.anet, self.parts)
            self.clock.before = float(meta["seconds"])
            self._updated = float(meta["updated"])
            repair(self.run, checkpoint, problem, nets)
        self.episode = self.anet.episode
        self._nets = schedule.nets_due(self.params, self.progress)
        if self._size != meta.get("size"):  # the run was planned longer or shorter
            self._finished = {}
        self.run.write_params(self.params)
        if self.run.notes:
            self._save_checkpoint()

    @property
    def is_over(self) -> bool:
        """Whether the run is done, or the net's play is proven."""
        return self.progress.is_over or self.is_proven

    @property
    def is_proven(self) -> bool:
        """Whether the net's play is proven, on the only board."""
        return len(self.parts) == 1 and self.hard_cases.is_proven

    @property
    def progress(self) -> schedule.Progress:
        """The progress of the run at the last update."""
        return schedule.progress(self.params, self.episode, self._updated)

    @property
    def workers(self) -> int | Workers:
        """What plays games between agents: a number of threads, or a cluster."""
        return self._engine.cluster or self.params.rl.workers

    @property
    def _size(self) -> int | None:
        """The board size of the next batch."""
        return self.size_at(self.episode // self.params.rl.episodes_per_update)

    def size_at(self, place: int) -> int | None:
        """Return a board size of the sequence, by the weights at the last update."""
        weights = schedule.size_weights(self.params, self.progress)
        return next(schedule.sizes(weights, generator(self.params, SIZE_STREAM), place))

    @property
    def waiting(self) -> int:
        """The number of finished episodes that wait for the rest of their batch."""
        return len(self._finished)

    def close(self) -> None:
        """Close the run directory's files."""
        self.run.close()

    def _begin_run(self) -> None:
        """Save a checkpoint, so that the run can always be resumed; parameters; and net 0."""
        self._nets = 0
        self._save_checkpoint()
        self.run.write_params(self.params)
        self._save_outside_updates(0.0)  # the TOPP compares it with the trained nets

    def _play(self, observers: Sequence[Observer]) -> Update:
        """Play a batch, which is shorter if the time is up.

        Observers receive a single episode during play, several after their end.
        """
        planned, size = schedule.batch(self.params, self.episode), self._size
        engine = self.parts[size].engine
        observers = observers if engine is self._engine else ()
        for number in self._finished.keys() - set(planned):
            del self._finished[number]  # from when the run was planned longer
        is_live = engine.shows_moves(planned, self._finished)
        seen_by, until = observers if is_live else (), self.clock.games_end()
        engine.play(planned, self._finished, seen_by, self._checkpoint_if_due, until)
        played = self._played(planned)
        for each in played if observers and not is_live else ():
            each.show(observers, self._scheme.player, title_of(each.number, self.params))
        seconds = self.clock.note_games(is_cut=len(played) < len(planned))
        last = played[-1].number if played else self.episode
        if played:
            self._checkpoint_if_due(now=schedule.ends_early(self.params, last))
        progress = schedule.progress(self.params, last, seconds)
        updates = -(-last // self.params.rl.episodes_per_update)
        is_net_due = schedule.is_net_due(self.params, progress, self._nets, updates)
        return Update(played, size, seconds, progress, is_net_due)

    @deferred_interrupts()
    def _played(self, planned: Sequence[int]) -> list[Episode]:
        """Return the finished episodes of a batch, renumbered without gaps if the time was up."""
        played = [self._finished[number] for number in planned if number in self._finished]
        if len(played) < len(planned):
            for number, each in zip(planned, played, strict=False):
                each.number = number
            self._finished = {each.number: each for each in played}
        return played

    @deferred_interrupts()
    def _add_cases(self, update: Update) -> None:
        """Add the cases of the episodes to RBUF, and begin an update, which can be undone."""
        _, update.old_net = self.anet.state()
        self.undo.callback(self.anet.restore, update.old_net, self.episode)
        cases = Cases.joined([each.cases(self.params) for each in update.episodes])
        self.undo.callback(self.parts[update.size].replay_buffer.add_all(cases))

    def _train_anet(self, update: Update) -> None:
        """Train the ANET on minibatches of RBUF; a net that diverges is restored and saved.

        Ctrl-C and the end of the time take effect between two minibatches, as an update of a large
        net may take many minutes.
        """
        new, update.steps = self.parts[update.size].replay_buffer.newest, defaultdict(list)
        try:
            self.anet.set_learning_rate(schedule.learning_rate(self.params, update.progress))
            planned = minibatches(self.parts, self.params, self.progress, update.episode, new)
            with side_by_side(self.params.rl.workers) as sharing:
                learn = deferred_interrupts()(ANET.train)  # Ctrl-C cannot divide a step
                for size, each in self.clock.while_time_is_left(planned):
                    update.steps[size].append(learn(self.parts[size].anet, each, sharing))
            self.anet.check_weights()
        except DivergedError as error:
            self.undo.close()
            self._save_net()
            good = self.run.net_path(self.episode)
            raise DivergedError(
                f"episode {update.episode}: {error}; the last good net is {good}"
            ) from error

    def _settle(self, update: Update) -> None:
        """Complete an update, which can no longer be undone."""
        self._is_whole = False
        self.undo.pop_all()
        for each in update.episodes:
            del self._finished[each.number]
        self.episode = self.anet.episode = update.episode
        self._updated = update.seconds

    def _save_net(self) -> None:
        path = self.run.net_path(self.episode)
        self.anet.save(path)
        self.run.note_net(path)
        self._nets += 1

    @deferred_interrupts()
    def _save_outside_updates(self, seconds: float) -> None:
        """Save and measure the net at the beginning, or when the time is up."""
        self._updated, is_new = seconds, not self.run.net_path(self.episode).exists()
        self._save_net()
        if (is_new or not self.run.metrics.length) and (measured := self._measure(self.anet)):
            self.run.metrics.append({"episode": self.episode, "seconds": seconds} | measured)

    def _log(self, update: Update) -> dict[str, Any]:
        """Write the files of an update; return its line in ``metrics.jsonl``."""
        record = {
            **update.metrics(self.params),
            "cases": sum(len(part.replay_buffer) for part in self.parts.values()),
            "seconds": self.clock.seconds,
            **update.record,
        }
        for each in update.episodes:
            self.run.games.append(each.line() | update.size_field)
        self.run.metrics.append(record)
        self._is_whole = True
        self._checkpoint_if_due()
        give_back_freed_memory()
        return record

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
        finished = dict(self._finished)
        meta, tensors = snapshot(self.params, self.anet, self.parts, finished, self.clock.seconds)
        meta |= {"updated": self._updated, "size": self._size}
        self.run.save_checkpoint(meta, tensors)
        self._checkpointed = time.perf_counter()

"""A stranger's net for Hex, in an ONNX file: it evaluates states, and does not learn.

Letters: B states, N rows of the board, A actions, N * N.
"""

import math
from functools import cached_property
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from anet.card import STATE, Card
from anet.errors import NetError
from anet.evaluator import Evaluator, Policies, Values
from anet.runtimes.openvino_runtime import model_of
from base.params import ANETParams, load_mapping
from base.params.check import check_section
from base.storage import printable, read_file
from state_manager import State, StateManager, make_game

_MOST_BYTES = 2**31  # the largest file that the format allows
_OURS = b"hex-mcts"  # the producer, at the head of a file that ``export --onnx`` writes
_GAMES, _LEAST_WON = 20, 15
"""Games of the trial for each layout, and how many the best one must win."""
_COLOURS_EXCHANGED = np.array([0, 2, 1], np.int8)
_SIGNS = {"mover": (1, 1), "opponent": (-1, -1), "player1": (1, -1), "player2": (-1, 1)}
"""What makes a value the mover's, for each ``seen_by`` and player to move on the net's board."""


class OnnxNet(Evaluator):
    """A net whose weights are in an ONNX file; ``note`` is what a trial has found, if any."""

    def __init__(self, data: bytes, name: str, card: Card) -> None:
        """Read a file's content; a ``NetError`` if it is no net for Hex, or not the card's."""
        self._made_of, self._model = (data, name), model_of(data)
        shape = list(self._model.shape[1:])
        outputs = self._model.run(np.zeros(self._model.shape))
        sizes = {each: output.size for each, output in outputs.items()}
        policy = card.policy or max(sizes, key=lambda each: sizes[each])
        size = math.isqrt(sizes.get(policy, 0))
        if not 3 <= size <= 19 or sizes[policy] - size * size > 1:
            raise NetError(f"policy: expected an output with 9 to 361 cells, got {policy}: {sizes}")
        board, rest = [size, size], math.prod(shape) % (size * size)
        if _OURS in data[:32]:
            card = Card(planes=STATE, joins="either", seen_by="player1").completed(card)
        elif rest > 2 if len(shape) == 1 else board not in (shape[1:], shape[:2]):
            expected = f"expected an input of one board, [planes, {size}, {size}] or "
            raise NetError(f"{expected}[{size}, {size}, planes] or a vector, got {shape}")
        elif not card.fits(shape, size):
            expected = f"{math.prod(shape) // size**2}" + f" and {rest} single numbers" * (rest > 0)
            raise NetError(f"planes: expected {expected} for this net, got {card.planes}")
        single = [each for each in sizes if sizes[each] == 1]
        if len(single) != 1 or card.seen_by == "none":
            single, card = [], card.model_copy(update={"seen_by": "none"})
        self._value, self._card = "".join(single), card.completed(Card(policy=policy))
        words = {"network": "onnx", "critic": bool(single)}
        self.game, self.params = make_game("hex", size=size), ANETParams().model_copy(update=words)
        self.facts = self.params.facts

    @classmethod
    def read(cls, path: Path, card: Card, game: StateManager | None = None) -> Self:
        """Read a file and the card beside it, ``NAME.yaml``; raise all errors of the net here."""
        beside = path.with_suffix(".yaml")
        if beside.exists():
            card = card.completed(check_section(Card, "", load_mapping(beside), str(beside)))
        net = cls(read_file(path, _MOST_BYTES), path.name, card)
        if game not in (None, net.game):
            raise NetError(f"expected a net for {game!r}, got one for {net.game!r}")
        if game is not None:
            net.evaluate(game.initial_state())
        return net

    @cached_property
    def layout(self) -> Card:
        """The whole card, completed by trial games; a ``NetError`` if no layout wins most."""
        layouts = self._card.layouts(self._model.shape[1:], self.game.board_shape[0])
        if not layouts:
            raise NetError("planes: expected a card, as layouts of 1 to 3 planes alone are tried")
        if len(layouts) == 1 and layouts[0].seen_by:
            return layouts[0]
        found = [(*self._trial(each), each) for each in layouts]
        (won, right, card), *others = sorted(found, key=lambda each: -each[0])
        trial = f"{won} of {_GAMES} games won against random moves"
        if others:
            trial += f", {others[0][0]} by the next layout, {others[0][2]}"
        if won < _LEAST_WON:
            raise NetError(f"expected a card, as by trial no layout plays well: {card}, {trial}")
        if card.seen_by is None:
            seer, right = max(("mover", right), ("opponent", won - right), key=lambda each: each[1])
            card = card.model_copy(update={"seen_by": seer})
            trial += f"; the value was right before {right} of the wins"
        self.note = printable(f"{self._made_of[1]}: {card} ({trial})", 400)
        return card

    def _trial(self, card: Card) -> tuple[int, int]:
        """Return how many games a layout wins, and before how many the value was positive."""
        rng, won, right = np.random.default_rng(0), 0, 0
        for number in range(_GAMES):
            player, state = 1 + number % 2, self.game.initial_state(1 + number // 2 % 2)
            while not self.game.is_final(state):
                actions = self.game.legal_actions(state)
                action = int(rng.choice(actions))
                if state[0] == player:
                    logits, values, _ = self._numbers(card, state[np.newaxis])
                    action = int(actions[logits[0, actions].argmax()])
                state = self.game.child_state(state, action)
            if self.game.winner(state) == player:
                won, right = won + 1, right + int(values[0] > 0)
        return won, right

    def _numbers(self, card: Card, states: State) -> tuple[Values, Values, State]:
        """Return the logits `[B, A]`, raw values `[B]`, and movers `[B]` on the net's boards."""
        count, size, movers = len(states), self.game.board_shape[0], states[:, :1, np.newaxis]
        boards = states[:, 1 : 1 + size * size].reshape(count, size, size)
        turned = movers == {"rows": 2, "columns": 1}.get(card.joins or "", 0)
        boards = np.where(turned, _COLOURS_EXCHANGED[boards].transpose(0, 2, 1), boards)
        movers = np.where(turned, 3 - movers, movers)
        outputs = self._model.run(card.inputs(boards, movers, self._model.shape[1:]))
        scores = outputs[card.policy or ""]
        if (scores >= 0).all() and np.allclose(scores.sum(axis=1), 1.0, atol=1e-3):
            scores = np.log(scores + 1e-12)  # they are probabilities
        cells = scores[:, : size * size].reshape(boards.shape)  # without a pass
        logits = np.where(turned, cells.transpose(0, 2, 1), cells).reshape(count, -1)
        values = outputs[self._value][:, 0] if self._value else np.zeros(count)
        if not ((logits < np.inf).all() and np.isfinite(values).all()):
            raise NetError(f"{self._made_of[1]}: expected numbers from this net, got nan or inf")
        return logits, np.clip(values, -1.0, 1.0), movers[:, 0, 0]

    def evaluate_batch(
        self, states: State, legal: NDArray[np.bool_], symmetric: bool = False
    ) -> tuple[Policies, Values | None]:
        """See ``Evaluator``; never of symmetric boards."""
        logits, values, movers = self._numbers(self.layout, states)
        logits = np.where(legal, logits, -np.inf)
        weights = np.exp(logits - np.maximum(logits.max(axis=1, keepdims=True), -1e30))
        policies = weights / np.maximum(weights.sum(axis=1, keepdims=True), 1e-30)
        if not self._value:
            return policies, None
        signs = np.take(_SIGNS[self.layout.seen_by or ""], movers - 1)
        return policies, values * signs * np.where(states[:, 0] == 1, 1.0, -1.0)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the net with the layout that was found."""
        return type(self), (*self._made_of, self.layout)

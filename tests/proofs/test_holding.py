"""Enumerating every reply: perfect play is proven, one wrong move is found; keys of positions."""

import math
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from agents.random import RandomAgent
from anet import ANET
from base.cluster import side_by_side
from base.params import ANETParams
from judge import shared_judge
from proofs.distinct import distinct, key_bits, keys_of
from proofs.enumeration import (
    NEVER,
    Proof,
    PureStrategy,
    TooManyPositionsError,
    agent_player,
    greedy,
    recorded,
)
from state_manager import State, StateManager, make_game
from state_manager.sides import Side, after, alike, sides_of
from tests.perfect import all_states, perfect_player


def sides(game: StateManager) -> list[Side]:
    return sides_of(game, shared_judge(game).winner)


def proofs(game: StateManager, player: PureStrategy, to_first_loss: bool = False) -> list[Proof]:
    return [Proof(game, player, group, to_first_loss) for group in alike(sides(game))]


class Naive:
    """Follows all games of a side by recursion: plies to its loss, choices on the way."""

    def __init__(self, game: StateManager, player: PureStrategy, side: Side) -> None:
        self.game, self.player, self.side = game, player, side
        self.met: set[bytes] = set()
        self.known: dict[bytes, int] = {}
        self.plies_to_loss = self.follow(after(game, side.opening))

    def follow(self, state: State) -> int:
        key = state.tobytes()
        if key not in self.known:
            self.known[key] = self.plies_from(state)
        return self.known[key]

    def plies_from(self, state: State) -> int:
        if self.game.is_final(state):
            return NEVER if self.game.winner(state) in self.side.held else 0
        actions = self.game.legal_actions(state)
        if state[0] == self.side.player:
            self.met.add(state.tobytes())
            actions = np.flatnonzero(self.player.choose(state[np.newaxis])[0])
        children = [self.follow(self.game.child_state(state, int(action))) for action in actions]
        return min(NEVER, 1 + min(children))


@pytest.mark.parametrize(
    ("name", "options", "count"),
    [
        ("hex", {"size": 3}, 10),
        ("hexapawn", {}, 4),
        ("tic_tac_toe", {}, 20),
        ("nim", {"stones": 5, "max_take": 2}, 3),
        ("nim", {"stones": 2, "max_take": 2}, 2),
    ],
)
def test_perfect_play_holds_every_side(name: str, options: dict[str, int], count: int) -> None:
    game = make_game(name, **options)
    found = proofs(game, perfect_player(game))
    assert sum(len(proof.sides) for proof in found) == count
    assert all(proof.is_held.all() for proof in found)
    assert all(proof.losing_line(side) == () for proof in found for side in proof.sides)


def test_a_drawn_side_is_held_by_both_players() -> None:
    game = make_game("tic_tac_toe")
    empty = [side for side in sides(game) if side.opening == ()]
    assert empty == [Side((), 1, (1, 3)), Side((), 2, (2, 3))]


@pytest.mark.parametrize("to_first_loss", [False, True])
def test_one_wrong_move_is_refuted_by_the_shortest_line(to_first_loss: bool) -> None:
    game = make_game("hex", size=3)
    judge = shared_judge(game)
    empty = game.initial_state(1)
    # Taking a corner on the empty board throws the game away; all else is played perfectly.
    player = perfect_player(game, {empty.tobytes(): 0})
    assert 0 not in judge.winning_actions(empty)
    found = proofs(game, player, to_first_loss)
    refuted = {
        side.opening: proof.losing_line(side)
        for proof in found
        for side, held in zip(proof.sides, proof.is_held, strict=True)
        if not held
    }
    assert list(refuted) == [()]
    line = refuted[()]
    assert line[0] == 0
    assert len(line) == Naive(game, player, Side((), 1, (1,))).plies_to_loss
    assert game.winner(after(game, line)) == 2
    state = empty
    for action in line:
        own = player.choose(state[np.newaxis])[0]
        assert state[0] == 2 or own[action]
        state = game.child_state(state, action)


@pytest.mark.parametrize("seed", range(4))
def test_random_players_get_the_verdicts_of_the_naive_twin(seed: int) -> None:
    game = make_game("hex", size=3)
    rng = np.random.default_rng(seed)
    slips = {
        state.tobytes(): int(rng.choice(game.legal_actions(state)))
        for state in all_states(game)
        if rng.random() < 0.1
    }
    player = perfect_player(game, slips)
    whole, to_first_loss = proofs(game, player), proofs(game, player, to_first_loss=True)
    for proof, short in zip(whole, to_first_loss, strict=True):
        twins = [Naive(game, player, side) for side in proof.sides]
        assert proof.positions == len(set().union(*(twin.met for twin in twins)))
        soonest = min(twin.plies_to_loss for twin in twins)
        for number, (side, twin) in enumerate(zip(proof.sides, twins, strict=True)):
            assert proof.is_held[number] == (twin.plies_to_loss == NEVER)
            if not proof.is_held[number]:
                assert len(proof.losing_line(side)) == twin.plies_to_loss
            if not short.is_held[number]:
                assert len(short.losing_line(side)) == twin.plies_to_loss == soonest


def test_the_enumeration_of_a_net_follows_the_agents_moves(net: ANET) -> None:
    player = greedy(net.exact)
    assert player.is_symmetric == net.params.symmetric
    states = all_states(net.game)
    chosen = player.choose(np.array(states))
    for state, actions in zip(states, chosen, strict=True):
        assert actions[np.argmax(net.policy(state))]


@pytest.mark.parametrize(("name", "size", "threads"), [("_BATCH", 16, 2), ("_BLOCK", 3, 1)])
def test_threads_and_small_blocks_change_no_result(
    net: ANET, monkeypatch: pytest.MonkeyPatch, name: str, size: int, threads: int
) -> None:
    wholes = proofs(net.game, greedy(net.exact))
    monkeypatch.setattr(f"proofs.enumeration.{name}", size)
    with side_by_side(threads) as sharing:
        in_parts = proofs(net.game, greedy(net.exact, sharing))
    for whole, parts in zip(wholes, in_parts, strict=True):
        assert whole.is_held.tolist() == parts.is_held.tolist()
        for one, other in zip(whole.levels, parts.levels, strict=True):
            for field, array in vars(one).items():
                assert np.array_equal(array, getattr(other, field)), field


@pytest.fixture(params=[False, True], ids=["plain", "symmetric"])
def net(request: pytest.FixtureRequest) -> ANET:
    params = ANETParams(hidden_layers=(8,), symmetric=request.param)
    return ANET(make_game("hex", size=3), params, seed=2)


def test_the_states_of_refuted_positions_are_those_that_their_lines_lead_to(net: ANET) -> None:
    for proof in proofs(net.game, greedy(net.exact)):
        for ply, places in proof.refuted():
            for state, place in zip(proof.states_at(ply, places), places, strict=True):
                line = proof.line_to(ply, int(place))
                assert np.array_equal(state, after(net.game, line))
                assert state[0] == proof.sides[0].player


EMPTY = Side((), 1, (1,))


@pytest.mark.parametrize("damage", ["none", "cut", "changed", "another net's"])
def test_an_interrupted_enumeration_continues_from_its_record(
    net: ANET, tmp_path: Path, damage: str
) -> None:
    file, asked = tmp_path / "record", []

    def enumerated(about: str, most: float = math.inf) -> Proof:
        def choose(states: State) -> NDArray[np.bool_]:
            asked.append(len(states))
            if sum(asked) > most:
                raise KeyboardInterrupt
            return player.choose(states)

        player = greedy(net.exact)
        with recorded(map, file, about) as sharing:
            return Proof(net.game, PureStrategy(choose, player.is_symmetric, 4, sharing), [EMPTY])

    whole = Proof(net.game, greedy(net.exact), [EMPTY])
    with pytest.raises(KeyboardInterrupt):
        enumerated("one", most=20)
    known = sum(asked[:-1])
    data = bytearray(file.read_bytes())
    if damage == "cut":
        del data[-1]
    if damage == "changed":
        data[36] ^= 1
    file.write_bytes(data)
    asked.clear()
    again = enumerated("two" if damage == "another net's" else "one")
    left = whole.positions - sum(asked)
    assert left == known if damage == "none" else left < known
    assert (left > 0) == (damage in ("none", "cut"))
    for one, other in zip(whole.levels, again.levels, strict=True):
        assert np.array_equal(one.keys, other.keys)
        assert np.array_equal(one.plies_to_loss, other.plies_to_loss)
    asked.clear()
    enumerated("two" if damage == "another net's" else "one")
    assert asked == []


def test_merging_symmetric_positions_changes_no_verdict(net: ANET) -> None:
    game = net.game
    for proof in proofs(game, greedy(net.exact)):
        for side, held in zip(proof.sides, proof.is_held, strict=True):
            twin = Naive(game, greedy(net.exact), side)
            assert held == (twin.plies_to_loss == NEVER)
            line = proof.losing_line(side)
            assert held or len(line) == twin.plies_to_loss


def test_an_enumeration_stops_at_its_limit() -> None:
    game = make_game("hex", size=3)
    group = alike(sides(game))[0]
    with pytest.raises(TooManyPositionsError, match="expected 5 positions at most"):
        Proof(game, perfect_player(game), group, most=5)


def test_an_agent_chooses_in_each_position() -> None:
    game = make_game("hex", size=3)
    states = np.array(all_states(game)[:5])
    chosen = agent_player(RandomAgent(game), game).choose(states)
    assert chosen.sum(axis=1).tolist() == [1] * 5
    assert (chosen <= game.legal_mask(states)).all()


def naive_key(game: StateManager, state: State, merges: bool) -> bytes:
    """Return the features as bits, filled up to whole words; the first of all images."""
    features = game.observation(state).astype(bool)
    images = [features]
    for symmetry in game.symmetries:
        if merges and not symmetry.swaps_players:
            image = np.empty_like(features)
            image[symmetry.features] = features
            images.append(image)
    return min(
        np.packbits(image).tobytes().ljust(-(-len(image) // 64) * 8, b"\0") for image in images
    )


def random_states(game: StateManager, games: int) -> State:
    rng = np.random.default_rng(3)
    states = []
    for _ in range(games):
        state = game.initial_state(1)
        while not game.is_final(state):
            states.append(state)
            state = game.child_state(state, int(rng.choice(game.legal_actions(state))))
    return np.array(states)


@pytest.mark.parametrize("merges", [False, True])
@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("hex", {"size": 3}),
        ("hex", {"size": 6}),
        ("tic_tac_toe", {}),
        ("hexapawn", {}),
        ("nim", {"stones": 5, "max_take": 2}),
    ],
)
def test_keys_are_those_of_the_naive_twin(name: str, options: dict[str, int], merges: bool) -> None:
    game = make_game(name, **options)
    states = random_states(game, games=30)
    keys = keys_of(game, key_bits(game, merges), states)
    twins = [naive_key(game, state, merges) for state in states]
    assert [key.tobytes() for key in keys.astype(">u8")] == twins
    first, places = distinct(keys)
    ordered = sorted(set(twins))
    assert [twins.index(key) for key in ordered] == first.tolist()
    assert [ordered.index(key) for key in twins] == places.tolist()

"""Expert iteration: a fast apprentice plays, and a slow expert provides the better moves.

Anthony, Tian & Barber 2017, "Thinking Fast and Slow with Deep Learning and Tree Search",
algorithm 1. The apprentice, the net without search, plays an episode against itself. The expert, a
search guided by the apprentice (N-MCTS), searches one of its positions, drawn uniformly; its visit
counts are the case. One position per episode keeps cases independent. With a critic, its target is
the outcome of the apprentice's game, as in section 4.2 of the paper.
"""

from collections.abc import Iterator, Sequence

from agents import choose
from rl import schedule
from rl.episode import Episode
from rl.schemes import Scheme
from rl.self_play import ActualGame, SelfPlay
from state_manager.policy import Policy, uniform_choice
from state_manager.policy_games import FOREVER, Choice, play_against_itself


def play_apprentices(numbers: Sequence[int], self_play: SelfPlay) -> Iterator[Episode]:
    """Play with the apprentice, then search one position of each game; see ``Play``."""
    games = self_play.begin(numbers)
    if self_play.rollout_policy is not None:
        for each in games:
            _play_out(each, self_play, self_play.rollout_policy)
        policy = self_play.rollout_policy
        if policy.net.epsilon == 1.0:  # all its rollouts are random, which the game does faster
            policy = policy._replace(choose=uniform_choice)
        self_play.set_rollout_policy(policy, numbers[0])
    else:
        _play_out_together(games, self_play)
    plies = [int(each.generator.integers(each.ply)) for each in games]
    for each, ply, result in zip(games, plies, self_play.search(games, plies), strict=True):
        each.note(ply, result)
    yield from self_play.hand_in(games)


def _play_out(each: ActualGame, self_play: SelfPlay, policy: Policy) -> None:
    """Play a whole game in one call, with a net that plays rollouts."""
    params, game = self_play.params, self_play.game
    temperature, epsilon = schedule.apprentice_choice(params)
    drawn_moves = FOREVER if params.rl.temperature_moves is None else params.rl.temperature_moves
    choice = Choice(temperature, drawn_moves, epsilon)
    actions, states = play_against_itself(game, policy, each.state, each.generator, choice)
    end = each.ply + len(actions)
    each.arrays.actions[each.ply : end] = actions
    each.arrays.states[each.ply + 1 : end + 1] = states[1:]
    each.ply = end


def _play_out_together(games: Sequence[ActualGame], self_play: SelfPlay) -> None:
    """Play all games move by move, with a net evaluated in batches."""
    while playing := self_play.going_on(games):
        policies = self_play.policies([each.state for each in playing])
        for each, policy in zip(playing, policies, strict=True):
            legal = self_play.game.legal_actions(each.state)
            temperature, epsilon = schedule.apprentice_choice(self_play.params, each.ply)
            if each.generator.random() < epsilon:
                action = int(legal[int(each.generator.random() * len(legal))])
            else:
                action = choose(policy, legal, "probabilistic", 0.0, each.generator, temperature)
            self_play.make_move(each, action)


EXPERT_ITERATION = Scheme(play_apprentices, player="ANET")

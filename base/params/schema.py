"""The schema of ``params.yaml``: every section, key, range and default.

What each key means to a user stands beside it in ``params.yaml``; what it means to the algorithm is
said here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal, Protocol, Self

from pydantic import Field, SerializeAsAny, model_validator

from base.params.oht import OHTParams, OHTServerParams
from base.params.rl import ActionChoice, Probability, RLParams
from base.params.search import ALL_MOVES_AS_FIRST, VariantParams
from base.params.section import Section


class GameSchemas(Protocol):
    """The games that there are, and the schema of each one's own options."""

    def names(self) -> Sequence[str]:
        """Return the names of all games, without loading any."""

    def schema(self, name: str) -> type[Section]:
        """Return the schema of one game's options; this may load the game."""


class GameSetup(Section):
    """What every game has.

    Attributes:
        starting_player: Who moves first, in training and in matches.
    """

    starting_player: Literal["alternate", 1, 2] = "alternate"


class GameParams(GameSetup):
    """The game that is played; in the file, its options stand beside the name.

    Attributes:
        name: A name in the registry of games.
        options: The game's own options: ``make_game(name, **options.model_dump())``.
    """

    name: str
    options: SerializeAsAny[Section]


class AssignmentSearchParams(Section):
    """What the assignment says of the search before each move.

    Attributes:
        simulations: M of the pseudocode, new simulations for the first move of a game.
        simulations_growth: The move after p plies gets M * growth ** p simulations.
        time_limit: Seconds per move after which a search stops; ``None`` for no limit.
        exploration: c in u(s, a) = c * sqrt(ln N(s) / (1 + N(s, a))); ``None`` for the tree
            policy's own, which for UCT is 1.
        rollout_epsilon: The search's epsilon: the probability of a uniformly random move in a
            rollout, in episode 1.
        rollout_epsilon_decay: Factor on that probability after each episode.
    """

    simulations: Annotated[int, Field(ge=1, le=10_000_000)] = 500
    simulations_growth: Annotated[float, Field(ge=0.5, le=4)] = 1.0
    time_limit: Annotated[float, Field(gt=0, le=3600)] | None = None
    exploration: Annotated[float, Field(ge=0, le=100)] | None = None
    rollout_epsilon: Probability = 1.0
    rollout_epsilon_decay: Annotated[float, Field(gt=0, le=1)] = 0.98


class MCTSParams(VariantParams, AssignmentSearchParams):
    """The search before each move: the assignment's keys, then the variant's."""


class ANETParams(Section):
    """The actor network and its optimiser.

    Attributes:
        network: ``mlp`` has hidden layers alone, ``residual_mlp`` ways past all but the first;
            ``convolutional`` has convolutions before them; ``residual`` has residual blocks, and
            hidden layers in its value head alone. All but ``mlp`` are asked about many states at
            once, and play no rollouts.
        hidden_layers: Neurons in each hidden layer, input side first.
        activation: Of the hidden neurons; the output is a softmax.
        channels: Planes of numbers between two convolutions.
        blocks: How many convolutions there are, or residual blocks of two convolutions each.
        batch_normalization: Whether each of these convolutions is followed by one.
        padded_size: Rows and columns to which the board is filled up with empty cells; ``None``
            leaves it as it is.
        optimizer: How gradients change the weights.
        learning_rate: Of the optimiser.
        view: ``absolute`` shows the board as it lies and the side to move; ``mover`` turns it so
            that the side to move always joins the rows.
        critic: Whether the net has a second output, the value of the state.
        value_weight: Weight of the critic's squared error in the loss, beside the cross-entropy.
        device: Where ``convolutional`` and ``residual`` nets compute; ``auto`` takes a GPU if there
            is one. An ``mlp`` is too small to gain from one and always uses the CPU. This is not
            kept in a net's file.
    """

    network: Literal["mlp", "residual_mlp", "convolutional", "residual"] = "mlp"
    hidden_layers: Annotated[
        tuple[Annotated[int, Field(ge=1, le=4096)], ...], Field(min_length=0, max_length=8)
    ] = (64, 64)
    activation: Literal["linear", "sigmoid", "tanh", "relu"] = "relu"
    channels: Annotated[int, Field(ge=1, le=512)] = 32
    blocks: Annotated[int, Field(ge=1, le=64)] = 3
    batch_normalization: bool = True
    padded_size: Annotated[int, Field(ge=3, le=19)] | None = None
    optimizer: Literal["adagrad", "sgd", "rmsprop", "adam", "adamw"] = "adam"
    learning_rate: Annotated[float, Field(gt=0, le=10)] = 0.001
    view: Literal["absolute", "mover"] = "absolute"
    critic: bool = False
    value_weight: Annotated[float, Field(ge=0, le=100)] = 1.0
    device: Literal["auto", "cpu", "cuda"] = "auto"

    @property
    def sees_planes(self) -> bool:
        """Whether the board is laid out in planes, for convolutions."""
        return self.network in ("convolutional", "residual")


class TOPPParams(Section):
    """The Tournament of Progressive Policies.

    Attributes:
        games: G, games between each two nets.
        action_choice: How a net's distribution chooses the move.
        epsilon: The TOPP's epsilon: the probability of a random move, for ``epsilon_greedy``.
    """

    games: Annotated[int, Field(ge=1, le=100_000)] = 20
    action_choice: ActionChoice = "greedy"
    epsilon: Probability = 0.1


class PlayParams(Section):
    """What ``mcts`` agents do in play, unless their own words say otherwise.

    Training is content with a few hundred simulations a move; who plays wants the best move.

    Attributes:
        simulations: New simulations per move.
        exploration: c in u(s, a).
        time_limit: Seconds per move after which a search stops; ``None`` for no limit.
        workers: Threads that play the games of a batch; games do not depend on their number.
    """

    simulations: Annotated[int, Field(ge=1, le=10_000_000)] = 100_000
    exploration: Annotated[float, Field(ge=0, le=100)] = 1.4
    time_limit: Annotated[float, Field(gt=0, le=3600)] | None = 2.0
    workers: Annotated[int, Field(ge=1, le=256)] = 2


class DisplayParams(Section):
    """Which games are shown, where, and how fast.

    Attributes:
        mode: Where boards are drawn.
        every: In training, episode 1 and each episode that this divides are shown.
        games: In tournaments and play, the first games of each series are shown, this many.
        delay: Seconds between the moves of a shown game.
    """

    mode: Literal["off", "terminal", "window", "file"] = "terminal"
    every: Annotated[int, Field(ge=1, le=10_000_000)] = 50
    games: Annotated[int, Field(ge=0, le=100_000)] = 1
    delay: Annotated[float, Field(ge=0, le=60)] = 0.2


class RootParams(Section):
    """What stands outside the sections.

    Attributes:
        seed: Of every random number of a run.
    """

    seed: Annotated[int, Field(ge=0, le=2**32 - 1)] = 1


class Params(RootParams):
    """All parameters of a run, resolved: what the file and the command line left out is filled in.

    Attributes:
        game: The game that is played.
        mcts: The search before each move.
        anet: The actor network.
        rl: Training by self-play.
        topp: The tournament of the cached nets.
        play: Agents that search, outside training.
        display: Which games are shown.
        oht: The client of the Online Hex Tournament.
        oht_server: A tournament server at home.
    """

    game: GameParams
    mcts: MCTSParams = MCTSParams()
    anet: ANETParams = ANETParams()
    rl: RLParams = RLParams()
    topp: TOPPParams = TOPPParams()
    play: PlayParams = PlayParams()
    display: DisplayParams = DisplayParams()
    oht: OHTParams = OHTParams()
    oht_server: OHTServerParams = OHTServerParams()

    @model_validator(mode="before")
    @classmethod
    def _settle(cls, sections: dict[str, Any]) -> dict[str, Any]:
        """Give the keys that the learning scheme settles the values that it wants."""
        rl = sections.get("rl")
        if not isinstance(rl, RLParams):
            return sections
        settled = {
            name: sections.get(name, cls.model_fields[name].default).model_copy(update=dict(values))
            for name, values in rl.settled.items()
        }
        return sections | settled

    @model_validator(mode="after")
    def _check_search(self) -> Self:
        if mistake := self.mcts.noise_mistake(self.rl.tree_policy):
            raise ValueError(f"mcts.{mistake}")
        if self.mcts.rollout != "default" and (self.rl.sigma < 1 or self.rl.sigma_decay < 1):
            raise ValueError(
                f"mcts.rollout: expected default, as rl.sigma is below 1, got {self.mcts.rollout}"
            )
        return self

    @model_validator(mode="after")
    def _check_network(self) -> Self:
        network = self.anet.network
        if network == "mlp":
            return self
        if self.rl.scheme == "on_policy":
            raise ValueError(
                f"anet.network: expected mlp with rl.scheme=on_policy, where the net plays the "
                f"rollouts, got {network}"
            )
        if self.mcts.rollout != "default" or self.mcts.tree_policy in ALL_MOVES_AS_FIRST:
            raise ValueError(
                f"anet.network: expected mlp with mcts.rollout={self.mcts.rollout} and "
                f"mcts.tree_policy={self.mcts.tree_policy}, which need the moves of rollouts, "
                f"got {network}"
            )
        return self

    @model_validator(mode="after")
    def _check_critic(self) -> Self:
        for key, value in (("sigma", self.rl.sigma), ("sigma_decay", self.rl.sigma_decay)):
            if value < 1 and not self.anet.critic:
                raise ValueError(
                    f"rl.{key}: expected 1, as there is no critic (anet.critic: false), got {value}"
                )
        return self

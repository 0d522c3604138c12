"""The schema of the parameters: every section, key, range, default and meaning.

Docstrings of the sections and descriptions of the keys are the text of ``params``.
"""

from collections.abc import Iterator, Sequence
from typing import Annotated, Any, Literal, Protocol, Self, cast

from pydantic import Field, SerializeAsAny, model_validator

from base.methods import ROLLOUTS, TREE_POLICIES, TREE_POLICY_OF, Method, NetFacts, misfit
from base.params.rl_section import ActionChoice, Probability, RLParams
from base.params.search_section import VariantParams
from base.params.section import OneOf, Section, show_value
from base.registry import NETWORKS, OF_PLANES
from base.words import one_of

Port = Annotated[int, Field(ge=0, le=65535)]
Text = Annotated[str, Field(min_length=1, pattern=r"^[^\x00-\x1f\x7f]*$")]
Seconds = Annotated[float, Field(gt=0, le=3600)]
_IN_SLOTS = ("random_plies", "mixed_play", "bootstrap", "clean_values")
"""Keys of ``rl`` that apply only to games played in slots."""
_NOT_WITH_SIZES = {"epochs": None, "gating_games": 0}
"""Values that keys of ``rl`` must have with ``rl.sizes``."""


class GameSchemas(Protocol):
    """The available games, and the schema of each game's own options."""

    def names(self) -> Sequence[str]:
        """Return the names of all games, without loading any."""

    def schema(self, name: str) -> type[Section]:
        """Return the schema of one game's options; this may load the game."""


class GameSetup(Section):
    """The keys of every game."""

    starting_player: Literal["alternate", 1, 2] = Field(
        "alternate", description="the player to move first"
    )


class GameParams(GameSetup):
    """The game; its own options are keys beside its name."""

    name: str  # in the registry of games
    options: SerializeAsAny[Section]  # for ``make_game(name, **options.model_dump())``


class AssignmentSearchParams(Section):
    """The assignment's keys for the search before each move."""

    simulations: int = Field(500, ge=1, le=10_000_000, description="M, new simulations per move")
    simulations_growth: float = Field(
        1.0, ge=0.5, le=4, description="factor on M for each move already made"
    )
    time_limit: float | None = Field(None, gt=0, le=3600, description="seconds per move")
    exploration: float | None = Field(
        None, ge=0, le=100, description="c; null is the policy's, mostly 1"
    )
    rollout_epsilon: Probability = Field(1.0, description="share of random moves in rollouts")
    rollout_epsilon_decay: float = Field(0.98, gt=0, le=1, description="factor on it per episode")


class MCTSParams(VariantParams, AssignmentSearchParams):
    """The search before each actual move.

    Keys from ``tree_policy`` on choose a variant; agents take them.
    """


LEAST_PLANES = 16
"""Of inputs and of outputs, for a convolution to be updated by Muon; the first one reads fewer."""


class ANETParams(Section):
    """The actor network and its optimiser.

    Each optimizer needs its own learning rate.
    """

    network: Annotated[str, OneOf(NETWORKS)] = Field(
        "mlp", description="only mlp plays rollouts; pooled fits any board"
    )
    hidden_layers: Annotated[
        tuple[Annotated[int, Field(ge=1, le=4096)], ...], Field(min_length=0, max_length=8)
    ] = Field((64, 64), description="neurons per layer")
    activation: Literal["linear", "sigmoid", "tanh", "relu"] = Field(
        "relu", description="of the hidden neurons"
    )
    channels: int = Field(32, ge=1, le=512, description="planes per convolution (not mlp)")
    blocks: int = Field(3, ge=1, le=64, description="convolutions or residual blocks")
    batch_normalization: bool = Field(True, description="after each convolution")
    padded_size: int | None = Field(None, ge=3, le=19, description="board filled up to this size")
    optimizer: Literal["adagrad", "sgd", "rmsprop", "adam", "adamw", "muon"] = Field(
        "adam", description="updates the weights"
    )
    learning_rate: float = Field(0.001, gt=0, le=10, description="sgd wants 0.1, adagrad 0.01")
    learning_rate_end: float = Field(1.0, gt=0, le=1, description="share left at the end of a run")
    learning_rate_end_at: float = Field(
        1.0, gt=0, le=1, description="share of the run after which the rate stops falling"
    )
    view: Literal["absolute", "mover"] = Field(
        "absolute", description="the board as it is, or turned to the mover"
    )
    critic: bool = Field(False, description="a second output that estimates the winner")
    symmetric: bool = Field(
        False, description="without a search, play the mean over symmetric boards"
    )
    value_weight: float = Field(1.0, ge=0, le=100, description="of the critic's error in the loss")
    device: Literal["auto", "cpu", "cuda"] = Field(
        "auto", description="auto is a GPU if any; mlp is on the CPU"
    )
    runtime: Literal["auto", "torch", "openvino"] = Field(
        "auto",
        description="what evaluates nets in self-play; auto is measured before a long training, "
        "else torch",
    )
    precision: Literal["auto", "float32", "bfloat16", "int8"] = Field(
        "auto", description="of numbers in self-play"
    )
    learning_precision: Literal["auto", "float32", "bfloat16"] = Field(
        "auto",
        description="of products in learning; auto is measured before a long training on a CPU, "
        "else float32",
    )

    @property
    def sees_planes(self) -> bool:
        """Whether the board is laid out in planes, for convolutions."""
        return self.network in OF_PLANES

    @property
    def facts(self) -> NetFacts:
        """Which methods of the search fit the net."""
        return NetFacts(f"a {self.network} net", self.critic, self.network == "mlp")


class TOPPParams(Section):
    """The Tournament of Progressive Policies, between the cached nets."""

    games: int = Field(60, ge=1, le=100_000, description="G, games between each pair of nets")
    action_choice: ActionChoice = Field("greedy", description="choice from the policy")
    epsilon: Probability = Field(0.1, description="share of random moves, for epsilon_greedy")
    regret_positions: int | None = Field(
        None,
        ge=0,
        le=10_000,
        description="won positions on which nets are measured; null is 200 where that takes "
        "seconds",
    )


class PlayParams(Section):
    """Agents that search, outside training; their own options override these."""

    simulations: int = Field(100_000, ge=1, le=10_000_000, description="new simulations per move")
    exploration: float = Field(
        1.4,
        ge=0,
        le=100,
        description="c without a net; other tree policies have their own, unless the agent's "
        "word gives one",
    )
    time_limit: float | None = Field(2.0, gt=0, le=3600, description="seconds per move")
    workers: int = Field(2, ge=1, le=256, description="threads for the games of a batch")


class DisplayParams(Section):
    """The live board."""

    mode: Literal["off", "terminal", "window", "file"] = Field(
        "terminal", description="place of the boards"
    )
    every: int = Field(50, ge=1, le=10_000_000, description="the first and each multiple is shown")
    games: int = Field(1, ge=0, le=100_000, description="shown games of each match")
    delay: float = Field(0.2, ge=0, le=60, description="seconds between shown moves")
    tensorboard: bool = Field(
        False, description="also write curves to RUN/tensorboard (pip install tensorboardX)"
    )
    notation: Literal["a1", "course"] = Field(
        "a1",
        description="names of cells on boards, in pictures, in words; course is (row, column) "
        "from 0, as in the assignment",
    )

    @property
    def letters(self) -> bool:
        """Whether cells are named by letters and numbers."""
        return self.notation == "a1"


class OHTParams(Section):
    """The client of the Online Hex Tournament."""

    protocol: Literal[1, 2] = Field(
        1, description="the server's generation, text (to 2021) or JSON"
    )
    server: Text | None = Field(None, description="HOST:PORT; null is the course's own server")
    mode: Literal["qualifiers", "league"] = Field(
        "qualifiers", description="where to play, in protocol 2"
    )
    board_size: int = Field(5, ge=3, le=13, description="expected; oht-server plays on it")
    agent: Text = Field(
        "best",
        description="the agent that plays, with the net of --net; best is the best net for the "
        "board in nets/, with mcts unless it is proven; without such a net, mcts "
        "alone",
    )
    move_time_limit: Seconds | None = Field(
        None, description="seconds per move; null is 2 in protocol 1, and 1 in protocol 2"
    )
    certificate: Text | None = Field(
        None, description="the server's certificate; null searches for it"
    )
    official_client: Text | None = Field(
        None, description="folder of the course's own client, to use it"
    )
    connect_attempts: int = Field(3, ge=1, le=1000, description="attempts to reach the server")
    silence_limit: float = Field(
        600.0, gt=0, le=86400, description="seconds without a message before it gives up"
    )

    @property
    def seconds_per_move(self) -> float:
        """``move_time_limit``, or the default of the protocol, in seconds."""
        return self.move_time_limit or {1: 2.0, 2: 1.0}[self.protocol]


class OHTServerParams(Section):
    """A local tournament, of the command oht-server; port 0 selects any free port."""

    host: Text = Field("127.0.0.1", description="the address to listen on")
    port: Port = Field(33000, description="protocol 1")
    qualifiers_port: Port = Field(33001, description="protocol 2")
    league_port: Port = Field(30000, description="protocol 2, the league")
    opponents: Annotated[tuple[Text, ...], Field(min_length=1)] = Field(
        (
            "random",
            "mcts:simulations=20",
            "mcts:simulations=100",
            "mcts:simulations=500",
        ),
        description="agents; a series against each",
    )
    verification_games: int = Field(
        100, ge=1, le=100_000, description="divided among the opponents"
    )
    official_games: int = Field(50, ge=1, le=100_000, description="against each opponent")
    official_attempts: int = Field(5, ge=0, le=1000, description="for each user name, protocol 1")
    qualification_attempts: int = Field(3, ge=0, le=1000, description="for each token, protocol 2")
    first_starter: Literal[1, 2] = Field(
        1, description="the player that starts the first game of a series"
    )
    move_limit: Seconds | None = Field(60.0, description="seconds, protocol 1")
    qualifiers_move_limit: Seconds | None = Field(2.0, description="seconds, protocol 2")
    answer_limit: Seconds = Field(300.0, description="seconds for all other messages")


class RootParams(Section):
    """The keys outside the sections."""

    seed: int = Field(1, ge=0, le=2**32 - 1, description="same seed, same nets and games")


class Params(RootParams):
    """All parameters of a run; missing keys have their defaults."""

    game: GameParams
    mcts: MCTSParams = MCTSParams()
    anet: ANETParams = ANETParams()
    rl: RLParams = RLParams()
    topp: TOPPParams = TOPPParams()
    play: PlayParams = PlayParams()
    display: DisplayParams = DisplayParams()
    oht: OHTParams = OHTParams()
    oht_server: OHTServerParams = OHTServerParams()

    def for_games(self, games: int) -> Self:
        """Return the parameters for this many games at a time, which share memory and cores."""
        return self.model_copy(update={"play": self.play.model_copy(update={"workers": games})})

    @property
    def tree_policy(self) -> Method:
        """The tree policy of self-play."""
        return cast(Method, TREE_POLICIES[self.mcts.tree_policy or TREE_POLICY_OF[self.rl.scheme]])

    @property
    def search(self) -> MCTSParams:
        """The search of self-play: ``mcts`` with the tree policy that it may leave open."""
        return self.mcts.model_copy(update={"tree_policy": self.tree_policy.name})

    @property
    def not_in_slots(self) -> str | None:
        """The parameter that rules out games in slots, see ``rl.play_in_slots``, if any.

        These need a net evaluated in batches, and searches without a shared generator or limit.
        """
        policy = self.tree_policy
        draws = policy.draws and self.rl.episodes_per_update > 1
        reasons = {
            f"rl.scheme={self.rl.scheme}": self.rl.scheme != "alphazero",
            f"anet.network={self.anet.network}": self.anet.facts.plays_rollouts,
            f"mcts.time_limit={self.mcts.time_limit}": self.mcts.time_limit is not None,
            f"mcts.tree_policy={policy.name}": draws,
        }
        return next((reason for reason, applies in reasons.items() if applies), None)

    @property
    def without_effect(self) -> list[str]:
        """A message for each value of ``rl`` that nothing reads."""
        rl, found = self.rl, list[str]()
        if rl.reuse is not None and rl.epochs is not None:
            found.append(f"rl.epochs={rl.epochs} has no effect with rl.reuse={rl.reuse:g}")
        for key, field in RLParams.model_fields.items():
            default, got = show_value(field.default), show_value(getattr(rl, key))
            if got == default:
                continue
            why = None
            if key.startswith("exploiter_") and not rl.exploiter:
                why = "without rl.exploiter"
            elif key == "ray_address" and rl.engine != "ray":
                why = f"with rl.engine={rl.engine}"
            elif key in _IN_SLOTS and self.not_in_slots:
                why = f"with {self.not_in_slots}"
            if why is not None:
                found.append(f"rl.{key}={got} has no effect {why}")
        return found

    @model_validator(mode="before")
    @classmethod
    def _settle(cls, sections: dict[str, Any]) -> dict[str, Any]:
        """Set the keys that the learning scheme fixes."""
        rl = sections.get("rl")
        if not isinstance(rl, RLParams):
            return sections
        settled = {
            name: sections.get(name, cls.model_fields[name].default).model_copy(update=dict(values))
            for name, values in rl.settled.items()
        }
        return sections | settled

    @model_validator(mode="after")
    def _check_rules(self) -> Self:
        for mistake in self._mistakes():
            raise ValueError(mistake)
        return self

    def _mistakes(self) -> Iterator[str]:
        mcts, anet, rl, network = self.mcts, self.anet, self.rl, self.anet.network
        policy, rollout = self.tree_policy, ROLLOUTS[mcts.rollout]
        if rl.scheme == "on_policy" and not anet.facts.plays_rollouts:
            one = "mlp with rl.scheme=on_policy, where the net plays the rollouts"
            yield f"anet.network: expected {one}, got {network}; --preset names other schemes"
        for key in ("sigma", "sigma_decay"):
            sigma = getattr(rl, key)
            if mistake := misfit(policy, rollout, anet.facts, sigma, mcts.root_noise):
                name, why = mistake
                yield f"rl.{key}: {why}" if name == "sigma" else f"mcts.{name}: {why}"
        if rl.mixed_play and not self.not_in_slots and not policy.is_guided:
            got = f"got mcts.tree_policy={policy.name}"
            yield f"rl.mixed_play: expected a tree policy that uses a net with it, {got}"
        yield from rl.mistakes()
        if anet.optimizer == "muon" and not anet.sees_planes:
            kinds = one_of(OF_PLANES)
            yield f"anet.network: expected {kinds} with anet.optimizer=muon, got {network}"
        if anet.optimizer == "muon" and anet.channels < LEAST_PLANES:
            least = f"at least {LEAST_PLANES} with anet.optimizer=muon"
            yield f"anet.channels: expected {least}, got {anet.channels}"
        if rl.sizes:
            yield from self._mistakes_of_sizes()
        if rl.exploiter and not anet.critic:
            yield "rl.exploiter: expected anet.critic=true with it"

    def on_board(self, size: int | None) -> Self:
        """Return the parameters with another ``game.size``; ``None`` keeps it."""
        if size is None:
            return self
        options = self.game.options.model_copy(update={"size": size})
        return self.model_copy(update={"game": self.game.model_copy(update={"options": options})})

    def _mistakes_of_sizes(self) -> Iterator[str]:
        rl, network, size = self.rl, self.anet.network, getattr(self.game.options, "size", None)
        sizes = one_of(rl.sizes, "and")
        if size is None:
            yield f"rl.sizes: expected {{}}, as {self.game.name} has no size, got {sizes}"
        if network != "pooled":
            yield f"rl.sizes: expected {{}} with anet.network={network}, which fits one board only"
        if size not in rl.sizes:
            yield f"rl.sizes: expected a weight for game.size ({size}), got those of {sizes}"
        lists = [given for given in rl.sizes.values() if isinstance(given, tuple)]
        # Between two turns the sum is linear, so 0 only if it is 0 at both.
        turns = {place / (len(each) - 1) for each in lists for place in range(len(each))} | {0.0}
        if not all(sum(rl.size_weights(share).values()) for share in turns):
            yield "rl.sizes: expected a weight above 0 at any time of the run, got none"
        for key, expected in _NOT_WITH_SIZES.items():
            if (got := getattr(rl, key)) != expected:
                yield f"rl.sizes: expected {{}} with rl.{key}={show_value(got)}, got {sizes}"

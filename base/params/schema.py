"""The schema of ``params.yaml``: every section, key, range and default.

The comments of ``params.yaml`` explain each key; the docstrings here only add to them.
"""

from collections.abc import Iterator, Sequence
from typing import Annotated, Any, Literal, Protocol, Self

from pydantic import Field, SerializeAsAny, model_validator

from base.params.rl_section import ActionChoice, Probability, RLParams
from base.params.search_section import ALL_MOVES_AS_FIRST, NET_GUIDED, VariantParams
from base.params.section import OneOf, Section, show_value
from base.registry import NETWORKS, OF_PLANES
from base.words import one_of

Port = Annotated[int, Field(ge=0, le=65535)]
Text = Annotated[str, Field(min_length=1, pattern=r"^[^\x00-\x1f\x7f]*$")]
Seconds = Annotated[float, Field(gt=0, le=3600)]
_IN_ROWS = ("random_plies", "mixed_play", "bootstrap", "clean_values")
"""Keys of ``rl`` that apply only to games played in rows."""
_NOT_WITH_SIZES = {"lag": 0, "epochs": None, "gating_games": 0}
"""Values that keys of ``rl`` must have with ``rl.sizes``."""


class GameSchemas(Protocol):
    """The available games, and the schema of each game's own options."""

    def names(self) -> Sequence[str]:
        """Return the names of all games, without loading any."""

    def schema(self, name: str) -> type[Section]:
        """Return the schema of one game's options; this may load the game."""


class GameSetup(Section):
    """The keys of every game."""

    starting_player: Literal["alternate", 1, 2] = "alternate"


class GameParams(GameSetup):
    """The game; in the file, its options are keys beside the name.

    Attributes:
        name: A name in the registry of games.
        options: The game's own options: ``make_game(name, **options.model_dump())``.
    """

    name: str
    options: SerializeAsAny[Section]


class AssignmentSearchParams(Section):
    """The assignment's keys for the search before each move."""

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

    A net's file has all but ``device``, ``runtime`` and both precisions.

    Networks other than ``mlp`` are evaluated in batches, and play no rollouts.
    """

    network: Annotated[str, OneOf(NETWORKS)] = "mlp"
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
    learning_rate_end: Annotated[float, Field(gt=0, le=1)] = 1.0
    learning_rate_end_at: Annotated[float, Field(gt=0, le=1)] = 1.0
    view: Literal["absolute", "mover"] = "absolute"
    critic: bool = False
    symmetric: bool = False
    value_weight: Annotated[float, Field(ge=0, le=100)] = 1.0
    device: Literal["auto", "cpu", "cuda"] = "auto"
    runtime: Literal["auto", "torch", "openvino"] = "auto"
    precision: Literal["auto", "float32", "bfloat16", "int8"] = "auto"
    learning_precision: Literal["auto", "float32", "bfloat16"] = "auto"

    @property
    def sees_planes(self) -> bool:
        """Whether the board is laid out in planes, for convolutions."""
        return self.network in OF_PLANES


class TOPPParams(Section):
    """The TOPP; ``regret_positions=None`` is 200 where the judge decides at once, else 0."""

    games: Annotated[int, Field(ge=1, le=100_000)] = 20
    action_choice: ActionChoice = "greedy"
    epsilon: Probability = 0.1
    regret_positions: Annotated[int, Field(ge=0, le=10_000)] | None = None


class PlayParams(Section):
    """Defaults of ``mcts`` agents in play; an agent's own options override them."""

    simulations: Annotated[int, Field(ge=1, le=10_000_000)] = 100_000
    exploration: Annotated[float, Field(ge=0, le=100)] = 1.4
    time_limit: Annotated[float, Field(gt=0, le=3600)] | None = 2.0
    workers: Annotated[int, Field(ge=1, le=256)] = 2


class DisplayParams(Section):
    """The games that are shown, where, and how fast."""

    mode: Literal["off", "terminal", "window", "file"] = "terminal"
    every: Annotated[int, Field(ge=1, le=10_000_000)] = 50
    games: Annotated[int, Field(ge=0, le=100_000)] = 1
    delay: Annotated[float, Field(ge=0, le=60)] = 0.2
    tensorboard: bool = False
    notation: Literal["a1", "course"] = "a1"

    @property
    def letters(self) -> bool:
        """Whether cells are named by letters and numbers."""
        return self.notation == "a1"


class OHTParams(Section):
    """The client of the Online Hex Tournament; ``silence_limit`` excludes waits in the league."""

    protocol: Literal[1, 2] = 1
    server: Text | None = None
    mode: Literal["qualifiers", "league"] = "qualifiers"
    board_size: Annotated[int, Field(ge=3, le=13)] = 5
    agent: Text = "best"
    move_time_limit: Seconds | None = None
    certificate: Text | None = None
    official_client: Text | None = None
    connect_attempts: Annotated[int, Field(ge=1, le=1000)] = 3
    silence_limit: Annotated[float, Field(gt=0, le=86400)] = 600.0

    @property
    def seconds_per_move(self) -> float:
        """``move_time_limit``, or the default of the protocol, in seconds."""
        return self.move_time_limit or {1: 2.0, 2: 1.0}[self.protocol]


class OHTServerParams(Section):
    """A local tournament server."""

    host: Text = "127.0.0.1"
    port: Port = 33000
    qualifiers_port: Port = 33001
    league_port: Port = 30000
    opponents: Annotated[tuple[Text, ...], Field(min_length=1)] = (
        "random",
        "mcts:simulations=20",
        "mcts:simulations=100",
        "mcts:simulations=500",
    )
    verification_games: Annotated[int, Field(ge=1, le=100_000)] = 100
    official_games: Annotated[int, Field(ge=1, le=100_000)] = 50
    official_attempts: Annotated[int, Field(ge=0, le=1000)] = 5
    qualification_attempts: Annotated[int, Field(ge=0, le=1000)] = 3
    first_starter: Literal[1, 2] = 1
    connections: Annotated[int, Field(ge=1, le=10_000)] = 200
    connections_per_address: Annotated[int, Field(ge=1, le=10_000)] = 50
    move_limit: Seconds | None = 60.0
    qualifiers_move_limit: Seconds | None = 2.0
    answer_limit: Seconds = 300.0


class RootParams(Section):
    """The keys outside the sections."""

    seed: Annotated[int, Field(ge=0, le=2**32 - 1)] = 1


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
    def not_in_rows(self) -> str | None:
        """The parameter that rules out games in rows, see ``rl.play_in_rows``, if any.

        Rows need a net evaluated in batches, and searches without a shared generator or time limit.
        """
        tree_policy = self.mcts.tree_policy
        draws = tree_policy == "n_mcts_proportional" and self.rl.episodes_per_update > 1
        reasons = {
            f"rl.scheme={self.rl.scheme}": self.rl.scheme != "alphazero",
            f"anet.network={self.anet.network}": self.anet.network == "mlp",
            f"mcts.time_limit={self.mcts.time_limit}": self.mcts.time_limit is not None,
            f"mcts.tree_policy={tree_policy}": draws,
        }
        return next((reason for reason, applies in reasons.items() if applies), None)

    @property
    def without_effect(self) -> str | None:
        """The message about a value without effect, as in files of older versions, if any."""
        rl = self.rl
        if rl.reuse is not None and rl.epochs is not None:
            return f"rl.epochs: expected null with rl.reuse={rl.reuse}, got {rl.epochs}"
        for key, field in RLParams.model_fields.items():
            default, got = show_value(field.default), show_value(getattr(rl, key))
            if got == default:
                continue
            if key.startswith("exploiter_") and not rl.exploiter:
                return f"rl.{key}: expected rl.exploiter with it, got none"
            if key == "ray_address" and rl.engine != "ray":
                return f"rl.{key}: expected rl.engine=ray with it, got {rl.engine}"
            if key in _IN_ROWS and self.not_in_rows:
                why = f"with {self.not_in_rows}, where it has no effect"
                return f"rl.{key}: expected {default} {why}, got {got}"
        return None

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
        policy = mcts.tree_policy or rl.tree_policy
        if mistake := mcts.noise_mistake(rl.tree_policy):
            yield f"mcts.{mistake}"
        if mcts.rollout != "default" and (rl.sigma < 1 or rl.sigma_decay < 1):
            yield f"mcts.rollout: expected default, as rl.sigma is below 1, got {mcts.rollout}"
        if network != "mlp":
            needs = f"anet.network: expected mlp with {{}}, got {network}"
            if rl.scheme == "on_policy":
                yield needs.format("rl.scheme=on_policy, where the net plays the rollouts")
            if mcts.rollout != "default" or mcts.tree_policy in ALL_MOVES_AS_FIRST:
                both = f"mcts.rollout={mcts.rollout} and mcts.tree_policy={mcts.tree_policy}"
                yield needs.format(f"{both}, which need the moves of rollouts")
            if policy == "gumbel" and not anet.critic:
                yield f"mcts.tree_policy: expected anet.critic=true with gumbel and a {network} net"
        if rl.mixed_play and not self.not_in_rows and policy not in NET_GUIDED:
            got = f"got mcts.tree_policy={policy}"
            yield f"rl.mixed_play: expected a tree policy that uses a net with it, {got}"
        yield from rl.mistakes()
        if rl.sizes:
            yield from self._mistakes_of_sizes()
        if rl.exploiter and not anet.critic:
            yield "rl.exploiter: expected anet.critic=true with it"
        for key in ("sigma", "sigma_decay"):
            if (got := getattr(rl, key)) < 1 and not anet.critic:
                yield f"rl.{key}: expected 1, as there is no critic (anet.critic: false), got {got}"

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

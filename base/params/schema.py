"""The schema of the parameters: every section, key, range, default and meaning.

Docstrings of the sections and descriptions of the keys are the text of ``params``.
"""

from collections.abc import Iterator, Sequence
from typing import Annotated, Any, Literal, Protocol, Self, cast

from pydantic import Field, SerializeAsAny, model_validator

from base.methods import ROLLOUTS, TREE_POLICIES, TREE_POLICY_OF, Method, NetFacts, misfit
from base.params.rl_section import ActionChoice, RLParams
from base.params.search_section import VariantParams
from base.params.section import (
    Count,
    OneOf,
    Positions,
    Probability,
    Section,
    Share,
    Text,
    param,
    show_value,
)
from base.registry import NETWORKS, OF_PLANES
from base.words import one_of

Port = Annotated[int, Field(ge=0, le=65535)]
Seconds = Annotated[float, Field(gt=0, le=3600)]
_IN_SLOTS = ("random_plies", "mixed_play", "bootstrap", "clean_values", "surprise")
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

    starting_player: Literal["alternate", 1, 2] = param("alternate", "the player to move first")


class GameParams(GameSetup):
    """The game; its own options are keys beside its name."""

    name: str  # in the registry of games
    options: SerializeAsAny[Section]  # for ``make_game(name, **options.model_dump())``


class AssignmentSearchParams(Section):
    """The assignment's keys for the search before each move."""

    simulations: Count = param(500, "M, new simulations per move")
    simulations_growth: float = param(1.0, "factor on M for each move already made", ge=0.5, le=4)
    time_limit: Seconds | None = param(None, "seconds per move")
    exploration: float | None = param(None, "c; null is the policy's, mostly 1", ge=0, le=100)
    rollout_epsilon: Probability = param(1.0, "share of random moves in rollouts")
    rollout_epsilon_decay: Share = param(0.98, "factor on it per episode")


class MCTSParams(VariantParams, AssignmentSearchParams):
    """The search before each actual move.

    Keys from ``tree_policy`` on choose a variant; agents take them.
    """


LEAST_PLANES = 16
"""Of inputs and of outputs, for a convolution to be updated by Muon; the first one reads fewer."""


class ANETParams(Section):
    """The actor network and its optimiser. Each optimizer needs its own learning rate."""

    network: Annotated[str, OneOf(NETWORKS)] = param(
        "mlp", "only mlp plays rollouts; pooled fits any board"
    )
    hidden_layers: Annotated[
        tuple[Annotated[int, Field(ge=1, le=4096)], ...], Field(min_length=0, max_length=8)
    ] = param((64, 64), "neurons per layer")
    activation: Literal["linear", "sigmoid", "tanh", "relu"] = param(
        "relu", "of the hidden neurons"
    )
    channels: int = param(32, "planes per convolution (not mlp)", ge=1, le=512)
    blocks: int = param(3, "convolutions or residual blocks", ge=1, le=64)
    batch_normalization: bool = param(True, "after each convolution")
    padded_size: int | None = param(None, "board filled up to this size", ge=3, le=19)
    optimizer: Literal["adagrad", "sgd", "rmsprop", "adam", "adamw", "muon"] = param(
        "adam", "updates the weights"
    )
    learning_rate: float = param(0.001, "sgd wants 0.1, adagrad 0.01", gt=0, le=10)
    learning_rate_end: Share = param(1.0, "share left at the end of a run")
    learning_rate_end_at: Share = param(1.0, "share of the run after which the rate stops falling")
    view: Literal["absolute", "mover"] = param(
        "absolute", "the board as it is, or turned to the mover"
    )
    critic: bool = param(False, "a second output that estimates the winner")
    symmetric: bool = param(False, "without a search, play the mean over symmetric boards")
    value_weight: float = param(1.0, "of the critic's error in the loss", ge=0, le=100)
    device: Literal["auto", "cpu", "cuda"] = param(
        "auto", "auto is a GPU if any; mlp is on the CPU"
    )
    runtime: Literal["auto", "torch", "openvino"] = param(
        "auto",
        "what evaluates nets in self-play; auto is measured before a long training, else torch",
    )
    precision: Literal["auto", "float32", "bfloat16", "int8"] = param(
        "auto", "of numbers in self-play"
    )
    learning_precision: Literal["auto", "float32", "bfloat16"] = param(
        "auto",
        "of products in learning; auto is measured before a long training on a CPU, else float32",
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

    games: int = param(60, "G, games between each pair of nets", ge=1, le=100_000)
    action_choice: ActionChoice = param("greedy", "choice from the policy")
    epsilon: Probability = param(0.1, "share of random moves, for epsilon_greedy")
    regret_positions: Positions | None = param(
        None, "won positions on which nets are measured; null is 200 where that takes seconds"
    )


class PlayParams(Section):
    """Agents that search, outside training; their own options override these."""

    simulations: Count = param(100_000, "new simulations per move")
    exploration: float = param(
        1.4,
        "c without a net; other tree policies have their own, unless the agent's word gives one",
        ge=0,
        le=100,
    )
    time_limit: Seconds | None = param(2.0, "seconds per move")
    workers: int = param(2, "threads for the games of a batch", ge=1, le=256)


class DisplayParams(Section):
    """The live board."""

    mode: Literal["off", "terminal", "window", "file"] = param("terminal", "place of the boards")
    every: Count = param(50, "the first and each multiple is shown")
    games: int = param(1, "shown games of each match", ge=0, le=100_000)
    delay: float = param(0.2, "seconds between shown moves", ge=0, le=60)
    tensorboard: bool = param(
        False, "also write curves to RUN/tensorboard (pip install tensorboardX)"
    )
    notation: Literal["a1", "course"] = param(
        "a1",
        "names of cells on boards, in pictures, in words; course is (row, column) from 0, as in "
        "the assignment",
    )

    @property
    def letters(self) -> bool:
        """Whether cells are named by letters and numbers."""
        return self.notation == "a1"


class OHTParams(Section):
    """The client of the Online Hex Tournament."""

    protocol: Literal[1, 2] = param(1, "the server's generation, text (to 2021) or JSON")
    server: Text | None = param(None, "HOST:PORT; null is the course's own server")
    mode: Literal["qualifiers", "league"] = param("qualifiers", "where to play, in protocol 2")
    board_size: int = param(5, "expected; oht-server plays on it", ge=3, le=13)
    agent: Text = param(
        "best",
        "the agent that plays, with the net of --net; best is the best net for the board in "
        "nets/, with mcts unless it is proven; without such a net, mcts alone",
    )
    move_time_limit: Seconds | None = param(
        None, "seconds per move; null is 2 in protocol 1, and 1 in protocol 2"
    )
    certificate: Text | None = param(None, "the server's certificate; null searches for it")
    official_client: Text | None = param(None, "folder of the course's own client, to use it")
    connect_attempts: int = param(3, "attempts to reach the server", ge=1, le=1000)
    silence_limit: float = param(
        600.0, "seconds without a message before it gives up", gt=0, le=86400
    )

    @property
    def seconds_per_move(self) -> float:
        """``move_time_limit``, or the default of the protocol, in seconds."""
        return self.move_time_limit or {1: 2.0, 2: 1.0}[self.protocol]


class OHTServerParams(Section):
    """A local tournament, of the command oht-server; port 0 selects any free port."""

    host: Text = param("127.0.0.1", "the address to listen on")
    port: Port = param(33000, "protocol 1")
    qualifiers_port: Port = param(33001, "protocol 2")
    league_port: Port = param(30000, "protocol 2, the league")
    opponents: Annotated[tuple[Text, ...], Field(min_length=1)] = param(
        ("random", *(f"mcts:simulations={simulations}" for simulations in (20, 100, 500))),
        "agents; a series against each",
    )
    verification_games: int = param(100, "divided among the opponents", ge=1, le=100_000)
    official_games: int = param(50, "against each opponent", ge=1, le=100_000)
    official_attempts: int = param(5, "for each user name, protocol 1", ge=0, le=1000)
    qualification_attempts: int = param(3, "for each token, protocol 2", ge=0, le=1000)
    first_starter: Literal[1, 2] = param(1, "the player that starts the first game of a series")
    move_limit: Seconds | None = param(60.0, "seconds, protocol 1")
    qualifiers_move_limit: Seconds | None = param(2.0, "seconds, protocol 2")
    answer_limit: Seconds = param(300.0, "seconds for all other messages")


class RootParams(Section):
    """The keys outside the sections."""

    seed: int = param(1, "same seed, same nets and games", ge=0, le=2**32 - 1)


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
        """The parameter that rules out games in slots, see ``rl.play_in_slots``, if any."""
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
        if not rl.size_weights(1.0).get(size):
            wanted = f"a weight for game.size ({size}) at the end, or {{}} to play it alone"
            yield f"rl.sizes: expected {wanted}, got those of {sizes}"
        lists = [given for given in rl.sizes.values() if isinstance(given, tuple)]
        # Between two turns the sum is linear, so 0 only if it is 0 at both.
        turns = {place / (len(each) - 1) for each in lists for place in range(len(each))} | {0.0}
        if not all(sum(rl.size_weights(share).values()) for share in turns):
            yield "rl.sizes: expected a weight above 0 at any time of the run, got none"
        for key, expected in _NOT_WITH_SIZES.items():
            if (got := getattr(rl, key)) != expected:
                yield f"rl.sizes: expected {{}} with rl.{key}={show_value(got)}, got {sizes}"

"""The wiring: builds all parts of the program from the parameters."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING

from base.project import ROOT
from state_manager import game_names, game_schema, make_game

if TYPE_CHECKING:
    from anet import ANET
    from anet.runtimes.choice import FittingNet
    from base.cluster import Workers
    from base.params import Params, Sections
    from rl import RLSystem
    from state_manager import StateManager
    from topp import TOPP

_WITHOUT_EFFECT_ON_NETS: dict[str, bool | set[str]] = {
    **dict.fromkeys(("display", "oht", "oht_server", "play", "topp"), True),
    "rl": {
        *("cached_nets", "engine", "episodes", "minutes", "ray_address", "regret_positions"),
        *("save_interval", "workers"),
    },
}

GAMES = SimpleNamespace(names=game_names, schema=game_schema)
DEFAULT_PARAMS = ROOT / "params.yaml"
PRESETS = {file.stem.replace("_", "-"): file for file in sorted((ROOT / "presets").glob("*.yaml"))}
"""The files of parameters that come with the program, by name: ``hex-7`` for ``hex_7.yaml``."""


class System:
    """The parts of the program, each built on first use.

    Attributes:
        choice: The runtime and precisions that were chosen for a new run, and their measurements.
    """

    def __init__(
        self, params: Params, overrides: Sequence[str] = (), origin: System | None = None
    ) -> None:
        """Take parameters that include ``overrides``; share the cluster of ``origin``, if any."""
        self.params, self.overrides, self._origin = params, overrides, origin
        self.choice: FittingNet | None = None

    @cached_property
    def game(self) -> StateManager:
        """The state manager: all game logic."""
        return make_game(self.params.game.name, **self.params.game.options.model_dump())

    @property
    def given_game(self) -> StateManager | None:
        """The game, if the command line sets any of its parameters."""
        return self.game if self.overrides_any("game") else None

    def overrides_any(self, section: str) -> bool:
        """Return whether the command line sets any parameter of a section."""
        return any(word.startswith(f"{section}.") for word in self.overrides)

    def rl_system(self, run: Path, resumes: bool = False) -> RLSystem:
        """Return the RL system; its ANET is untrained, or has the weights of ``rl.start``.

        Raises a ``NodeLimitError`` if the game is too large for ``rl.regret_positions``.
        """
        from anet import ANET
        from anet.runtimes.choice import EVALUATIONS_A_MINUTE, fitting_choice
        from proofs.exploiter import exploit
        from proofs.regret import Regret
        from rl import RLSystem, RunDirectory
        from rl.size_parts import parts_by_size

        params = self.params
        if not resumes:
            rl, evaluations = params.rl, params.mcts.simulations * self.game.max_plies / 2
            minutes = rl.minutes or rl.episodes * evaluations / EVALUATIONS_A_MINUTE
            numbers = rl.episodes_per_update, rl.minibatch_size, minutes
            self.choice = fitting_choice(self.game, params.anet, *numbers)
            params = params.model_copy(update={"anet": self.choice.params})
        # Only parameters with an effect, so that equal nets have equal files.
        kept = params.model_dump(mode="json", exclude=dict(_WITHOUT_EFFECT_ON_NETS))
        anet = ANET(self.game, params.anet, seed=params.seed, run_params=kept)
        if params.rl.start is not None and not resumes:
            _begin_from(anet, Path(params.rl.start))
        # Before anything is written: the game may be too large for the judge.
        positions = params.rl.regret_positions
        measures = {"measure": Regret(self.game, positions).record} if positions else {}
        parts = parts_by_size(anet, params, self.cluster)
        return RLSystem(parts, params, RunDirectory(run), [exploit], **measures)

    @cached_property
    def cluster(self) -> Workers | None:
        """The processes of ``rl.engine``, if any; raises a ``ClusterError`` if none is there."""
        if self._origin is not None:
            return self._origin.cluster
        rl = self.params.rl
        if rl.engine == "processes":
            from base.cluster import LocalProcesses

            return LocalProcesses(rl.workers)
        if rl.engine == "ray":
            from base import ray_cluster

            return ray_cluster.Cluster(rl.ray_address)
        return None

    def topp(self, nets: Sequence[Path], with_random: bool = False) -> TOPP:
        """Return the tournament of nets; their game must be that of the overrides, if any.

        A random player may take part.
        """
        from topp import TOPP, load_entrants

        params = self.params.topp
        how = params.action_choice, params.epsilon, self.given_game, with_random
        game, entrants = load_entrants(nets, *how)
        return TOPP(game, entrants, params, self.params.seed, self.cluster)

    def with_overrides(self, overrides: Sequence[str]) -> System:
        """Return the system with more overrides."""
        from base.params import with_overrides

        words = [*self.overrides, *overrides]
        return System(with_overrides(self.params, overrides), words, self)


def read_params(file: Path, overrides: Sequence[str] = (), net: Sections | None = None) -> Params:
    """Read a file of parameters, for any of the games; see ``load_params``."""
    from base.params import load_params

    return load_params(file, overrides, game_schemas=GAMES, net=net or {})


def _begin_from(anet: ANET, path: Path) -> None:
    """Give an untrained net the weights in another net's file; raise ``NetError`` if unfit."""
    from agents.nets import load_anet
    from anet import NetError

    other = load_anet(path)
    try:
        anet.restore(anet.grown_from(other), 0)
    except NetError as error:
        raise NetError(
            f"{path}: expected weights that fit a {anet.params.network} net for {anet.game!r} "
            f"with this anet section, got those of a {other.params.network} net for {other.game!r}"
        ) from error

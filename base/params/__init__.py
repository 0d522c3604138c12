"""The parameters of a run: typed, frozen, read from ``params.yaml`` and the command line.

Every mistake in them is a ``ParamsError`` whose text is one line that says where it stands, which
key it is about, and what would have been right. Games keep the schemas of their own options; this
room knows only that there are some.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from base.params.anet import ANETParams
    from base.params.description import describe
    from base.params.dump import dump_params
    from base.params.errors import ParamsError
    from base.params.load import load_list, load_params
    from base.params.oht import OHTParams, OHTServerParams
    from base.params.rl import RLParams
    from base.params.schema import (
        DisplayParams,
        GameParams,
        GameSchemas,
        MCTSParams,
        Params,
        PlayParams,
        TOPPParams,
    )
    from base.params.section import Section
    from base.params.yaml12 import parse_scalar

__all__ = [
    "ANETParams",
    "DisplayParams",
    "GameParams",
    "GameSchemas",
    "MCTSParams",
    "OHTParams",
    "OHTServerParams",
    "Params",
    "ParamsError",
    "PlayParams",
    "RLParams",
    "Section",
    "TOPPParams",
    "describe",
    "dump_params",
    "load_list",
    "load_params",
    "parse_scalar",
]

_MODULES = {
    "ANETParams": "base.params.anet",
    "ParamsError": "base.params.errors",
    "OHTParams": "base.params.oht",
    "OHTServerParams": "base.params.oht",
    "RLParams": "base.params.rl",
    "Section": "base.params.section",
    "describe": "base.params.description",
    "dump_params": "base.params.dump",
    "load_list": "base.params.load",
    "load_params": "base.params.load",
    "parse_scalar": "base.params.yaml12",
}


def __getattr__(name: str) -> object:
    """Import a public name when it is first asked for: pydantic takes a while to load."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_MODULES.get(name, "base.params.schema")), name)

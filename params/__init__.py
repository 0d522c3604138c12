"""The parameters of a run: typed, frozen, read from ``params.yaml`` and the command line.

Every mistake in them is a ``ParamsError`` whose text is one line that says where it stands, which
key it is about, and what would have been right. Games keep the schemas of their own options; this
room knows only that there are some.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from params.anet import ANETParams
    from params.description import describe
    from params.dump import dump_params
    from params.errors import ParamsError
    from params.load import load_list, load_params
    from params.oht import OHTParams, OHTServerParams
    from params.rl import RLParams
    from params.schema import (
        DisplayParams,
        GameParams,
        GameSchemas,
        MCTSParams,
        Params,
        PlayParams,
        TOPPParams,
    )
    from params.section import Section
    from params.yaml12 import parse_scalar

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
    "ANETParams": "params.anet",
    "ParamsError": "params.errors",
    "OHTParams": "params.oht",
    "OHTServerParams": "params.oht",
    "RLParams": "params.rl",
    "Section": "params.section",
    "describe": "params.description",
    "dump_params": "params.dump",
    "load_list": "params.load",
    "load_params": "params.load",
    "parse_scalar": "params.yaml12",
}


def __getattr__(name: str) -> object:
    """Import a public name when it is first asked for: pydantic takes a while to load."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_MODULES.get(name, "params.schema")), name)

"""The parameters of a run: typed, frozen, read from ``params.yaml`` and the command line.

Every mistake raises a ``ParamsError`` of one line: the place, the key, and the expected value. The
schemas of the games' options come from outside, as ``GameSchemas``.
"""

from base.params.load import Sections, load_list, load_mapping, load_params, with_overrides
from base.params.rl_section import RLParams
from base.params.schema import (
    ANETParams,
    DisplayParams,
    GameParams,
    GameSchemas,
    MCTSParams,
    OHTParams,
    Params,
    PlayParams,
    TOPPParams,
)
from base.params.section import ParamsError, Section, describe
from base.params.yaml12 import Given, dump_params, parse_scalar

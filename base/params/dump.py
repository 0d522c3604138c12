"""Writing the parameters as YAML."""

from __future__ import annotations

import yaml

from base.params.schema import Params
from base.params.yaml12 import parse_scalar


class _Dumper(yaml.SafeDumper):
    """Writes lists on one line, and quotes strings that YAML 1.1 or 1.2 reads as another type.

    The quotes for YAML 1.1 keep a run's file correct for other readers.
    """


def _represent_text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    style = None if isinstance(parse_scalar(text), str) else "'"
    if {*text} & {*"\x85\u2028\u2029"}:  # line breaks of YAML 1.1, which only escapes preserve
        style = '"'
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _represent_text)
_Dumper.add_representer(
    tuple,
    lambda dumper, items: dumper.represent_sequence(
        "tag:yaml.org,2002:seq", items, flow_style=True
    ),
)


def dump_params(params: Params) -> str:
    """Return the whole of ``params`` as YAML text; ``load_params`` reads it back equal.

    The options of the game are keys beside its name, as in ``params.yaml``.
    """
    content = params.model_dump()
    game = content["game"]
    content["game"] = {"name": game.pop("name"), **game.pop("options"), **game}
    return "\n".join(
        yaml.dump({name: value}, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=100)
        for name, value in content.items()
    )

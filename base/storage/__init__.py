"""Files that survive a crash: written whole or not at all, checked when they are read.

Whatever comes from outside comes in by ``outside.py``, and is shown as it says.

This room knows no game and no net. A checkpoint carries JSON data and tensors under a name of its
kind; what they mean is said by whoever writes them.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from base.storage.atomic import atomic_path, write_bytes, write_json, write_text
    from base.storage.checkpoint import (
        Checkpoint,
        CheckpointError,
        load_checkpoint,
        save_checkpoint,
    )
    from base.storage.damage import remove_leftovers, set_aside
    from base.storage.lock import LockedError, locked
    from base.storage.log import AppendLog, LogError, read_jsonl, salvage_jsonl
    from base.storage.outside import FileError, excerpt, parse_json, printable, read_file

__all__ = [
    "AppendLog",
    "Checkpoint",
    "CheckpointError",
    "FileError",
    "LockedError",
    "LogError",
    "atomic_path",
    "excerpt",
    "load_checkpoint",
    "locked",
    "parse_json",
    "printable",
    "read_file",
    "read_jsonl",
    "remove_leftovers",
    "salvage_jsonl",
    "save_checkpoint",
    "set_aside",
    "write_bytes",
    "write_json",
    "write_text",
]

_MODULES = {
    "AppendLog": "base.storage.log",
    "LockedError": "base.storage.lock",
    "LogError": "base.storage.log",
    "atomic_path": "base.storage.atomic",
    "locked": "base.storage.lock",
    "FileError": "base.storage.outside",
    "excerpt": "base.storage.outside",
    "parse_json": "base.storage.outside",
    "printable": "base.storage.outside",
    "read_file": "base.storage.outside",
    "read_jsonl": "base.storage.log",
    "remove_leftovers": "base.storage.damage",
    "salvage_jsonl": "base.storage.log",
    "set_aside": "base.storage.damage",
    "write_bytes": "base.storage.atomic",
    "write_json": "base.storage.atomic",
    "write_text": "base.storage.atomic",
}


def __getattr__(name: str) -> object:
    """Import a public name when it is first asked for."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_MODULES.get(name, "base.storage.checkpoint")), name)

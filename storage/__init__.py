"""Files that survive a crash: written whole or not at all, checked when they are read.

Whatever comes from outside comes in by ``outside.py``, and is shown as it says.

This room knows no game and no net. A checkpoint carries JSON data and tensors under a name of its
kind; what they mean is said by whoever writes them.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from storage.atomic import atomic_path, write_bytes, write_json, write_text
    from storage.checkpoint import Checkpoint, CheckpointError, load_checkpoint, save_checkpoint
    from storage.log import AppendLog, LogError, read_jsonl
    from storage.outside import FileError, excerpt, parse_json, printable, read_file

__all__ = [
    "AppendLog",
    "Checkpoint",
    "CheckpointError",
    "FileError",
    "LogError",
    "atomic_path",
    "excerpt",
    "load_checkpoint",
    "parse_json",
    "printable",
    "read_file",
    "read_jsonl",
    "save_checkpoint",
    "write_bytes",
    "write_json",
    "write_text",
]

_MODULES = {
    "AppendLog": "storage.log",
    "FileError": "storage.outside",
    "LogError": "storage.log",
    "atomic_path": "storage.atomic",
    "excerpt": "storage.outside",
    "parse_json": "storage.outside",
    "printable": "storage.outside",
    "read_file": "storage.outside",
    "read_jsonl": "storage.log",
    "write_bytes": "storage.atomic",
    "write_json": "storage.atomic",
    "write_text": "storage.atomic",
}


def __getattr__(name: str) -> object:
    """Import a public name when it is first asked for."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_MODULES.get(name, "storage.checkpoint")), name)

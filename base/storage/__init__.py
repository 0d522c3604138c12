"""Files that survive a crash: written whole or not at all, checked when they are read.

``outside.py`` reads all untrusted input, and makes it printable.

This room is independent of games and nets. A checkpoint holds a kind, JSON data and tensors; the
caller defines their meaning.
"""

from base.storage.atomic import (
    LockedError,
    atomic_path,
    locked,
    naming_file,
    remove_leftovers,
    set_aside,
    write_bytes,
    write_csv,
    write_json,
    write_text,
)
from base.storage.checkpoint import Checkpoint, CheckpointError, load_checkpoint, save_checkpoint
from base.storage.log import AppendLog, LogError, read_jsonl, salvage_jsonl
from base.storage.outside import FileError, excerpt, parse_json, printable, read_file

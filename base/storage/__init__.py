"""Files that survive a crash, and checks of all untrusted input; independent of games and nets."""

from base.storage.atomic import (
    LockedError,
    atomic_path,
    flattened,
    is_locked,
    locked,
    naming_file,
    remove_leftovers,
    set_aside,
    write_bytes,
    write_csv,
    write_json,
    write_text,
)
from base.storage.checkpoint import (
    Checkpoint,
    CheckpointError,
    load_checkpoint,
    save_checkpoint,
    with_prefix,
)
from base.storage.log import AppendLog, LogError, read_jsonl, record_in
from base.storage.outside import FileError, excerpt, parse_json, printable, read_file

"""Checkpoint files: JSON data and tensors, with a digest, safe to load from an unknown source.

A file holds, as written by ``torch.save``::

    {"format": 1, "kind": str, "meta": JSON text, "tensors": {name: tensor}, "sha256": hex digits}

The digest covers all other entries. Loading checks the archive, whose checksums torch ignores, then
allows torch plain data and tensors only, then checks types, digest and kind.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import pickle
import pickletools
import re
import warnings
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from base.storage.atomic import write_bytes
from base.storage.outside import FileError, StrPath, excerpt, parse_json, read_file

if TYPE_CHECKING:
    import numpy as np
    import torch
    from numpy.typing import NDArray

FORMAT = 1

_KEYS = {"format", "kind", "meta", "tensors", "sha256"}
_REFUSED = "refused: holds more than plain data and tensors, which could run code"
_OF_TENSORS = re.compile(r"torch\._utils _rebuild_tensor_v2|torch \w+Storage|\w+ OrderedDict")
_ZIP_START = b"PK\x03\x04"
_MOST_BYTES = 2**34  # largest file: about the largest replay buffer
_MOST_LISTED_BYTES = 2**21
"""Largest list of records in an archive: a checkpoint with 10,000 waiting episodes and their net,
100 to 150 bytes per record."""


class CheckpointError(ValueError):
    """A file is not the expected checkpoint; ``str(error)`` is one line that names the file."""


@dataclass(frozen=True, eq=False)
class Checkpoint:
    """A checkpoint file's content: JSON data, and tensors on the CPU in the order of saving."""

    meta: dict[str, Any]
    tensors: dict[str, torch.Tensor]


def save_checkpoint(
    path: StrPath,
    kind: str,
    meta: Mapping[str, Any],
    tensors: Mapping[str, torch.Tensor | NDArray[np.generic]],
    previous: StrPath | None = None,
) -> None:
    """Write a checkpoint, whole or not at all; equal content gives equal bytes.

    Tuples in ``meta``, JSON data, come back as lists; ``tensors`` are dense, on any device, or
    NumPy arrays of numbers or booleans, else a ``TypeError``. A number in ``meta`` that is not
    finite is a ``ValueError``. ``previous`` is a name that keeps the replaced file.
    """
    import torch

    plain = {name: _plain_tensor(tensor) for name, tensor in tensors.items()}
    text = json.dumps(dict(meta), ensure_ascii=False, allow_nan=False)
    content = {"format": FORMAT, "kind": kind, "meta": text, "tensors": plain}
    content["sha256"] = _digest(kind, text, plain)
    # With a path, torch would write the temporary file's name into the archive.
    buffer = io.BytesIO()
    torch.save(content, buffer)
    write_bytes(path, buffer.getvalue(), previous)


def load_checkpoint(path: StrPath, kind: str) -> Checkpoint:
    """Read and check a checkpoint, run no code; a ``CheckpointError`` if it is missing or wrong."""
    name = os.fspath(path)
    data = _read(name)
    import torch

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            content: object = torch.load(io.BytesIO(data), weights_only=True, map_location="cpu")
    except pickle.UnpicklingError:
        raise CheckpointError(f"{name}: {_REFUSED}") from None
    except Exception:
        # Intact archives of other content fail in many ways.
        raise CheckpointError(f"{name}: not a checkpoint") from None
    if not isinstance(content, dict) or "format" not in content:
        raise CheckpointError(f"{name}: not a checkpoint of this program")
    if type(got := content["format"]) is not int or got != FORMAT:
        got = excerpt(got, 60)
        raise CheckpointError(f"{name}: expected a checkpoint of format {FORMAT}, got {got}")
    checkpoint = _checked(content, name, len(data))
    if (got := content["kind"]) != kind:
        got = excerpt(got, 60)
        raise CheckpointError(f"{name}: expected a checkpoint of kind {kind!r}, got {got}")
    return checkpoint


def with_prefix(tensors: Mapping[str, Any], prefix: str) -> dict[str, Any]:
    """Return the tensors whose names begin with a prefix, by the rest of the name."""
    return {n.removeprefix(prefix): each for n, each in tensors.items() if n.startswith(prefix)}


class _Archive(io.BytesIO):
    """The bytes of an archive; an overlong list of records is not read."""

    most = _MOST_LISTED_BYTES
    """Most bytes of one read; zipfile reads the list at once."""

    def read(self, size: int | None = -1, /) -> bytes:
        if size is not None and size > self.most:
            raise ValueError("expected a shorter list of records")
        return super().read(size)


def _read(name: str) -> bytes:
    """Return the bytes of an archive whose records all match their checksums."""
    try:
        data = read_file(name, _MOST_BYTES)
    except FileError as error:
        raise CheckpointError(f"{name}: {error}") from None
    if not data.startswith(_ZIP_START):
        raise CheckpointError(f"{name}: not a checkpoint")
    try:
        source = _Archive(data)
        with zipfile.ZipFile(source) as archive:
            source.most = len(data)
            records = archive.infolist()
            # No compression and no overlapping records: the content is no larger than the file.
            plain = all(record.compress_type == zipfile.ZIP_STORED for record in records)
            fits = sum(record.file_size for record in records) <= len(data)
            whole = plain and fits and archive.testzip() is None
            pickles = [each for each in records if each.filename.lower().endswith(".pkl")]
            known = whole and all(_is_of_tensors(archive.read(each)) for each in pickles)
    except Exception:
        # On broken headers zipfile raises far more than its own errors.
        whole = False
    if not whole:
        raise CheckpointError(f"{name}: truncated or corrupted")
    if not known:
        raise CheckpointError(f"{name}: {_REFUSED}")
    return data


def _is_of_tensors(data: bytes) -> bool:
    """Return whether a pickle makes plain data and tensors only; others can claim any memory."""
    return all(
        _OF_TENSORS.fullmatch(str(argument))
        for operation, argument, _ in pickletools.genops(data)
        if "GLOBAL" in operation.name or operation.name in ("INST", "OBJ")
    )


def _checked(content: dict[Any, Any], name: str, size: int) -> Checkpoint:
    import torch

    kind, text, tensors = (content.get(key) for key in ("kind", "meta", "tensors"))
    if not (
        set(content) == _KEYS
        and isinstance(kind, str)
        and isinstance(text, str)
        and isinstance(tensors, dict)
        and all(isinstance(key, str) for key in tensors)
        and all(_is_plain(tensor, torch.Tensor) for tensor in tensors.values())
        # Many tensors may share the same bytes of the file.
        and sum(tensor.nbytes for tensor in tensors.values()) <= size
    ):
        raise CheckpointError(f"{name}: expected kind, meta data and tensors, got something else")
    try:
        digest = _digest(kind, text, tensors)
        meta = parse_json(text)
    except Exception:
        raise CheckpointError(f"{name}: corrupted: the content cannot be read") from None
    if digest != content["sha256"]:
        raise CheckpointError(f"{name}: corrupted: the content does not match its digest")
    if not isinstance(meta, dict):
        raise CheckpointError(f"{name}: expected a mapping as meta data, got {excerpt(meta, 60)}")
    return Checkpoint(meta, tensors)


def _is_plain(tensor: object, tensor_type: type[torch.Tensor]) -> bool:
    return (
        type(tensor) is tensor_type
        and str(tensor.layout) == "torch.strided"
        and not tensor.is_quantized
        and tensor.device.type == "cpu"
        and tensor.is_contiguous()
    )


def _plain_tensor(values: torch.Tensor | NDArray[np.generic]) -> torch.Tensor:
    import numpy as np
    import torch

    if isinstance(values, torch.Tensor):
        tensor = values.detach().cpu().clone(memory_format=torch.contiguous_format)
        return tensor.resolve_conj().resolve_neg()
    native = np.array(values, dtype=values.dtype.newbyteorder("="), order="C")
    return torch.from_numpy(native)


def _digest(kind: str, text: str, tensors: Mapping[str, torch.Tensor]) -> str:
    import torch

    digest = hashlib.sha256()

    def add(data: bytes) -> None:
        digest.update(len(data).to_bytes(8, "little"))
        digest.update(data)

    add(kind.encode())
    add(text.encode())
    for name, tensor in tensors.items():
        add(f"{name}\n{tensor.dtype}\n{tuple(tensor.shape)}".encode())
        flat = tensor.contiguous().reshape(-1)
        add(flat.view(torch.uint8).numpy().tobytes() if len(flat) else b"")
    return digest.hexdigest()

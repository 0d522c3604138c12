"""A checkpoint is read back exactly or refused; it never runs code."""

import io
import pickle
import zipfile
from collections.abc import Callable, Mapping
from contextlib import suppress
from operator import methodcaller
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from base.storage import CheckpointError, load_checkpoint, save_checkpoint

Change = Callable[[dict[str, Any]], object]
META = {"game": "hex", "sizes": [64, 64], "loss": 0.5, "state": 2**100, "name": "é", "none": None}


def tensors() -> dict[str, torch.Tensor]:
    return {
        "weights": torch.arange(12, dtype=torch.float32).reshape(3, 4),
        "scalar": torch.tensor(3.5, dtype=torch.float64),
        "empty": torch.zeros(0, 5),
        "flags": torch.tensor([True, False]),
        "half": torch.tensor([1.5, -2.0], dtype=torch.bfloat16),
        "steps": torch.tensor([2**40]),
    }


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("saved") / "net.pt"
    save_checkpoint(path, "net", META, tensors())
    return path.read_bytes()


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("fuzz") / "net.pt"


def message_of(path: Path, content: bytes, kind: str = "net") -> str:
    """Return the line that refuses a content, without the path at its beginning."""
    path.write_bytes(content)
    with pytest.raises(CheckpointError) as caught:
        load_checkpoint(path, kind)
    text = str(caught.value)
    assert len(text.splitlines()) == 1
    assert text.startswith(f"{path}: ")
    return text.removeprefix(f"{path}: ")


def equal(left: dict[str, torch.Tensor], right: dict[str, torch.Tensor]) -> bool:
    return list(left) == list(right) and all(
        left[name].dtype == right[name].dtype and torch.equal(left[name], right[name])
        for name in left
    )


def torch_bytes(content: object) -> bytes:
    buffer = io.BytesIO()
    torch.save(content, buffer)
    return buffer.getvalue()


def archive_of(records: Mapping[str, bytes], compression: int = zipfile.ZIP_STORED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", compression) as archive:
        for name, content in records.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def records_of(saved: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(saved)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def changed(saved: bytes, change: Change) -> bytes:
    content = torch.load(io.BytesIO(saved), weights_only=True)
    change(content)
    return torch_bytes(content)


def test_a_checkpoint_reads_back_equal(tmp_path: Path, saved: bytes) -> None:
    path = tmp_path / "net.pt"
    save_checkpoint(path, "net", META, tensors())
    loaded = load_checkpoint(path, "net")
    assert loaded.meta == META
    assert equal(loaded.tensors, tensors())
    assert [entry.name for entry in tmp_path.iterdir()] == ["net.pt"]
    assert path.read_bytes() == saved, "equal content gives equal bytes"


def test_parameters_views_and_arrays_are_stored_as_plain_tensors(tmp_path: Path) -> None:
    layer = torch.nn.Linear(3, 2)
    odd = {"weight": layer.weight, "turned": layer.weight.T, "corner": torch.zeros(999, 999)[:2]}
    arrays = {
        "reversed": np.arange(6, dtype=np.int8).reshape(2, 3)[:, ::-1],
        "foreign": np.array([1.5, 2.5], dtype=">f4"),
        "scalar": np.array(7, dtype=np.int64),
    }
    save_checkpoint(tmp_path / "net.pt", "net", {}, {**odd, **arrays})
    loaded = load_checkpoint(tmp_path / "net.pt", "net").tensors
    assert not any(tensor.requires_grad for tensor in loaded.values())
    assert (tmp_path / "net.pt").stat().st_size < 20_000
    for name, array in arrays.items():
        np.testing.assert_array_equal(loaded[name].numpy(), array)
        assert loaded.pop(name).shape == array.shape
    assert equal(loaded, {name: tensor.detach() for name, tensor in odd.items()})


def test_what_could_not_be_read_again_is_not_saved(tmp_path: Path) -> None:
    odd = {"odd": np.array(["a", None])}
    for meta, arrays in (({"loss": float("nan")}, {}), ({"when": object()}, {}), ({}, odd)):
        with pytest.raises((TypeError, ValueError)):
            save_checkpoint(tmp_path / "net.pt", "net", meta, arrays)
    assert list(tmp_path.iterdir()) == []


def test_a_missing_file_and_another_kind_are_named(tmp_path: Path, saved: bytes) -> None:
    message = message_of(tmp_path / "run.pt", saved, kind="run")
    assert message == "expected a checkpoint of kind 'run', got 'net'"
    for path, words in ((tmp_path / "net.pt", r"net\.pt: no such file$"), (tmp_path, "a folder$")):
        with pytest.raises(CheckpointError, match=words):
            load_checkpoint(path, "net")


def updated(**update: Any) -> Change:
    return methodcaller("update", update)


def put(weights: Any) -> Change:
    """Return a change of the tensor of weights; of its own value, if that is a function."""

    def change(content: dict[str, Any]) -> None:
        held = content["tensors"].pop("weights")
        content["tensors"] = {"weights": weights(held) if callable(weights) else weights} | (
            content["tensors"]
        )

    return change


def renamed(name: str, new: str) -> Change:
    """Return a change that moves a tensor to the end, under another name."""
    return lambda content: content["tensors"].update({new: content["tensors"].pop(name)})


def nested(depth: int) -> object:
    """Return nested lists that are small in a file, and endless when written out."""
    value: object = []
    for _ in range(depth):
        value = [value] * 9
    return value


ONE = torch.zeros(1000)
CORRUPTED = "truncated or corrupted"
NOT_OURS = "not a checkpoint of this program"
WRONG_PARTS = "expected kind, meta data and tensors, got something else"
DIGEST = "corrupted: the content does not match its digest"
UNSAFE = "refused: holds more than plain data and tensors"
CHANGES: dict[str, tuple[Change, str]] = {
    **{
        f"format {version!r}": (updated(format=version), f"of format 1, got {version!r}")
        for version in (0, 2, True, "1", 1.0)
    },
    **{f"endless {key}": (updated(**{key: nested(40)}), "") for key in ("format", "kind", "meta")},
    **{
        f"no {key}": (methodcaller("pop", key), WRONG_PARTS)
        for key in ("kind", "tensors", "meta", "sha256")
    },
    "a number as kind": (updated(kind=1), WRONG_PARTS),
    "a mapping as meta data": (updated(meta={"a": 1}), WRONG_PARTS),
    "nothing as meta data": (updated(meta=None), WRONG_PARTS),
    "a list of tensors": (updated(tensors=[torch.zeros(2)]), WRONG_PARTS),
    "a tensor named by a number": (updated(tensors={1: torch.zeros(2)}), WRONG_PARTS),
    "a list as tensor": (updated(tensors={"a": [1.0]}), WRONG_PARTS),
    "an expanded tensor": (updated(tensors={"a": torch.zeros(1).expand(10**12)}), WRONG_PARTS),
    "a transposed tensor": (updated(tensors={"a": torch.zeros(2, 3).T}), WRONG_PARTS),
    "shared memory": (updated(tensors={str(n): ONE for n in range(100)}), WRONG_PARTS),
    "one part more": (updated(more=1), WRONG_PARTS),
    "another kind": (updated(kind="run"), DIGEST),
    "other meta data": (updated(meta="{}"), DIGEST),
    "another digest": (updated(sha256="0" * 64), DIGEST),
    "another weight": (put(lambda held: held + 1e-3), DIGEST),
    "another shape": (put(lambda held: held.reshape(4, 3)), DIGEST),
    "another type": (put(lambda held: held.view(torch.int32)), DIGEST),
    "a tensor less": (lambda content: content["tensors"].pop("steps"), DIGEST),
    "another name": (renamed("steps", "other"), DIGEST),
    "another order": (renamed("weights", "weights"), DIGEST),
    "bytes": (put(bytearray(9)), UNSAFE),
    "a parameter": (put(torch.nn.Parameter(torch.zeros(2))), UNSAFE),
    "a sparse tensor": (put(torch.eye(2).to_sparse()), UNSAFE),
    "a set": (put({1, 2}), UNSAFE),
    "a complex number": (put(1j), UNSAFE),
}


@pytest.mark.parametrize("what", CHANGES)
def test_changed_content_is_refused(tmp_path: Path, saved: bytes, what: str) -> None:
    change, words = CHANGES[what]
    message = message_of(tmp_path / "file", changed(saved, change))
    assert words in message
    assert len(message) < 200


FILES: dict[str, tuple[bytes, str]] = {
    "nothing": (b"", "not a checkpoint"),
    "two letters": (b"PK", "not a checkpoint"),
    "text": (b"seed: 1\n", "not a checkpoint"),
    "a pickle": (b"\x80\x04N.", "not a checkpoint"),
    "another archive": (archive_of({"readme.txt": b"hello"}), "not a checkpoint"),
    "a net without its meta data": (torch_bytes({"weight": torch.zeros(2)}), NOT_OURS),
    "a list": (torch_bytes([1, 2]), NOT_OURS),
    "a tensor": (torch_bytes(torch.zeros(2)), NOT_OURS),
    "a word": (torch_bytes("text"), NOT_OURS),
    "many records": (archive_of(dict.fromkeys(map(str, range(60_000)), b"")), CORRUPTED),
}


@pytest.mark.parametrize("what", FILES)
def test_another_file_is_no_checkpoint(tmp_path: Path, what: str) -> None:
    content, message = FILES[what]
    assert message_of(tmp_path / "file", content) == message


def test_an_archive_that_is_not_as_it_was_written_is_not_read(tmp_path: Path, saved: bytes) -> None:
    overlapping = io.BytesIO(saved)
    with zipfile.ZipFile(overlapping, "a") as archive:
        archive.filelist.extend(archive.infolist()[:1] * 10_000)
        archive._didModify = True  # type: ignore[attr-defined]
    compressed = archive_of(records_of(saved), zipfile.ZIP_DEFLATED)
    truncated = [saved[:length] for length in range(4, len(saved), 97)]
    for content in (overlapping.getvalue(), compressed, *truncated):
        assert message_of(tmp_path / "file", content) == "truncated or corrupted"


def test_bytes_that_are_only_declared_are_not_allocated(tmp_path: Path, saved: bytes) -> None:
    trillion = b"\x80\x02cbuiltins\nbytearray\n\x8a\x06\x00\x10\xa5\xd4\xe8\x00\x85R."
    records = records_of(saved)
    (pickled,) = (name for name in records if name.endswith("data.pkl"))
    message = message_of(tmp_path / "file", archive_of({**records, pickled: trillion}))
    assert message.startswith(UNSAFE)


@settings(max_examples=100)
@given(data=st.data())
def test_a_flipped_bit_is_found_or_harmless(
    shared: Path, saved: bytes, data: st.DataObject
) -> None:
    """Bits that hold no content, such as a record's date, may change unnoticed."""
    content = bytearray(saved)
    for _ in range(data.draw(st.integers(1, 3))):
        content[data.draw(st.integers(0, len(saved) - 1))] ^= 1 << data.draw(st.integers(0, 7))
    shared.write_bytes(content)
    with suppress(CheckpointError):
        loaded = load_checkpoint(shared, "net")
        assert loaded.meta == META
        assert equal(loaded.tensors, tensors())


@given(st.binary(max_size=300))
def test_any_bytes_after_an_archives_start_are_refused(shared: Path, tail: bytes) -> None:
    assert message_of(shared, b"PK\x03\x04" + tail)


class Malicious:
    """Unpickling this touches a file."""

    def __init__(self, target: Path) -> None:
        self.target = target

    def __reduce__(self) -> tuple[object, tuple[str, str]]:
        return open, (str(self.target), "w")


def test_a_malicious_file_runs_no_code(tmp_path: Path, saved: bytes) -> None:
    touched, legacy = tmp_path / "touched", io.BytesIO()
    evil = Malicious(touched)
    torch.save(evil, legacy, _use_new_zipfile_serialization=False)
    for content, message in (
        (pickle.dumps(evil), "not a checkpoint"),
        (legacy.getvalue(), "not a checkpoint"),
        (torch_bytes(evil), UNSAFE),
        (changed(saved, updated(meta=evil)), UNSAFE),
        (changed(saved, put(evil)), UNSAFE),
    ):
        assert message_of(tmp_path / "file", content).startswith(message)
    assert not touched.exists()
    pickle.loads(pickle.dumps(evil)).close()
    assert touched.exists(), "an unsafe load would run the code"

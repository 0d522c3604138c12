"""A checkpoint is read back exactly or refused; it never runs code."""

import io
import pickle
import zipfile
from collections.abc import Callable, Mapping
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
    """Return a file whose content has been changed, but not its digest."""
    content = torch.load(io.BytesIO(saved), weights_only=True)
    change(content)
    return torch_bytes(content)


def test_a_checkpoint_reads_back_equal(tmp_path: Path) -> None:
    path = tmp_path / "net.pt"
    save_checkpoint(path, "net", META, tensors())
    loaded = load_checkpoint(path, "net")
    assert loaded.meta == META
    assert equal(loaded.tensors, tensors())
    assert [entry.name for entry in tmp_path.iterdir()] == ["net.pt"]


def test_equal_content_gives_equal_bytes_under_any_name(tmp_path: Path, saved: bytes) -> None:
    save_checkpoint(tmp_path / "other.pt", "net", META, tensors())
    assert (tmp_path / "other.pt").read_bytes() == saved


def test_parameters_and_views_are_stored_as_plain_tensors(tmp_path: Path) -> None:
    layer = torch.nn.Linear(3, 2)
    large = torch.zeros(1000, 1000)
    odd = {"weight": layer.weight, "turned": layer.weight.T, "corner": large[:2, :2]}
    save_checkpoint(tmp_path / "net.pt", "net", {}, odd)
    loaded = load_checkpoint(tmp_path / "net.pt", "net").tensors
    assert equal(loaded, {name: tensor.detach() for name, tensor in odd.items()})
    assert not any(tensor.requires_grad for tensor in loaded.values())
    assert (tmp_path / "net.pt").stat().st_size < 10_000


def test_numpy_arrays_come_back_as_tensors(tmp_path: Path) -> None:
    arrays = {
        "reversed": np.arange(6, dtype=np.int8).reshape(2, 3)[:, ::-1],
        "foreign": np.array([1.5, 2.5], dtype=">f4"),
        "scalar": np.array(7, dtype=np.int64),
    }
    save_checkpoint(tmp_path / "buffer.pt", "buffer", {}, arrays)
    loaded = load_checkpoint(tmp_path / "buffer.pt", "buffer").tensors
    for name, array in arrays.items():
        np.testing.assert_array_equal(loaded[name].numpy(), array)
        assert loaded[name].shape == array.shape


@pytest.mark.parametrize("meta", [{"loss": float("nan")}, {"when": object()}])
def test_meta_data_that_is_not_json_is_not_saved(tmp_path: Path, meta: dict[str, Any]) -> None:
    with pytest.raises((TypeError, ValueError)):
        save_checkpoint(tmp_path / "net.pt", "net", meta, {})
    assert list(tmp_path.iterdir()) == []


def test_an_array_of_objects_is_not_saved(tmp_path: Path) -> None:
    with pytest.raises(TypeError):
        save_checkpoint(tmp_path / "net.pt", "net", {}, {"odd": np.array(["a", None])})
    assert list(tmp_path.iterdir()) == []


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match=r"net\.pt: no such file$"):
        load_checkpoint(tmp_path / "net.pt", "net")
    with pytest.raises(CheckpointError, match=r"expected a file, got a folder$"):
        load_checkpoint(tmp_path, "net")


@pytest.mark.parametrize(
    "content",
    [b"", b"PK", b"seed: 1\n", b"\x80\x04N.", archive_of({"readme.txt": b"hello"})],
    ids=["empty", "two letters", "text", "a pickle", "an archive of something else"],
)
def test_another_file_is_not_a_checkpoint(tmp_path: Path, content: bytes) -> None:
    assert message_of(tmp_path / "file", content) == "not a checkpoint"


@pytest.mark.parametrize("content", [{"weight": torch.zeros(2)}, [1, 2], torch.zeros(2), "text"])
def test_another_programs_net_is_refused(tmp_path: Path, content: object) -> None:
    message = message_of(tmp_path / "file", torch_bytes(content))
    assert message == "not a checkpoint of this program"


def test_another_kind_is_named(tmp_path: Path, saved: bytes) -> None:
    message = message_of(tmp_path / "file", saved, kind="run")
    assert message == "expected a checkpoint of kind 'run', got 'net'"


@pytest.mark.parametrize("version", [0, 2, True, "1", 1.0])
def test_another_format_is_named(tmp_path: Path, saved: bytes, version: object) -> None:
    content = changed(saved, lambda content: content.update(format=version))
    message = message_of(tmp_path / "file", content)
    assert message == f"expected a checkpoint of format 1, got {version!r}"


def test_overlapping_records_are_refused(tmp_path: Path, saved: bytes) -> None:
    buffer = io.BytesIO(saved)
    with zipfile.ZipFile(buffer, "a") as archive:
        first = archive.infolist()[0]
        archive.filelist.extend([first] * 10_000)
        archive._didModify = True  # type: ignore[attr-defined]
    assert message_of(tmp_path / "file", buffer.getvalue()) == "truncated or corrupted"


def nested(depth: int) -> object:
    """Return nested lists that are small in a file, and endless when written out."""
    value: object = []
    for _ in range(depth):
        value = [value] * 9
    return value


@pytest.mark.parametrize("key", ["format", "kind", "meta"])
def test_data_that_would_be_endless_when_written_out_is_refused(
    tmp_path: Path, saved: bytes, key: str
) -> None:
    content = changed(saved, lambda content: content.update({key: nested(40)}))
    assert len(message_of(tmp_path / "file", content)) < 200


ONE = torch.zeros(1000)
WRONG_TYPES: list[dict[str, Any]] = [
    {"kind": 1},
    {"meta": {"a": 1}},
    {"meta": None},
    {"tensors": [torch.zeros(2)]},
    {"tensors": {1: torch.zeros(2)}},
    {"tensors": {"a": [1.0]}},
    {"tensors": {"a": torch.zeros(1).expand(10**12)}},
    {"tensors": {"a": torch.zeros(2, 3).T}},
    {"tensors": {str(number): ONE for number in range(100)}},
    {"more": 1},
]


@pytest.mark.parametrize(
    "change",
    [
        *(methodcaller("update", update) for update in WRONG_TYPES),
        *(methodcaller("pop", key) for key in ("kind", "meta", "tensors", "sha256")),
    ],
)
def test_a_part_that_is_missing_or_of_a_wrong_type_is_refused(
    tmp_path: Path, saved: bytes, change: Change
) -> None:
    message = message_of(tmp_path / "file", changed(saved, change))
    assert message == "expected kind, meta data and tensors, got something else"


def put(content: dict[str, Any], weights: object) -> None:
    content["tensors"]["weights"] = weights


CHANGES: dict[str, Change] = {
    "kind": lambda content: content.update(kind="run"),
    "meta": lambda content: content.update(meta="{}"),
    "digest": lambda content: content.update(sha256="0" * 64),
    "a weight": lambda content: content["tensors"]["weights"].__setitem__((0, 0), 1e-3),
    "a shape": lambda content: put(content, content["tensors"]["weights"].reshape(4, 3)),
    "a type": lambda content: put(content, content["tensors"]["weights"].view(torch.int32)),
    "a name": lambda content: content["tensors"].update(other=content["tensors"].pop("steps")),
    "a tensor": lambda content: content["tensors"].pop("steps"),
    "the order": lambda content: put(content, content["tensors"].pop("weights")),
}


@pytest.mark.parametrize("what", CHANGES)
def test_a_content_that_was_changed_does_not_match_its_digest(
    tmp_path: Path, saved: bytes, what: str
) -> None:
    message = message_of(tmp_path / "file", changed(saved, CHANGES[what]))
    assert message == "corrupted: the content does not match its digest"


def test_every_truncation_is_detected(tmp_path: Path, saved: bytes) -> None:
    for length in range(4, len(saved), 97):
        assert message_of(tmp_path / "file", saved[:length]) == "truncated or corrupted"


def test_an_archive_that_could_take_any_memory_or_time_is_not_read(
    tmp_path: Path, saved: bytes
) -> None:
    compressed = archive_of(records_of(saved), zipfile.ZIP_DEFLATED)
    long_list = archive_of(dict.fromkeys(map(str, range(60_000)), b""))
    for content in (compressed, long_list):
        assert message_of(tmp_path / "file", content) == "truncated or corrupted"


@settings(deadline=None, max_examples=300)
@given(data=st.data())
def test_a_flipped_bit_is_detected_or_harmless(
    shared: Path, saved: bytes, data: st.DataObject
) -> None:
    content = bytearray(saved)
    for _ in range(data.draw(st.integers(1, 3))):
        content[data.draw(st.integers(0, len(saved) - 1))] ^= 1 << data.draw(st.integers(0, 7))
    check_detected_or_harmless(shared, bytes(content))


@settings(deadline=None)
@given(st.binary(max_size=300))
def test_any_bytes_after_an_archives_start_are_refused(shared: Path, tail: bytes) -> None:
    check_detected_or_harmless(shared, b"PK\x03\x04" + tail)


def check_detected_or_harmless(path: Path, content: bytes) -> None:
    """Bits that hold no content, such as a record's date, may change unnoticed."""
    path.write_bytes(content)
    message = f"{path}: "
    try:
        loaded = load_checkpoint(path, "net")
    except CheckpointError as error:
        message = str(error)
    else:
        assert loaded.meta == META
        assert equal(loaded.tensors, tensors())
    assert message.startswith(f"{path}: ")
    assert len(message.splitlines()) == 1


@pytest.mark.parametrize(
    "value",
    [bytearray(9), torch.nn.Parameter(torch.zeros(2)), torch.eye(2).to_sparse(), {1, 2}, 1j],
    ids=["bytes", "parameter", "sparse", "set", "complex"],
)
def test_values_of_unbounded_memory_are_refused(
    tmp_path: Path, saved: bytes, value: object
) -> None:
    content = changed(saved, lambda content: put(content, value))
    message = message_of(tmp_path / "file", content)
    assert message.startswith("refused: holds more than plain data and tensors")


def test_bytes_that_are_only_declared_are_not_allocated(tmp_path: Path, saved: bytes) -> None:
    trillion = b"\x80\x02cbuiltins\nbytearray\n\x8a\x06\x00\x10\xa5\xd4\xe8\x00\x85R."
    records = records_of(saved)
    (pickled,) = (name for name in records if name.endswith("data.pkl"))
    message = message_of(tmp_path / "file", archive_of({**records, pickled: trillion}))
    assert message.startswith("refused: holds more than plain data and tensors")


class Malicious:
    """Unpickling this touches a file."""

    def __init__(self, target: Path) -> None:
        self.target = target

    def __reduce__(self) -> tuple[object, tuple[str, str]]:
        return open, (str(self.target), "w")


@pytest.mark.parametrize("wrap", ["pickle", "torch", "meta", "tensor", "legacy"])
def test_a_malicious_file_runs_no_code(tmp_path: Path, saved: bytes, wrap: str) -> None:
    touched = tmp_path / "touched"
    evil = Malicious(touched)
    buffer = io.BytesIO()
    torch.save(evil, buffer, _use_new_zipfile_serialization=False)
    contents = {
        "pickle": pickle.dumps(evil),
        "torch": torch_bytes(evil),
        "meta": changed(saved, lambda content: content.update(meta=evil)),
        "tensor": changed(saved, lambda content: put(content, evil)),
        "legacy": buffer.getvalue(),
    }
    message = message_of(tmp_path / "file", contents[wrap])
    if wrap in ("pickle", "legacy"):
        assert message == "not a checkpoint"
    else:
        assert message.startswith("refused: holds more than plain data and tensors")
    assert not touched.exists()


def test_the_malicious_file_would_run_code_in_an_unsafe_load(tmp_path: Path) -> None:
    pickle.loads(pickle.dumps(Malicious(tmp_path / "touched"))).close()
    assert (tmp_path / "touched").exists()

"""Curves for TensorBoard, read back as it reads them."""

import struct
from pathlib import Path

from tensorboardX.proto.event_pb2 import Event

from display.reports.training_curves import tensorboard


def curves(folder: Path) -> dict[str, list[tuple[int, float]]]:
    found: dict[str, list[tuple[int, float]]] = {}
    for file in folder.iterdir():
        data = file.read_bytes()
        while data:  # length, its checksum, event, its checksum
            (length,) = struct.unpack("<Q", data[:8])
            event = Event.FromString(data[12 : 12 + length])
            for value in event.summary.value:
                found.setdefault(value.tag, []).append((event.step, value.simple_value))
            data = data[16 + length :]
    return found


def test_every_number_is_a_curve_and_a_resumed_run_has_each_point_once(tmp_path: Path) -> None:
    first = {"episode": 1, "loss": 2.0, "accepted": True, "games": [1, 2]}
    first["sizes"] = {"3": {"loss": 4.0}}
    with tensorboard(tmp_path, []) as add:
        add(first)
        add({"episode": 2, "loss": 9.0})  # what was interrupted before it was kept
    (file,) = tmp_path.iterdir()
    file.rename(tmp_path / "events.out.tfevents.1")  # the name has the second
    with tensorboard(tmp_path, [first]) as add:
        add({"episode": 2, "loss": 1.5})
    assert curves(tmp_path) == {
        "loss": [(1, 2.0), (2, 1.5)],
        "accepted": [(1, 1.0)],
        "sizes.3.loss": [(1, 4.0)],
    }

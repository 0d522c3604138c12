"""Memory that was freed goes back to the operating system."""

import ctypes
import subprocess
import sys

import pytest

IDLE = """
import ctypes
import psutil
from anet.free_memory import give_back_freed_memory
allocate, free = ctypes.CDLL(None).malloc, ctypes.CDLL(None).free
allocate.restype, free.argtypes = ctypes.c_void_p, [ctypes.c_void_p]
held = []
for _ in range(800):  # 80 MB in blocks that lie between others
    held.append(allocate(100_000))
    ctypes.memset(ctypes.c_void_p(held[-1]), 1, 100_000)
    allocate(1000)
for block in held:
    free(block)
before = psutil.Process().memory_info().rss
give_back_freed_memory()
print((before - psutil.Process().memory_info().rss) / 1e6)
"""


@pytest.mark.skipif(
    sys.platform == "win32" or not hasattr(ctypes.CDLL(None), "malloc_trim"),
    reason="this C library gives nothing back",
)
def test_idle_memory_between_used_blocks_is_released() -> None:
    run = subprocess.run([sys.executable, "-c", IDLE], capture_output=True, text=True, check=True)
    assert float(run.stdout) > 40

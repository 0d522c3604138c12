"""Compiling Python: the ``kernel`` decorator, the folder of compiled code, and Ctrl-C.

A kernel is a function compiled by Numba with an explicit signature, without the GIL, cached on
disk. With ``NUMBA_DISABLE_JIT=1`` every kernel runs as the plain Python that it is written in:
that run is the reference which the compiled one is tested against.
"""

from base.jit.cache import prepare_cache, source_digest
from base.jit.compiling import (
    compiling_seconds,
    declared_kernels,
    deferred_interrupts,
    direct,
    make_ready,
    watch_compiling,
)
from base.jit.kernel import GeneratorType, function_type, kernel, record_type, row_of, scratch

__all__ = [
    "GeneratorType",
    "compiling_seconds",
    "declared_kernels",
    "deferred_interrupts",
    "direct",
    "function_type",
    "kernel",
    "make_ready",
    "prepare_cache",
    "record_type",
    "row_of",
    "scratch",
    "source_digest",
    "watch_compiling",
]

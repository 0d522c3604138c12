"""Compilation of kernels: the ``kernel`` decorator, the cache on disk, and Ctrl-C.

A kernel is a function compiled by Numba with an explicit signature, without the GIL, cached on
disk. With ``NUMBA_DISABLE_JIT=1`` every kernel runs as plain Python: the tests compare the compiled
code with this reference.
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

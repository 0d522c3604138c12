"""Compilation of kernels: the ``kernel`` decorator, the cache on disk, and Ctrl-C.

A kernel is a function compiled by Numba with an explicit signature, without the GIL, cached on
disk. With ``NUMBA_DISABLE_JIT=1`` every kernel runs as plain Python: the tests compare the compiled
code with this reference.
"""

from base.jit.cache import code_digest, prepare_cache
from base.jit.compiling import compiling_seconds, deferred_interrupts, watch_compiling
from base.jit.kernel import PENDING, direct, kernel, make_ready, shared
from base.jit.records import GeneratorType, function_type, record_type, row_of, scratch

"""Compiling Python: the ``kernel`` decorator and the folder in which compiled code is kept.

A kernel is a function compiled by Numba with an explicit signature, without the GIL, cached on
disk. With ``NUMBA_DISABLE_JIT=1`` every kernel runs as the plain Python that it is written in:
that run is the reference which the compiled one is tested against.
"""

from jit.cache import kernel_sources_digest, prepare_cache
from jit.kernel import function_type, kernel

__all__ = ["function_type", "kernel", "kernel_sources_digest", "prepare_cache"]

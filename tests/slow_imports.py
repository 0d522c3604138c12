"""Imports of the server of ``tests.forked``: other packages and the compiler, but no kernels.

A first function makes Numba fill its tables.
"""

import gc

import matplotlib.figure  # noqa: F401
import numba
import rich.progress  # noqa: F401
import torch
import torch.nn  # noqa: F401

import base.jit
import base.jit.compiling
import base.params

numba.njit("int64(int64)")(lambda number: number + 1)
assert base.jit.PENDING == {}
assert base.jit.prepare_cache.cache_info().currsize == 0
gc.freeze()  # so that a forked program soon has looked for what it has left open

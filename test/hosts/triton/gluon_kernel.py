# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A kernel with explicit layouts and a conversion between them through LDS."""
from triton.experimental import gluon
from triton.experimental.gluon import language as gl


@gluon.jit
def swap(x, out, N: gl.constexpr):
    wide: gl.constexpr = gl.BlockedLayout([4], [64], [4], [0])
    narrow: gl.constexpr = gl.BlockedLayout([1], [64], [4], [0])
    flat: gl.constexpr = gl.SwizzledSharedLayout(1, 1, 1, [0])
    shared = gl.allocate_shared_memory(gl.float32, [N], flat, gl.load(x + gl.arange(0, N, layout=wide)))
    gl.store(out + gl.arange(0, N, layout=narrow), shared.load(narrow) * 2)

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Element-wise operations: the examples as a user of Triton would write them (kernels.py).
import triton
import triton.language as tl


@triton.jit
def vec_add(x, y, z, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    tl.store(z + i, tl.load(x + i, inside) + tl.load(y + i, inside), inside)


@triton.jit
def dropout(out, in_, count, p, seed, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(in_ + i, i < count, 0).to(tl.float32)
    tl.store(out + i, tl.where(tl.rand(seed, i) >= p, x / (1 - p), 0), i < count)


@triton.jit
def byte_histogram(counts, in_, count, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mine = tl.histogram(tl.load(in_ + i, i < count, 0).to(tl.int32), 256, i < count)
    tl.atomic_add(counts + tl.arange(0, 256), mine, mine != 0, sem="relaxed")

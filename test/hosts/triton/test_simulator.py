# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels of Triton's tutorials, compiled by Kiln, on the simulator, with NumPy's arrays as memory; and errors there."""
import ctypes
import os
import subprocess
import sys
import unittest

import numpy as np

import kiln_triton

kiln_triton.enable(device="sim")

import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def add(x, y, z, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(z + i, tl.load(x + i, mask=i < n) + tl.load(y + i, mask=i < n), mask=i < n)


@triton.jit
def softmax(y, x, stride, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    values = tl.load(x + row * stride + i, mask=i < n, other=-float("inf"))
    powers = tl.exp(values - tl.max(values, axis=0))
    tl.store(y + row * stride + i, powers / tl.sum(powers, axis=0), mask=i < n)


@triton.jit
def matmul(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m, n, k = tl.program_id(0) * BM + tl.arange(0, BM), tl.program_id(1) * BN + tl.arange(0, BN), tl.arange(0, BK)
    at_a, at_b = a + m[:, None] * K + k[None, :], b + k[:, None] * N + n[None, :]
    sums = tl.zeros((BM, BN), tl.float32)
    for _ in range(0, K, BK):
        sums = tl.dot(tl.load(at_a), tl.load(at_b), sums)
        at_a += BK
        at_b += BK * N
    tl.store(c + m[:, None] * N + n[None, :], sums.to(tl.float16), mask=(m[:, None] < M) & (n[None, :] < N))


@triton.jit
def attention(q, k, v, out, scale, N, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):
    m, n, d = tl.program_id(0) * BM + tl.arange(0, BM), tl.arange(0, BN), tl.arange(0, D)
    query = tl.load(q + m[:, None] * D + d[None, :])
    most, total, sums = tl.full((BM,), -float("inf"), tl.float32), tl.zeros((BM,), tl.float32), tl.zeros((BM, D), tl.float32)
    for start in range(0, N, BN):
        keys = tl.load(k + (start + n[None, :]) * D + d[:, None])
        scores = tl.dot(query, keys) * scale
        higher = tl.maximum(most, tl.max(scores, 1))
        powers, shrink = tl.exp(scores - higher[:, None]), tl.exp(most - higher)
        values = tl.load(v + (start + n[:, None]) * D + d[None, :])
        sums = tl.dot(powers.to(tl.float16), values, sums * shrink[:, None])
        total, most = total * shrink + tl.sum(powers, 1), higher
    tl.store(out + m[:, None] * D + d[None, :], (sums / total[:, None]).to(tl.float16))


@triton.jit
def logaddexp(a, b):
    """As Inductor writes logcumsumexp."""
    least, most = tl.minimum(a, b, tl.PropagateNan.ALL), tl.maximum(a, b, tl.PropagateNan.ALL)
    ordinary = (least != most) | (libdevice.isinf(least).to(tl.int1) == 0)
    return tl.where(ordinary, libdevice.log1p(libdevice.exp(least - most)) + most, a)


@triton.jit
def logcumsumexp(x, z, COLUMNS: tl.constexpr, ROWS: tl.constexpr):
    columns = tl.arange(0, 64)[None, :]
    inside = columns < COLUMNS
    i = tl.arange(0, ROWS)[:, None] * COLUMNS + columns
    tl.store(z + i, tl.associative_scan(tl.load(x + i, mask=inside, other=0.0), 1, logaddexp), mask=inside)


def random(*shape, dtype=np.float32, seed=0):
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


class Tutorials(unittest.TestCase):

    def test_vector_add(self):
        x, y, z = random(1000), random(1000, seed=1), np.full(1000, np.nan, np.float32)
        kernel = add[(4,)](x, y, z, 1000, BLOCK=256)
        np.testing.assert_array_equal(z, x + y)
        self.assertEqual(kernel.metadata.name, "add")
        self.assertEqual(kernel.metadata.kiln.split()[0], kiln_triton.version())
        for stage in ("ttir", "ttgir", "llir", "amdgcn", "hsaco"):
            self.assertIn(stage, kernel.asm)
        self.assertIn("global_store_dword" if "buffer_store" not in kernel.asm["amdgcn"] else "buffer_store_dword", kernel.asm["amdgcn"])

    def test_softmax(self):
        x = random(5, 781)
        y = np.empty_like(x)
        softmax[(5,)](y, x, 781, 781, BLOCK=1024, num_warps=8)
        powers = np.exp(x - x.max(1, keepdims=True))
        np.testing.assert_allclose(y, powers / powers.sum(1, keepdims=True), rtol=1e-5)

    def test_matmul(self):
        a, b, c = random(128, 64, dtype=np.float16), random(64, 128, dtype=np.float16, seed=1), np.empty((128, 128), np.float16)
        kernel = matmul[(2, 2)](a, b, c, 128, 128, 64, BM=64, BN=64, BK=32)
        np.testing.assert_allclose(c.astype(np.float32), a.astype(np.float32) @ b.astype(np.float32), rtol=1e-2, atol=1e-2)
        self.assertIn("v_mfma_", kernel.asm["amdgcn"])
        # The launch requests LDS, as with Triton's objects.
        self.assertGreater(kernel.metadata.shared, 0)
        self.assertIn(".amdhsa_group_segment_fixed_size 0\n", kernel.asm["amdgcn"])
        self.assertRegex(kernel.asm["amdgcn"], r"\.group_segment_fixed_size: 0\n")
        lds = ctypes.c_int(-1)
        kiln_triton.sim.library().hipFuncGetAttribute(ctypes.byref(lds), 1, ctypes.c_void_p(kernel.function))
        self.assertEqual(lds.value, 0)  # HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES

    def test_attention(self):
        q, k, v = (random(128, 64, dtype=np.float16, seed=seed) for seed in range(3))
        out = np.empty_like(q)
        attention[(2,)](q, k, v, out, 0.125, 128, BM=64, BN=64, D=64)
        scores = q.astype(np.float32) @ k.astype(np.float32).T * 0.125
        powers = np.exp(scores - scores.max(1, keepdims=True))
        np.testing.assert_allclose(out.astype(np.float32), powers / powers.sum(1, keepdims=True) @ v.astype(np.float32), rtol=2e-2, atol=2e-3)

    def test_scan_of_many_instructions(self):
        """Rows of an odd length, one column per lane: the region is emitted once for each row, so the code is short (it was 27,513 lines)."""
        x, z = random(16, 53), np.zeros((16, 53), np.float32)
        kernel = logcumsumexp[(1,)](x, z, COLUMNS=53, ROWS=16, num_warps=1)
        np.testing.assert_allclose(z, np.logaddexp.accumulate(x, axis=1), rtol=1e-4, atol=1e-4)
        self.assertLess(kernel.asm["amdgcn"].count("\n"), 5000)

    def test_types_of_arguments(self):

        @triton.jit
        def sums(out, a, b, c, d):
            tl.store(out, a + b + c + d)

        for scalar in (3, 2**40, True, 1):
            with self.subTest(scalar=scalar):
                out = np.zeros(1, np.float64)
                sums[(1,)](out, scalar, 2.5, -7, 16)
                self.assertEqual(out[0], np.float32(scalar + 2.5 - 7 + 16))

    def test_views(self):
        """An array's whole storage is accessible, so a view can be passed to kernels that access all of it."""
        whole = random(8, 1000)
        z = np.zeros(1000, np.float32)
        add[(4,)](whole[3], whole[5], z, 1000, BLOCK=256)
        np.testing.assert_array_equal(z, whole[3] + whole[5])
        add[(4,)](whole[0], whole[1], whole[2], 1000, BLOCK=256)  # three pieces of one storage
        np.testing.assert_array_equal(whole[2], whole[0] + whole[1])


class Failures(unittest.TestCase):

    def test_access_outside(self):
        x = random(1000)
        with self.assertRaisesRegex(RuntimeError, r"(?s)memory violation: load of .* past the end of the nearest allocation .*test_simulator.py"):
            add[(5,)](x, x.copy(), x.copy(), 1100, BLOCK=256)
        add[(4,)](x, x.copy(), x.copy(), 1000, BLOCK=256)  # the next launch succeeds

    def test_too_many_warps(self):
        x = random(1000)
        with self.assertRaisesRegex(triton.runtime.errors.OutOfResources, "threads, Required: 2048, Hardware limit: 1024"):
            add[(4,)](x, x, x, 1000, BLOCK=256, num_warps=32)

    def test_assertion(self):

        @triton.jit
        def at_most(x, limit):
            tl.device_assert(tl.load(x + tl.program_id(0)) <= limit, "too much")

        x = np.arange(4, dtype=np.int32)
        with self.assertRaisesRegex(RuntimeError, r"(?s)Code: 710.*device-side assert.*test_simulator\.py"):
            at_most[(4,)](x, 2, debug=True)
        at_most[(4,)](x, 2)  # fails only with debug=True
        at_most[(4,)](x, 3, debug=True)

    def test_pointers_in_memory(self):

        @triton.jit
        def follow(pointers, out):
            source = tl.load(pointers).to(tl.pointer_type(tl.float32))
            tl.store(out, tl.load(source))

        x, out = random(4), np.zeros(1, np.float32)
        pointers = np.array([x.ctypes.data], np.int64)
        with self.assertRaisesRegex(RuntimeError, "memory violation"):
            follow[(1,)](pointers, out)
        with kiln_triton.register(x):
            follow[(1,)](pointers, out)
        self.assertEqual(out[0], x[0])
        with self.assertRaisesRegex(RuntimeError, "memory violation"):
            follow[(1,)](pointers, out)

    def test_what_is_not_there(self):
        """If an argument's memory cannot be registered, the other arguments' memory is not left registered."""
        x = random(4)
        nowhere = np.ctypeslib.as_array((ctypes.c_float * 4).from_address(0x7FFFFFFE0000))  # above all mappings
        users = dict(kiln_triton.sim._memory.users)
        with self.assertRaisesRegex(RuntimeError, "the range is not entirely the program's memory"):
            kiln_triton.register(x, nowhere)
        self.assertEqual(kiln_triton.sim._memory.users, users)

    def test_check_finds(self):
        program = """
import numpy as np, kiln_triton
kiln_triton.enable(device="sim")
import triton, triton.language as tl
@triton.jit
def race(x):
    i = tl.arange(0, 256)
    tl.store(x + i // 256 * 0, i)
try:
    race[(2,)](np.zeros(4, np.int32))
except kiln_triton.SimulatorError as error:
    print(error.findings[0])
"""
        script = os.path.join(os.getcwd(), "race.py")
        with open(script, "w") as file:
            file.write(program)
        done = subprocess.run([sys.executable, script], env={**os.environ, "KILN_SIM_CHECK": "global-race"}, capture_output=True, text=True)
        self.assertRegex(done.stdout, r"global-race: .*race.py:\d+.* in kernel 'race'", done.stderr)


if __name__ == "__main__":
    unittest.main()

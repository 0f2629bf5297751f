"""Executes every assembly GEMM of the points on Kiln's simulator at a small size and compares it with a plain one."""
import numpy as np

import gemm
from launch import tile
from numbers8 import decode_fp8, from_bf16, shuffle, to_bf16


def data_8(made, random):
    """The buffers' contents and the expected C of an 8-bit GEMM."""
    m, n, k = made.m, made.n, made.k
    raw_a, raw_b = random.integers(0, 256, (m, k), np.uint8), random.integers(0, 256, (n, k), np.uint8)
    if made.blockscale:
        # No NaN.
        raw_a[raw_a == 0x80], raw_b[raw_b == 0x80] = 0, 0
        table, groups = decode_fp8(), k // 128
        a, b = table[raw_a], table[raw_b]
        scale_a = random.random((m, groups), np.float32)
        scale_b = random.random((-(-n // 128), groups), np.float32)
        want = np.zeros((m, n), np.float32)
        for group in range(groups):
            part = a[:, group * 128:group * 128 + 128] @ b[:, group * 128:group * 128 + 128].T
            want += part * scale_a[:, group:group + 1] * np.repeat(scale_b[:, group], 128)[None, :n]
        padded = raw_a
        scales = scale_a.T
    else:
        scale_a, scale_b = random.random((m, 1), np.float32), random.random((1, n), np.float32)
        a, b = raw_a.view(np.int8).astype(np.float64), raw_b.view(np.int8).astype(np.float64)
        want = (a @ b.T) * scale_a * scale_b
        padded = np.concatenate([raw_a, np.zeros((m, 128), np.uint8)], axis=1)
        scales = scale_a
    bias = np.zeros(n, np.float32)
    return {"A": padded.copy(), "B": shuffle(raw_b), "scale_a": scales.copy(), "scale_b": scale_b, "bias": bias}, want, "C"


def data_bf16(made, random):
    a, b = (to_bf16(random.standard_normal((rows, made.k))) for rows in (made.m, made.n))
    want = from_bf16(a.tobytes(), a.shape).astype(np.float64) @ from_bf16(b.tobytes(), b.shape).T
    return {"A": a, "B": b}, want, "D"


def check(device, root, kernel, split_k):
    rows, columns = tile(kernel)
    made = gemm.gemm(rows + 5, 2 * columns, 256 * split_k, split_k, kernel)
    random = np.random.default_rng(1)
    data, want, result = (data_bf16 if isinstance(made, gemm.GemmBf16) else data_8)(made, random)
    buffers = {name: device.buffer(data[name].tobytes() if name in data else buffer["bytes"]) for name, buffer in made.buffers.items()}
    for name, buffer in buffers.items():
        assert buffer.size == made.buffers[name]["bytes"], (name, buffer.size, made.buffers[name])
    if split_k > 1 and result == "C":
        buffers["C"].write(b"\x11" * buffers["C"].size)
    for step in made.steps:
        device.run(step, buffers, root)
    got = from_bf16(buffers[result].read(), want.shape)
    for buffer in buffers.values():
        buffer.free()
    return np.linalg.norm(got - want) / np.linalg.norm(want)


def cases(aiter):
    """(name, the check, allowed error): bf16 results of sums in f32; a split K adds bf16 numbers atomically."""
    for kernel, split_k in sorted({(row["kernelName"], min(int(row["splitK"]), 2)) for row in gemm.rows(aiter)}):
        yield f"{kernel} split_k {split_k}", lambda device, root, k=kernel, s=split_k: check(device, root, k, s), 5e-3 * split_k

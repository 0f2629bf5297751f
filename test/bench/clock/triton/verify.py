#!/usr/bin/env python3
"""Executes every kernel of kernels.py on Kiln's simulator at a small size, compiled as its points are, and compares it with numpy.

    verify.py      # needs triton and numpy. One line per kernel; exit code 1 if one differs
"""
import math
import os
import sys
import tempfile

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
import build  # noqa: E402
from device import Device  # noqa: E402

# Kernel, element, shape, tile, warps, stages, waves_per_eu: the tiles of the points, shapes of a
# few tiles, edges if a kernel supports them.
CASES = [
    ("gemm", "bf16", "300x520x160", "256x256x32", 8, 2, 0), ("gemm", "bf16", "300x520x160", "128x256x32", 8, 2, 0),
    ("gemm", "bf16", "300x520x160", "256x128x32", 8, 2, 0), ("gemm", "fp16", "300x520x200", "128x128x64", 8, 2, 0),
    ("gemm", "fp16", "300x520x256", "128x128x64", 8, 2, 4), ("rms_norm", "bf16", "310x6144", "8192", 4, 2, 0),
    ("rms_norm", "bf16", "310x16384", "16384", 4, 2, 0), ("rope", "bf16", "45x16x64", "32", 4, 2, 0), ("rope", "bf16", "45x16x64", "8", 4, 2, 0),
    ("attention", "bf16", "3x384x64", "128x64", 4, 2, 2), ("attention", "bf16", "3x384x128", "128x64", 4, 2, 2),
]


def to_bf16(values):
    bits = values.astype(np.float32).view(np.uint32)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)


def encode(values, element):
    return (to_bf16(values) if element == "bf16" else values.astype(np.float16)).tobytes()


def decode(data, element):
    if element == "bf16":
        return (np.frombuffer(data, np.uint16).astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    return np.frombuffer(data, np.float16).astype(np.float64)


def wanted(kernel, shape, data):
    """Name of the buffer with the result, and its expected contents; data: each buffer's numbers, flat, as the kernel reads them."""
    if kernel == "gemm":
        m, n, k = shape
        return "c", data["a"].reshape(m, k) @ data["b"].reshape(k, n)
    if kernel == "rms_norm":
        x = data["x"].reshape(shape)
        return "y", x / np.sqrt(np.mean(x * x, axis=1, keepdims=True) + 1e-5) * data["weight"]
    if kernel == "rope":
        tokens, heads, dim = shape
        x, turns = data["x"].reshape(tokens, heads, dim // 2, 2), data["turns"].reshape(tokens, 1, dim // 2, 2)
        turned = (x[..., 0] + 1j * x[..., 1]) * (turns[..., 0] - 1j * turns[..., 1])
        return "x", np.stack([turned.real, turned.imag], axis=-1)
    q, k, v = (data[name].reshape(shape) for name in "qkv")
    score = q @ k.transpose(0, 2, 1) / math.sqrt(shape[2])
    score = np.where(np.tri(shape[1], dtype=bool), score, -np.inf)
    weight = np.exp(score - score.max(axis=2, keepdims=True))
    return "o", weight / weight.sum(axis=2, keepdims=True) @ v


def check(device, root, case):
    kernel, element, shape, tile, warps, stages, waves = case
    shape = build.numbers_of(shape)
    made = build.MAKERS[kernel](element, shape, build.numbers_of(tile))
    row = {"kernel": kernel, "warps": warps, "stages": stages, "waves_per_eu": waves}
    binary = build.compiled(made, build.options_of(row))
    with open(os.path.join(root, "kernel.hsaco"), "wb") as file:
        file.write(binary.asm["hsaco"])
    random, data, buffers = np.random.default_rng(1), {}, {}
    for name, size in made.buffers:
        single = name in build.SINGLE_PRECISION
        values = random.standard_normal(size // (4 if single else 2))
        raw = values.astype(np.float32).tobytes() if single else encode(values, element)
        data[name] = values if single else decode(raw, element)
        buffers[name] = device.buffer(raw)
    step = {"object": "kernel.hsaco", "kernel": binary.metadata.name, "grid": made.grid, "block": [64 * binary.metadata.num_warps, 1, 1],
            "dynamic_lds": binary.metadata.shared, "args": build.arguments(made)}
    # Functions are cached by their file's name, which is the same for every case.
    device.functions.clear()
    device.run(step, buffers, root)
    result, want = wanted(kernel, shape, data)
    got = decode(buffers[result].read(), element).reshape(want.shape)
    for buffer in buffers.values():
        buffer.free()
    return np.linalg.norm(got - want) / np.linalg.norm(want)


def main():
    device, bad = Device(), 0
    with tempfile.TemporaryDirectory() as root:
        for case in CASES:
            try:
                error = check(device, root, case)
                text = f"error {error:.2e}"
            except RuntimeError as reason:
                error, text = 1, str(reason)
            good = error < (1e-3 if case[1] == "fp16" else 8e-3)
            bad += not good
            print("ok  " if good else "FAIL", *case, text)
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())

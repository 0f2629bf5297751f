#!/usr/bin/env python3
"""Executes every kernel of kernels.py on Kiln's simulator at a small size, compiled as its points are, and compares it with numpy.

    verify.py      # needs triton and numpy. One line per kernel; exit code 1 if one differs
"""
import os
import sys
import tempfile

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
import build  # noqa: E402
from device import Device  # noqa: E402

SEED = 42
# The points' name, a row in the form of the table, element type.
CASES = [("add", {"SIZE": 5000, "BLOCK_SIZE_RUNTIME": 1024}, "fp16"), ("add", {"SIZE": 5000, "BLOCK_SIZE_RUNTIME": 2048}, "fp32"),
         ("copy", {"N": 1000, "BLOCK_SIZE": 64}, "bf16"), ("largest", {"M_dim": 128, "N_dim": 64}, "fp32"), ("largest", {"M_dim": 64, "N_dim": 128}, "bf16"),
         ("rand", {"N_elements": 3000, "seed": SEED}, None), ("randint", {"N_elements": 3000, "seed": SEED}, None)]
CASES += [(kind, {"M": rows, "N": columns}, element) for kind in ("softmax", "softmax3", "layernorm", "rmsnorm")
          for rows, columns, element in ((5, 1000, "fp16"), (3, 2048, "bf16"), (2, 40000, "fp32"))]
CASES += [("rmsnorm", {"M": 310, "N": 300}, "fp32")]


def encode(values, element):
    if element == "bf16":
        bits = values.astype(np.float32).view(np.uint32)
        return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16).tobytes()
    return values.astype({"fp16": np.float16, "fp32": np.float32, "i32": np.int32}[element]).tobytes()


def decode(data, element):
    if element == "bf16":
        return (np.frombuffer(data, np.uint16).astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    return np.frombuffer(data, {"fp16": np.float16, "fp32": np.float32, "i32": np.int32}[element]).astype(np.float64)


def philox(count):
    """The first word of Philox 4x32-10 (Salmon et al. 2011) for counters 0 … count - 1."""
    words = [np.arange(count, dtype=np.uint64)] + [np.zeros(count, np.uint64)] * 3
    keys, low = [SEED, 0], np.uint64(0xFFFFFFFF)
    for _ in range(10):
        a, b = words[0] * np.uint64(0xD2511F53), words[2] * np.uint64(0xCD9E8D57)
        words = [(b >> np.uint64(32)) ^ words[1] ^ np.uint64(keys[0]), b & low, (a >> np.uint64(32)) ^ words[3] ^ np.uint64(keys[1]), a & low]
        keys = [keys[0] + 0x9E3779B9 & 0xFFFFFFFF, keys[1] + 0xBB67AE85 & 0xFFFFFFFF]
    return words[0].astype(np.uint32).view(np.int32)


def wanted(kind, row, data):
    """Name of the buffer with the result, and its expected contents."""
    if kind == "add":
        return "out", data["x"] + data["y"]
    if kind == "copy":
        return "out", np.where(np.arange(row["N"]) < row["N"] // 2, data["x"], 0)
    if kind == "largest":
        return "out", data["x"].reshape(row["M_dim"], row["N_dim"]).max(axis=1)
    if kind in ("rand", "randint"):
        word = philox(row["N_elements"])
        return "out", word if kind == "randint" else np.where(word < 0, -word.astype(np.int64) - 1, word) * 2.0**-31
    x = data["x"].reshape(row["M"], row["N"])
    if kind.startswith("softmax"):
        power = np.exp(x - x.max(axis=1, keepdims=True))
        return "y", power / power.sum(axis=1, keepdims=True)
    if kind == "layernorm":
        x = x - x.mean(axis=1, keepdims=True)
    normed = x / np.sqrt(np.mean(x * x, axis=1, keepdims=True) + 1e-5) * data["weight"]
    return "y", normed + (data["bias"] if kind == "layernorm" else 0)


def check(device, root, case, warps):
    kind, row, element = case
    maker = next(maker for name, _, _, maker in build.KERNELS if name == kind)
    _, made = maker(row, element)
    step = build.step(made, warps, "kernel.hsaco", root)
    random, data, buffers = np.random.default_rng(1), {}, {}
    for name, kept, count in made.buffers:
        raw = encode(random.standard_normal(count), kept)
        data[name], buffers[name] = decode(raw, kept), device.buffer(raw)
    # Functions are cached by their file's name, which is the same for every case.
    device.functions.clear()
    device.run(step, buffers, root)
    result, want = wanted(kind, row, data)
    kept = next(kept for name, kept, _ in made.buffers if name == result)
    got = decode(buffers[result].read(), kept).reshape(want.shape)
    for buffer in buffers.values():
        buffer.free()
    return np.linalg.norm(got - want) / np.linalg.norm(want), {"bf16": 8e-3, "fp16": 1e-3}.get(kept, 1e-5)


def main():
    device, bad = Device(), 0
    with tempfile.TemporaryDirectory() as root:
        for case in CASES:
            maker = next(maker for name, _, _, maker in build.KERNELS if name == case[0])
            for warps in maker(case[1], case[2])[1].warps:
                try:
                    error, limit = check(device, root, case, warps)
                    text = f"error {error:.2e}"
                except RuntimeError as reason:
                    error, limit, text = 1, 0, str(reason)
                bad += error >= limit
                print("ok  " if error < limit else "FAIL", *case, warps, text)
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())

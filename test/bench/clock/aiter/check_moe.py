"""Executes every fused mixture of experts of the points on Kiln's simulator at a small size and compares it with a plain one."""
import os

import numpy as np

import launch
import moe
from numbers8 import decode_fp8, from_bf16, shuffle

SCALE_BLOCK = 128


def fp8(random, *shape):
    """Bytes of e4m3fnuz of magnitude up to 1, and their values: products of products should not become too large."""
    raw = (random.integers(0, 64, shape) | random.integers(0, 2, shape) << 7).astype(np.uint8)
    raw[raw == 0x80] = 0
    return raw, decode_fp8()[raw]


def weights(random, made, rows, columns):
    """Shuffled bytes of all experts, their scales, and the values that both represent."""
    raw, value = fp8(random, made.experts, rows, columns)
    if made.blockscale:
        scale = random.random((made.experts, rows // SCALE_BLOCK, columns // SCALE_BLOCK), np.float32)
        value = value * scale.repeat(SCALE_BLOCK, 1).repeat(SCALE_BLOCK, 2)
    else:
        scale = random.random((made.experts, rows, 1), np.float32)
        value = value * scale
    return np.stack([shuffle(expert) for expert in raw]), scale, value


def activate(gate, gelu):
    if gelu:
        return 0.5 * gate * (1 + np.tanh(0.7978845608 * (gate + 0.044715 * gate ** 3)))
    return gate / (1 + np.exp(-gate))


def want_of(made, x, up, down):
    """Result, [token][slot][inter] of a first stage or [token][dim]."""
    routing, inter = made.routing, made.inter
    out = np.zeros((made.tokens, made.topk, inter), np.float32) if made.stage1 else np.zeros((made.tokens, made.dim), np.float32)
    for token in range(made.tokens):
        for slot, expert in enumerate(routing.chosen[token]):
            both = up[expert] @ x[token]
            if made.weighted:
                both = both * routing.weights[token, slot]
            hidden = activate(both[:inter], made.gelu) * both[inter:]
            if made.stage1:
                out[token, slot] = hidden
            else:
                out[token] += routing.weights[token, slot] * (down[expert] @ hidden)
    return out


def got_of(made, data):
    if not made.stage1:
        return from_bf16(data, (made.tokens, made.dim))
    shape = (made.tokens, made.topk, made.inter)
    if not made.blockscale:
        return from_bf16(data, shape)
    # Scales, one per 128 results, follow the results.
    value = decode_fp8()[np.frombuffer(data, np.uint8, made.out_bytes)].reshape(shape)
    scales = np.frombuffer(data, np.float32, made.out_bytes // SCALE_BLOCK, made.out_bytes)
    return value * scales.reshape(made.tokens, made.topk, -1).repeat(SCALE_BLOCK, 2)


def check(device, root, kernel, info, gelu):
    rows, columns = launch.tile(kernel)
    made = moe.Moe((rows + 5, 512, 2 * columns if columns % 128 == 0 else 4 * columns, 3, 2), kernel, "mi300x", info["stays"], gelu)
    random = np.random.default_rng(1)
    raw, x = fp8(random, made.tokens, made.dim)
    scale = random.random((made.tokens, made.dim // SCALE_BLOCK if made.blockscale else 1), np.float32)
    x = x * (scale.repeat(SCALE_BLOCK, 1) if made.blockscale else scale)
    data = {"x": raw, "x_scale": scale.T.copy(), **made.lists}
    data["up"], data["up_scale"], up = weights(random, made, 2 * made.inter, made.dim)
    down = None
    if not made.stage1:
        data["down"], data["down_scale"], down = weights(random, made, made.dim, made.inter)
    buffers = {name: device.buffer(data[name].tobytes() if name in data else buffer["bytes"]) for name, buffer in made.buffers.items()}
    for name, buffer in buffers.items():
        assert buffer.size == made.buffers[name]["bytes"], (name, buffer.size, made.buffers[name])
    made.steps.append(launch.step(kernel, made.arguments, made.grid, os.path.basename(info["object"])))
    for step in made.steps:
        device.run(step, buffers, root)
    want, got = want_of(made, x, up, down), got_of(made, buffers["out"].read())
    for buffer in buffers.values():
        buffer.free()
    return np.linalg.norm(got - want) / np.linalg.norm(want)


def cases(aiter):
    """(name, the check, allowed error): values passed from the first to the second stage have three bits of mantissa."""
    kernels = moe.manifest(aiter)
    for kernel, gelu in sorted({(row["kernelName1"], row["act_type"].endswith("Gelu")) for row in moe.rows(aiter)}):
        allowed = 5e-3 if "stage1" in kernel and "blockscale" not in kernel else 4e-2
        yield f"{kernel}{' gelu' if gelu else ''}", lambda device, root, k=kernel, g=gelu: check(device, root, k, kernels[k], g), allowed

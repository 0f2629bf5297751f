"""Executes paged attention on Kiln's simulator at a small size and compares it with a plain one."""
import numpy as np

import paged
import paged_split
from numbers8 import decode_fp8, from_bf16, to_bf16

X_BYTES = 16


def cache(random, made, element):
    """Bytes of keys and values in the kernels' order, their scales, and what both represent, [page][head][token][128]."""
    shape = (made.pages, made.key_heads, made.tokens, paged.HEAD)
    if element == "bf16":
        raw = to_bf16(random.standard_normal(shape))
        return raw, None, from_bf16(raw.tobytes(), shape)
    if element == "fp8":
        raw = (random.integers(0, 64, shape) | random.integers(0, 2, shape) << 7).astype(np.uint8)
        raw[raw == 0x80] = 0
        value = decode_fp8()[raw]
    else:
        raw = random.integers(-127, 128, shape).astype(np.int8)
        value = raw.astype(np.float32)
        value /= 64
    scale = random.random(shape[:3], np.float32)
    return raw, scale if element == "fp8" else scale / 64, value * scale[..., None]


def check(device, root, kind, row, shared, key_heads, lengths):
    element = row["kvType"]
    made = kind(len(lengths), key_heads * shared, key_heads, lengths, row)
    random = np.random.default_rng(2)
    x = X_BYTES // paged.SIZE[element]
    keys, key_scale, k = cache(random, made, element)
    values, value_scale, v = cache(random, made, element)
    data = {"k": keys.reshape(*keys.shape[:3], paged.HEAD // x, x).transpose(0, 1, 3, 2, 4).tobytes(),
            "v": values.reshape(*values.shape[:2], made.tokens // x, x, paged.HEAD).transpose(0, 1, 2, 4, 3).tobytes(),
            "q": to_bf16(random.standard_normal((len(lengths), made.heads, paged.HEAD))).tobytes()}
    if element != "bf16":
        data.update(k_scale=key_scale.tobytes(), v_scale=value_scale.tobytes())
    data.update({name: values.tobytes() for name, values in made.lists.items()})
    buffers = {name: device.buffer(data[name] if name in data else buffer["bytes"]) for name, buffer in made.buffers.items()}
    for name, buffer in buffers.items():
        assert buffer.size == made.buffers[name]["bytes"], (name, buffer.size, made.buffers[name])
    for step in made.steps:
        device.run(step, buffers, root)
    table = np.array(made.lists["table"])
    columns = [made.columns * i for i in range(len(lengths))] if kind is paged.Paged else made.lists["first_pages"]
    q = from_bf16(data["q"], (len(lengths), made.heads, paged.HEAD))
    want = np.zeros_like(q)
    for i, length in enumerate(lengths):
        pages = table[columns[i]:columns[i] + -(-length // made.tokens)]
        mine = [part[pages].transpose(1, 0, 2, 3).reshape(key_heads, -1, paged.HEAD)[:, :length].repeat(shared, 0) for part in (k, v)]
        scores = np.einsum("hd,htd->ht", q[i], mine[0]) * paged.HEAD ** -0.5
        weights = np.exp(scores - scores.max(-1, keepdims=True))
        want[i] = np.einsum("ht,htd->hd", weights / weights.sum(-1, keepdims=True), mine[1])
    got = from_bf16(buffers["out"].read(), want.shape)
    for buffer in buffers.values():
        buffer.free()
    return np.linalg.norm(got - want) / np.linalg.norm(want)


def cases(aiter):
    """(name, the check, allowed error): the persistent kernels round weights to 8 bits before they are multiplied by the values."""
    for element in paged.SIZE:
        for shared in (8, 16):
            for row in paged.kernels(aiter, element, shared):
                yield f"paged {row['knl_name']}", lambda device, root, r=row, s=shared: check(device, root, paged.Paged, r, s, 3, [1000, 1, 259]), 2e-2
            for row in paged_split.kernels(aiter, element, shared):
                for lengths in ([5000, 1, 1200], [2048] * 200):
                    yield (f"paged {row['knl_name']} x {len(lengths)}",
                           lambda device, root, r=row, s=shared, n=lengths: check(device, root, paged_split.PagedSplit, r, s, 2, n), 5e-2)

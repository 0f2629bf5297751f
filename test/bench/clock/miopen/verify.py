#!/usr/bin/env python3
"""Runs kernels of a folder that build.py made, at small sizes on the simulator, and compares them with numpy.

    verify.py DIR

One configuration is tested for each direction, type, filter and method of accumulation, with the point's own channels, two images and few pixels; for
Winograd and direct ones channels are also few, and in one group.
"""
import json
import os
import sys

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.join(HERE, ".."))

import build  # noqa: E402
import direct  # noqa: E402
import igemm  # noqa: E402
import winograd  # noqa: E402
from device import Device  # noqa: E402

MAKERS = {igemm.SOLVER: build.of_igemm, winograd.SOLVER: build.of_winograd, direct.SOLVER: build.of_direct}
TOLERANCE = {"FP16": 2e-3, "FP32": 1e-5}


class Given:
    """The configuration of a point, instead of the perf-db's."""

    def __init__(self, text):
        self.text = text

    def tuned(self, solver, problem):
        return self.text


def windows(x, p):
    """For each tap, the pixels of the padded input that it is multiplied by."""
    x = np.pad(x, ((0, 0), (0, 0), (p.ph, p.ph), (p.pw, p.pw)))
    for r in range(p.y):
        for s in range(p.x):
            yield r, s, x[:, :, r:r + p.sh * (p.ho - 1) + 1:p.sh, s:s + p.sw * (p.wo - 1) + 1:p.sw]


def wanted(p, data):
    x, w, y = (data[name].astype(float) for name in ("in", "wei", "out"))
    if p.direction == "F":
        return sum(np.einsum("nchw,kc->nkhw", part, w[:, :, r, s]) for r, s, part in windows(x, p))
    if p.direction == "W":
        made = np.zeros(w.shape)
        for r, s, part in windows(x, p):
            made[:, :, r, s] = np.einsum("nchw,nkhw->kc", part, y)
        return made
    padded = np.zeros((p.n, p.c, p.hi + 2 * p.ph, p.wi + 2 * p.pw))
    for r in range(p.y):
        for s in range(p.x):
            padded[:, :, r:r + p.sh * (p.ho - 1) + 1:p.sh, s:s + p.sw * (p.wo - 1) + 1:p.sw] += np.einsum("nkhw,kc->nchw", y, w[:, :, r, s])
    return padded[:, :, p.ph:p.ph + p.hi, p.pw:p.pw + p.wi]


def small(p, few):
    """The key of a problem like p."""
    c, k = (24, 40) if few else (p.c, p.k)
    hi = wi = max(9, p.y + 2, p.x + 2)
    ho, wo = (hi + 2 * p.ph - p.y) // p.sh + 1, (wi + 2 * p.pw - p.x) // p.sw + 1
    read, made = ((c, hi, wi), (k, ho, wo)) if p.direction == "F" else ((k, ho, wo), (c, hi, wi))
    return (f"{read[0]}-{read[1]}-{read[2]}-{p.y}x{p.x}-{made[0]}-{made[1]}-{made[2]}-2-{p.ph}x{p.pw}-{p.sh}x{p.sw}-1x1-0-NCHW-{p.type}-{p.direction}")


def check(device, folder, base, solver, key):
    p = build.Problem(key)
    maker = next(maker for pattern, maker in MAKERS.items() if pattern.match(solver))
    _, (buffers, steps) = maker(base, solver, p, 0)
    number = np.float32 if p.type == "FP32" else np.float16
    random = np.random.default_rng(1)
    shapes = {"in": (p.n, p.c, p.hi, p.wi), "wei": (p.k, p.c, p.y, p.x), "out": (p.n, p.k, p.ho, p.wo)}
    data = {name: random.standard_normal(shape).astype(number) for name, shape in shapes.items()}
    names = {name: name for name in shapes}
    if maker is build.of_winograd:
        names = {"in": "data", "wei": "filter", "out": "out"} if p.direction == "F" else {"in": "out", "wei": "filter", "out": "data"}
    result = igemm.COMPUTED[p.direction]
    # Outputs and gaps are not zero before; kernels may read the page after a buffer.
    held = {name: device.buffer(b"\x3c" * (size + build.PAGE)) for name, size in buffers.items()}
    for name, buffer in names.items():
        if name != result:
            held[buffer].write(data[name].tobytes())
    for step in steps:
        device.run(step, held, folder)
    got = np.frombuffer(held[names[result]].read()[:data[result].nbytes], number).reshape(shapes[result]).astype(float)
    for buffer in held.values():
        buffer.free()
    want = wanted(p, data)
    return np.linalg.norm(got - want) / np.linalg.norm(want), TOLERANCE[p.type], len(steps)


def main():
    folder, device, bad, seen = sys.argv[1], Device(lds="160k"), 0, set()
    with open(os.path.join(folder, "points.jsonl")) as file:
        points = [json.loads(line) for line in file]
    for point in points:
        _, solver, key = point["name"].split("-", 2)
        p = build.Problem(key)
        kernel = next(step for step in point["steps"] if step["kernel"].startswith(("igemm", "miopenSp3", "naive")))
        kind = (solver, p.type, p.direction, p.y > 1, kernel["kernel"].endswith("gkgs"), p.sh)
        if kind in seen or (p.group > 1 and not direct.SOLVER.match(solver)) or (p.dh, p.dw) != (1, 1):
            continue
        seen.add(kind)
        few = igemm.SOLVER.match(solver) is None
        base = Given(point["config"])
        key = small(p, few)
        error, limit, steps = check(device, folder, base, solver, key)
        bad += not error < limit
        print("ok  " if error < limit else "FAIL", solver, key, f"{steps} launches, error {error:.2e}", flush=True)
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())

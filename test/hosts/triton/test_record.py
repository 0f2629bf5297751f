# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""KILN_TUNE_RECORD: what Triton launches is recorded, tuned by the command, and found by it and by later launches. And kiln tune export --format=triton, which
Triton reads."""
import glob
import json
import os
import subprocess
import sys
import tempfile
import unittest

KILN = os.path.join(os.environ["KILN_TEST_PYTHON"], "..", "bin", "kiln")

PROGRAM = """
import sys
import numpy as np
import kiln_triton
kiln_triton.enable(device="sim")
import triton
import triton.language as tl

@triton.jit
def scale(x, out, n, stride, factor, nothing, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i * stride, tl.load(x + i, mask=i < n) * factor, mask=i < n)

@triton.autotune(configs=[triton.Config({"BLOCK": size}, num_warps=1) for size in (64, 128, 256)], key=["n"])
@triton.jit
def tuned(x, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + i, tl.load(x + i, mask=i < n) + 1, mask=i < n)

@triton.jit
def pair(xs, n):
    tl.store(xs[0] + n, 1.0)

blocks = lambda meta: (triton.cdiv(meta["n"], meta["BLOCK"]),)
x, y = np.ones(2048, np.float32), np.zeros(2048, np.float16)
for n in (1000, 2048, 1000):
    scale[blocks](x, y, n, 1, 2.5, None, BLOCK=256)
scale[blocks](x[8:], y, n=1000, stride=1, factor=2.5, nothing=None, BLOCK=256, num_warps=8)
tuned[blocks](x, 2048)
assert len({float(v) for v in x}) == 1, x
scale.warmup(x, y, 3000, 1, 2.5, None, BLOCK=256, grid=(1,))
pair[(1,)]((x, y), 0)
"""

# As TorchInductor does: it compiles a source, and calls the launcher with the arguments, first to time configurations.
DIRECT = """
import sys
import types
import numpy as np
import kiln_triton
kiln_triton.enable(device="sim")
import triton
import triton.language as tl
from kiln_triton.sim import Array
from triton.compiler import ASTSource

@triton.jit
def scale(x, out, n, factor, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n) * factor, mask=i < n)

source = ASTSource(fn=scale, signature={"x": "*fp32", "out": "*fp32", "n": "i32", "factor": "fp32", "BLOCK": "constexpr"}, constexprs={"BLOCK": 64})
kernel = triton.compile(source, options={"num_warps": 1})
written = np.zeros(1000, np.float32)
x, out = Array(np.ones(1000, np.float32)), Array(written)

class CachingAutotuner:
    def bench(self, *args):
        run(*args)

def run(grid, *args):
    kernel.run(grid, 1, 1, 0, kernel.function, kernel.packed_metadata, None, None, None, *args)

kernel._init_handles()
heuristics = types.ModuleType("torch._inductor.runtime.triton_heuristics")
heuristics.CachingAutotuner = CachingAutotuner
sys.modules[heuristics.__name__] = heuristics
CachingAutotuner().bench(1, x, out, 64, 3.0, 64)
run(16, x, out, 1000, 2.5, 64)
run(16, x, out, 1000, 2.5, 64)
kernel[(4, 1, 1)](x, out, 200, 2.5, 64)
kernel[(4, 1, 1)](x, out, 200, 2.5, 64)
assert (written == 2.5).all()
print([tuned.metadata.num_warps for tuned in kernel.run.known.values()] if hasattr(kernel.run, "known") else None)

# Kernels that have been compiled are launched as before, but nothing is recorded any more, where another file has the number of the closed one.
device = triton.runtime.driver.active
kiln_triton.disable()
triton.runtime.driver.set_active(device)
with open(sys.argv[1], "wb"):
    run(8, x, out, 500, 2.5, 64)
"""

FOUND = """
import sys
import numpy as np
import kiln_triton
kiln_triton.enable(device="sim")
import triton
import triton.language as tl

@triton.jit
def scale(x, out, n, factor, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n) * factor, mask=i < n)

blocks = lambda meta: (triton.cdiv(meta["n"], meta["BLOCK"]),)
x = np.arange(4096, dtype=np.float32)
for n in (1000, 1000, 2048, 3000):
    y = np.zeros(4096, np.float16)
    kernel = scale[blocks](x, y, n, 0.5, BLOCK=256)
    assert (y[:n] == (x[:n] * 0.5).astype(np.float16)).all() and not y[n:].any()
    print(n, kernel.metadata.num_warps)
print("own", scale[blocks](x, y, 1000, 0.5, BLOCK=256, num_warps=8).metadata.num_warps)
try:
    scale[blocks](x, y)
except TypeError as error:
    print("missing", "argument" in str(error))
"""

# A parameter that is called like an option, passed by position and by name; no elements; a number that JSON does not have.
UNUSUAL = """
import numpy as np
import kiln_triton
kiln_triton.enable(device="sim")
import triton
import triton.language as tl

@triton.jit
def add(x, n, BLOCK: tl.constexpr, num_warps: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + i, tl.load(x + i, mask=i < n) + num_warps, mask=i < n)

@triton.jit
def scale(x, none, n, factor, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + i, tl.load(x + i, mask=i < n) * factor + tl.load(none + i, mask=i >= BLOCK, other=0.0), mask=i < n)

x = np.zeros(64, np.float32)
print("position", add[(1,)](x, 64, 64, 2).metadata.num_warps)
print("name", add[(1,)](x, 64, BLOCK=64, num_warps=2).metadata.num_warps)
assert (x == 4).all()
print("none", scale[(1,)](x, np.zeros(0, np.float32), 64, 2.0, BLOCK=64).metadata.num_warps)
for _ in range(3):
    scale[(1,)](x, x, 64, float("nan"), BLOCK=64)
"""

# A hook of Triton's launches a kernel while another one is compiled.
HOOKED = """
import signal
import numpy as np
import kiln_triton
kiln_triton.enable(device="sim")
import triton
import triton.language as tl

@triton.jit
def add_one(x, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + i, tl.load(x + i, mask=i < n) + 1, mask=i < n)

@triton.jit
def double(x, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + i, tl.load(x + i, mask=i < n) * 2, mask=i < n)

def hook(*args, **kwargs):
    global hooked
    if not hooked:
        hooked = True
        add_one[(1,)](x, 64, BLOCK=64)

hooked, x = False, np.ones(64, np.float32)
if hasattr(triton, "knobs"):
    triton.knobs.runtime.jit_cache_hook = hook
else:
    triton.JITFunction.cache_hook = hook
signal.alarm(60)
double[(1,)](x, 64, BLOCK=64)
assert hooked and (x == 4).all(), x
"""

TUNED = """
import numpy as np
import kiln_triton
kiln_triton.enable(device="sim")
import triton
import triton.language as tl

@triton.autotune(configs=[triton.Config({"BLOCK": size}, num_warps=1) for size in (64, 128)], key=["n"])
@triton.jit
def add_one(x, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + i, tl.load(x + i, mask=i < n) + 1, mask=i < n)

x = np.ones(1000, np.float32)
add_one[lambda meta: (triton.cdiv(1000, meta["BLOCK"]),)](x, 1000)
assert (x == 2).all() or (x > 2).all()
print(add_one.best_config)
"""

TILE_C = """
[[grid(cdiv(n, BLOCK))]]
kernel void add_one(f32 *x, i32 n, constexpr i32 BLOCK)
{
    i32 i[BLOCK] = program_id(0) * BLOCK + range(BLOCK);
    store(x + i, load(x + i, i < n) + 1, i < n);
}
"""


def run(*words, **variables):
    return subprocess.run(words, capture_output=True, text=True, env={**os.environ, **variables})


class Record(unittest.TestCase):

    def test(self):
        with tempfile.TemporaryDirectory() as directory:
            file, store, program = (os.path.join(directory, name) for name in ("launches.jsonl", "cache", "program.py"))
            with open(program, "w") as out:
                out.write(PROGRAM)
            result = run(sys.executable, program, KILN_TUNE_RECORD=file)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertIn("a launch of 'pair' is not recorded: argument 'xs' is a tuple", result.stderr)
            with open(file) as lines:
                problems = [json.loads(line) for line in lines]
            names = [argument["name"] for argument in problems[0]["arguments"]]
            self.assertIn(names, (["x", "out", "n", "factor"], ["arg0", "arg1", "arg2", "arg3"]))  # Triton 3.3's TTIR has no names
            key = lambda n: ",".join(sorted([f"{names[2]}={n}", f"{names[3]}=2.5"]))
            self.assertEqual([problem["tuning_arguments"] for problem in problems[:3]], [key(1000) + " grid=4", key(2048) + " grid=8", key(1000) + " grid=4"])
            self.assertEqual(len(problems), 4)
            self.assertEqual([problem["settings"].get("num_warps") for problem in problems], [None, None, "8", "1"])
            x, out, n, factor = problems[2]["arguments"]
            self.assertEqual((x["bytes"], x["type"], out["bytes"], out["type"]), (2040 * 4, "*fp32", 4096, "*fp16"))
            self.assertEqual((n["integer"], n["divisibility"], factor["real"]), (1000, 0, 2.5))

            result = run(KILN, "tune", "--from", file, "--axis", "num_warps=1,2,4", "--device=sim", "--cache-dir", store)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertEqual(result.stdout.count("best: num_warps="), 4, result.stdout)

            ttir = os.path.join(directory, "scale.ttir")
            with open(ttir, "w") as out:
                out.write(problems[1]["source"])
            result = run(KILN, "bench", ttir, f"{names[0]}=f32[2048]", f"{names[1]}=f16[2048]", f"{names[2]}=2048", f"{names[3]}=2.5", "--grid=8", "--device=sim", "--cache-dir", store)
            self.assertIn("(tuned)", result.stdout, result.stderr)

    def test_found(self):
        """The next run of a program uses what was found for its launches."""
        with tempfile.TemporaryDirectory() as directory:
            file, store, program, empty = (os.path.join(directory, name) for name in ("launches.jsonl", "cache", "program.py", "empty"))
            with open(program, "w") as out:
                out.write(FOUND)
            result = run(sys.executable, program, KILN_TUNE_RECORD=file, KILN_CACHE_DIR=store)
            self.assertEqual(result.returncode, 0, result.stderr)
            with open(file) as lines:
                kept = [text for text in lines if '"integer": 3000' not in text and '"num_warps"' not in text]
            self.assertEqual(len(kept), 2)
            with open(file, "w") as out:
                out.writelines(kept)
            result = run(KILN, "tune", "--from", file, "--axis", "num_warps=1,2", "--device=sim", "--cache-dir", store)
            self.assertEqual(result.stdout.count("best: num_warps="), 2, result.stderr)
            best = [line.split("=")[1] for line in result.stdout.splitlines() if line.startswith("best: ")]

            expected = ["1000 " + best[0], "1000 " + best[0], "2048 " + best[1], "3000 4", "own 8", "missing True"]
            result = run(sys.executable, program, KILN_CACHE_DIR=store, KILN_LOG="1")
            self.assertEqual(result.stdout.splitlines(), expected, result.stderr)
            told = [line for line in result.stderr.splitlines() if line.startswith("kiln: scale: ")]
            self.assertEqual(len(told), 4, result.stderr)
            self.assertEqual(told[0], "kiln: scale: tuned settings: num_warps=" + best[0])
            self.assertIn("kiln: scale: no tuned settings: no tuning result for ", told[2])
            self.assertTrue(told[3].endswith("; the call itself sets num_warps"), told[3])

            result = run(sys.executable, program, KILN_CACHE_DIR=store, KILN_TUNED="near", KILN_LOG="1")
            self.assertIn("3000 " + best[0] if "nearest problem, factor=0.5,n=1000" in result.stderr else "3000 4", result.stdout)
            result = run(sys.executable, program, KILN_CACHE_DIR=store, KILN_TUNED="default")
            self.assertEqual([line.split()[1] for line in result.stdout.splitlines()[:4]], ["4"] * 4)
            result = run(sys.executable, program, KILN_CACHE_DIR=empty, KILN_TUNE_STORES=os.path.join(store, "tune.db"))
            self.assertEqual(result.stdout.splitlines(), expected, result.stderr)
            path = os.path.join(store, "tune.db")
            with open(path, "r+b") as out:  # a database whose tables cannot be read
                out.seek(4096)
                out.write(bytes(os.path.getsize(path) - 4096))
            result = run(sys.executable, program, KILN_CACHE_DIR=store)
            self.assertIn("a launch of 'scale' does not use tuned settings", result.stderr)
            self.assertIn("1000 4", result.stdout)
            self.assertNotEqual(run(sys.executable, program, KILN_CACHE_DIR=store, KILN_CACHE_MODE="require").returncode, 0)
            with open(path, "w") as out:
                out.write("no database" * 99)
            result = run(sys.executable, program, KILN_CACHE_DIR=store)
            self.assertIn("launches do not use tuned settings", result.stderr)
            self.assertIn("1000 4", result.stdout)
            self.assertNotEqual(run(sys.executable, program, KILN_CACHE_DIR=store, KILN_CACHE_MODE="require").returncode, 0)

    def test_unusual(self):
        with tempfile.TemporaryDirectory() as directory:
            file, store, program = (os.path.join(directory, name) for name in ("launches.jsonl", "cache", "program.py"))
            with open(program, "w") as out:
                out.write(UNUSUAL)
            result = run(sys.executable, program, KILN_TUNE_RECORD=file, KILN_CACHE_DIR=store)
            self.assertEqual(result.returncode, 0, result.stderr)
            result = run(KILN, "tune", "--from", file, "--axis", "num_warps=1", "--device=sim", "--cache-dir", store)
            self.assertEqual(result.returncode, 0, result.stderr)
            result = run(sys.executable, program, KILN_CACHE_DIR=store, KILN_LOG="1")
            self.assertEqual(result.returncode, 0, result.stderr)
            options = [line.split()[1] for line in result.stdout.splitlines()]
            self.assertEqual((options[0], options[2]), (options[1], "1"), result.stderr)
            self.assertEqual(result.stderr.count("kiln: scale: no tuned settings: argument 'factor' is nan"), 1, result.stderr)

    def test_launch_in_a_hook(self):
        with tempfile.TemporaryDirectory() as directory:
            file, store, program = (os.path.join(directory, name) for name in ("launches.jsonl", "cache", "program.py"))
            with open(program, "w") as out:
                out.write(HOOKED)
            result = run(sys.executable, program, KILN_TUNE_RECORD=file, KILN_CACHE_DIR=store)
            self.assertEqual(result.returncode, 0, result.stderr)
            result = run(KILN, "tune", "--from", file, "--axis", "num_warps=1", "--device=sim", "--cache-dir", store)
            self.assertEqual(result.stdout.count("best: num_warps=1"), 2, result.stderr)
            result = run(sys.executable, program, KILN_CACHE_DIR=store, KILN_LOG="1")
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertEqual(result.stderr.count("tuned settings: num_warps=1"), 2, result.stderr)

    def test_without_jit_function(self):
        with tempfile.TemporaryDirectory() as directory:
            file, store, program, other = (os.path.join(directory, name) for name in ("launches.jsonl", "cache", "program.py", "other"))
            with open(program, "w") as out:
                out.write(DIRECT)
            result = run(sys.executable, program, other, KILN_TUNE_RECORD=file)
            self.assertEqual(result.returncode, 0, result.stderr)
            with open(file) as lines:
                problems = [json.loads(line) for line in lines]
            self.assertEqual(os.path.getsize(other), 0)
            names = [argument["name"] for argument in problems[0]["arguments"]]
            key = lambda n: ",".join(sorted([f"{names[2]}={n}", f"{names[3]}=2.5"]))
            self.assertEqual([problem["tuning_arguments"] for problem in problems], [key(1000) + " grid=16", key(200) + " grid=4"])
            self.assertEqual([problem["settings"] for problem in problems], [{}, {}])
            self.assertEqual(run(sys.executable, program, other, KILN_CACHE_DIR=store).stdout.strip(), "None")
            result = run(KILN, "tune", "--from", file, "--axis", "num_warps=2,4", "--device=sim", "--cache-dir", store)
            best = [line.split("=")[1] for line in result.stdout.splitlines() if line.startswith("best: num_warps=")]
            self.assertEqual(len(best), 2, result.stderr)
            result = run(sys.executable, program, other, KILN_CACHE_DIR=store, KILN_LOG="1")
            self.assertEqual(result.stdout.strip(), f"[{best[0]}, {best[1]}]", result.stderr)
            told = [line for line in result.stderr.splitlines() if "tuned settings" in line]
            self.assertEqual(told, [f"kiln: scale: tuned settings: num_warps={warps}" for warps in best])
            result = run(sys.executable, program, other, KILN_CACHE_DIR=store, KILN_TUNE_RECORD=file + "2")
            self.assertEqual(result.returncode, 0, result.stderr)
            with open(file) as first, open(file + "2") as second:  # the same, whatever is launched in its place
                self.assertEqual(first.read(), second.read())

    def test_unwritable(self):
        result = run(sys.executable, "-c", "import kiln_triton; kiln_triton.enable(device='sim')", KILN_TUNE_RECORD="/none/launches.jsonl")
        self.assertIn("/none/launches.jsonl", result.stderr)
        self.assertNotEqual(result.returncode, 0)

    def test_exported_cache(self):
        """Triton takes the best of an exported file in place of its own."""
        with tempfile.TemporaryDirectory() as directory:
            program, source, store = (os.path.join(directory, name) for name in ("program.py", "add_one.tile.c", "tune.db"))
            for path, text in ((program, TUNED), (source, TILE_C)):
                with open(path, "w") as out:
                    out.write(text)
            variables = {"TRITON_HOME": directory, "TRITON_CACHE_AUTOTUNING": "1"}
            result = run(sys.executable, program, **variables)
            self.assertEqual(result.returncode, 0, result.stderr)
            caches = glob.glob(os.path.join(directory, ".triton", "cache", "*", "add_one.autotune.json"))
            if not caches:
                self.skipTest("this Triton keeps no autotune cache")
            result = run(KILN, "tune", source, "n=1000", "x=f32[n]", "--device=sim", "--store", store, "--axis", "BLOCK=32,512", "--axis", "num_warps=2,8", "--axis",
                         "waves_per_eu=1,2")
            self.assertEqual(result.returncode, 0, result.stderr)
            result = run(KILN, "tune", "export", caches[0], "add_one", "--format=triton", "--store", store)
            self.assertEqual(result.returncode, 0, result.stderr)
            with open(caches[0]) as file:
                best, _ = min(json.load(file)["configs_timings"], key=lambda row: row[1])
            result = run(sys.executable, program, **variables)
            self.assertEqual(result.returncode, 0, result.stderr)
            for word in (f"BLOCK: {best['kwargs']['BLOCK']}", f"waves_per_eu: {best['kwargs']['waves_per_eu']}", f"num_warps: {best['num_warps']}"):
                self.assertIn(word, result.stdout)


if __name__ == "__main__":
    unittest.main()

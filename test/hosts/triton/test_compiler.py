# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Triton's features of compilation, with Kiln as the compiler: caches, hashes, options, dumps, overrides, hooks, warmup, autotuning, threads, processes."""
import concurrent.futures
import contextlib
import glob
import json
import multiprocessing
import os
import subprocess
import sys
import tempfile
import unittest
import warnings

import numpy as np

import kiln_triton

kiln_triton.enable(device="sim")

import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

from kiln_triton import _library

VERSION = tuple(int(part) for part in triton.__version__.split(".")[:2])
TARGET = GPUTarget("hip", "gfx942", 64)


@triton.jit
def scale(x, out, factor, BLOCK: tl.constexpr):  # LLVM writes a name `y` without quotes, and reads it as a boolean
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i) * factor)


@triton.jit
def total(x, y, BLOCK: tl.constexpr):
    tl.store(y, tl.sum(tl.load(x + tl.arange(0, BLOCK)), axis=0))


@triton.jit
def narrow(x, out, scale, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, (tl.load(x + i) * scale).to(out.dtype.element_ty))


def arrays(count=256):
    return np.arange(count, dtype=np.float32), np.zeros(count, np.float32)


@contextlib.contextmanager
def environment(**variables):
    """Sets environment variables; a different cache folder hides what was cached before."""
    old = {name: os.environ.get(name) for name in variables}
    try:
        os.environ.update({name: str(value) for name, value in variables.items()})
        yield
    finally:
        for name, value in old.items():
            os.environ.pop(name) if value is None else os.environ.__setitem__(name, value)


class Calls:
    """Counts and records Kiln's compilations."""

    def __enter__(self):
        self.options, self.real = [], _library.compile

        def compile(text, stage, name, options, bitcode=()):
            self.options.append({**options, "stage": stage, "text": text})
            return self.real(text, stage, name, options, bitcode)

        _library.compile = compile
        return self

    def __exit__(self, *error):
        _library.compile = self.real


def fresh(function):
    """The same kernel without the forms that this process has compiled."""
    return triton.jit(function.fn)


class Caches(unittest.TestCase):

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        change = environment(TRITON_CACHE_DIR=self.folder)
        change.__enter__()
        self.addCleanup(change.__exit__, None, None, None)

    def test_both_caches(self):
        x, y = arrays()
        with Calls() as calls:
            scale_now = fresh(scale)
            first = scale_now[(1,)](x, y, 2.0, BLOCK=256)
            self.assertIs(scale_now[(1,)](x, y, 3.0, BLOCK=256), first)  # in memory
            np.testing.assert_array_equal(y, 3 * x)
            again = fresh(scale)[(1,)](x, y, 4.0, BLOCK=256)  # on disk
            np.testing.assert_array_equal(y, 4 * x)
            self.assertEqual(len(calls.options), 1)
            self.assertEqual(again.metadata, first.metadata)
            self.assertEqual(again.asm["amdgcn"], first.asm["amdgcn"])
            with environment(TRITON_ALWAYS_COMPILE=1):
                fresh(scale)[(1,)](x, y, 4.0, BLOCK=256)
            self.assertEqual(len(calls.options), 2)
        files = {name.split(".")[-1] for name in glob.glob(f"{self.folder}/*/scale.*")}
        self.assertLessEqual({"ttir", "ttgir", "llir", "amdgcn", "hsaco", "json"}, files)
        with open(glob.glob(f"{self.folder}/*/scale.json")[0]) as file:
            metadata = json.load(file)
        self.assertEqual(metadata["kiln"], f"{kiln_triton.version()} {kiln_triton.build_id()}")
        self.assertEqual((metadata["name"], metadata["num_warps"], metadata["warp_size"]), ("scale", 4, 64))

    def test_hash(self):
        """Kiln uses neither what Triton has cached nor what another build of Kiln has."""
        from kiln_triton.backend import KilnBackend, TritonBackend
        self.assertTrue(issubclass(KilnBackend, TritonBackend))
        self.assertIn(kiln_triton.build_id(), KilnBackend(TARGET).hash())
        self.assertGreater(len(kiln_triton.build_id()), 20)

    def test_options(self):
        x, y = arrays()
        cases = [("num_warps", 2), ("num_stages", 3), ("waves_per_eu", 2), ("matrix_instr_nonkdim", 16), ("kpack", 2), ("enable_fp_fusion", False),
                 ("allow_flush_denorm", True)]
        with Calls() as calls:
            seen = {fresh(scale)[(1,)](x, y, 2.0, BLOCK=256).hash}
            for name, value in cases:
                kernel = fresh(scale)[(1,)](x, y, 2.0, BLOCK=256, **{name: value})
                self.assertNotIn(kernel.hash, seen)
                seen.add(kernel.hash)
                self.assertEqual(calls.options[-1][name], value)
                self.assertEqual(getattr(kernel.metadata, name), value)
        with self.assertRaisesRegex(KeyError, "no_such_option"):
            scale[(1,)](x, y, 2.0, BLOCK=256, no_such_option=1)

    def test_binary_only(self):
        x, y = arrays()
        with environment(TRITON_STORE_BINARY_ONLY=1), Calls() as calls:
            kernel = fresh(scale)[(1,)](x, y, 2.0, BLOCK=256)
        np.testing.assert_array_equal(y, 2 * x)
        self.assertEqual((calls.options[0]["keep_stages"], "amdgcn" in kernel.asm), (0, False))

    def test_line_info(self):
        x, y = arrays()
        self.assertRegex(fresh(scale)[(1,)](x, y, 2.0, BLOCK=256).asm["amdgcn"], r"\.file.*test_compiler\.py")
        with environment(TRITON_DISABLE_LINE_INFO=1):
            self.assertNotIn("test_compiler.py", fresh(scale)[(1,)](x, y, 2.0, BLOCK=256).asm["amdgcn"])

    def test_dump_and_override(self):
        x, y = arrays()
        dump, override = f"{self.folder}/dump", f"{self.folder}/override"
        with environment(TRITON_KERNEL_DUMP=1, TRITON_DUMP_DIR=dump, TRITON_ALWAYS_COMPILE=1):
            fresh(scale)[(1,)](x, y, 2.0, BLOCK=256)
        (folder,) = glob.glob(f"{dump}/*")
        self.assertLessEqual({f"scale.{stage}" for stage in ("ttir", "ttgir", "llir", "amdgcn", "hsaco")}, set(os.listdir(folder)))
        mine = f"{override}/{os.path.basename(folder)}"

        def overridden(stage, change):
            os.makedirs(mine)
            with open(f"{folder}/scale.{stage}") as file, open(f"{mine}/scale.{stage}", "w") as out:
                text = file.read()
                self.assertNotEqual(change(text), text)
                out.write(change(text))
            with environment(TRITON_KERNEL_OVERRIDE=1, TRITON_OVERRIDE_DIR=override, TRITON_ALWAYS_COMPILE=1):
                fresh(scale)[(1,)](x, y, 2.0, BLOCK=256)
            os.remove(f"{mine}/scale.{stage}")
            os.rmdir(mine)

        overridden("ttir", lambda text: text.replace("arith.mulf", "arith.addf"))
        np.testing.assert_array_equal(y, x + 2)
        overridden("ttgir", lambda text: text.replace("arith.mulf", "arith.subf"))
        np.testing.assert_array_equal(y, x - 2)
        if VERSION >= (3, 5):  # before, Triton assembles with ROCm's lld
            overridden("amdgcn", lambda text: text.replace("v_mul_f32", "v_add_f32").replace("v_pk_mul_f32", "v_pk_add_f32"))
            np.testing.assert_array_equal(y, x + 2)

    def test_ir_files(self):
        """triton.compile of a .ttir and of a .ttgir file."""
        x, y = arrays()
        kernel = fresh(scale)[(1,)](x, y, 2.0, BLOCK=256)
        for stage in ("ttir", "ttgir"):
            path = f"{self.folder}/scale.{stage}"
            with open(path, "w") as file:
                file.write(kernel.asm[stage])
            compiled = triton.compile(path, target=TARGET)
            self.assertEqual(compiled.metadata.name, "scale")
            self.assertTrue(compiled.metadata.kiln)
            self.assertIn("buffer_store" if "buffer_store" in kernel.asm["amdgcn"] else "global_store", compiled.asm["amdgcn"])

    def test_dumps_of_passes(self):
        program = f"""
import sys; sys.path.insert(0, {os.path.dirname(__file__)!r})
import test_compiler as t
x, y = t.arrays()
t.scale[(1,)](x, y, 2.0, BLOCK=256)
"""
        run = lambda **variables: subprocess.run([sys.executable, "-c", program], env={**os.environ, "TRITON_ALWAYS_COMPILE": "1", **variables},
                                                 capture_output=True, text=True)
        result = run(MLIR_ENABLE_DUMP="scale", AMDGCN_ENABLE_DUMP="1")
        self.assertIn("IR Dump Before coalesce", result.stderr)
        self.assertIn("AMDGCN Dump", result.stdout)
        self.assertIn("s_endpgm", result.stdout)
        path = f"{self.folder}/passes.txt"
        result = run(MLIR_ENABLE_DUMP="1", MLIR_DUMP_PATH=path)
        self.assertNotIn("coalesce", result.stderr)
        with open(path) as file:
            self.assertIn("IR Dump After coalesce", file.read())


TOO_LARGE = """
#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [64], warpsPerCTA = [4], order = [0]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @too_large(%x: !tt.ptr<f32>) {
    %range = tt.make_range {end = 32768 : i32, start = 0 : i32} : tensor<32768xi32, #blocked>
    %base = tt.splat %x : !tt.ptr<f32> -> tensor<32768x!tt.ptr<f32>, #blocked>
    %at = tt.addptr %base, %range : tensor<32768x!tt.ptr<f32>, #blocked>, tensor<32768xi32, #blocked>
    %values = tt.load %at : tensor<32768x!tt.ptr<f32>, #blocked>
    %buffer = ttg.local_alloc %values : (tensor<32768xf32, #blocked>) -> !ttg.memdesc<32768xf32, #shared, #smem>
    %again = ttg.local_load %buffer : !ttg.memdesc<32768xf32, #shared, #smem> -> tensor<32768xf32, #blocked>
    tt.store %at, %again : tensor<32768x!tt.ptr<f32>, #blocked>
    tt.return
  }
}
"""


class Refusals(unittest.TestCase):

    def test_too_much_lds(self):
        with open("too_large.ttgir", "w") as file:
            file.write(TOO_LARGE)
        with self.assertRaisesRegex(triton.runtime.errors.OutOfResources, "shared memory, Required: 131072, Hardware limit: 65536"):
            triton.compile("too_large.ttgir", target=TARGET)

    def test_left_to_triton(self):
        x, y = arrays()
        lld = {} if VERSION >= (3, 5) else {"TRITON_HIP_LLD_PATH": "/usr/lib/llvm-22/bin/ld.lld"}
        with tempfile.TemporaryDirectory() as folder, environment(KILN_TRITON_FALLBACK="warn", TRITON_CACHE_DIR=folder, **lld):
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("default")
                kernel = fresh(scale)[(1,)](x, y, 2.0, BLOCK=256, extern_libs={"mine": os.devnull})
                fresh(scale)[(1,)](x, y, 2.0, BLOCK=256, extern_libs={"mine": os.devnull})
            caught = [warning for warning in caught if issubclass(warning.category, kiln_triton.FallbackWarning)]
        np.testing.assert_array_equal(y, 2 * x)
        self.assertEqual(len(caught), 1)
        self.assertIn("scale", str(caught[0].message))
        self.assertIn("'/dev/null' is not bitcode", str(caught[0].message))
        self.assertIn("refused: ", kernel.metadata.kiln)

    def test_error_instead(self):
        x, y = arrays()
        with environment(KILN_TRITON_FALLBACK="error"), self.assertRaisesRegex(kiln_triton.Refused, "'/dev/null' is not bitcode"):
            fresh(scale)[(1,)](x, y, 2.0, BLOCK=256, extern_libs={"mine": os.devnull})

    def test_other_processors(self):
        source = ASTSource(fn=scale, signature={"x": "*fp32", "out": "*fp32", "factor": "fp32", "BLOCK": "constexpr"}, constexprs={"BLOCK": 128})
        with environment(KILN_TRITON_FALLBACK="error"), self.assertRaisesRegex(kiln_triton.Refused, "unsupported architecture 'gfx950'; expected gfx942"):
            triton.compile(source, target=GPUTarget("hip", "gfx950", 64))

    def test_front_end_errors_stay(self):

        @triton.jit
        def wrong(x):
            tl.store(x, no_such_name)

        with self.assertRaisesRegex(Exception, "no_such_name is not defined"):
            wrong[(1,)](arrays()[0])


class Tools(unittest.TestCase):

    def test_warmup(self):
        kernel = scale.warmup(arrays()[0], arrays()[1], 2.0, BLOCK=256, grid=(1,))
        self.assertIn("hsaco", kernel.asm)
        with self.subTest("without a device"):
            source = ASTSource(fn=scale, signature={"x": "*fp32", "out": "*fp32", "factor": "fp32", "BLOCK": "constexpr"}, constexprs={"BLOCK": 128})
            self.assertTrue(triton.compile(source, target=TARGET).metadata.kiln)

    def test_launch_hooks(self):
        x, y = arrays()
        events = []

        def describe(grid, metadata, arguments):
            return {"name": f"{metadata.name}<{grid}>", "bytes": arguments["x"].array.nbytes}

        described = triton.jit(scale.fn, launch_metadata=describe)
        enter, leave = (lambda lazy: events.append(("enter", lazy.get()))), (lambda lazy: events.append(("leave", lazy.get()["name"])))
        if VERSION < (3, 4):
            from triton.compiler import CompiledKernel
            CompiledKernel.launch_enter_hook, CompiledKernel.launch_exit_hook = enter, leave
            restore = lambda: [setattr(CompiledKernel, name, None) for name in ("launch_enter_hook", "launch_exit_hook")]
        elif hasattr(triton.knobs.runtime.launch_enter_hook, "add"):
            hooks = triton.knobs.runtime
            hooks.launch_enter_hook.add(enter), hooks.launch_exit_hook.add(leave)
            restore = lambda: (hooks.launch_enter_hook.remove(enter), hooks.launch_exit_hook.remove(leave))
        else:
            hooks = triton.knobs.runtime
            hooks.launch_enter_hook, hooks.launch_exit_hook = enter, leave
            restore = lambda: [setattr(hooks, name, None) for name in ("launch_enter_hook", "launch_exit_hook")]
        try:
            described[(1,)](x, y, 2.0, BLOCK=256)
        finally:
            restore()
        self.assertEqual([event[0] for event in events], ["enter", "leave"])
        self.assertEqual(events[0][1]["bytes"], 1024)
        self.assertRegex(events[0][1]["name"], r"scale<\(1,.*\)>")

    def test_without_a_gpu(self):
        """The device is the GPU by default; compiling for it does not need one."""
        program = f"""
import kiln_triton, os; kiln_triton.enable()
import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource
import sys; sys.path.insert(0, {os.path.dirname(__file__)!r})
from gpu_kernel import scale
source = ASTSource(fn=scale, signature={{"x": "*fp32", "out": "*fp32", "BLOCK": "constexpr"}}, constexprs={{"BLOCK": 128}})
print(triton.compile(source, target=GPUTarget("hip", "gfx942", 64)).metadata.kiln, os.environ["KILN_TRITON_DEVICE"], triton.backends.backends["amd"].driver.__name__)
"""
        variables = {name: value for name, value in os.environ.items() if not name.startswith("KILN_TRITON")}
        done = subprocess.run([sys.executable, "-c", program], env=variables, capture_output=True, text=True)
        self.assertEqual(done.stdout.split(), [kiln_triton.version(), kiln_triton.build_id(), "hip", "HIPDriver"], done.stderr)

    @unittest.skipIf(VERSION < (3, 6), "Gluon was another language before")
    def test_gluon(self):
        """Its ttgir comes from Triton; the later stages are Kiln's."""
        from gluon_kernel import swap
        x, y = arrays(1024)
        with Calls() as calls:
            kernel = swap[(1,)](x, y, N=1024)
        np.testing.assert_array_equal(y, 2 * x)
        self.assertEqual((len(calls.options), calls.options[0]["stage"], kernel.metadata.shared), (1, _library.Stage.TTG, 4096))

    @unittest.skipIf(VERSION < (3, 6), "the hook came with Triton 3.6")
    def test_stages_hook(self):
        x, y = arrays()
        seen = []

        def inspect(self=None, stages=None, options=None, language=None, capability=None):
            if stages is None:
                return "key", "hash"
            seen.extend(stages)

        triton.knobs.runtime.add_stages_inspection_hook = inspect
        try:
            with environment(TRITON_ALWAYS_COMPILE=1):
                fresh(scale)[(1,)](x, y, 2.0, BLOCK=256)
        finally:
            triton.knobs.runtime.add_stages_inspection_hook = None
        self.assertEqual(seen, ["ttir", "ttgir", "llir", "amdgcn", "hsaco"])

    def test_autotune(self):
        """Autotuning by predicted time makes the same choice each time; configurations that need too many resources are skipped."""
        x, y = arrays(4096)
        configs = [triton.Config({"BLOCK": 64}, num_warps=1), triton.Config({"BLOCK": 1024}, num_warps=4), triton.Config({"BLOCK": 1024}, num_warps=32)]
        tuned = triton.autotune(configs=configs, key=["n"])(triton.jit(tuned_scale))
        tuned[lambda meta: (triton.cdiv(4096, meta["BLOCK"]),)](x, y, 2.0, 4096)
        np.testing.assert_array_equal(y, 2 * x)
        times = {config.num_warps: time if isinstance(time, float) else time[0] for config, time in tuned.configs_timings.items()}
        self.assertEqual(times[32], float("inf"))
        self.assertTrue(0 < times[1] < 1 and 0 < times[4] < 1, times)
        self.assertEqual(tuned.best_config.num_warps, 1 if times[1] <= times[4] else 4)

    def test_do_bench(self):
        x, y = arrays(4096)
        launch = lambda: scale[(16,)](x, y, 2.0, BLOCK=256)
        times = [triton.testing.do_bench(launch) for _ in range(2)]
        self.assertEqual(times[0], times[1])
        self.assertTrue(0 < times[0] < 1, times)

    def test_threads(self):
        """Kernels compile concurrently, each thread with its own session."""

        def work(number):
            x, y = arrays()
            with environment():
                kernel = fresh(scale).warmup(x, y, 2.0, BLOCK=64 * 2**(number % 4), num_warps=2**(number % 3), grid=(1,))
            return len(kernel.asm["hsaco"])

        with tempfile.TemporaryDirectory() as folder, environment(TRITON_CACHE_DIR=folder), Calls() as calls:
            with concurrent.futures.ThreadPoolExecutor(4) as pool:
                self.assertTrue(all(pool.map(work, range(12))))
            self.assertEqual(len(calls.options), 12)

    @unittest.skipIf(VERSION < (3, 5), "AsyncCompileMode came with Triton 3.5")
    def test_async_compile(self):
        x, y = arrays()
        with tempfile.TemporaryDirectory() as folder, environment(TRITON_CACHE_DIR=folder):
            with concurrent.futures.ThreadPoolExecutor(2) as pool, triton.AsyncCompileMode(pool):
                kernels = [fresh(scale).warmup(x, y, 2.0, BLOCK=block, grid=(1,)) for block in (64, 128, 256)]
                self.assertTrue(all(kernel.result().metadata.kiln for kernel in kernels))

    def test_processes(self):
        """Forked workers keep the effects of enable(); spawned ones get them on import."""
        for method in ("fork", "spawn"):
            with self.subTest(method=method), tempfile.TemporaryDirectory() as folder:
                total.warmup(arrays()[0], arrays()[1], BLOCK=256, grid=(1,))  # this process has a session
                with concurrent.futures.ProcessPoolExecutor(2, mp_context=multiprocessing.get_context(method)) as pool:
                    made = list(pool.map(compile_total, [folder] * 3, (64, 128, 256)))
                self.assertEqual({kiln for kiln, block in made}, {f"{kiln_triton.version()} {kiln_triton.build_id()}"})

    def test_disable(self):
        from triton.backends import backends
        from triton.backends.amd import compiler
        kilns = backends["amd"].compiler
        self.assertIs(compiler.HIPBackend, kilns)
        kiln_triton.disable()
        try:
            self.assertFalse(kiln_triton.is_enabled())
            self.assertNotIn("KILN_TRITON", os.environ)
            self.assertIsNot(backends["amd"].compiler, kilns)
            self.assertEqual(compiler.HIPBackend.__module__, "triton.backends.amd.compiler")
        finally:
            kiln_triton.enable(device="sim")
        self.assertIs(backends["amd"].compiler, kilns)
        with self.assertRaisesRegex(ValueError, "'cpu'"):
            kiln_triton.enable(device="cpu")

    def test_options_made_by_hand(self):
        """As in TransformerEngine's extensions of JAX for ROCm: HIPOptions that contain the target, passed as a dictionary; all arguments but pointers are constants."""
        import triton.backends.amd.compiler as hip
        fp8 = ("fp8e4b8", "fp8e4nv", "fp8e5", "fp8e5b16")
        options = hip.HIPOptions(num_warps=8, num_stages=1, num_ctas=1, debug=False, enable_fp_fusion=False, arch="gfx942", supported_fp8_dtypes=fp8, waves_per_eu=2)
        source = ASTSource(fn=narrow, signature={"x": "*fp32", "out": "*fp8e4b8", "scale": "constexpr", "BLOCK": "constexpr"}, constexprs={"scale": 0.5, "BLOCK": 512})
        with tempfile.TemporaryDirectory() as cache, environment(TRITON_CACHE_DIR=cache), Calls() as calls:
            kernel = triton.compile(source, target=GPUTarget("hip", "gfx942", warp_size=64), options=options.__dict__)
        self.assertEqual([(each["arch"], each["num_warps"], each["waves_per_eu"], each["enable_fp_fusion"]) for each in calls.options], [("gfx942", 8, 2, False)])
        self.assertEqual((kernel.name, kernel.metadata.num_warps, kernel.metadata.shared), ("narrow", 8, 0))
        self.assertEqual(kernel.asm["hsaco"][:4], b"\x7fELF")

    def test_other_hosts(self):
        """Creates a back end by name and calls its stages one by one, as jax-triton does."""
        import triton.backends.amd.compiler as hip
        from kiln_triton.backend import TritonBackend
        from triton._C.libtriton import ir
        backend = hip.HIPBackend(TARGET)
        self.assertIsInstance(backend, TritonBackend)
        options, metadata = backend.parse_options({"num_warps": 4}), {"num_warps": 4, "num_ctas": 1}
        path = os.path.join(os.getcwd(), "other.ttir")
        with open(path, "w") as file:
            file.write(scale.warmup(arrays()[0], arrays()[1], 2.0, BLOCK=256, grid=(1,)).asm["ttir"])
        context = ir.context()
        ir.load_dialects(context)
        backend.load_dialects(context)
        module = ir.parse_mlir_module(path, context)
        module.context = context
        for stage in (backend.make_ttir, backend.make_ttgir, backend.make_llir, backend.make_amdgcn, backend.make_hsaco):
            module = stage(module, metadata, options)
        self.assertEqual(module[:4], b"\x7fELF")
        self.assertEqual((metadata["name"], metadata["shared"]), ("scale", 0))


def tuned_scale(x, y, factor, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + i, mask=i < n) * factor, mask=i < n)


def compile_total(folder, block):
    with environment(TRITON_CACHE_DIR=folder):
        kernel = total.warmup(arrays()[0], arrays()[1], BLOCK=block, grid=(1,))
        return kernel.metadata.kiln, block


if __name__ == "__main__":
    unittest.main()

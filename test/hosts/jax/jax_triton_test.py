# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""jax-triton with Kiln: lowers a function for ROCm, with Kiln as the compiler of its kernels, and runs its custom calls by the function of JAX's plugin
for ROCm that XLA would call, with the simulator as libamdhip64.so.7.

Note that jax-triton and the plugin query HIP for the GPU while they lower, so the simulator must be the loader's HIP library (run.sh).
"""
import ctypes
import os
import tempfile
import unittest.mock
import zlib

import kiln_triton
kiln_triton.enable()

import jax
import jax.numpy as jnp
import jax_triton
import numpy as np
import triton
import triton.language as tl
from jax_rocm7_plugin import _triton as plugin
from jaxlib.mlir import ir
from triton.backends.amd import compiler as hip_backend
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource, make_backend

hip = ctypes.CDLL("libamdhip64.so.7")


@triton.jit
def add_kernel(x, y, n, z, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(z + i, tl.load(x + i, mask=i < n) + tl.load(y + i, mask=i < n), mask=i < n)


@triton.autotune([triton.Config({"BLOCK": block}) for block in (128, 256)], key=["n"])
@triton.jit
def scale_kernel(x, factor, n, z, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(z + i, tl.load(x + i, mask=i < n) * factor, mask=i < n)


@triton.jit
def matmul_kernel(a, b, k, n, c, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    rows, columns, inner = tl.program_id(0) * M + tl.arange(0, M), tl.program_id(1) * N + tl.arange(0, N), tl.arange(0, K)
    sum = tl.zeros((M, N), tl.float32)
    for start in range(0, k, K):
        sum = tl.dot(tl.load(a + rows[:, None] * k + start + inner), tl.load(b + (start + inner)[:, None] * n + columns), sum)
    tl.store(c + rows[:, None] * n + columns, sum)


def add(x, y):
    return jax_triton.triton_call(x, y, x.size, kernel=add_kernel, out_shape=x, grid=lambda meta: triton.cdiv(x.size, meta["BLOCK"]), BLOCK=256)


def scale(x):
    return jax_triton.triton_call(x, 3.0, x.size, kernel=scale_kernel, out_shape=x, grid=lambda meta: triton.cdiv(x.size, meta["BLOCK"]))


def matmul(a, b):
    out = jax.ShapeDtypeStruct((a.shape[0], b.shape[1]), jnp.float32)
    return jax_triton.triton_call(a, b, a.shape[1], b.shape[1], kernel=matmul_kernel, out_shape=out, grid=(a.shape[0] // 64, b.shape[1] // 64), M=64, N=64, K=32,
                                  num_warps=4)


def calls(function, *arguments):
    """The custom calls of a lowered function: target and configuration."""
    module = jax.jit(function).trace(*arguments).lower(lowering_platforms=("rocm",)).compiler_ir("stablehlo")
    found = []

    def visit(operation):
        if operation.name == "stablehlo.custom_call":
            found.append((ir.StringAttr(operation.attributes["call_target_name"]).value, ir.StringAttr(operation.attributes["backend_config"]).value_bytes))
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit)
    return found


def on_the_device(array):
    pointer = ctypes.c_void_p()
    assert hip.hipMalloc(ctypes.byref(pointer), ctypes.c_size_t(array.nbytes)) == 0
    assert hip.hipMemcpy(pointer, ctypes.c_void_p(array.ctypes.data), ctypes.c_size_t(array.nbytes), 1) == 0
    return pointer


def run(call, inputs, output):
    """Executes a custom call of version 2 as XLA does: calls its function with a stream, the buffers, the configuration, and a place for an error."""
    target, config = call
    assert target == "triton_kernel_call"
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    capsule = plugin.get_custom_call()
    name = ctypes.pythonapi.PyCapsule_GetName
    name.restype, name.argtypes = ctypes.c_char_p, [ctypes.py_object]
    function = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.POINTER(ctypes.c_void_p), ctypes.c_char_p, ctypes.c_size_t, ctypes.c_void_p)(pointer(capsule, name(capsule)))
    stream, status = ctypes.c_void_p(), ctypes.create_string_buffer(256)
    assert hip.hipStreamCreate(ctypes.byref(stream)) == 0
    buffers = [on_the_device(np.asarray(array)) for array in (*inputs, output)]
    function(stream, (ctypes.c_void_p * len(buffers))(*buffers), config, len(config), ctypes.addressof(status))
    assert not any(status.raw), "the call failed"
    assert hip.hipStreamSynchronize(stream) == 0
    assert hip.hipMemcpy(ctypes.c_void_p(output.ctypes.data), buffers[-1], ctypes.c_size_t(output.nbytes), 2) == 0
    return output


class JaxTriton(unittest.TestCase):

    def test_kernel(self):
        x, y = jnp.arange(1000, dtype=jnp.float32), jnp.ones(1000)
        (call,) = calls(add, x, y)
        np.testing.assert_array_equal(run(call, (x, y), np.zeros(1000, np.float32)), np.arange(1000) + 1)

    def test_dot_that_needs_lds(self):
        a = jax.random.normal(jax.random.key(0), (128, 96), jnp.float16)
        b = jax.random.normal(jax.random.key(1), (96, 64), jnp.float16)
        (call,) = calls(matmul, a, b)
        expected = np.asarray(a, np.float32) @ np.asarray(b, np.float32)
        np.testing.assert_allclose(run(call, (a, b), np.zeros((128, 64), np.float32)), expected, rtol=1e-4, atol=1e-4)

    def test_autotuned(self):
        x = jnp.arange(1000, dtype=jnp.float32)
        (call,) = calls(scale, x)
        np.testing.assert_array_equal(run(call, (x,), np.zeros(1000, np.float32)), 3 * np.arange(1000))

    def test_as_transformer_engine_does(self):
        # Its Triton extensions for ROCm call triton.compile and pass the path of the code object to
        # JAX's plugin.
        target = GPUTarget("hip", plugin.get_arch_details(0).split(":", 1)[0], warp_size=64)
        self.assertIsInstance(make_backend(target), hip_backend.HIPBackend)
        options = hip_backend.HIPOptions(num_warps=4, num_stages=3, num_ctas=1, debug=False, enable_fp_fusion=False, arch=target.arch)
        source = ASTSource(add_kernel, signature={"x": "*fp32", "y": "*fp32", "n": "constexpr", "z": "*fp32", "BLOCK": "constexpr"}, constexprs={"n": 1000, "BLOCK": 256})
        with tempfile.TemporaryDirectory() as cache, unittest.mock.patch.dict(os.environ, TRITON_CACHE_DIR=cache):  # jax_triton disables Triton's cache
            kernel = triton.compile(source, target=target, options=options.__dict__)
        self.assertEqual(kernel.metadata.kiln, f"{kiln_triton.version()} {kiln_triton.build_id()}")
        with tempfile.NamedTemporaryFile(suffix=".hsaco", delete=False) as file:  # removed by the plugin
            file.write(kernel.asm["hsaco"])
        loaded = plugin.TritonKernel(kernel.name, 4, 1, kernel.metadata.shared, file.name, "", plugin.get_compute_capability(0))
        call = plugin.TritonKernelCall(loaded, 4, 1, 1, [plugin.create_array_parameter(0, 16) for _ in range(3)])
        x, y = np.arange(1000, dtype=np.float32), np.ones(1000, np.float32)
        config = zlib.compress(call.to_proto("add", b""))
        np.testing.assert_array_equal(run(("triton_kernel_call", config), (x, y), np.zeros(1000, np.float32)), x + 1)

    def test_who_compiled(self):
        compiled = []
        make = kiln_triton.backend.KilnBackend.make_hsaco
        kiln_triton.backend.KilnBackend.make_hsaco = staticmethod(lambda src, metadata, options: compiled.append(metadata["kiln"]) or make(src, metadata, options))
        try:
            x = jnp.arange(768, dtype=jnp.int32)
            (call,) = calls(add, x, x)
        finally:
            kiln_triton.backend.KilnBackend.make_hsaco = staticmethod(make)
        self.assertEqual(compiled, [f"{kiln_triton.version()} {kiln_triton.build_id()}"])
        np.testing.assert_array_equal(run(call, (x, x), np.zeros(768, np.int32)), 2 * np.arange(768))


if __name__ == "__main__":
    unittest.main(verbosity=2)

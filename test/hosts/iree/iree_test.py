# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""iree_test.py BUILD SOURCE WORK: examples/iree against NumPy, a kernel with arguments of every width, and one of IREE's own dispatches replaced."""
import os
import re
import subprocess
import sys

import numpy

build, source, work = sys.argv[1:]
tools = os.path.dirname(sys.executable)
environment = dict(os.environ, LD_LIBRARY_PATH=os.path.join(build, "lib/hip"), KILN_SIM_CHECK="all", KILN_SIM_REPORT=os.path.join(work, "findings.json"))

# Programs that are built with a sanitizer contain its runtime.
instrumented = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}


def run(*words, **more):
    done = subprocess.run(words, cwd=work, text=True, capture_output=True, **more)
    if done.returncode or "kiln-sim: " in done.stderr:
        sys.exit(f"{' '.join(words)}\n{done.stdout[-2000:]}{done.stderr[-4000:]}")
    return done


def kiln(*words):
    run(os.path.join(build, "bin/kiln"), "compile", *words, env=instrumented)


def iree_compile(program, *flags):
    run(os.path.join(tools, "iree-compile"), program, "--iree-hal-target-device=hip", "--iree-rocm-target=gfx942",
        "--iree-hal-executable-object-search-path=.", *flags)


def launch(module, function, *arrays):
    words = [os.path.join(tools, "iree-run-module"), "--device=hip", f"--module={module}", f"--function={function}", "--output=@out.npy"]
    for i, array in enumerate(arrays):
        if isinstance(array, str):
            words.append(f"--input={array}")
        else:
            numpy.save(os.path.join(work, f"in{i}.npy"), array)
            words.append(f"--input=@in{i}.npy")
    run(*words, env=environment)
    return numpy.load(os.path.join(work, "out.npy")).astype(numpy.float64)


def join(program, *parts):
    with open(os.path.join(work, program), "w") as out:
        for part in parts:
            out.write(open(os.path.join(work, part)).read())


def compare(what, got, wanted, tolerance):
    error = numpy.linalg.norm(got - wanted) / numpy.linalg.norm(wanted)
    print(f"{what}: relative error {error:.2e}")
    if not error <= tolerance:
        sys.exit(f"{what}: {error} is more than {tolerance}")


def block():
    kiln(f"{source}/examples/gemm.tile.c", "--emit=iree", "-D", "BLOCK_M=64", "-D", "BLOCK_N=64", "--grid", "cdiv(M, BLOCK_M) * cdiv(N, BLOCK_N)", "-o", "gemm.mlir")
    kiln(f"{source}/examples/attention.tile.c", "--emit=iree", "--grid", "cdiv(queries, BLOCK_M), heads", "-o", "attention.mlir")
    join("block_program.mlir", "gemm.mlir", "attention.mlir", f"{source}/examples/iree/block.mlir")
    iree_compile("block_program.mlir", "-o", "block.vmfb")
    random = numpy.random.default_rng(1)
    x = random.standard_normal((128, 256)).astype(numpy.float16)
    wq, wk, wv, wo = (random.standard_normal((256, 256)).astype(numpy.float16) / 16 for _ in range(4))
    got = launch("block.vmfb", "block", x, wq, wk, wv, wo)
    x, wq, wk, wv, wo = (a.astype(numpy.float64) for a in (x, wq, wk, wv, wo))
    centred = x - x.mean(1, keepdims=True)
    normed = centred / numpy.sqrt((centred**2).mean(1, keepdims=True) + 1e-5)
    q, k, v = ((normed @ w).reshape(128, 4, 64).transpose(1, 0, 2) for w in (wq, wk, wv))
    score = q @ k.transpose(0, 2, 1) / 8
    p = numpy.exp(score - score.max(2, keepdims=True))
    out = (p / p.sum(2, keepdims=True)) @ v
    compare("block", got, x + out.transpose(1, 0, 2).reshape(128, 256) @ wo, 2e-3)


MIX = """
kernel void mix(i64 n, const f32 *x, f16 scale, i32 m, f64 shift, i8 k, f32 *out) {
    i32 i[64] = program_id(0) * 64 + range(64);
    store(out + i, load(x + i, i < n, 0) * (f32)scale + (f32)shift + (f32)(m + (i32)k), i < n);
}
"""
MIX_CALL = """
func.func @call(%x: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %low = arith.index_cast %n : index to i32
  %high = arith.constant 0 : i32
  %scale = arith.constant 15872 : i32
  %m = arith.constant 8 : i32
  %shift = arith.constant 1070596096 : i32
  %k = arith.constant 255 : i32
  %y = flow.dispatch @mix::@mix[%n](%x, %low, %high, %scale, %m, %high, %shift, %k)
      : (tensor<?xf32>{%n}, i32, i32, i32, i32, i32, i32, i32) -> tensor<?xf32>{%n}
  return %y : tensor<?xf32>
}
"""


def widths():
    with open(os.path.join(work, "mix.tile.c"), "w") as out:
        out.write(MIX)
    kiln("mix.tile.c", "--emit=iree", "--grid", "cdiv(n, 64)", "-o", "mix.mlir")
    with open(os.path.join(work, "call.mlir"), "w") as out:
        out.write(MIX_CALL)
    join("mix_program.mlir", "mix.mlir", "call.mlir")
    iree_compile("mix_program.mlir", "-o", "mix.vmfb")
    x = numpy.arange(1000, dtype=numpy.float32)
    compare("arguments of every width", launch("mix.vmfb", "call", x), x * 1.5 + 0.25 + 7, 0)


MATMUL = """
func.func @matmul(%a: tensor<128x256xf16>, %b: tensor<256x128xf16>) -> tensor<128x128xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<128x128xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<128x128xf32>) -> tensor<128x128xf32>
  %c = linalg.matmul ins(%a, %b : tensor<128x256xf16>, tensor<256x128xf16>) outs(%fill : tensor<128x128xf32>) -> tensor<128x128xf32>
  return %c : tensor<128x128xf32>
}
"""
MATMUL_KERNEL = """
kernel void matmul(const f16 *a, const f16 *b, f32 *c) {
    i32 m[64] = program_id(0) * 64 + range(64), n[64] = program_id(1) * 64 + range(64), k[32] = range(32);
    f32 acc[64][64] = 0;
    for (i32 first = 0; first < 256; first += 32)
        acc = dot(load(a + m[:, None] * 256 + (first + k)[None, :]), load(b + (first + k)[:, None] * 128 + n[None, :]), acc);
    store(c + m[:, None] * 128 + n[None, :], acc);
}
"""


def substitute():
    """Replaces IREE's only dispatch by Kiln's."""
    with open(os.path.join(work, "matmul.mlir"), "w") as out:
        out.write(MATMUL)
    with open(os.path.join(work, "matmul.tile.c"), "w") as out:
        out.write(MATMUL_KERNEL)
    iree_compile("matmul.mlir", "--compile-to=executable-sources", "-o", "sources.mlir")
    text = open(os.path.join(work, "sources.mlir")).read()
    executable = re.search(r"hal\.executable private @(\S+)", text).group(1)
    export = re.search(r"hal\.executable\.export public @(\S+)", text).group(1)
    os.mkdir(os.path.join(work, "replaced"))
    kiln("matmul.tile.c", "--emit=iree", "--replace", executable, "--symbol", export, "--grid", "2,2", "-o", "kiln_matmul.mlir")
    os.rename(os.path.join(work, "kiln_matmul.mlir"), os.path.join(work, f"replaced/{executable}.mlir"))
    iree_compile("matmul.mlir", "--iree-hal-substitute-executable-sources-from=replaced", "-o", "matmul.vmfb")
    random = numpy.random.default_rng(2)
    a, b = random.standard_normal((128, 256)).astype(numpy.float16), random.standard_normal((256, 128)).astype(numpy.float16)
    got = launch("matmul.vmfb", "matmul", a, b)
    compare("a dispatch replaced", got, a.astype(numpy.float64) @ b.astype(numpy.float64), 1e-4)


block()
widths()
substitute()

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# triton_start.py import|compile|cache FOLDER: the same start as bench_embed's, with Triton: its
# import alone, with all kernels of the folder compiled, or loaded from the cache that the last such
# compilation has written.
import os
import shutil
import sys

mode, folder = sys.argv[1:]
cache = os.path.join(folder, "triton-cache")
if mode == "compile":
    shutil.rmtree(cache, ignore_errors=True)
os.environ["TRITON_CACHE_DIR"] = cache
import triton
from triton.backends.compiler import GPUTarget

if mode != "import":
    before = sum(len(files) for _, _, files in os.walk(cache))
    for name in sorted(os.listdir(folder)):
        if not name.endswith(".ttir"):
            continue
        with open(os.path.join(folder, name[:-5] + ".warps")) as file:
            warps = int(file.read())
        kernel = triton.compile(os.path.join(folder, name), target=GPUTarget("hip", "gfx942", 64), options={"num_warps": warps})
        assert kernel.asm["hsaco"][:4] == b"\x7fELF"
    after = sum(len(files) for _, _, files in os.walk(cache))
    assert after > before if mode == "compile" else after == before > 0

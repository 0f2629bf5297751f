# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Compiles a benchmark's kernels with Triton. One request per line on stdin, as JSON: path, repeat,
# out, and Triton's options. One answer per line on stdout: the best processor time in ms, including
# its children's (the linker's), and the bytes of LDS that a launch must request, or the error's
# name.
import json
import os
import resource
import sys

os.environ["TRITON_ALWAYS_COMPILE"] = "1"
import triton
from triton.backends.compiler import GPUTarget


def processor_seconds():
    mine, children = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return mine.ru_utime + mine.ru_stime + children.ru_utime + children.ru_stime


for line in sys.stdin:
    request = json.loads(line)
    try:
        best = float("inf")
        for _ in range(request["repeat"] + 1):  # the first one warms up
            begin = processor_seconds()
            kernel = triton.compile(request["path"], target=GPUTarget("hip", "gfx942", 64), options=request["options"])
            best = min(best, processor_seconds() - begin)
        with open(request["out"], "wb") as out:
            out.write(kernel.asm["hsaco"])
        answer = {"ms": best * 1e3, "lds": kernel.metadata.shared}
    except Exception as error:
        answer = {"error": type(error).__name__}
    print(json.dumps(answer), flush=True)

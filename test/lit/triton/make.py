# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Writes what one version of Triton prints for gfx942, for kernels that together use all of its language: run by hand by a Python that has that
# version, `VENV/bin/python test/lit/triton/make.py`, it renews the folder 3.x next to it. No test runs this file; they compile what it left and execute it (execute.py).
#
# NAME.ttir is the text after Triton's TTIR passes; NAME.source.ttir what its front end wrote, with calls, block pointers and descriptors in it;
# NAME.ttgir what its AMD passes made. Locations are left out. A kernel that a version's language can't express states its first version.
#
# The folders of WHOLE versions have every text; those of the others only what no folder had when they were made.
import glob
import inspect
import os
import re
import sys

import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource
from triton.compiler.compiler import make_backend
from triton._C.libtriton import ir

import kernels  # adds to CASES
import kernels_control
from cases import CASES

VERSION = tuple(int(part) for part in triton.__version__.split(".")[:2])
TARGET = GPUTarget("hip", "gfx942", 64)
RUN = "// RUN: kiln compile %s -o %t.hsaco\n// RUN: %python %S/../execute.py %kiln %s %t.d\n"
WHOLE = [(3, 3), (3, 6), (3, 9)]


def without_locations(text):
    """The text without ` loc(…)` and the lines that name locations."""
    lines = []
    for line in text.splitlines():
        if line.startswith("#loc"):
            continue
        while (at := line.find(" loc(")) >= 0:
            depth, end = 1, at + 5
            while depth:
                depth += {"(": 1, ")": -1}.get(line[end], 0)
                end += 1
            line = line[:at] + line[end:]
        lines.append(line.rstrip())
    return "\n".join(lines) + "\n"


def call(function, **values):
    """Calls with those of the values that this version's function has parameters for."""
    return function(*[values[name] for name in inspect.signature(function).parameters])


def texts(case):
    """Yields the stages' names and texts."""
    backend = make_backend(TARGET)
    source = ASTSource(case.kernel, case.signature, case.constants, {})
    options = backend.parse_options(dict(case.options))
    context = ir.context()
    ir.load_dialects(context)
    backend.load_dialects(context)
    module = call(source.make_ir, target=TARGET, options=options, codegen_fns=backend.get_codegen_implementation(options),
                  module_map=backend.get_module_map(), context=context)
    yield "source", str(module)
    stages, metadata = {}, {"target": TARGET, **options.__dict__}
    call(backend.add_stages, stages=stages, options=options, language=getattr(source, "language", None))
    module = stages["ttir"](module, metadata)
    yield "ttir", str(module)
    text = str(stages["ttgir"](module, metadata))
    if "amdgpu." not in text:  # Kiln reads the AMD operations by their name from 3.6 on
        yield "ttgir", text


def has_other_folder(folder, name, text):
    for path in glob.glob(os.path.join(os.path.dirname(folder), "3.*", name)):
        with open(path) as f:
            if os.path.dirname(path) != folder and f.read() == text:
                return True
    return False


def main():
    folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "%d.%d" % VERSION)
    os.makedirs(folder, exist_ok=True)
    failed = []
    for case in CASES:
        if not case.since <= VERSION <= case.until:
            continue
        try:
            for stage, text in texts(case):
                if stage not in case.stages:
                    continue
                name = case.kernel.__name__ + {"source": ".source.ttir", "ttir": ".ttir", "ttgir": ".ttgir"}[stage]
                text = RUN + without_locations(text)
                if VERSION in WHOLE or not has_other_folder(folder, name, text):
                    with open(os.path.join(folder, name), "w") as f:
                        f.write(text)
                if stage == case.stages[-1]:
                    break
        except Exception as e:  # one version's limit must not hide the others' texts
            failed.append("%s: %s: %s" % (case.kernel.__name__, type(e).__name__, str(e).strip()[-300:]))
    print("\n".join(failed), "%d failed" % len(failed), sep="\n")
    return len(failed) > 0


if __name__ == "__main__":
    sys.exit(main())

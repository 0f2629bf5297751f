# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# occupancy.py KILN FOLDER FILE...: the occupancy that kiln inspect computes from a code object is the one that LLVM writes
# into the assembly ("; Occupancy: N"), for the kernels of the files with several numbers of warps, compiled by llc. LLVM
# counts waves; as a workgroup is placed whole, one of 8 waves, 2 on each SIMD, cannot use an odd one.
import json
import os
import re
import subprocess
import sys

kiln, folder, paths = sys.argv[1], sys.argv[2], sys.argv[3:]
LLC = ["llc", "-mcpu=gfx942", "-O3"]


def run(*command):
    return subprocess.run(command, capture_output=True, text=True)


seen, compared = set(), 0
for path in paths:
    kernels = re.findall(r"^kernel void (\w+)\(", open(path).read(), re.M) or re.findall(r"tt\.func public @(\w+)", open(path).read())
    for kernel in kernels:
        for warps in (1, 4, 8):
            ir, text, code = (os.path.join(folder, name) for name in ("k.ll", "k.s", "k.hsaco"))
            if run(kiln, "compile", path, f"--kernel={kernel}", f"--num-warps={warps}", "--emit=llvm", "-o", ir).returncode:
                continue  # constants without defaults, or too many warps
            for kind, out in (("asm", text), ("obj", code + ".o")):
                subprocess.run(LLC + [f"--filetype={kind}", ir, "-o", out], check=True, capture_output=True)
            subprocess.run(["ld.lld", "-shared", code + ".o", "-o", code], check=True, capture_output=True)
            llvm = [int(n) for n in re.findall(r"^; Occupancy: (\d+)", open(text).read(), re.M)]
            found = json.loads(subprocess.run([kiln, "inspect", code, "--json"], check=True, capture_output=True, text=True).stdout)["kernels"]
            assert len(llvm) == len(found) == 1, (path, kernel, llvm)
            waves, own = found[0]["resources"]["max_workgroup"] // 64, found[0]["resources"]["occupancy"]
            whole = -(-(4 * llvm[0] // waves * waves) // 4)
            assert own == whole and (own == llvm[0] or waves > 4), (path, kernel, warps, llvm, found[0]["resources"])
            seen.add(own)
            compared += 1
print(f"{compared} kernels, occupancy {sorted(seen)}")

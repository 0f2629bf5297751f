# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The wheel: pip and CMake make it, it is self-contained, and a program that does not mention Kiln only needs KILN_TRITON=1."""
import glob
import os
import subprocess
import sys
import sysconfig
import unittest
import zipfile

SOURCE = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", "..", "compiler", "hosts", "triton"))

PROGRAM = """
import concurrent.futures, multiprocessing, sys
import numpy as np
import triton, triton.language as tl

@triton.jit
def double(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i) * 2)

def work(block):
    x, out = np.arange(block, dtype=np.float32), np.zeros(block, np.float32)
    kernel = double[(1,)](x, out, BLOCK=block)
    assert (out == 2 * x).all()
    return kernel.metadata.kiln

if __name__ == "__main__":
    print(work(64))
    with concurrent.futures.ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        print(pool.submit(work, 128).result())
    print(sys.modules["kiln_triton"].__file__)
"""


TUNED = """
import numpy as np
import triton, triton.language as tl

@triton.jit
def double(x, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n) * 2, mask=i < n)

x, out = np.arange(300, dtype=np.float32), np.zeros(300, np.float32)
kernel = double[(1,)](x, out, 300, BLOCK=512)
assert (out == 2 * x).all()
print(kernel.metadata.num_warps)
"""


def run(*command, **variables):
    environment = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "KILN_TRITON", "KILN_TRITON_DEVICE")}
    done = subprocess.run(command, env={**environment, **variables}, capture_output=True, text=True)
    if done.returncode:
        raise AssertionError(f"{' '.join(command)}: exit code {done.returncode}\n{done.stdout}\n{done.stderr}")
    return done.stdout


class Wheel(unittest.TestCase):

    def test_wheel(self):
        pip = (sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet")
        build = os.path.dirname(os.path.abspath(os.environ["KILN_TEST_PYTHON"]))
        run(*pip, "wheel", "--no-deps", "--no-index", "--wheel-dir", "wheels", SOURCE, KILN_BUILD_DIR=build)
        (wheel,) = glob.glob("wheels/kiln_triton-*.whl")
        with zipfile.ZipFile(wheel) as archive:
            names = archive.namelist()
        self.assertLessEqual({"kiln_triton/__init__.py", "kiln_triton/lib/libkiln.so", "kiln_triton/lib/hip/libamdhip64.so", "kiln_triton.pth"}, set(names))

        run(sys.executable, "-m", "venv", "--without-pip", "venv")
        python = os.path.abspath("venv/bin/python")
        (site,) = glob.glob("venv/lib/python*/site-packages")
        with open(f"{site}/base.pth", "w") as file:  # Triton and NumPy
            file.write(sysconfig.get_paths()["purelib"] + "\n")
        run(*pip, "--python", python, "install", "--no-deps", "--no-index", wheel)

        with open("program.py", "w") as file:
            file.write(PROGRAM)
        lines = run(python, "program.py", KILN_TRITON="1", KILN_TRITON_DEVICE="sim", KILN_TRITON_FALLBACK="error").splitlines()
        self.assertEqual(len(lines), 3)
        self.assertRegex(lines[0], r"^\d+\.\d+\.\d+ [0-9a-f]+$")
        self.assertEqual(lines[0], lines[1])  # a spawned process
        self.assertTrue(lines[2].startswith(os.path.abspath("venv")), lines[2])
        # It loads its own libraries, none of the build's.
        maps = run(python, "-c", "import kiln_triton; print(open('/proc/self/maps').read())")
        self.assertNotIn(build, maps)
        # It finds what the command stores, whose own libraries are others.
        with open("tuned.py", "w") as file:
            file.write(TUNED)
        variables = {"KILN_TRITON": "1", "KILN_TRITON_DEVICE": "sim", "KILN_CACHE_DIR": os.path.abspath("cache")}
        self.assertEqual(run(python, "tuned.py", KILN_TUNE_RECORD="launches.jsonl", **variables).strip(), "4")
        run(os.path.join(build, "bin", "kiln"), "tune", "--from", "launches.jsonl", "--axis", "num_warps=2", "--device=sim", KILN_CACHE_DIR=variables["KILN_CACHE_DIR"])
        self.assertEqual(run(python, "tuned.py", **variables).strip(), "2")
        # Installed but not enabled, it does nothing.
        self.assertEqual(run(python, "-c", "import triton, sys; print('kiln_triton' in sys.modules)").strip(), "False")
        self.assertEqual(run(python, "-c", "import triton, sys; print('kiln_triton' in sys.modules)", KILN_TRITON="0").strip(), "False")


if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# beside_test.py HOST BUILD: a host compiler and Kiln, each with its own LLVM, in one process, all
# of their symbols global: whichever is loaded first, both compile, in turn, and Kiln's kernel gives
# the right result on the simulator.
#
# Unless $KILN_TEST_HOSTS is "all", only Triton 3.6 and IREE are tested: the others need gigabytes
# from PyPI. Unavailable ones are skipped (venv.sh).
import os
import subprocess
import sys

TRITON_36, TRITON_39 = (["triton-" + version, "triton==%s.*" % version, "numpy"] for version in ("3.6", "3.9"))
TORCH, IREE = ["torch", "torch", "numpy"], ["iree-3.13", "iree-base-compiler==3.13.0", "iree-base-runtime==3.13.0", "numpy"]
CHOSEN = ("triton-3.6", "iree")
# Each host: the environment whose Python runs it, others whose packages are added, and the compilers to load.
HOSTS = {
    "triton-3.6": ([TRITON_36], ["triton"]),
    "triton-3.9": ([TRITON_39], ["triton"]),
    "torch": ([TORCH], ["torch"]),
    "iree": ([IREE], ["iree"]),
    "all": ([TORCH, IREE], ["torch", "triton", "iree"]),
}
MLIR = """
func.func @twice(%a: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<64x64xf32>
  %filled = linalg.fill ins(%zero : f32) outs(%empty : tensor<64x64xf32>) -> tensor<64x64xf32>
  %r = linalg.matmul ins(%a, %a : tensor<64x64xf32>, tensor<64x64xf32>) outs(%filled : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %r : tensor<64x64xf32>
}
"""
TTIR = """
module {
  tt.func public @double_it(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
    %i = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32>
    %s = tt.splat %x : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
    %p = tt.addptr %s, %i : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
    %v = tt.load %p : tensor<256x!tt.ptr<f32>>
    %r = arith.addf %v, %v : tensor<256xf32>
    tt.store %p, %r : tensor<256x!tt.ptr<f32>>
    tt.return
  }
}
"""


def run_triton():
    import tempfile
    import triton
    from triton.backends.compiler import GPUTarget

    os.environ["TRITON_ALWAYS_COMPILE"] = "1"
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "kernel.ttir")
        with open(path, "w") as file:
            file.write(TTIR)
        kernel = triton.compile(path, target=GPUTarget("hip", "gfx942", 64))
    assert kernel.asm["hsaco"][:4] == b"\x7fELF"


def run_torch():
    import torch

    a = torch.arange(4096, dtype=torch.float32).reshape(64, 64)
    assert (torch.nn.functional.linear(a, torch.eye(64)) == a).all()


def run_iree():
    from iree.compiler.api import Output, Session, Source

    session = Session()
    session.set_flags("--iree-hal-target-device=hip", "--iree-rocm-target=gfx942")
    invocation, output = session.invocation(), Output.open_membuffer()
    invocation.enable_console_diagnostics()
    assert invocation.parse_source(Source.wrap_buffer(session, MLIR.encode()))
    assert invocation.execute()
    invocation.output_vm_bytecode(output)
    assert len(bytes(output.map_memory())) > 1000


def load(name, build):
    import ctypes

    if name == "kiln":
        library = os.path.join(build, "lib", "libkiln%s.so")
        for part in ("", "-sim", "-rt"):
            ctypes.CDLL(library % part, mode=ctypes.RTLD_GLOBAL)
        call = ctypes.CDLL(os.path.join(build, "test", "beside.so"), mode=ctypes.RTLD_GLOBAL).host_run

        def run():
            assert call() == 0

        return run
    flags = sys.getdlopenflags()
    sys.setdlopenflags(os.RTLD_GLOBAL | os.RTLD_NOW)
    if name == "triton":
        import triton._C.libtriton
    elif name == "torch":
        import torch
    else:
        import iree.compiler
        import iree.compiler.ir

        ctypes.CDLL(os.path.join(os.path.dirname(iree.compiler.__file__), "_mlir_libs", "libIREECompiler.so"), mode=ctypes.RTLD_GLOBAL)
    sys.setdlopenflags(flags)
    return {"triton": run_triton, "torch": run_torch, "iree": run_iree}[name]


def together(names, build):
    """In the host's Python: loads all, then compiles with each, twice."""
    runs = [load(name, build) for name in names]
    for _ in range(2):
        for name, run in zip(names, runs):
            run()
            print(name, "has compiled", flush=True)


def main(host, build):
    environments, compilers = HOSTS[host]
    if host not in CHOSEN and os.environ.get("KILN_TEST_HOSTS") != "all":
        print("SKIPPED: Kiln beside %s; KILN_TEST_HOSTS=all tests all hosts" % host)
        return 77
    if "KILN_TEST_SANITIZER" in os.environ:
        print("SKIPPED: Kiln beside %s under sanitizers: builds with them have LLVM beside, not inside (compiler/package/llvm.cmake)" % host)
        return 77
    pythons = []
    for words in environments:
        made = subprocess.run([os.path.join(os.path.dirname(os.path.abspath(__file__)), "venv.sh"), os.path.join(build, "venvs"), *words], stdout=subprocess.PIPE, text=True)
        if made.returncode:
            return made.returncode
        pythons.append(made.stdout.strip())
    where = "import sysconfig; print(sysconfig.get_paths()['purelib'])"
    added = [subprocess.run([python, "-c", where], check=True, stdout=subprocess.PIPE, text=True).stdout.strip() for python in pythons[1:]]
    for names in (["kiln"] + compilers, compilers + ["kiln"]):
        print("loaded in this order:", *names, flush=True)
        subprocess.run([pythons[0], __file__, "together", build, *names], check=True,
                       env=dict(os.environ, PYTHONPATH=os.pathsep.join(added), KILN_CACHE_MODE="off"))
    return 0


if __name__ == "__main__":
    if sys.argv[1] == "together":
        together(sys.argv[3:], sys.argv[2])
    else:
        sys.exit(main(*sys.argv[1:]))

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# triton_launch.py FOLDER HIP_LIBRARY [KERNEL]: how often per second of processor time Triton
# launches the kernels of the folder in turn, or KERNEL.ttir alone, one workgroup each, on that HIP
# library; by a compiled kernel's launcher, and by `kernel[grid](…)` of a function in Python.
#
# Note that Triton's driver accepts only a HIP library with the name libamdhip64.so, and queries
# torch for the device; both are replaced here.
import ctypes
import os
import sys
import time

folder, library = sys.argv[1:3]
names = sys.argv[3:] or sorted(name[:-5] for name in os.listdir(folder) if name.endswith(".ttir"))
link = os.path.join(folder, "libamdhip64.so")
if os.path.lexists(link):
    os.remove(link)
os.symlink(library, link)
os.environ["TRITON_LIBHIP_PATH"] = link
os.environ["TRITON_CACHE_DIR"] = os.path.join(folder, "triton-cache")
import triton
import triton.language as tl
from triton.backends.amd.driver import HIPDriver, HIPLauncher, HIPUtils
from triton.backends.compiler import GPUTarget


class Driver(HIPDriver):

    def __init__(self):
        self.utils, self.launcher_cls = HIPUtils(), HIPLauncher
        self.get_current_device = lambda: 0
        self.get_current_stream = lambda device: 0
        self.set_current_device = lambda device: None


class Tensor:
    dtype = "float32"

    def __init__(self, address):
        self.address = address

    def data_ptr(self):
        return self.address


@triton.jit
def vec_add(x, y, z, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(z + i, tl.load(x + i, mask=i < n) + tl.load(y + i, mask=i < n), mask=i < n)


triton.runtime.driver.set_active(Driver())
hip = ctypes.CDLL(link)
memory = ctypes.c_void_p()
assert hip.hipMalloc(ctypes.byref(memory), ctypes.c_size_t(1 << 20)) == 0
tensor = Tensor(memory.value)


def rate(launch, count):
    launch(100)
    hip.hipDeviceSynchronize()
    begin = time.process_time()
    launch(count)
    hip.hipDeviceSynchronize()
    return count / (time.process_time() - begin)


def value(type):
    return tensor if type[0] == "*" else 1.0 if "f" in type else 1024


def by_launcher(count):
    for i in range(count):
        kernel, arguments = compiled[i % len(compiled)]
        kernel.run(1, 1, 1, 0, kernel.function, kernel.packed_metadata, None, None, None, *arguments)


def by_name(count):
    for i in range(count):
        vec_add[(1,)](tensor, tensor, tensor, 1024, BLOCK=1024)


compiled = []
for name in names:
    with open(os.path.join(folder, name + ".warps")) as file:
        kernel = triton.compile(os.path.join(folder, name + ".ttir"), target=GPUTarget("hip", "gfx942", 64), options={"num_warps": int(file.read())})
    kernel._init_handles()
    compiled.append((kernel, [value(type) for type in kernel.src.signature.values()]))
count = 200000 if len(names) > 1 else 20000
print(f"Triton: launches of {len(names)} compiled kernels in turn: {rate(by_launcher, count) * 1e-3:.0f} thousand a second of processor time")
print(f"Triton: launches of vec_add[(1,)](…): {rate(by_name, count) * 1e-3:.0f} thousand a second of processor time")

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kiln's gfx942 simulator as Triton's device: Triton's own driver and launcher over libkiln-sim.so, and memory that the host shares.

Tensors on the CPU and NumPy arrays are registered with the simulator for the time of a launch, each as far as its storage goes, so an access outside of
all that a kernel was given ends the launch with a message that names the nearest one.

What is easily got wrong: a tensor is a view; what is registered is its storage, and storages may overlap (torch.from_numpy of a slice, NumPy's views).
"""
import ctypes
import functools
import os
import threading

import triton
from triton.backends.amd import driver as amd
from triton.runtime.jit import JITFunction

from . import SimulatorError
from . import _library


class _Finding(ctypes.Structure):  # kiln_sim_finding_t
    _fields_ = ([("struct_size", ctypes.c_size_t)] + [(name, ctypes.c_char_p)
                for name in ("check", "message", "kernel", "instruction", "source", "other_instruction", "other_source")] +
                [("address", ctypes.c_uint64), ("other_address", ctypes.c_uint64), ("workgroup", ctypes.c_uint32 * 3), ("wave", ctypes.c_uint32),
                 ("lane", ctypes.c_int32), ("count", ctypes.c_uint64)])


def path():
    return os.path.join(_library.directory(), "hip", "libamdhip64.so")


@functools.lru_cache()
def library():
    sim = ctypes.CDLL(path(), mode=os.RTLD_LOCAL | os.RTLD_NOW)
    sim.hipHostRegister.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_uint]
    sim.hipHostUnregister.argtypes = [ctypes.c_void_p]
    sim.hipEventElapsedTime.argtypes = [ctypes.POINTER(ctypes.c_float), ctypes.c_void_p, ctypes.c_void_p]
    sim.hipEventRecord.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
    sim.hipEventDestroy.argtypes = [ctypes.c_void_p]
    sim.kilnSimGetFinding.argtypes = [ctypes.c_size_t, ctypes.POINTER(_Finding)]
    sim.kilnSimGetLastErrorMessage.restype = ctypes.c_char_p
    # Tensors are the host's: they are read when a launch returns, so it must be over then.
    sim.kilnSimSetOption(b"async", b"0")
    return sim


def _check(error, what):
    if error:
        raise RuntimeError(f"{what}: HIP error {error}: {library().kilnSimGetLastErrorMessage().decode(errors='replace')}")


# ---- memory


class Array:
    """A NumPy array as Triton wants a tensor."""

    def __init__(self, array):
        self.array, self.dtype, self.shape = array, array.dtype.name, array.shape

    def data_ptr(self):
        return self.array.ctypes.data

    def stride(self, dimension=None):
        strides = tuple(bytes // self.array.itemsize for bytes in self.array.strides)
        return strides if dimension is None else strides[dimension]

    def ptr_range(self):
        begin, end = _storage(self.array)
        return end - begin


def _is_array(value):
    return type(value).__module__ == "numpy" and hasattr(value, "__array_interface__") and hasattr(value, "ctypes")


def _storage(value):
    """The bytes that belong to a tensor or an array: [begin, end)."""
    if hasattr(value, "untyped_storage"):
        storage = value.untyped_storage()
        return storage.data_ptr(), storage.data_ptr() + storage.nbytes()
    while _is_array(value.base):
        value = value.base
    begin = value.ctypes.data  # of an array whose strides are negative the lowest address is elsewhere
    begin += sum(min(0, stride * (size - 1)) for stride, size in zip(value.strides, value.shape) if size)
    end = value.ctypes.data + sum(max(0, stride * (size - 1)) for stride, size in zip(value.strides, value.shape) if size) + value.itemsize
    return begin, end if value.size else begin


def _storages(value):
    """Those of all tensors and arrays in an argument."""
    if isinstance(value, (tuple, list)):
        for member in value:
            yield from _storages(member)
    elif isinstance(value, Array):
        yield _storage(value.array)
    elif _is_array(value):
        yield _storage(value)
    elif hasattr(value, "untyped_storage"):
        if value.device.type == "cpu":
            yield _storage(value)
    elif hasattr(value, "base"):  # a tensor with another type, or a descriptor
        yield from _storages(value.base)


class _Memory:
    """What is registered, by how many. A piece that overlaps older ones is registered where they are not."""

    def __init__(self):
        self.lock, self.users = threading.RLock(), {}  # (begin, end): count

    def add(self, begin, end):
        with self.lock:
            mine = []
            for old in sorted(self.users):
                if old[0] < end and begin < old[1]:
                    if begin < old[0]:
                        mine.append((begin, old[0]))
                    mine.append(old)
                    begin = max(begin, old[1])
            if begin < end:
                mine.append((begin, end))
            for number, piece in enumerate(mine):
                error = piece not in self.users and library().hipHostRegister(piece[0], piece[1] - piece[0], 0)
                if error:
                    self.drop(mine[:number])
                _check(error, "hipHostRegister")
                self.users[piece] = self.users.get(piece, 0) + 1
            return mine

    def drop(self, pieces):
        with self.lock:
            for piece in pieces:
                self.users[piece] -= 1
                if not self.users[piece]:
                    del self.users[piece]
                    _check(library().hipHostUnregister(piece[0]), "hipHostUnregister")


_memory = _Memory()


class Registered:
    """Memory of tensors and arrays that kernels may reach until close(), or the end of a `with`."""

    def __init__(self, values):
        self.values, self.pieces, union = values, [], []
        for begin, end in sorted(set(_storages(values))):
            if union and begin < union[-1][1]:
                union[-1][1] = max(end, union[-1][1])
            elif begin < end:
                union.append([begin, end])
        try:
            for begin, end in union:
                self.pieces += _memory.add(begin, end)
        except RuntimeError:
            self.close()
            raise

    def close(self):
        _memory.drop(self.pieces)
        self.values, self.pieces = (), []

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()


# ---- launches


def findings():
    """What the simulator's checks (KILN_SIM_CHECK) found in this thread's last launch, a text for each place."""
    texts, finding = [], _Finding(struct_size=ctypes.sizeof(_Finding))
    while not library().kilnSimGetFinding(len(texts), ctypes.byref(finding)):
        said = lambda text: (text or b"").decode(errors="replace")
        where = f" ({said(finding.source)})" if finding.source else ""
        other = f"; other access: '{said(finding.other_instruction)}' ({said(finding.other_source)})" if finding.other_instruction else ""
        texts.append(f"{said(finding.check)}: {said(finding.message)} at '{said(finding.instruction)}'{where} in kernel '{said(finding.kernel)}', "
                     f"workgroup {tuple(finding.workgroup)}, wave {finding.wave}, lane {finding.lane}; {finding.count} times{other}")
    return texts


class SimLauncher(amd.HIPLauncher):

    def __call__(self, *args):
        with Registered(args):
            try:
                super().__call__(*args)
            except SystemError as error:  # Triton 3.9 calls its hooks after a launch that failed
                raise error.__cause__ or error from None
            found = findings() if os.environ.get("KILN_SIM_CHECK", "off") != "off" else None
        if found:
            raise SimulatorError(found)


class Event:
    """Of torch.cuda, as far as Triton uses it; times are the simulator's, predicted."""

    def __init__(self, enable_timing=False, **ignored):
        self.handle = ctypes.c_void_p()
        _check(library().hipEventCreate(ctypes.byref(self.handle)), "hipEventCreate")

    def record(self, stream=None):
        _check(library().hipEventRecord(self.handle, None), "hipEventRecord")

    def elapsed_time(self, end):
        milliseconds = ctypes.c_float()
        _check(library().hipEventElapsedTime(ctypes.byref(milliseconds), self.handle, end.handle), "hipEventElapsedTime")
        return milliseconds.value

    def __del__(self):
        library().hipEventDestroy(self.handle)


class DeviceInterface:
    """Of torch.cuda, as far as Triton uses it."""
    Event = Event

    @staticmethod
    def synchronize(device=None):
        _check(library().hipDeviceSynchronize(), "hipDeviceSynchronize")

    @staticmethod
    def current_device():
        return 0


def do_bench(fn, warmup=25, rep=100, grad_to_none=None, quantiles=None, return_mode="mean"):
    """triton.testing.do_bench by predicted time. It is the same each time, so one run is enough, after one that compiles."""
    fn()
    begin, end = Event(), Event()
    begin.record()
    fn()
    end.record()
    time = begin.elapsed_time(end)
    if quantiles is not None:
        return [time] * len(quantiles) if len(quantiles) > 1 else time
    return [time] if return_mode == "all" else time


def do_bench_cudagraph(fn, rep=20, grad_to_none=None, quantiles=None, return_mode="mean"):
    return do_bench(fn, quantiles=quantiles, return_mode=return_mode)


class SimDriver(amd.HIPDriver):

    def __init__(self):  # not the GPU's, which asks torch.cuda
        self.launcher_cls = SimLauncher
        self.get_device_capability = lambda device=0: (9, 4)
        self.get_current_stream = lambda device=0: 0
        self.get_current_device = lambda: 0
        self.set_current_device = lambda device: None

    @functools.cached_property
    def utils(self):
        return amd.HIPUtils()

    @staticmethod
    def is_active():
        return True

    def get_device_interface(self):
        return DeviceInterface

    def get_active_torch_device(self):
        import torch
        return torch.device("cpu")

    def get_benchmarker(self):
        return do_bench

    def get_empty_cache_for_benchmark(self):
        return None  # every launch finds its data as the option `warm` of the clock says

    def clear_cache(self, cache):
        pass


def _take_arrays(run):

    @functools.wraps(run)
    def with_arrays(self, *args, **kwargs):
        args = [Array(value) if _is_array(value) else value for value in args]
        kwargs = {name: Array(value) if _is_array(value) else value for name, value in kwargs.items()}
        return run(self, *args, **kwargs)

    return with_arrays


def install(replace, undo):
    """Makes the simulator Triton's device; `replace(holder, name, value)` remembers what was there, as `undo` does. Returns the driver's class."""
    import triton.testing
    library()
    undo.append(functools.partial(os.environ.pop, "TRITON_LIBHIP_PATH", None))
    os.environ["TRITON_LIBHIP_PATH"] = path()
    config = triton.runtime.driver
    names = ("_active", "_default") if hasattr(config, "_active") else ("active", "default")
    driver = SimDriver()
    for name in names:  # the default, too: a machine may have another GPU
        replace(config, name, driver)
    replace(JITFunction, "run", _take_arrays(JITFunction.run))
    replace(triton.testing, "do_bench", do_bench)
    replace(triton.testing, "do_bench_cudagraph", do_bench_cudagraph)
    return SimDriver

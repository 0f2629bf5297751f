# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kiln's gfx942 simulator as Triton's device: Triton's own driver and launcher on top of libkiln-sim.so, with memory shared with the host.

The storages of CPU tensors, NumPy arrays and other objects with data_ptr() are registered with the simulator for the duration of a launch, so an access
outside of all arguments ends the launch with a message that names the nearest one.

Note that a tensor is a view: its whole storage is registered, and storages may overlap (torch.from_numpy of a slice, NumPy's views).
"""
import ctypes
import functools
import itertools
import os
import sys
import threading

import triton
from triton.backends.amd import driver as amd
from triton.runtime.autotuner import Autotuner
from triton.runtime.jit import JITFunction

from . import SimulatorError
from . import _library
from . import pointers


class _Finding(ctypes.Structure):  # kiln_sim_finding_t
    _fields_ = ([("struct_size", ctypes.c_size_t)] + [(name, ctypes.c_char_p)
                for name in ("check", "message", "kernel", "instruction", "source", "other_instruction", "other_source")] +
                [("address", ctypes.c_uint64), ("other_address", ctypes.c_uint64), ("workgroup", ctypes.c_uint32 * 3), ("wave", ctypes.c_uint32),
                 ("lane", ctypes.c_int32), ("count", ctypes.c_uint64)])


READ_ONLY = 8  # hipHostRegisterReadOnly
AS_DEVICE = 0x40000000  # KILN_SIM_REGISTER_AS_DEVICE of port/registered.h: times are predicted for tensors on the device
READINGS = 4  # attempts to read the process's mappings, as another thread may unmap memory after a reading


def path():
    return os.path.join(_library.directory(), "hip", "libamdhip64.so")


@functools.lru_cache()
def library():
    sim = ctypes.CDLL(path(), mode=os.RTLD_LOCAL | os.RTLD_NOW)
    sim.hipHostRegister.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_uint]
    sim.hipHostUnregister.argtypes = [ctypes.c_void_p]
    sim.hipMemGetAddressRange.argtypes = [ctypes.POINTER(ctypes.c_void_p), ctypes.POINTER(ctypes.c_size_t), ctypes.c_void_p]
    sim.hipEventElapsedTime.argtypes = [ctypes.POINTER(ctypes.c_float), ctypes.c_void_p, ctypes.c_void_p]
    sim.hipEventRecord.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
    sim.hipEventDestroy.argtypes = [ctypes.c_void_p]
    sim.kilnSimGetFinding.argtypes = [ctypes.c_size_t, ctypes.POINTER(_Finding)]
    sim.kilnSimGetLastErrorMessage.restype = ctypes.c_char_p
    # The host reads tensors when a launch returns, so the launch must be complete then.
    sim.kilnSimSetOption(b"async", b"0")
    return sim


def _check(error, what):
    if error:
        raise RuntimeError(f"{what}: HIP error {error}: {library().kilnSimGetLastErrorMessage().decode(errors='replace')}")


# ---- memory


class Array:
    """A NumPy array with the interface of a tensor that Triton expects."""

    def __init__(self, array):
        if not array.dtype.isnative:
            raise TypeError(f"kiln_triton: a kernel reads numbers in the machine's byte order; the array is of '{array.dtype.str}': pass array.astype('{array.dtype.name}')")
        self.array, self.dtype, self.shape = array, array.dtype.name, array.shape

    def data_ptr(self):
        return self.array.ctypes.data if self.array.size else 0  # as in PyTorch: without elements there is no memory to point to

    def stride(self, dimension=None):
        strides = tuple(bytes // self.array.itemsize for bytes in self.array.strides)
        return strides if dimension is None else strides[dimension]

    def ptr_range(self):
        begin, end = _storage(self.array)
        return end - begin


def _is_array(value):
    numpy = sys.modules.get("numpy")
    return numpy is not None and isinstance(value, numpy.ndarray) and not isinstance(value, numpy.ma.MaskedArray)  # a kernel would ignore its mask


def _as_tensor(value):
    """An argument with NumPy arrays replaced by Array, also in tuples."""
    if _is_array(value):
        return Array(value)
    if isinstance(value, tuple):
        members = [_as_tensor(member) for member in value]
        if any(new is not old for new, old in zip(members, value)):
            return type(value)(*members) if hasattr(value, "_fields") else type(value)(members)
    return value


def _extent(array):
    """The bytes of an array's elements: [begin, end)."""
    begin = array.ctypes.data  # with negative strides the lowest address is elsewhere
    begin += sum(min(0, stride * (size - 1)) for stride, size in zip(array.strides, array.shape) if size)
    end = array.ctypes.data + sum(max(0, stride * (size - 1)) for stride, size in zip(array.strides, array.shape) if size) + array.itemsize
    return begin, end if array.size else begin


def _whole_buffer(base, array):
    """The bytes of the object that an array is a view of (bytearray, mmap, a ctypes array), as an array; the given array if the object has no buffer."""
    try:
        whole = sys.modules["numpy"].frombuffer(base, "u1")
    except Exception:  # whichever the object's own code raises
        return array
    (begin, end), (first, last) = _extent(whole), _extent(array)
    return whole if begin <= first and last <= end else array


def _owner(array):
    """The array or tensor at the end of an array's chain of views. If another object is there whose buffer contains the array, an array of that buffer."""
    owner = base = array
    while base is not None:
        if _is_array(base):
            owner = base
        elif hasattr(base, "untyped_storage"):  # Tensor.numpy()
            return base
        elif not isinstance(base, memoryview):
            owner = _whole_buffer(base, owner)
        base = base.obj if isinstance(base, memoryview) else getattr(base, "base", None)  # as_strided() inserts an object
    return owner


def _storage(value):
    """The bytes of the storage of a tensor or an array: [begin, end)."""
    value = _owner(value) if _is_array(value) else value
    if not _is_array(value):
        storage = value.untyped_storage()
        return storage.data_ptr(), storage.data_ptr() + storage.nbytes()
    return _extent(value)


def _is_read_only(value):
    """Whether the storage of a value is read-only: an array whose base is not writable (a file mapped for reading, a `bytes`, a JAX array)."""
    owner = _owner(value) if _is_array(value) else None
    return _is_array(owner) and not owner.flags.writeable


def _known_storage(value):
    """The storage of an object that has one, and whether it is read-only; None for other objects, and if the query fails."""
    try:
        if _is_array(value) or hasattr(value, "untyped_storage"):
            return *_storage(value), _is_read_only(value)
        if hasattr(value, "data_ptr") and callable(getattr(value, "nbytes", None)):  # a PyTorch storage
            return value.data_ptr(), value.data_ptr() + value.nbytes(), False
    except Exception:
        pass
    return None


def _storage_of_pointer(value):
    """The storage that contains data_ptr() of an argument, or only the address if none is known."""
    address = value.data_ptr()
    if not address:  # accesses nothing
        return 0, 0, True
    for holder in itertools.chain([value], pointers.inside(value)):
        storage = _known_storage(holder)
        if storage and storage[0] <= address < storage[1]:
            return storage
    return address


def _storages(value):
    """Yields the storages of all tensors, arrays and pointers in an argument: (begin, end, whether it is read-only), or only an address if nothing more is known."""
    if isinstance(value, (tuple, list)):
        for member in value:
            yield from _storages(member)
    elif isinstance(value, Array):
        yield from _storages(value.array)
    elif _is_array(value):
        yield *_storage(value), _is_read_only(value)
    elif callable(getattr(value, "data_ptr", None)):
        torch = sys.modules.get("torch")
        if torch is None or not isinstance(value, torch.Tensor) or value.device.type == "cpu":  # other devices' memory is not accessible to the host
            yield _storage_of_pointer(value)
    elif hasattr(value, "base"):  # a descriptor
        yield from _storages(value.base)


class _Memory:
    """The registered memory, with reference counts. Of a range that overlaps registered ones, only the gaps are registered."""

    def __init__(self):
        self.lock, self.users, self.read_only = threading.RLock(), {}, set()  # (begin, end): count

    def _register(self, piece, read_only):
        """Registers a piece, or makes a read-only one writable."""
        if piece in self.users and (read_only or piece not in self.read_only):
            return 0
        error = library().hipHostRegister(piece[0], piece[1] - piece[0], AS_DEVICE | (READ_ONLY if read_only else 0))
        (self.read_only.add if read_only and not error else self.read_only.discard)(piece)
        return error

    def add(self, begin, end, read_only):
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
                error = self._register(piece, read_only)
                if error:
                    self.drop(mine[:number])
                _check(error, "hipHostRegister")
                self.users[piece] = self.users.get(piece, 0) + 1
            return mine

    def holding(self, address):
        """The memory to register for an address of which nothing more is known: (begin, end, whether it is read-only), or None."""
        with self.lock:  # also during the query: memory registered by another thread would be mistaken for hipMalloc's
            for piece in self.users:
                if piece[0] <= address < piece[1]:
                    return *piece, piece in self.read_only
            begin = ctypes.c_void_p()
            if not library().hipMemGetAddressRange(ctypes.byref(begin), None, address):  # allocated by hipMalloc
                return None
        return pointers.mapping(address)

    def drop(self, pieces):
        with self.lock:
            for piece in pieces:
                self.users[piece] -= 1
                if not self.users[piece]:
                    del self.users[piece]
                    self.read_only.discard(piece)
                    _check(library().hipHostUnregister(piece[0]), "hipHostUnregister")


_memory = _Memory()


class Registered:
    """Memory of tensors and arrays that kernels may access until close(), or until the end of a `with` block."""

    def __init__(self, values):
        self.values, self.pieces = values, []
        found = set(_storages(values))
        storages = {storage for storage in found if isinstance(storage, tuple)}
        addresses = {address for address in found - storages if not any(begin <= address < end for begin, end, _ in storages)}
        for tries_left in reversed(range(READINGS if addresses else 1)):
            try:
                self._add(storages | {_memory.holding(address) or (address, address, True) for address in addresses})
                return
            except RuntimeError:
                self._drop()
                if not tries_left:
                    raise

    def _add(self, storages):
        union = []
        for begin, end, read_only in sorted(storages):
            if union and begin < union[-1][1]:
                union[-1][1:] = max(end, union[-1][1]), read_only and union[-1][2]
            elif begin < end:
                union.append([begin, end, read_only])
        for begin, end, read_only in union:
            self.pieces += _memory.add(begin, end, read_only)

    def _drop(self):
        pieces, self.pieces = self.pieces, []
        _memory.drop(pieces)

    def close(self):
        self._drop()
        self.values = ()

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()


# ---- launches


def findings():
    """The findings of the simulator's checks (KILN_SIM_CHECK) in this thread's last launch, one text for each location."""
    texts, finding = [], _Finding(struct_size=ctypes.sizeof(_Finding))
    while not library().kilnSimGetFinding(len(texts), ctypes.byref(finding)):
        decode = lambda text: (text or b"").decode(errors="replace")
        where = f" ({decode(finding.source)})" if finding.source else ""
        other = f"; other access: '{decode(finding.other_instruction)}' ({decode(finding.other_source)})" if finding.other_instruction else ""
        texts.append(f"{decode(finding.check)}: {decode(finding.message)} at '{decode(finding.instruction)}'{where} in kernel '{decode(finding.kernel)}', "
                     f"workgroup {tuple(finding.workgroup)}, wave {finding.wave}, lane {finding.lane}; {finding.count} times{other}")
    return texts


_mine = threading.local()


def launches():
    """Number of kernels that this thread has launched."""
    return getattr(_mine, "launches", 0)


class SimLauncher(amd.HIPLauncher):

    def __call__(self, *args):
        _mine.launches = launches() + 1
        with Registered(args):
            try:
                super().__call__(*args)
            except SystemError as error:  # Triton 3.9 calls its hooks after a failed launch
                raise error.__cause__ or error from None
            found = findings() if os.environ.get("KILN_SIM_CHECK", "off") != "off" else None
        if found:
            raise SimulatorError(found)


class Event:
    """The part of torch.cuda.Event that Triton uses; times are predicted by the simulator."""

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
    """The part of torch.cuda that Triton uses."""
    Event = Event

    @staticmethod
    def synchronize(device=None):
        _check(library().hipDeviceSynchronize(), "hipDeviceSynchronize")

    @staticmethod
    def current_device():
        return 0


def do_bench(fn, warmup=25, rep=100, grad_to_none=None, quantiles=None, return_mode="mean"):
    """triton.testing.do_bench with predicted time. Predictions are deterministic, so one run is sufficient, after one that compiles."""
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

    def __init__(self):  # without calling HIPDriver's, which queries torch.cuda
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
        return None  # the clock's option `warm` determines the contents of the caches

    def clear_cache(self, cache):
        pass


def _take_arrays(run):

    @functools.wraps(run)
    def with_arrays(self, *args, **kwargs):
        return run(self, *map(_as_tensor, args), **{name: _as_tensor(value) for name, value in kwargs.items()})

    return with_arrays


@functools.lru_cache()
def _tuned_array():
    """A subclass of NumPy's arrays with the methods of tensors by which triton.autotune and the pre_hooks of its configurations reset and restore arguments."""
    import numpy

    class TunedArray(numpy.ndarray):

        def zero_(self):
            self[...] = 0

        def fill_(self, value):
            self[...] = value

        def clone(self):
            return self.copy()

        def copy_(self, source):
            self[...] = source

    return TunedArray


def _take_tuned_arrays(run):

    @functools.wraps(run)
    def with_arrays(self, *args, **kwargs):
        take = lambda value: value.view(_tuned_array()) if _is_array(value) else value
        return run(self, *map(take, args), **{name: take(value) for name, value in kwargs.items()})

    return with_arrays


def install(replace, undo):
    """Makes the simulator Triton's device. `replace(holder, name, value)` sets an attribute and records the old value; `undo` lists actions that restore the
    previous state. Returns the driver's class."""
    import triton.testing
    library()
    undo.append(functools.partial(os.environ.pop, "TRITON_LIBHIP_PATH", None))
    os.environ["TRITON_LIBHIP_PATH"] = path()
    config = triton.runtime.driver
    names = ("_active", "_default") if hasattr(config, "_active") else ("active", "default")
    driver = SimDriver()
    for name in names:  # also the default, as the machine may have a GPU
        replace(config, name, driver)
    replace(JITFunction, "run", _take_arrays(JITFunction.run))
    replace(Autotuner, "run", _take_tuned_arrays(Autotuner.run))
    replace(triton.testing, "do_bench", do_bench)
    replace(triton.testing, "do_bench_cudagraph", do_bench_cudagraph)
    return SimDriver

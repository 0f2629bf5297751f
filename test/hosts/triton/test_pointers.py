# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pointer arguments of kernels on the simulator: NumPy's arrays of every kind, and all objects with data_ptr() and dtype."""
import array
import collections
import ctypes
import mmap
import os
import threading
import unittest

import numpy as np

import kiln_triton

kiln_triton.enable(device="sim")

import triton
import triton.language as tl
from kiln_triton import pointers, sim


@triton.jit
def double(x, z, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(z + i, tl.load(x + i, mask=i < n) * 2, mask=i < n)


@triton.jit
def double_pair(pair, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(pair[1] + i, tl.load(pair[0] + i, mask=i < n) * 2, mask=i < n)


@triton.jit
def accumulate(x, z, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(z + i, tl.load(z + i, mask=i < n) + tl.load(x + i, mask=i < n), mask=i < n)


@triton.jit
def before(x, z, n, distance, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(z + i, tl.load(x - distance + i, mask=i < n), mask=i < n)


@triton.jit
def clear(unused, z, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(z + i, tl.zeros((BLOCK,), tl.float32), mask=i < n)


def registered(address):
    """Whether the address is in memory that is registered with the simulator."""
    begin = ctypes.c_void_p()
    return sim.library().hipMemGetAddressRange(ctypes.byref(begin), None, address) == 0


class Address:
    """Like FlagGems' TypedPtr: an address and a type, and a storage without memory."""

    def __init__(self, array, offset=0):
        self.ptr, self.dtype = array.ctypes.data + offset * array.itemsize, array.dtype.name

    def data_ptr(self):
        return self.ptr

    def untyped_storage(self):
        return self

    def size(self, *dimension):
        return 4


class Wrapped:
    """Like triton_kernels' Tensor: the pointer is in a field of a field."""

    def __init__(self, array):

        class Storage:
            pass

        self.storage, self.dtype = Storage(), array.dtype.name
        self.storage.data = array

    def data_ptr(self):
        return self.storage.data.ctypes.data


class Slots:
    __slots__ = ("array", "dtype", "other")

    def __init__(self, array):
        self.array, self.dtype, self.other = array, array.dtype.name, np.zeros(3)

    def data_ptr(self):
        return self.array.ctypes.data


class Captured:
    """Only a function's captures contain its pointer."""

    def __init__(self, array):
        self.data_ptr, self.dtype = lambda: array.ctypes.data, array.dtype.name


class Ring(Wrapped):

    def __init__(self, array):
        super().__init__(array)
        self.storage.owner = self


class DeviceByName(Wrapped):
    device = "cuda:0"


class DeviceByType(Wrapped):
    device = type("Device", (), {"type": "cuda", "index": 0})()


class Storage:

    def __init__(self, array):
        self.array = array

    def data_ptr(self):
        return self.array.ctypes.data

    def nbytes(self):
        return self.array.nbytes


class Storing:
    """A type and a storage like PyTorch's, without a device."""

    def __init__(self, array):
        self.storage, self.dtype = Storage(array), array.dtype.name

    def data_ptr(self):
        return self.storage.data_ptr()

    def untyped_storage(self):
        return self.storage


KINDS = (Address, Wrapped, Slots, Captured, Ring, DeviceByName, DeviceByType, Storing)
KNOWN = [kind for kind in KINDS if kind is not Address]


def pair(count=100):
    return np.arange(count, dtype=np.float32), np.zeros(count, np.float32)


class Pointers(unittest.TestCase):

    def tearDown(self):
        self.assertEqual(sim._memory.users, {})

    def test_kinds(self):
        for kind in KINDS:
            for other in (kind, lambda array: array):
                with self.subTest(kind=kind.__name__):
                    x, z = pair()
                    double[(1,)](kind(x), other(z), 100, BLOCK=128)
                    np.testing.assert_array_equal(z, 2 * x)

    def test_addresses_of_everything(self):
        """Memory of the heap, of its own mapping, of ctypes, of a stack, of a file."""
        with open("pages", "wb") as file:
            file.write(bytes(8192))
        with open("pages", "r+b") as file:
            for buffer in (bytearray(400), mmap.mmap(-1, 8192), (ctypes.c_char * 400)(), bytearray(1 << 24), mmap.mmap(file.fileno(), 8192)):
                with self.subTest(buffer=type(buffer).__name__):
                    z = np.frombuffer(buffer, np.float32, 100)
                    x = np.arange(100, dtype=np.float32)
                    double[(1,)](Address(x), Address(z), 100, BLOCK=128)
                    np.testing.assert_array_equal(z, 2 * x)

    def test_inside(self):
        """Addresses inside, before and after a storage."""
        x, z = pair(1000)
        double[(1,)](Address(x, 500), Address(z, 300), 100, BLOCK=128)
        np.testing.assert_array_equal(z[300:400], 2 * x[500:600])

    def test_known_storages_end(self):
        """An address in a storage can access memory up to its end; an address in another argument's storage belongs to that one."""
        for kind in KNOWN:
            with self.subTest(kind=kind.__name__):
                x, z = pair()
                with self.assertRaisesRegex(RuntimeError, "memory violation: store of"):
                    double[(2,)](pair(300)[0], kind(z), 200, BLOCK=128)
        x, z = pair()
        with self.assertRaisesRegex(RuntimeError, "memory violation: load of"):
            accumulate[(2,)](Address(z), z, 200, BLOCK=128)

    def test_null(self):
        """A null pointer is accepted if nothing is read through it."""

        class Null:
            dtype = "float32"

            def data_ptr(self):
                return 0

        double[(1,)](Null(), Null(), 0, BLOCK=128)
        with self.assertRaisesRegex(RuntimeError, "memory violation"):
            double[(1,)](Null(), Null(), 1, BLOCK=128)

    def test_not_mapped(self):
        nowhere = np.ctypeslib.as_array((ctypes.c_float * 4).from_address(0x7FFFFFFE0000))
        self.assertIsNone(pointers.mapping(0x7FFFFFFE0000))
        with self.assertRaisesRegex(ValueError, "cannot be accessed"):
            double[(1,)](Address(nowhere), Address(nowhere), 4, BLOCK=128)

    def test_the_simulators_own_memory(self):
        device = ctypes.c_void_p()
        library = sim.library()
        self.assertEqual(library.hipMalloc(ctypes.byref(device), ctypes.c_size_t(4096)), 0)
        try:
            z = np.ctypeslib.as_array((ctypes.c_float * 100).from_address(device.value))
            x = np.arange(100, dtype=np.float32)
            double[(1,)](x, Address(z), 100, BLOCK=128)
            np.testing.assert_array_equal(z, 2 * x)
        finally:
            library.hipFree(device)

    def test_predicted_time(self):
        """Arrays stand for device memory: a launch on them is predicted to take as long as one on hipMalloc's memory, and not to read over the host's link."""
        device, library, size = ctypes.c_void_p(), sim.library(), 1 << 20
        x, z = np.zeros(size, np.float32), np.zeros(size, np.float32)
        self.assertEqual(library.hipMalloc(ctypes.byref(device), ctypes.c_size_t(8 * size)), 0)
        options = {b"clock": (b"model", b"bounds"), b"caches": (b"cold", b"kept")}
        try:
            halves = np.ctypeslib.as_array((ctypes.c_float * (2 * size)).from_address(device.value)).reshape(2, size)
            for name, (mine, _) in options.items():
                self.assertEqual(library.kilnSimSetOption(name, mine), 0)
            own, of_arrays = (sim.do_bench(lambda: double[(size // 1024,)](a, b, size, BLOCK=1024)) for a, b in ((Address(halves[0]), Address(halves[1])), (x, z)))
            self.assertAlmostEqual(of_arrays, own, delta=0.1 * own)
        finally:
            for name, (_, before) in options.items():
                library.kilnSimSetOption(name, before)
            library.hipFree(device)

    def test_registered_memory(self):
        """An address in registered memory can access only that memory."""
        x, z = pair()
        with kiln_triton.register(z):
            double[(1,)](x, Address(z), 100, BLOCK=128)
            np.testing.assert_array_equal(z, 2 * x)
            with self.assertRaisesRegex(RuntimeError, "memory violation: store of"):
                double[(2,)](np.zeros(300, np.float32), Address(z), 200, BLOCK=128)

    def test_threads(self):
        errors = []

        def work():
            try:
                for _ in range(20):
                    x, z = pair()
                    double[(1,)](Address(x), Wrapped(z), 100, BLOCK=128)
                    np.testing.assert_array_equal(z, 2 * x)
            except Exception as error:
                errors.append(error)

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(errors, [])

    def test_another_thread_registers_the_same_mapping(self):
        """Memory that a thread registers while another one looks an address up is not mistaken for hipMalloc's, which stays."""
        shared, others = np.frombuffer(mmap.mmap(-1, 1 << 16), np.float32), []
        library = sim.library()
        original = library.hipMemGetAddressRange

        def interrupted(*arguments):
            library.hipMemGetAddressRange = original
            others.append(threading.Thread(target=lambda: others.append(kiln_triton.register(Address(shared)))))
            others[0].start()
            others[0].join(0.2)  # blocks for longer if the lookup holds the lock
            return original(*arguments)

        library.hipMemGetAddressRange = interrupted
        try:
            mine = kiln_triton.register(Address(shared, 1000))
        finally:
            library.hipMemGetAddressRange = original
        others[0].join()
        others[1].close()
        self.assertTrue(registered(shared.ctypes.data + 4000))
        mine.close()
        self.assertFalse(registered(shared.ctypes.data + 4000))


class Ranges(unittest.TestCase):
    """32-bit offsets are promised up to Kiln's limit, which is smaller than Triton's, and from 2 GiB up; Triton calls its own class by name."""

    def promised(self, x):
        text = double.warmup(x, np.zeros(4, np.float32), 4, BLOCK=128, grid=(1,)).asm["ttir"]
        argument = next(line for line in text.splitlines() if "tt.func" in line).split("%")[1]
        return "tt.pointer_range" in argument

    @unittest.skipIf(os.environ.get("AMDGCN_USE_BUFFER_OPS") == "0", "Triton asks for no ranges")
    def test_limit(self):

        class Ranged:
            dtype, address, size = "float32", 1 << 40, 4096

            def data_ptr(self):
                return self.address

            def ptr_range(self):
                return self.size

        if not self.promised(Ranged()):
            self.skipTest("this Triton asks for no ranges by default")
        for address, size, wanted in ((1 << 40, 0x7fe00000, True), (1 << 40, 0x7fe00001, False), (1 << 40, 2**31 - 1, False),
                                      (1 << 31, 4096, True), ((1 << 31) - 16, 4096, False), (1 << 20, 4096, False)):
            Ranged.address, Ranged.size = address, size
            self.assertEqual(self.promised(Ranged()), wanted, f"{size:#x} bytes at {address:#x}")


class Arrays(unittest.TestCase):

    def tearDown(self):
        self.assertEqual(sim._memory.users, {})

    def test_empty(self):
        whole = np.arange(100, dtype=np.float32)
        for empty in (np.zeros(0, np.float32), np.zeros((3, 0), np.float32), whole[5:5], whole[100:], whole[:0][::-1], np.frombuffer(b"", np.float32)):
            with self.subTest(shape=empty.shape):
                double[(1,)](empty, empty, 0, BLOCK=128)
                double[(0,)](empty, empty, 0, BLOCK=128)
                accumulate[(1,)](whole, empty, 0, BLOCK=128)
                with self.assertRaisesRegex(RuntimeError, "memory violation"):
                    double[(1,)](empty, empty, 1, BLOCK=128)
        kiln_triton.register(np.zeros(0)).close()
        z = np.zeros(100, np.float32)
        with self.assertRaisesRegex(RuntimeError, "memory violation"):  # an empty array makes no memory accessible to others
            triton.jit(clear.fn)[(2,)](np.zeros(0, np.float32), z, 200, BLOCK=128)

    def test_views(self):
        """The accessible memory is the storage of a view, whichever library made the view."""
        x = np.arange(1000, dtype=np.float32)
        strided = np.lib.stride_tricks.as_strided(x[500:], (3,), (4,))
        views = [x[900:], x[::-1], x[::7], x.reshape(10, 100).T, np.array(x)[None, 0:1], memoryview(x), strided, np.broadcast_to(x[:1], 1000)]
        for view in views:
            view = np.asarray(view)
            with self.subTest(strides=view.strides, base=type(view.base).__name__):
                storage = sim._storage(view)
                self.assertEqual(storage[1] - storage[0], 4000)
        z = np.zeros(100, np.float32)
        double[(1,)](strided, z, 100, BLOCK=128)
        np.testing.assert_array_equal(z, 2 * x[500:600])

    def test_buffers(self):
        """The storage of a view of an object with a buffer is the whole buffer, also what lies before the view in it."""
        content = np.arange(1000, dtype=np.float32).tobytes()
        mapped = mmap.mmap(-1, 4000)
        mapped[:] = content
        for buffer in (bytearray(content), content, mapped, memoryview(bytearray(content))[400:], array.array("f", range(1000)),
                       (ctypes.c_float * 1000)(*range(1000))):
            for view in (np.frombuffer(buffer, np.float32, 100, 2000), np.ndarray((100,), np.float32, buffer, 2000), np.frombuffer(buffer, np.float32)[500:600]):
                with self.subTest(buffer=type(buffer).__name__, base=type(view.base).__name__):
                    storage = sim._storage(view)
                    self.assertEqual(storage[1] - storage[0], 4000)
                    z = np.zeros(100, np.float32)
                    before[(1,)](view, z, 100, 100, BLOCK=128)
                    np.testing.assert_array_equal(z, np.frombuffer(buffer, np.float32)[400:500])
                    with self.assertRaisesRegex(RuntimeError, "memory violation"):
                        before[(1,)](view, z, 100, 1000000, BLOCK=128)
        shared = bytearray(content)
        low, high = np.frombuffer(shared, np.float32, 500), np.frombuffer(shared, np.float32, 500, 2000)
        double[(1,)](low, high, 100, BLOCK=128)  # overlapping storages
        np.testing.assert_array_equal(high[:100], 2 * low[:100])
        del low, high
        shared.append(0)  # a launch leaves no view of the buffer behind

    def test_read_only(self):
        """Kernels can read read-only memory; a write fails without ending the process. A read-only view of a writable array counts as that array."""
        np.save("saved.npy", np.arange(100, dtype=np.float32))
        frozen = np.arange(100, dtype=np.float32)
        frozen.flags.writeable = False
        with open("saved.npy", "rb") as file:
            mapped = mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ)
        pages = np.frombuffer(mapped, np.float32, 100, 128)
        for x in (np.load("saved.npy", mmap_mode="r"), frozen, frozen[:], np.frombuffer(frozen.tobytes(), np.float32), pages, Address(pages)):
            z = np.zeros(100, np.float32)
            double[(1,)](x, z, 100, BLOCK=128)
            np.testing.assert_array_equal(z, 2 * frozen)
            with self.assertRaisesRegex(RuntimeError, "memory violation: store of .*kernels may only read"):
                double[(1,)](z, x, 100, BLOCK=128)
        x = np.arange(100, dtype=np.float32)
        view = x[:]
        view.flags.writeable = False
        double[(1,)](view, x, 100, BLOCK=128)
        np.testing.assert_array_equal(view, 2 * frozen)
        with kiln_triton.register(frozen):  # readers share a registration with writers
            double[(1,)](frozen, x, 100, BLOCK=128)
        writable = np.load("saved.npy", mmap_mode="r+")
        double[(1,)](frozen, writable, 100, BLOCK=128)
        np.testing.assert_array_equal(writable, 2 * frozen)

    def test_registered_for_reading_then_written(self):
        x = np.arange(100, dtype=np.float32)
        begin, end = sim._storage(x)
        reading = sim._memory.add(begin, end, True)
        double[(1,)](x, x, 100, BLOCK=128)
        sim._memory.drop(reading)
        np.testing.assert_array_equal(x, 2 * np.arange(100))
        self.assertEqual(sim._memory.read_only, set())

    def test_no_dimension(self):
        x, z = np.array(3.0, np.float32), np.zeros((), np.float32)
        double[(1,)](x, z, 1, BLOCK=128)
        self.assertEqual(z, 6)

    def test_the_same_twice(self):
        x = np.arange(100, dtype=np.float32)
        double[(1,)](x, x, 100, BLOCK=128)
        np.testing.assert_array_equal(x, 2 * np.arange(100))
        accumulate[(1,)](x[50:], x[:50], 50, BLOCK=128)
        np.testing.assert_array_equal(x[:50], 2 * np.arange(50) + 2 * np.arange(50, 100))

    def test_subclasses(self):

        class Mine(np.ndarray):
            pass

        x, z = pair()
        double[(1,)](x.view(Mine), z.view(Mine), 100, BLOCK=128)
        np.testing.assert_array_equal(z, 2 * x)

    def test_tuples(self):
        Pair = collections.namedtuple("Pair", ("source", "target"))
        for kind in (lambda x, z: (x, z), Pair, lambda x, z: (Address(x), Wrapped(z))):
            x, z = pair()
            double_pair[(1,)](kind(x, z), 100, BLOCK=128)
            np.testing.assert_array_equal(z, 2 * x)

    def test_order_of_bytes(self):
        x, z = pair()
        with self.assertRaisesRegex(TypeError, r"byte order; the array is of '>f4': pass array.astype\('float32'\)"):
            double[(1,)](x.astype(">f4"), z, 100, BLOCK=128)


class Tuned(unittest.TestCase):
    CONFIGS = [triton.Config({"BLOCK": 64}, num_warps=1), triton.Config({"BLOCK": 128}, num_warps=2), triton.Config({"BLOCK": 256}, num_warps=4)]

    def tune(self, kernel, **options):
        return triton.autotune(configs=self.CONFIGS, key=["n"], **options)(triton.jit(kernel.fn))

    def grid(self, n):
        return lambda meta: (triton.cdiv(n, meta["BLOCK"]),)

    def test_views(self):
        for kind in (lambda array: array, *KINDS):
            whole, z = np.arange(1000, dtype=np.float32), np.zeros(1000, np.float32)
            self.tune(double)[self.grid(400)](kind(whole[600:]), kind(z[100:500]), 400)
            np.testing.assert_array_equal(z[100:500], 2 * whole[600:])
            self.assertFalse(z[:100].any() or z[500:].any())

    def test_empty(self):
        x, z = pair(0)
        self.tune(double)[self.grid(0)](x, z, 0)
        self.tune(accumulate, restore_value=["z"])[self.grid(0)](x, z, 0)
        self.tune(accumulate, reset_to_zero=["z"])[(1,)](x[:0], z, 0)

    def test_restore_value(self):
        """Each configuration gets the same input as the first one, in views as well."""
        for strided in (False, True):
            x = np.ones(400, np.float32)
            whole = np.arange(1000, dtype=np.float32)
            z = whole[100:500]
            self.tune(accumulate, restore_value=["z"])[self.grid(400)](x, z, 400)
            wanted = np.arange(1000, dtype=np.float32)
            wanted[100:500] += 1
            np.testing.assert_array_equal(whole, wanted)

    def test_reset_to_zero(self):
        x = np.ones(400, np.float32)
        whole = np.arange(1000, dtype=np.float32)
        self.tune(accumulate, reset_to_zero=["z"])[self.grid(400)](x, n=400, z=whole[100:500])
        wanted = np.arange(1000, dtype=np.float32)
        wanted[100:500] = 1
        np.testing.assert_array_equal(whole, wanted)

    def test_hooks_see_arrays(self):
        seen = []
        configs = [triton.Config({"BLOCK": block}, num_warps=1, pre_hook=lambda arguments: seen.append(arguments["z"].fill(0))) for block in (64, 128)]
        x, z = np.ones(400, np.float32), np.zeros(400, np.float32)
        tuned = triton.autotune(configs=configs, key=["n"], restore_value=["z"])(triton.jit(accumulate.fn))
        tuned[self.grid(400)](x, z, 400)
        np.testing.assert_array_equal(z, x)
        self.assertGreater(len(seen), 2)

    def test_hooks_use_methods_of_tensors(self):
        """The usual hook of a split-K kernel, on an argument that the decorator does not name."""
        for reset, start in ((lambda arguments: arguments["z"].zero_(), 0), (lambda arguments: arguments["z"].fill_(3), 3)):
            configs = [triton.Config({"BLOCK": block}, num_warps=1, pre_hook=reset) for block in (64, 128)]
            x, z = np.ones(400, np.float32), np.full(400, 7, np.float32)
            triton.autotune(configs=configs, key=["n"])(triton.jit(accumulate.fn))[self.grid(400)](x, z, 400)
            np.testing.assert_array_equal(z, x + start)


if __name__ == "__main__":
    unittest.main()

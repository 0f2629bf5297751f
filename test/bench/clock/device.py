"""A gfx942 device for scripts: code objects, memory and launches, by the HIP entry points of libkiln-sim.so.

Note that memory belongs to the simulator: a Buffer's `address` is also a host address, but `read` and `write` use hipMemcpy so that the script would
also run on a real device. Errors are exceptions with the simulator's reason. One thread.
"""
import ctypes
import os
import struct

HERE = os.path.dirname(os.path.abspath(__file__))
DEFAULT_LIBRARY = os.path.join(HERE, "..", "..", "..", "build", "lib", "libkiln-sim.so")


def pack(arguments, address_of):
    """The explicit arguments of one step as bytes, each at its natural alignment. address_of: name of a buffer -> its address."""
    out = bytearray()
    for argument in arguments:
        (kind, value), = ((k, v) for k, v in argument.items() if k != "offset")
        if kind == "buffer":
            code, value = "Q", address_of(value) + argument.get("offset", 0)
        else:
            # f16 is passed as its bits, as the bench reads it.
            code = {"i8": "b", "u8": "B", "i16": "h", "u16": "H", "f16": "H", "i32": "i", "u32": "I", "i64": "q", "u64": "Q", "ptr": "Q",
                    "f32": "f", "f64": "d"}[kind]
        size = struct.calcsize(code)
        out += bytes(-len(out) % size)
        out += struct.pack("<" + code, value)
    return bytes(out)


class Buffer:
    def __init__(self, device, size):
        self.device, self.size = device, size
        pointer = ctypes.c_void_p()
        device.call("hipMalloc", ctypes.byref(pointer), ctypes.c_size_t(max(size, 16)))
        self.address = pointer.value

    def write(self, data):
        data = bytes(data)
        assert len(data) <= self.size, (len(data), self.size)
        self.device.call("hipMemcpy", ctypes.c_void_p(self.address), data, ctypes.c_size_t(len(data)), 1)
        return self

    def read(self):
        data = ctypes.create_string_buffer(self.size)
        self.device.call("hipMemcpy", data, ctypes.c_void_p(self.address), ctypes.c_size_t(self.size), 2)
        return data.raw

    def free(self):
        self.device.call("hipFree", ctypes.c_void_p(self.address))


class Device:
    def __init__(self, library=None, **options):
        self.library = ctypes.CDLL(library or os.environ.get("KILN_SIM_LIBRARY") or DEFAULT_LIBRARY)
        self.library.kilnSimGetLastErrorMessage.restype = ctypes.c_char_p
        for name, value in options.items():
            if self.library.kilnSimSetOption(name.encode(), str(value).encode()):
                raise RuntimeError(self.library.kilnSimGetLastErrorMessage().decode())
        self.functions = {}

    def call(self, name, *arguments):
        code = getattr(self.library, name)(*arguments)
        if code:
            raise RuntimeError(f"{name}: error {code}: {self.library.kilnSimGetLastErrorMessage().decode()}")

    def buffer(self, data):
        """A buffer of that many zero bytes, or with those bytes."""
        if isinstance(data, int):
            return Buffer(self, data).write(bytes(data))
        data = bytes(data)
        return Buffer(self, len(data)).write(data)

    def function(self, path, name):
        if (path, name) not in self.functions:
            module, function = ctypes.c_void_p(), ctypes.c_void_p()
            with open(path, "rb") as file:
                self.call("hipModuleLoadData", ctypes.byref(module), file.read())
            self.call("hipModuleGetFunction", ctypes.byref(function), module, name.encode())
            self.functions[path, name] = function
        return self.functions[path, name]

    def run(self, step, buffers, root="."):
        """Launches one step of a point in the form of points.jsonl, with these buffers, by name, and waits for it."""
        function = self.function(os.path.join(root, step["object"]), step["kernel"])
        block = pack(step["args"], lambda name: buffers[name].address)
        size = ctypes.c_size_t(len(block))
        extra = (ctypes.c_void_p * 5)(1, ctypes.cast(ctypes.c_char_p(block), ctypes.c_void_p), 2,
                                      ctypes.cast(ctypes.byref(size), ctypes.c_void_p), 3)
        self.call("hipModuleLaunchKernel", function, *step["grid"], *step["block"], step.get("dynamic_lds", 0), None, None, extra)
        self.call("hipDeviceSynchronize")

# Writes .npy files by hand, as NumPy would, into a folder: what runs the tests need not have NumPy.
import struct
import sys

folder = sys.argv[1]


def write(name, descr, shape, data, order=False, version=1):
    header = "{'descr': %s, 'fortran_order': %s, 'shape': %s, }" % (descr, order, shape)
    prefix = 10 if version == 1 else 12
    header += " " * (63 - (prefix + len(header)) % 64) + "\n"
    with open(f"{folder}/{name}.npy", "wb") as out:
        out.write(b"\x93NUMPY" + bytes([version, 0]) + struct.pack("<H" if version == 1 else "<I", len(header)))
        out.write(header.encode() + data)


def floats(values, kind="<f"):
    return b"".join(struct.pack(kind, value) for value in values)


write("x", "'<f4'", "(6,)", floats(range(6)))
write("y", "'<f4'", "(2, 3)", floats(range(10, 16)), version=2)
write("sum", "'<f4'", "(2,3,)", floats(range(10, 22, 2)))
write("half", "'<V2'", "(4,)", bytes(range(60, 68)))
write("big", "'>f4'", "(6,)", floats(range(6), ">f"))
write("fortran", "'<f4'", "(2, 3)", floats(range(6)), order=True)
write("short", "'<f4'", "(7,)", floats(range(6)))
write("records", "[('a', '<f4')]", "(6,)", floats(range(6)))
write("scalar", "'<f8'", "()", floats([2.5], "<d"))
open(f"{folder}/x.raw", "wb").write(floats(range(6)))
open(f"{folder}/half.tile.c", "w").write("kernel void copy(const bf16 *x, bf16 *y) { store(y + range(4), load(x + range(4))); }")
open(f"{folder}/scalar.tile.c", "w").write("kernel void copy(const f64 *x, f64 *y) { *y = *x; }")

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Writes this case's buffers, with 0xA5 bytes where the kernel must not write.
import struct

n, size = 200, 256
x = [i * 0.25 - 7 for i in range(size)]
y = [1000 - i * 3.0 for i in range(size)]


def floats(name, values):
    open(name, "wb").write(struct.pack("<%df" % len(values), *values))


floats("x.in.bin", x)
floats("y.in.bin", y)
open("o.in.bin", "wb").write(b"\xa5" * 4 * size)
open("o.out.bin", "wb").write(struct.pack("<%df" % n, *(a + b for a, b in zip(x[:n], y))) + b"\xa5" * 4 * (size - n))
open("count.in.bin", "wb").write(b"\xa5" * 12)
open("count.out.bin", "wb").write(struct.pack("<2i", 0, 3) + b"\xa5" * 4)

# section.py OBJECT OUT KIND: replaces the section .kiln.findings of a code object by a hostile one.
import json
import struct
import sys

SIZE = 20 << 20
HEADER = 64


def finding(seen, file="honest.c", advice="none"):
    return json.dumps({"id": "not-pipelined", "file": file, "line": 3, "column": 1, "seen": seen,
                       "advice": advice, "kernel": "gemm"}).encode() + b"\n"


FORGED = "\nk.tile.c:1:1: error: forged"
TEXTS = {
    "forged": lambda: finding("honest") + finding("x" + FORGED) + finding("x", file="x" + FORGED) +
    finding("x", advice="x" + FORGED) + finding("x\x1b[31mforged"),
    "long": lambda: finding("x" * SIZE),
    "lines": lambda: b"\n" * (SIZE // 2) + b"x\n" * (SIZE // 4),
    "nested": lambda: b'{"a":' * (SIZE // 5),
}

data = bytearray(open(sys.argv[1], "rb").read())
text = TEXTS[sys.argv[3]]()
headers, = struct.unpack_from("<Q", data, 40)
count, names = struct.unpack_from("<HH", data, 60)
strings, = struct.unpack_from("<Q", data, headers + HEADER * names + 24)
for i in range(count):
    header = headers + HEADER * i
    name, = struct.unpack_from("<I", data, header)
    if data[strings + name:].startswith(b".kiln.findings\0"):
        struct.pack_into("<QQ", data, header + 24, len(data), len(text))
data += text
open(sys.argv[2], "wb").write(data)

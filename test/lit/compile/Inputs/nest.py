# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints a Tile C kernel of DEPTH nested loops or branches, each with a number and a pointer of its own.

Usage: nest.py for|while|if|mixed|choices DEPTH [stores]
With `stores` it stores to what its loops have loaded. `choices` are pointers, each one of the two before it.
"""
import sys

kind, depth = sys.argv[1], int(sys.argv[2])
if kind == "choices":
    print("kernel void k(i32 *p0, i32 *p1, i32 n)\n{")
    for i in range(2, depth):
        print(f"i32 *p{i} = n < {7 * i} ? p{i - 1} : p{i - 2};")
    print(f"store(p{depth - 1} + n, n);\n}}")
    sys.exit()
OPENED = {
    "for": "for (i32 a{0} = 0; a{0} < n; a{0} += 16) {{",
    "while": "i32 a{0} = 0; while (a{0} < n) {{ a{0} += 16;",
    "if": "i32 a{0} = n; if (n != {0}) {{ a{0} += 16;",
}
print("kernel void k(i32 *q, i32 *p, i32 n)\n{\n    i32 t = 0;")
for i in range(depth):
    opened = list(OPENED)[i % 3] if kind == "mixed" else kind
    print(f"i32 t{i} = n;", OPENED[opened].format(i))
    print(f"t{i} += a{i}; t++; p += n; t += load(p + a{i});")
for i in reversed(range(depth)):
    print(f"}} t += t{i};")
print("store(p, t);\n}" if "stores" in sys.argv else "store(q, t);\n}")

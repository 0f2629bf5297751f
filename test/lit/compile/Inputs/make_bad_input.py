# Writes the files of bad_input.test, of which most are too long or too odd to stand in a test.
import os, sys

FOLDER = sys.argv[1]
os.makedirs(FOLDER, exist_ok=True)

KERNEL = "module {\n  tt.func public @a() {\n    tt.return\n  }\n}\n"


def write(name, text):
    with open(os.path.join(FOLDER, name), "wb") as file:
        file.write(text if isinstance(text, bytes) else text.encode())


def function(name, visibility, callee, calls):
    call = f"tt.call @{callee}() : () -> ()\n" if callee else ""
    return f"tt.func {visibility} @{name}() {{\n{call * calls}tt.return\n}}\n"


def chain(calls, length):
    return "module {\n" + function("a", "public", "f0", 1) + "".join(
        function(f"f{i}", "private", f"f{i + 1}" if i + 1 < length else None, calls) for i in range(length)) + "}\n"


write("empty.ttir", "\n  // nothing\n")
write("nul.ttir", "module {\n  tt.fu\0nc public @a() {}\n}\n")
write("nul.tile.c", "kernel void a(i32 n)\n{ n = 1\0; }\n")
write("bom.ttir", b"\xef\xbb\xbf" + KERNEL.encode())
write("utf16.tile.c", "kernel void a(i32 n) {}\n".encode("utf-16"))
write("crlf.ttir", KERNEL.replace("\n", "\r\n"))
write("paren.ttir", "(" * 100000)
write("location.ttir", '#loc0 = loc("a":1:1)\n' + "".join(f"#loc{i} = loc(callsite(#loc{i - 1} at #loc0))\n" for i in range(1, 1000)) + KERNEL)
write("double.ttir", "#a0 = [1, 2]\n" + "".join(f"#a{i} = [#a{i - 1}, #a{i - 1}]\n" for i in range(1, 61)) + KERNEL.replace("module", "module attributes {x = #a60}"))
write("affine.ttir", "module attributes {a = affine_map<(d0) -> (" + "-" * 100000 + "d0)>} {}\n")
write("index.ttir", "module attributes {a = array<index: 1>} {}\n")
write("paren.tile.c", "kernel void a(i32 n)\n{ i32 x = " + "(" * 100000 + "1" + ")" * 100000 + "; }\n")
write("calls.ttir", chain(2, 40))
write("chain.ttir", chain(1, 1000))
write("digits.ttir", KERNEL.replace("tt.return", "%0 = arith.constant " + "9" * 100000 + " : i32\n    tt.return"))
write("name.ttir", KERNEL.replace("@a", '@"a\\FF"'))
write("version.ttir", KERNEL.replace("@a", '@"a@b"'))
write("rank.ttir", KERNEL.replace("@a()", "@a(%d: !tt.tensordesc<tensor<f32>>)"))
write("two.tile.c", "kernel void a(i32 n) {}\nkernel void b(i32 n) {}\n")
write("two.ttir", "module {\n" + function("a", "public", None, 0) + function("b", "public", None, 0) + "}\n")

TTG = """#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @k() {
    %0 = ttg.local_alloc : () -> !ttg.memdesc<256x128xf32, #shared, #ttg.shared_memory, mutable>
    %1 = ttg.local_load %0 : !ttg.memdesc<256x128xf32, #shared, #ttg.shared_memory, mutable> -> tensor<256x128xf32, #blocked>
    ttg.local_store %1, %0 : tensor<256x128xf32, #blocked> -> !ttg.memdesc<256x128xf32, #shared, #ttg.shared_memory, mutable>
    tt.return
  }
}
"""
write("lds.ttgir", TTG)
SMALL = TTG.replace("256x128", "64x64")
write("shared.ttgir", SMALL.replace("#blocked>", "#shared>"))
write("part.ttgir", SMALL.replace(TTG.split("\n")[0], "#blocked = #ttg.linear<{register = [[0, 3], [0, 3]], lane = [[0, 4], [0, 8], [0, 16], [0, 32], [0, 64], [1, 0]], warp = [[2, 0], [4, 0]], block = []}>"))
write("warps.ttgir", TTG.replace('"ttg.num-warps" = 4', '"ttg.num-warps" = 32').replace("[4, 1]", "[32, 1]"))
write("lanes.ttgir", TTG.replace('warp" = 64', 'warp" = 32'))
write("large.ttir", "tt.func public @k() {\n  %0 = tt.make_range {end = 2097152 : i32, start = 0 : i32} : tensor<2097152xi32>\n  tt.return\n}\n")
write("one.tile.c", "kernel void a(i32 n, constexpr i32 B = 4)\n{ i32 x[B] = range(B); }\n")

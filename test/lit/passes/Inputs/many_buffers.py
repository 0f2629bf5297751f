# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# A load from any of N buffers after a store to the last of them: many_buffers.py N
import sys

count = int(sys.argv[1])
buffer = "!ttg.memdesc<64xi32, #s, #smem, mutable>"
print("""#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [64], warpsPerCTA = [4], order = [0]}>
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
tt.func public @f(%x: tensor<64xi32, #b>, %c: i1) {""")
for i in range(count):
    print(f"  %m{i} = ttg.local_alloc : () -> {buffer}")
print("  %s0 = arith.select %c, %m0, %m0 : " + buffer)
for i in range(1, count):
    print(f"  %s{i} = arith.select %c, %s{i - 1}, %m{i} : {buffer}")
print(f"""  ttg.local_store %x, %m{count - 1} : tensor<64xi32, #b> -> {buffer}
  %l = ttg.local_load %s{count - 1} : {buffer} -> tensor<64xi32, #b>
  tt.return
}}
}}""")

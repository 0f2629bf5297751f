// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An operation that cannot be lowered leads to an error with its name and location, and exit code
// 1.
// RUN: split-file %s %t
// RUN: sh -c '%kiln compile %t/warps.ttgir --from=ttg --passes= --emit=llvm -o -; test $? = 1' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=WARPS
// RUN: sh -c '%kiln compile %t/lds.ttgir --from=ttg --passes= --emit=llvm -o -; test $? = 1' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=LDS
// RUN: sh -c '%kiln compile %t/blocks.ttgir --from=ttg --disable-pass=structure_regions --emit=llvm -o -; \
// RUN:   test $? = 1' 2>&1 | FileCheck %s --check-prefix=BLOCKS

// WARPS: error: the module's attribute "ttg.num-warps" is 3; expected a power of two from 1 to 16
// LDS: lds.ttgir:5:10: error: function 'big' needs 131072 bytes of LDS, 131072 of them here, but the limit is 65536 per workgroup
// BLOCKS: blocks.ttgir:3:{{.*}}: error: scf.execute_region: scf.execute_region with several blocks is not supported on gfx942

//--- warps.ttgir
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 3 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @f() {
    tt.return
  }
}
//--- lds.ttgir
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @big() {
    %a = ttg.local_alloc : () -> !ttg.memdesc<256x256xf16, #shared, #smem, mutable>
    ttg.local_dealloc %a : !ttg.memdesc<256x256xf16, #shared, #smem, mutable>
    tt.return
  }
}
//--- blocks.ttgir
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @f() {
    scf.execute_region {
      cf.br ^bb1
    ^bb1:
      scf.yield
    }
    tt.return
  }
}

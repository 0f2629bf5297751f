// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Locations become DWARF lines; a call site keeps its inlined function and the location of the call.
// RUN: kiln compile %s --from=ttg --emit=llvm --passes= --no-llvm-passes -o - | FileCheck %s

#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [64], warpsPerCTA = [4], order = [0]}>
#loc = loc("dir/kernel.py":7:0)
#call = loc("dir/kernel.py":9:11)
#body = loc("lib/standard.py":43:17)
// CHECK: define {{.*}}@f({{.*}} !dbg ![[F:[0-9]+]]
// CHECK: mul i32 %{{.*}}, !dbg ![[NAMED:.*]]
// CHECK: udiv i32 %{{.*}}, !dbg ![[INLINED:.*]]
// CHECK-DAG: ![[FILE:[0-9]+]] = !DIFile(filename: "kernel.py", directory: "dir")
// CHECK-DAG: ![[F]] = distinct !DISubprogram(name: "f", linkageName: "f", scope: ![[FILE]], file: ![[FILE]], line: 7
// CHECK-DAG: ![[NAMED]] = !DILocation(line: 8, column: 3, scope: ![[F]])
// CHECK-DAG: ![[INLINED]] = !DILocation(line: 43, column: 17, scope: ![[G:[0-9]+]], inlinedAt: ![[CALL:[0-9]+]])
// CHECK-DAG: ![[CALL]] = {{.*}}!DILocation(line: 9, column: 11, scope: ![[F]])
// CHECK-DAG: ![[G]] = distinct !DISubprogram({{.*}}file: ![[LIB:[0-9]+]],
// CHECK-DAG: ![[LIB]] = !DIFile(filename: "standard.py", directory: "lib")
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @f(%x: !tt.ptr<i32>, %n: i32) {
    %a = arith.muli %n, %n : i32 loc("product"("dir/kernel.py":8:3))
    %b = arith.divui %a, %n : i32 loc(callsite(#body at #call))
    tt.store %x, %b : !tt.ptr<i32> loc(unknown)
    tt.return loc(#loc)
  } loc(#loc)
}

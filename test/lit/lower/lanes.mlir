// A layout for waves of another size: the error has a location, although an analysis finds it before the lowering. (Found by the fuzzer.)
//
// RUN: sh -c '%kiln compile %s --from=ttg -o %t; test $? = 1' 2>&1 | FileCheck %s
#a = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#b = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @k() {
    %0 = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32, #a>
    // CHECK: lanes.mlir:[[#@LINE+1]]:10: error: layout is for 32 lanes per warp, expected 64
    %1 = ttg.convert_layout %0 : tensor<256xi32, #a> -> tensor<256xi32, #b>
    tt.return
  }
}

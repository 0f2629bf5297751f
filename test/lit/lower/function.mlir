// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel's signature is that of its tt.func, its arguments in scalar registers as far as they
// fit; attributes declare unused values of the dispatch. Device functions pass tensors register by
// register and use LDS that their caller reserves for them.
// RUN: kiln compile %s --from=ttg --emit=llvm --passes= --no-llvm-passes --no-line-info --waves-per-eu=2 -o - \
// RUN:   | FileCheck %s

#blocked = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [64], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  // CHECK: define {{.*}}amdgpu_kernel void @k(ptr addrspace(1) inreg %{{[^,]*}}, i32 inreg %{{[^,]*}}, i64 inreg %{{[^,]*}}) #[[K:[0-9]+]]
  // CHECK: call i32 @llvm.amdgcn.workgroup.id.y()
  // CHECK: call float @g(float {{.*}}, float {{.*}}, ptr addrspace(3) {{.*}})
  tt.func public @k(%x: !tt.ptr<f32>, %n: i32, %m: i64) {
    %y = tt.get_program_id y : i32
    %v = arith.constant dense<1.0> : tensor<512xf32, #blocked>
    %s = tt.call @g(%v) : (tensor<512xf32, #blocked>) -> f32
    %p = tt.addptr %x, %y : !tt.ptr<f32>, i32
    tt.store %p, %s : !tt.ptr<f32>
    tt.return
  }
  // CHECK: define internal float @g(float %{{[^,]*}}, float %{{[^,]*}}, ptr addrspace(3) %[[LDS:.*]]) #[[G:[0-9]+]]
  // CHECK: getelementptr i8, ptr addrspace(3) %[[LDS]]
  tt.func private @g(%v: tensor<512xf32, #blocked>) -> f32 attributes {noinline = true} {
    %r = "tt.reduce"(%v) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %s = arith.addf %a, %b : f32
      tt.reduce.return %s : f32
    }) : (tensor<512xf32, #blocked>) -> f32
    tt.return %r : f32
  }
  // CHECK: attributes #[[K]] = {{{.*}}"amdgpu-flat-work-group-size"="256,256"{{.*}}"amdgpu-waves-per-eu"="2,2"{{.*}}"uniform-work-group-size"="true"
  // CHECK: attributes #[[G]] = {{{.*}}noinline
}

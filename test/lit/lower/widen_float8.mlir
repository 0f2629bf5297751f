// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// 8-bit floats are widened four at a time, a register's; copies of one value are widened once.
// RUN: kiln compile %s --from=ttg --emit=llvm --passes= --no-llvm-passes --no-line-info --kernel=e4m3 -o - \
// RUN:   | FileCheck %s --check-prefix=E4M3
// RUN: kiln compile %s --from=ttg --emit=llvm --passes= --no-llvm-passes --no-line-info --kernel=e5m2 -o - \
// RUN:   | FileCheck %s --check-prefix=E5M2
// RUN: kiln compile %s --from=ttg --emit=llvm --passes= --no-llvm-passes --no-line-info --kernel=fnuz -o - \
// RUN:   | FileCheck %s --check-prefix=FNUZ
// RUN: kiln compile %s --from=ttg --emit=llvm --passes= --no-llvm-passes --no-line-info --kernel=copies -o - \
// RUN:   | FileCheck %s --check-prefix=COPIES

#blocked = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [64], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  // E4M3-LABEL: define {{.*}}@e4m3(
  // E4M3: call i32 @llvm.amdgcn.perm(i32 %[[W:.*]], i32 %[[W]], i32 17563660)
  // E4M3: fmul <2 x half> {{.*}}, splat (half 0xH5C00)
  // E4M3: call i32 @llvm.amdgcn.perm(i32 %[[W]], i32 %[[W]], i32 51118604)
  // E4M3-NOT: icmp
  // E4M3: ret void
  tt.func public @e4m3(%p: !tt.ptr<f8E4M3FN>, %q: !tt.ptr<f16>) {
    %i = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32, #blocked>
    %s = tt.splat %p : !tt.ptr<f8E4M3FN> -> tensor<256x!tt.ptr<f8E4M3FN>, #blocked>
    %a = tt.addptr %s, %i : tensor<256x!tt.ptr<f8E4M3FN>, #blocked>, tensor<256xi32, #blocked>
    %x = tt.load %a : tensor<256x!tt.ptr<f8E4M3FN>, #blocked>
    %y = tt.fp_to_fp %x : tensor<256xf8E4M3FN, #blocked> -> tensor<256xf16, #blocked>
    %t = tt.splat %q : !tt.ptr<f16> -> tensor<256x!tt.ptr<f16>, #blocked>
    %b = tt.addptr %t, %i : tensor<256x!tt.ptr<f16>, #blocked>, tensor<256xi32, #blocked>
    tt.store %b, %y : tensor<256x!tt.ptr<f16>, #blocked>
    tt.return
  }
  // E5M2-LABEL: define {{.*}}@e5m2(
  // E5M2: call i32 @llvm.amdgcn.perm({{.*}}, i32 17563660)
  // E5M2: fpext <2 x half> {{.*}} to <2 x float>
  // E5M2: call i32 @llvm.amdgcn.perm({{.*}}, i32 117834498)
  // E5M2-NOT: select
  // E5M2: ret void
  tt.func public @e5m2(%p: !tt.ptr<f8E5M2>, %q: !tt.ptr<bf16>) {
    %i = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32, #blocked>
    %s = tt.splat %p : !tt.ptr<f8E5M2> -> tensor<256x!tt.ptr<f8E5M2>, #blocked>
    %a = tt.addptr %s, %i : tensor<256x!tt.ptr<f8E5M2>, #blocked>, tensor<256xi32, #blocked>
    %x = tt.load %a : tensor<256x!tt.ptr<f8E5M2>, #blocked>
    %y = tt.fp_to_fp %x : tensor<256xf8E5M2, #blocked> -> tensor<256xbf16, #blocked>
    %t = tt.splat %q : !tt.ptr<bf16> -> tensor<256x!tt.ptr<bf16>, #blocked>
    %b = tt.addptr %t, %i : tensor<256x!tt.ptr<bf16>, #blocked>, tensor<256xi32, #blocked>
    tt.store %b, %y : tensor<256x!tt.ptr<bf16>, #blocked>
    tt.return
  }
  // FNUZ-LABEL: define {{.*}}@fnuz(
  // FNUZ: call {{.*}}<2 x float> @llvm.amdgcn.cvt.pk.f32.fp8(i32 %[[W:.*]], i1 false)
  // FNUZ: call {{.*}}<2 x float> @llvm.amdgcn.cvt.pk.f32.fp8(i32 %[[W]], i1 true)
  tt.func public @fnuz(%p: !tt.ptr<f8E4M3FNUZ>, %q: !tt.ptr<f32>) {
    %i = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32, #blocked>
    %s = tt.splat %p : !tt.ptr<f8E4M3FNUZ> -> tensor<256x!tt.ptr<f8E4M3FNUZ>, #blocked>
    %a = tt.addptr %s, %i : tensor<256x!tt.ptr<f8E4M3FNUZ>, #blocked>, tensor<256xi32, #blocked>
    %x = tt.load %a : tensor<256x!tt.ptr<f8E4M3FNUZ>, #blocked>
    %y = tt.fp_to_fp %x : tensor<256xf8E4M3FNUZ, #blocked> -> tensor<256xf32, #blocked>
    %t = tt.splat %q : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>, #blocked>
    %b = tt.addptr %t, %i : tensor<256x!tt.ptr<f32>, #blocked>, tensor<256xi32, #blocked>
    tt.store %b, %y : tensor<256x!tt.ptr<f32>, #blocked>
    tt.return
  }
  // COPIES-LABEL: define {{.*}}@copies(
  // COPIES: call {{.*}}float @llvm.amdgcn.cvt.f32.fp8(
  // COPIES-NOT: cvt
  // COPIES: ret void
  tt.func public @copies(%p: !tt.ptr<f8E4M3FNUZ>, %q: !tt.ptr<f32>) {
    %i = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32, #blocked>
    %e = tt.load %p : !tt.ptr<f8E4M3FNUZ>
    %x = tt.splat %e : f8E4M3FNUZ -> tensor<256xf8E4M3FNUZ, #blocked>
    %y = tt.fp_to_fp %x : tensor<256xf8E4M3FNUZ, #blocked> -> tensor<256xf32, #blocked>
    %t = tt.splat %q : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>, #blocked>
    %b = tt.addptr %t, %i : tensor<256x!tt.ptr<f32>, #blocked>, tensor<256xi32, #blocked>
    tt.store %b, %y : tensor<256x!tt.ptr<f32>, #blocked>
    tt.return
  }
}

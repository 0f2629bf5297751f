// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Buffer resources of pointers without a known range: if the part that differs between lanes is
// provably small, the resource begins at the uniform part, and a mask needs no branch.
// RUN: kiln compile %s --from=ttg --emit=llvm --passes= --no-llvm-passes --no-line-info --kernel=columns -o - \
// RUN:   | FileCheck %s --check-prefix=COLUMNS
// RUN: kiln compile %s --from=ttg --emit=llvm --passes= --no-llvm-passes --no-line-info --kernel=unmasked -o - \
// RUN:   | FileCheck %s --check-prefix=UNMASKED
// RUN: kiln compile %s --from=ttg --emit=llvm --passes= --no-llvm-passes --no-line-info --kernel=unknown -o - \
// RUN:   | FileCheck %s --check-prefix=BRANCH
// RUN: kiln compile %s --from=ttg --emit=llvm --passes= --no-llvm-passes --no-line-info --kernel=before -o - \
// RUN:   | FileCheck %s --check-prefix=BRANCH
// RUN: kiln compile %s --from=ttg --emit=llvm --passes= --no-llvm-passes --no-line-info --kernel=far -o - \
// RUN:   | FileCheck %s --check-prefix=BRANCH
// RUN: kiln compile %s --from=ttg --emit=llvm --passes= --no-llvm-passes --no-line-info --kernel=steps -o - \
// RUN:   | FileCheck %s --check-prefix=STEPS
// RUN: kiln compile %s --from=ttg --emit=llvm --passes= --no-llvm-passes --no-line-info --kernel=odd_steps -o - \
// RUN:   | FileCheck %s --check-prefix=BRANCH
// RUN: kiln compile %s --from=ttg --emit=llvm --passes= --no-llvm-passes --no-line-info --kernel=loaded -o - \
// RUN:   | FileCheck %s --check-prefix=LOADED

#b = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [64], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {

  // A row of any length, the columns of a block. One resource for the load, one for the store that
  // the row leads to, too.
  // COLUMNS-LABEL: define {{.*}}@columns(
  // COLUMNS-NOT: br i1
  // COLUMNS: %[[ROW:.*]] = getelementptr i8, ptr addrspace(1) %arg0, i64
  // COLUMNS: %[[RESOURCE:.*]] = call ptr addrspace(8) @llvm.amdgcn.make.buffer.rsrc.p8.p1(ptr addrspace(1) %[[ROW]], i16 0, i64 2147483648, i32 159744)
  // COLUMNS: %[[OFFSET:.*]] = select i1 %{{.*}}, i32 %{{.*}}, i32 -2147483648
  // COLUMNS: call <4 x i32> @llvm.amdgcn.raw.ptr.buffer.load.v4i32(ptr addrspace(8) %[[RESOURCE]], i32 %[[OFFSET]], i32 0, i32 0)
  // COLUMNS-NOT: br i1
  // COLUMNS: call void @llvm.amdgcn.raw.ptr.buffer.store.v4i32(
  // COLUMNS-NOT: br i1
  tt.func public @columns(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %stride: i64 {tt.divisibility = 16 : i32}, %n: i32 {tt.divisibility = 16 : i32}) {
    %row = tt.addptr %x, %stride : !tt.ptr<f32>, i64
    %i = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32, #b>
    %ns = tt.splat %n : i32 -> tensor<1024xi32, #b>
    %m = arith.cmpi slt, %i, %ns : tensor<1024xi32, #b>
    %xs = tt.splat %row : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #b>
    %p = tt.addptr %xs, %i : tensor<1024x!tt.ptr<f32>, #b>, tensor<1024xi32, #b>
    %v = tt.load %p, %m : tensor<1024x!tt.ptr<f32>, #b>
    tt.store %p, %v, %m : tensor<1024x!tt.ptr<f32>, #b>
    tt.return
  }

  // Nothing to gain without a mask.
  // UNMASKED-LABEL: define {{.*}}@unmasked(
  // UNMASKED-NOT: buffer
  // UNMASKED: load <4 x i32>, ptr addrspace(1)
  tt.func public @unmasked(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
    %i = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32, #b>
    %xs = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #b>
    %p = tt.addptr %xs, %i : tensor<1024x!tt.ptr<f32>, #b>, tensor<1024xi32, #b>
    %v = tt.load %p : tensor<1024x!tt.ptr<f32>, #b>
    tt.store %p, %v : tensor<1024x!tt.ptr<f32>, #b>
    tt.return
  }

  // BRANCH-NOT: buffer
  // BRANCH: br i1 %{{.*}}, label %load
  tt.func public @unknown(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %stride: i32, %n: i32) {
    %i = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32, #b>
    %ns = tt.splat %n : i32 -> tensor<1024xi32, #b>
    %m = arith.cmpi slt, %i, %ns : tensor<1024xi32, #b>
    %s = tt.splat %stride : i32 -> tensor<1024xi32, #b>
    %o = arith.muli %i, %s : tensor<1024xi32, #b>
    %xs = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #b>
    %p = tt.addptr %xs, %o : tensor<1024x!tt.ptr<f32>, #b>, tensor<1024xi32, #b>
    %v = tt.load %p, %m : tensor<1024x!tt.ptr<f32>, #b>
    tt.store %p, %v, %m : tensor<1024x!tt.ptr<f32>, #b>
    tt.return
  }
  tt.func public @before(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) {
    %c = arith.constant dense<-1> : tensor<1024xi32, #b>
    %i = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32, #b>
    %ns = tt.splat %n : i32 -> tensor<1024xi32, #b>
    %m = arith.cmpi slt, %i, %ns : tensor<1024xi32, #b>
    %o = arith.addi %i, %c : tensor<1024xi32, #b>
    %xs = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #b>
    %p = tt.addptr %xs, %o : tensor<1024x!tt.ptr<f32>, #b>, tensor<1024xi32, #b>
    %v = tt.load %p, %m : tensor<1024x!tt.ptr<f32>, #b>
    tt.store %p, %v, %m : tensor<1024x!tt.ptr<f32>, #b>
    tt.return
  }
  // 1023 · 2^20 elements of 4 bytes: 2^32 bytes.
  tt.func public @far(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) {
    %c = arith.constant dense<1048576> : tensor<1024xi32, #b>
    %i = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32, #b>
    %ns = tt.splat %n : i32 -> tensor<1024xi32, #b>
    %m = arith.cmpi slt, %i, %ns : tensor<1024xi32, #b>
    %o = arith.muli %i, %c : tensor<1024xi32, #b>
    %xs = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #b>
    %p = tt.addptr %xs, %o : tensor<1024x!tt.ptr<f32>, #b>, tensor<1024xi32, #b>
    %v = tt.load %p, %m : tensor<1024x!tt.ptr<f32>, #b>
    tt.store %p, %v, %m : tensor<1024x!tt.ptr<f32>, #b>
    tt.return
  }

  // A loop in steps of the block: no sum of its variable and a column wraps, so they are extended
  // each by itself.
  // STEPS-LABEL: define {{.*}}@steps(
  // STEPS: loop:
  // STEPS: %[[FIRST:.*]] = sext i32 %i to i64
  // STEPS: %[[BYTES:.*]] = mul i64 %[[FIRST]], 4
  // STEPS: getelementptr i8, ptr addrspace(1) %arg0, i64 %[[BYTES]]
  // STEPS-NEXT: call ptr addrspace(8) @llvm.amdgcn.make.buffer.rsrc
  // STEPS: call void @llvm.amdgcn.raw.ptr.buffer.store.v4i32(
  tt.func public @steps(%x: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %n: i32 {tt.divisibility = 16 : i32}) {
    %c0 = arith.constant 0 : i32
    %c1024 = arith.constant 1024 : i32
    %i = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32, #b>
    %ns = tt.splat %n : i32 -> tensor<1024xi32, #b>
    %xs = tt.splat %x : !tt.ptr<i32> -> tensor<1024x!tt.ptr<i32>, #b>
    scf.for %first = %c0 to %n step %c1024 : i32 {
      %f = tt.splat %first : i32 -> tensor<1024xi32, #b>
      %o = arith.addi %f, %i : tensor<1024xi32, #b>
      %m = arith.cmpi slt, %o, %ns : tensor<1024xi32, #b>
      %p = tt.addptr %xs, %o : tensor<1024x!tt.ptr<i32>, #b>, tensor<1024xi32, #b>
      tt.store %p, %i, %m : tensor<1024x!tt.ptr<i32>, #b>
    }
    tt.return
  }
  // Those of 1016 elements meet, and the last sum may wrap.
  tt.func public @odd_steps(%x: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %n: i32 {tt.divisibility = 16 : i32}) {
    %c0 = arith.constant 0 : i32
    %c1016 = arith.constant 1016 : i32
    %i = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32, #b>
    %ns = tt.splat %n : i32 -> tensor<1024xi32, #b>
    %xs = tt.splat %x : !tt.ptr<i32> -> tensor<1024x!tt.ptr<i32>, #b>
    scf.for %first = %c0 to %n step %c1016 : i32 {
      %f = tt.splat %first : i32 -> tensor<1024xi32, #b>
      %o = arith.addi %f, %i : tensor<1024xi32, #b>
      %m = arith.cmpi slt, %o, %ns : tensor<1024xi32, #b>
      %p = tt.addptr %xs, %o : tensor<1024x!tt.ptr<i32>, #b>, tensor<1024xi32, #b>
      %v = tt.load %p, %m : tensor<1024x!tt.ptr<i32>, #b>
      tt.store %p, %v, %m : tensor<1024x!tt.ptr<i32>, #b>
    }
    tt.return
  }

  // The resource of a pointer other than an argument is made where it is used.
  // LOADED-LABEL: define {{.*}}@loaded(
  // LOADED: %[[BASE:.*]] = inttoptr i64 %{{.*}} to ptr addrspace(1)
  // LOADED: call ptr addrspace(8) @llvm.amdgcn.make.buffer.rsrc.p8.p1(ptr addrspace(1) %[[BASE]],
  // LOADED: call void @llvm.amdgcn.raw.ptr.buffer.store.v4i32(
  tt.func public @loaded(%xx: !tt.ptr<!tt.ptr<i32>>, %n: i32 {tt.divisibility = 16 : i32}) {
    %x = tt.load %xx : !tt.ptr<!tt.ptr<i32>>
    %i = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32, #b>
    %ns = tt.splat %n : i32 -> tensor<1024xi32, #b>
    %m = arith.cmpi slt, %i, %ns : tensor<1024xi32, #b>
    %xs = tt.splat %x : !tt.ptr<i32> -> tensor<1024x!tt.ptr<i32>, #b>
    %p = tt.addptr %xs, %i {tt.divisibility = dense<16> : tensor<1xi32>, tt.contiguity = dense<1024> : tensor<1xi32>} : tensor<1024x!tt.ptr<i32>, #b>, tensor<1024xi32, #b>
    tt.store %p, %i, %m : tensor<1024x!tt.ptr<i32>, #b>
    tt.return
  }
}

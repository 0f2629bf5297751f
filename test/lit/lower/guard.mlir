// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel whose only effects depend on one mask has one branch around all of it.
// RUN: %kiln compile %s --from=ttg --emit=llvm --passes= --no-llvm-passes --no-line-info --kernel=add -o - \
// RUN:   | FileCheck %s --check-prefix=ADD
// RUN: %kiln compile %s --from=ttg --emit=asm --passes= --no-line-info --kernel=add -o - \
// RUN:   | FileCheck %s --check-prefix=ISA
// RUN: %kiln compile %s --from=ttg --emit=llvm --passes= --no-llvm-passes --no-line-info --kernel=below_2g -o - \
// RUN:   | FileCheck %s --check-prefix=BELOW
// RUN: %kiln compile %s --from=ttg --emit=llvm --passes= --no-llvm-passes --no-line-info --kernel=two_masks -o - \
// RUN:   | FileCheck %s --check-prefix=BUFFERS
// RUN: %kiln compile %s --from=ttg --emit=llvm --passes= --no-llvm-passes --no-line-info --kernel=unmasked_store -o - \
// RUN:   | FileCheck %s --check-prefix=BUFFERS
// RUN: %kiln compile %s --from=ttg --emit=llvm --passes= --no-llvm-passes --no-line-info --kernel=sum -o - \
// RUN:   | FileCheck %s --check-prefix=BUFFERS
// RUN: %kiln compile %s --from=ttg --emit=llvm --passes= --no-llvm-passes --no-line-info --kernel=one_pointer -o - \
// RUN:   | FileCheck %s --check-prefix=BUFFERS

#b = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [64], warpsPerCTA = [4], order = [0]}>
module attributes {ttg.shared = 64 : i32, "ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {

  // The offset is extended as a whole, once for all pointers.
  // ADD-LABEL: define {{.*}}@add(
  // ADD-NOT: buffer
  // ADD: br i1 %{{.*}}, label %[[BODY:.*]], label %[[DONE:.*]]
  // ADD: [[BODY]]:
  // ADD-COUNT-2: load <4 x i32>, ptr addrspace(1)
  // ADD-NOT: phi
  // ADD: store <4 x i32> %{{.*}}, ptr addrspace(1)
  // ADD-NEXT: br label %[[DONE]]
  // ADD: [[DONE]]:
  // ADD-NEXT: ret void
  // ISA-LABEL: {{^}}add:
  // ISA: s_and_saveexec_b64
  // ISA: v_ashrrev_i32
  // ISA-NOT: s_add_u32
  // ISA-NOT: buffer_
  // ISA: global_store_dwordx4
  // ISA-NEXT: {{^}}.LBB{{.*}}:
  // ISA-NEXT: s_endpgm
  tt.func public @add(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %z: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32 {tt.divisibility = 16 : i32}) {
    %c1024 = arith.constant 1024 : i32
    %pid = tt.get_program_id x : i32
    %first = arith.muli %pid, %c1024 : i32
    %r = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32, #b>
    %f = tt.splat %first : i32 -> tensor<1024xi32, #b>
    %i = arith.addi %f, %r : tensor<1024xi32, #b>
    %ns = tt.splat %n : i32 -> tensor<1024xi32, #b>
    %m = arith.cmpi slt, %i, %ns : tensor<1024xi32, #b>
    %xs = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #b>
    %ys = tt.splat %y : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #b>
    %zs = tt.splat %z : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #b>
    %px = tt.addptr %xs, %i : tensor<1024x!tt.ptr<f32>, #b>, tensor<1024xi32, #b>
    %py = tt.addptr %ys, %i : tensor<1024x!tt.ptr<f32>, #b>, tensor<1024xi32, #b>
    %pz = tt.addptr %zs, %i : tensor<1024x!tt.ptr<f32>, #b>, tensor<1024xi32, #b>
    %a = tt.load %px, %m : tensor<1024x!tt.ptr<f32>, #b>
    %b = tt.load %py, %m : tensor<1024x!tt.ptr<f32>, #b>
    %c = arith.addf %a, %b : tensor<1024xf32, #b>
    tt.store %pz, %c, %m : tensor<1024x!tt.ptr<f32>, #b>
    tt.return
  }

  // Nor is a resource made of buffers below 2 GiB, to which offsets of 32 bits are exact.
  // BELOW-LABEL: define {{.*}}@below_2g(
  // BELOW-NOT: buffer
  // BELOW: br i1
  // BELOW: zext i32 %{{.*}} to i64
  // BELOW: load <4 x i32>, ptr addrspace(1)
  // BELOW-NOT: phi
  // BELOW: store <4 x i32> %{{.*}}, ptr addrspace(1)
  tt.func public @below_2g(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32, tt.pointer_range = 32 : i32}, %z: !tt.ptr<f32> {tt.divisibility = 16 : i32, tt.pointer_range = 32 : i32}, %n: i32 {tt.divisibility = 16 : i32}) {
    %i = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32, #b>
    %ns = tt.splat %n : i32 -> tensor<1024xi32, #b>
    %m = arith.cmpi slt, %i, %ns : tensor<1024xi32, #b>
    %xs = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #b>
    %zs = tt.splat %z : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #b>
    %px = tt.addptr %xs, %i : tensor<1024x!tt.ptr<f32>, #b>, tensor<1024xi32, #b>
    %pz = tt.addptr %zs, %i : tensor<1024x!tt.ptr<f32>, #b>, tensor<1024xi32, #b>
    %zero = arith.constant dense<0.0> : tensor<1024xf32, #b>
    %a = tt.load %px, %m, %zero : tensor<1024x!tt.ptr<f32>, #b>
    %b = math.exp %a : tensor<1024xf32, #b>
    tt.store %pz, %b, %m : tensor<1024x!tt.ptr<f32>, #b>
    tt.return
  }

  // What is stored under another mask, or none, or what all lanes have a part in, needs what lanes
  // load that are masked off.
  // BUFFERS: define
  // BUFFERS-NOT: br i1
  // BUFFERS: buffer.load
  tt.func public @two_masks(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %z: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32 {tt.divisibility = 16 : i32}, %k: i32 {tt.divisibility = 16 : i32}) {
    %i = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32, #b>
    %ns = tt.splat %n : i32 -> tensor<1024xi32, #b>
    %ks = tt.splat %k : i32 -> tensor<1024xi32, #b>
    %m = arith.cmpi slt, %i, %ns : tensor<1024xi32, #b>
    %o = arith.cmpi slt, %i, %ks : tensor<1024xi32, #b>
    %xs = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #b>
    %zs = tt.splat %z : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #b>
    %px = tt.addptr %xs, %i : tensor<1024x!tt.ptr<f32>, #b>, tensor<1024xi32, #b>
    %pz = tt.addptr %zs, %i : tensor<1024x!tt.ptr<f32>, #b>, tensor<1024xi32, #b>
    %a = tt.load %px, %m : tensor<1024x!tt.ptr<f32>, #b>
    tt.store %pz, %a, %o : tensor<1024x!tt.ptr<f32>, #b>
    tt.return
  }

  tt.func public @unmasked_store(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %z: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32 {tt.divisibility = 16 : i32}) {
    %i = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32, #b>
    %ns = tt.splat %n : i32 -> tensor<1024xi32, #b>
    %m = arith.cmpi slt, %i, %ns : tensor<1024xi32, #b>
    %xs = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #b>
    %zs = tt.splat %z : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #b>
    %px = tt.addptr %xs, %i : tensor<1024x!tt.ptr<f32>, #b>, tensor<1024xi32, #b>
    %pz = tt.addptr %zs, %i : tensor<1024x!tt.ptr<f32>, #b>, tensor<1024xi32, #b>
    %zero = arith.constant dense<0.0> : tensor<1024xf32, #b>
    %a = tt.load %px, %m, %zero : tensor<1024x!tt.ptr<f32>, #b>
    tt.store %px, %a, %m : tensor<1024x!tt.ptr<f32>, #b>
    tt.store %pz, %a : tensor<1024x!tt.ptr<f32>, #b>
    tt.return
  }

  tt.func public @sum(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %z: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32 {tt.divisibility = 16 : i32}) {
    %i = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32, #b>
    %ns = tt.splat %n : i32 -> tensor<1024xi32, #b>
    %m = arith.cmpi slt, %i, %ns : tensor<1024xi32, #b>
    %xs = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #b>
    %zs = tt.splat %z : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #b>
    %px = tt.addptr %xs, %i : tensor<1024x!tt.ptr<f32>, #b>, tensor<1024xi32, #b>
    %pz = tt.addptr %zs, %i : tensor<1024x!tt.ptr<f32>, #b>, tensor<1024xi32, #b>
    %zero = arith.constant dense<0.0> : tensor<1024xf32, #b>
    %a = tt.load %px, %m, %zero : tensor<1024x!tt.ptr<f32>, #b>
    %s = "tt.reduce"(%a) <{axis = 0 : i32}> ({
    ^bb0(%p: f32, %q: f32):
      %t = arith.addf %p, %q : f32
      tt.reduce.return %t : f32
    }) {allocation.offset = 0 : i32} : (tensor<1024xf32, #b>) -> f32
    %ss = tt.splat %s : f32 -> tensor<1024xf32, #b>
    tt.store %pz, %ss, %m : tensor<1024x!tt.ptr<f32>, #b>
    tt.return
  }

  // One resource costs no more than the branch.
  tt.func public @one_pointer(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32 {tt.divisibility = 16 : i32}) {
    %i = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32, #b>
    %ns = tt.splat %n : i32 -> tensor<1024xi32, #b>
    %m = arith.cmpi slt, %i, %ns : tensor<1024xi32, #b>
    %xs = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #b>
    %px = tt.addptr %xs, %i : tensor<1024x!tt.ptr<f32>, #b>, tensor<1024xi32, #b>
    %a = tt.load %px, %m : tensor<1024x!tt.ptr<f32>, #b>
    tt.store %px, %a, %m : tensor<1024x!tt.ptr<f32>, #b>
    tt.return
  }
}

// tanh of the device library calls exp of the same library; an intrinsic replaces that, which LLVM
// expands to fewer instructions.
//
// RUN: %kiln compile %s --from=tt --emit=llvm -o - | FileCheck %s
// RUN: %kiln compile %s --from=tt --emit=asm -o - | FileCheck %s --check-prefix=ISA
module {
  // CHECK-LABEL: void @k(
  // CHECK: call {{.*}}float @llvm.exp.f32(
  // CHECK-NOT: @llvm.exp2
  // CHECK: ret void
  // ISA-LABEL: {{^}}k:
  // ISA-COUNT-1: v_ldexp_f32
  // ISA-NOT: v_ldexp_f32
  // ISA: s_endpgm
  tt.func public @k(%p: !tt.ptr<f32>) {
    %v = tt.load %p : !tt.ptr<f32>
    %w = math.tanh %v : f32
    tt.store %p, %w : !tt.ptr<f32>
    tt.return
  }
}

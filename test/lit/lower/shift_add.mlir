// An index added to several pointers is shifted in each addition by v_lshl_add_u64, unless the
// shifted index has other uses.
//
// RUN: %kiln compile %s --from=tt --emit=asm --no-line-info --kernel=add -o - | FileCheck %s
// RUN: %kiln compile %s --from=tt --emit=asm --no-line-info --kernel=kept -o - | FileCheck %s --check-prefix=KEPT
module {
  // CHECK-LABEL: {{^}}add:
  // CHECK-NOT: v_lshlrev_b64
  // CHECK: v_lshl_add_u64 v[{{.*}}], v[[INDEX:.*]], 2, s[
  // CHECK-NOT: v_lshlrev_b64
  // CHECK: v_lshl_add_u64 v[{{.*}}], v[[INDEX]], 2, s[
  // CHECK-NOT: v_lshlrev_b64
  // CHECK: s_endpgm
  tt.func public @add(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32 {tt.divisibility = 16 : i32}) {
    %c1024 = arith.constant 1024 : i32
    %pid = tt.get_program_id x : i32
    %first = arith.muli %pid, %c1024 : i32
    %r = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
    %f = tt.splat %first : i32 -> tensor<1024xi32>
    %i = arith.addi %f, %r : tensor<1024xi32>
    %ns = tt.splat %n : i32 -> tensor<1024xi32>
    %m = arith.cmpi slt, %i, %ns : tensor<1024xi32>
    %xs = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
    %ys = tt.splat %y : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
    %px = tt.addptr %xs, %i : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
    %py = tt.addptr %ys, %i : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
    %a = tt.load %px, %m : tensor<1024x!tt.ptr<f32>>
    %b = math.exp2 %a : tensor<1024xf32>
    tt.store %py, %b, %m : tensor<1024x!tt.ptr<f32>>
    tt.return
  }

  // KEPT-LABEL: {{^}}kept:
  // KEPT: v_lshlrev_b64 v[[SHIFTED:.*]], 2, v[
  // KEPT: v_lshl_add_u64 v[{{.*}}], v[[SHIFTED]], 0, s[
  // KEPT: s_endpgm
  tt.func public @kept(%x: !tt.ptr<i64> {tt.divisibility = 16 : i32}, %y: !tt.ptr<i64> {tt.divisibility = 16 : i32}) {
    %two = arith.constant dense<2> : tensor<1024xi64>
    %one = arith.constant dense<1> : tensor<1024xi64>
    %r = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
    %xs = tt.splat %x : !tt.ptr<i64> -> tensor<1024x!tt.ptr<i64>>
    %px = tt.addptr %xs, %r : tensor<1024x!tt.ptr<i64>>, tensor<1024xi32>
    %a = tt.load %px : tensor<1024x!tt.ptr<i64>>
    %s = arith.shli %a, %two : tensor<1024xi64>
    %base = tt.ptr_to_int %y : !tt.ptr<i64> -> i64
    %bases = tt.splat %base : i64 -> tensor<1024xi64>
    %t = arith.addi %bases, %s : tensor<1024xi64>
    %u = arith.xori %t, %s : tensor<1024xi64>
    tt.store %px, %u : tensor<1024x!tt.ptr<i64>>
    tt.return
  }
}

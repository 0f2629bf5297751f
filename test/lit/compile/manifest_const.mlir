// The pointers that the manifest calls const: those that nothing is written through.
//
// RUN: kiln compile %s --from=tt --kernel=reads -o %t.hsaco && FileCheck %s --check-prefix=READS --input-file=%t.json
// RUN: kiln compile %s --from=tt --kernel=chooses -o %t.hsaco \
// RUN:   && FileCheck %s --check-prefix=CHOOSES --input-file=%t.json
// RUN: kiln compile %s --from=tt --kernel=counts -o %t.hsaco && FileCheck %s --check-prefix=COUNTS --input-file=%t.json
// RUN: kiln compile %s --from=tt --kernel=numbers -o %t.hsaco \
// RUN:   && FileCheck %s --check-prefix=NUMBERS --input-file=%t.json
// RUN: kiln compile %s --from=tt --kernel=walks -o %t.hsaco && FileCheck %s --check-prefix=WALKS --input-file=%t.json

module {
  // READS: "arguments"
  // READS: "const": true,
  // READS-NEXT: "name": "from"
  // READS-NOT: "const"
  // READS: "name": "to"
  tt.func public @reads(%from: !tt.ptr<f32> loc("from"), %to: !tt.ptr<f32> loc("to")) {
    %x = tt.load %from : !tt.ptr<f32>
    tt.store %to, %x : !tt.ptr<f32>
    tt.return
  }

  // A store through one of two pointers writes through both, and other pointers cannot be
  // distinguished from them.
  // CHOOSES: "arguments"
  // CHOOSES-NOT: "const"
  // CHOOSES: "name": "b"
  tt.func public @chooses(%a: !tt.ptr<f32> loc("a"), %b: !tt.ptr<f32> loc("b"), %which: i1) {
    %p = arith.select %which, %a, %b : !tt.ptr<f32>
    %x = tt.load %a : !tt.ptr<f32>
    tt.store %p, %x : !tt.ptr<f32>
    tt.return
  }

  // COUNTS: "arguments"
  // COUNTS-NOT: "const"
  // COUNTS: "name": "counter"
  // COUNTS: "const": true,
  // COUNTS-NEXT: "name": "step"
  tt.func public @counts(%counter: !tt.ptr<i32> loc("counter"), %step: !tt.ptr<i32> loc("step")) {
    %true = arith.constant true
    %x = tt.load %step : !tt.ptr<i32>
    %old = tt.atomic_rmw add, relaxed, gpu, %counter, %x, %true : (!tt.ptr<i32>, i32, i1) -> i32
    tt.return
  }

  // A number may become a pointer again.
  // NUMBERS: "arguments"
  // NUMBERS-NOT: "const"
  // NUMBERS: "name": "p"
  // NUMBERS: "const": true,
  // NUMBERS-NEXT: "name": "q"
  tt.func public @numbers(%p: !tt.ptr<i64> loc("p"), %q: !tt.ptr<i64> loc("q"), %out: !tt.ptr<i64> loc("out")) {
    %n = tt.ptr_to_int %p : !tt.ptr<i64> -> i64
    %m = tt.load %q : !tt.ptr<i64>
    %s = arith.addi %n, %m : i64
    tt.store %out, %s : !tt.ptr<i64>
    tt.return
  }

  // WALKS: "arguments"
  // WALKS: "const": true,
  // WALKS-NEXT: "name": "in"
  // WALKS-NOT: "const"
  // WALKS: "name": "out"
  tt.func public @walks(%in: !tt.ptr<f32> loc("in"), %out: !tt.ptr<f32> loc("out"), %n: i32 loc("n")) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %r = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
    %is = tt.splat %in : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
    %os = tt.splat %out : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
    %i0 = tt.addptr %is, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    %o0 = tt.addptr %os, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    %step = tt.splat %c64 : i32 -> tensor<64xi32>
    %last:2 = scf.for %k = %c0 to %n step %c1 iter_args(%i = %i0, %o = %o0) -> (tensor<64x!tt.ptr<f32>>, tensor<64x!tt.ptr<f32>>) : i32 {
      %x = tt.load %i : tensor<64x!tt.ptr<f32>>
      tt.store %o, %x : tensor<64x!tt.ptr<f32>>
      %i1 = tt.addptr %i, %step : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
      %o1 = tt.addptr %o, %step : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
      scf.yield %i1, %o1 : tensor<64x!tt.ptr<f32>>, tensor<64x!tt.ptr<f32>>
    }
    tt.return
  }
}

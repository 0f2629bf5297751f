// A kernel whose programs wait for others keeps the order of the dispatch, also if the loop that waits is one of blocks,
// or in a function that is not inlined; a branch forwards is no loop. With few workgroups at a time it would never end.
// RUN: %kiln compile %s --kernel=blocks --emit=ttg -o - | FileCheck %s --implicit-check-not=program_order
// RUN: %kiln compile %s --kernel=calls --emit=ttg -o - | FileCheck %s --implicit-check-not=program_order
// CHECK: tt.func public
//
// RUN: %kiln compile %s --kernel=forwards --emit=ttg -o - | FileCheck %s --check-prefix=FORWARDS
// FORWARDS: kiln.program_order = array<i32: 0>
module {
  tt.func private @await(%flag: !tt.ptr<i32>) attributes {noinline = true} {
    %c1 = arith.constant 1 : i32
    cf.br ^wait
  ^wait:
    %v = tt.atomic_cas acq_rel, gpu, %flag, %c1, %c1 : (!tt.ptr<i32>, i32, i32) -> i32
    %go = arith.cmpi eq, %v, %c1 : i32
    cf.cond_br %go, ^done, ^wait
  ^done:
    tt.return
  }
  tt.func private @work(%out: !tt.ptr<i32>, %p: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %id = tt.get_program_id x : i32
    %s = scf.for %i = %c0 to %id step %c1 iter_args(%a = %c0) -> (i32) : i32 {
      %n = arith.addi %a, %i : i32
      scf.yield %n : i32
    }
    %q = tt.addptr %out, %p : !tt.ptr<i32>, i32
    tt.store %q, %s : !tt.ptr<i32>
    tt.return
  }
  tt.func public @blocks(%flag: !tt.ptr<i32>, %out: !tt.ptr<i32>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %p = tt.get_program_id x : i32
    %first = arith.cmpi eq, %p, %c0 : i32
    cf.cond_br %first, ^produce, ^wait
  ^produce:
    tt.store %flag, %c1 : !tt.ptr<i32>
    cf.br ^work
  ^wait:
    %v = tt.load %flag {isVolatile = true} : !tt.ptr<i32>
    %go = arith.cmpi eq, %v, %c1 : i32
    cf.cond_br %go, ^work, ^wait
  ^work:
    tt.call @work(%out, %p) : (!tt.ptr<i32>, i32) -> ()
    tt.return
  }
  tt.func public @calls(%flag: !tt.ptr<i32>, %out: !tt.ptr<i32>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %p = tt.get_program_id x : i32
    %first = arith.cmpi eq, %p, %c0 : i32
    scf.if %first {
      tt.store %flag, %c1 : !tt.ptr<i32>
    } else {
      tt.call @await(%flag) : (!tt.ptr<i32>) -> ()
    }
    tt.call @work(%out, %p) : (!tt.ptr<i32>, i32) -> ()
    tt.return
  }
  tt.func public @forwards(%flag: !tt.ptr<i32>, %out: !tt.ptr<i32>) {
    %c0 = arith.constant 0 : i32
    %p = tt.get_program_id x : i32
    %first = arith.cmpi eq, %p, %c0 : i32
    cf.cond_br %first, ^end, ^work
  ^work:
    tt.call @work(%out, %p) : (!tt.ptr<i32>, i32) -> ()
    cf.br ^end
  ^end:
    tt.return
  }
}

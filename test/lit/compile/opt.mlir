// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// kiln opt: chosen passes on tt and ttg, as mlir-opt. The pipeline in parts is the pipeline of
// kiln compile.
//
// RUN: %kiln opt %s --passes=canonicalize,cse --no-line-info | FileCheck %s --check-prefix=CSE
// CSE: tt.func public @f
// CSE: tt.load
// CSE-NOT: tt.load
// CSE: arith.addi %[[V:.*]], %[[V]]
// CSE: tt.func private @unused
// Without passes it is parsed, verified and printed; stdin has no name that says what it is.
// RUN: %kiln opt --no-line-info < %s | FileCheck %s --check-prefix=ROUND
// RUN: %kiln opt - --no-line-info --passes= -o - < %s | FileCheck %s --check-prefix=ROUND
// ROUND: tt.load
// ROUND: tt.load
// RUN: %kiln opt %s --passes=tt -o %t.ttgir --num-warps=2
// RUN: %kiln opt %t.ttgir --passes=ttg,final -o %t.parts --no-line-info
// RUN: %kiln opt %s --passes=tt,ttg,final -o %t.once --no-line-info --num-warps=2
// RUN: %kiln compile %t.ttgir --emit=ttg --passes=ttg,final -o %t.whole --no-line-info
// RUN: cmp %t.parts %t.once && cmp %t.parts %t.whole
// RUN: FileCheck %s --input-file=%t.parts --check-prefix=WARPS
// WARPS: "ttg{{.}}num-warps" = 2
// RUN: %kiln opt --list-passes > %t.list && %kiln compile --list-passes | diff - %t.list

// Passes are not flags, as they are in mlir-opt and triton-opt.
// RUN: not %kiln opt %s --cse 2>&1 | FileCheck %s --check-prefix=FLAG
// FLAG: error: unknown flag '--cse'; did you mean '--passes=cse'?
// RUN: not %kiln opt %s --tritongpu-remove-layout-conversions 2>&1 | FileCheck %s --check-prefix=TRITON
// TRITON: did you mean '--passes=remove_layout_conversions'?

// What is printed on the way.
// RUN: %kiln opt %s --passes=licm,cse,cse,canonicalize --print-changed -o %t 2>&1 | FileCheck %s --check-prefix=CHANGED
// CHANGED-NOT: Licm
// CHANGED: // -----// IR Dump After Cse (cse) //----- //
// CHANGED: tt.load
// CHANGED-NOT: Dump After Cse
// CHANGED-NOT: Before
// RUN: %kiln opt %s --passes=licm,cse,canonicalize --print-after=licm -o %t 2>&1 | FileCheck %s --check-prefix=AFTER
// AFTER: // -----// IR Dump After Licm (licm) //----- //
// AFTER-NOT: Dump
// RUN: %kiln opt %s --passes=licm,cse --print-after=licm,cse --print-changed -o %t 2>&1 \
// RUN:   | FileCheck %s --check-prefix=BOTH
// BOTH-NOT: Licm
// BOTH: Dump After Cse
// RUN: %kiln compile %s --kernel=f --emit=ttg --print-changed -o %t 2>&1 | FileCheck %s --check-prefix=COMPILE
// COMPILE: Dump After Cse
// COMPILE-NOT: Dump After Licm
// COMPILE: Dump After ConvertToTtg
// RUN: %kiln opt %s --passes=cse --time -o %t 2>&1 | FileCheck %s --check-prefix=TIME
// TIME: ms {{.*}} cse

// Options of passes.
// RUN: %kiln opt %s --passes=convert_to_ttg --num-warps=8 | FileCheck %s --check-prefix=EIGHT
// EIGHT: "ttg{{.}}num-warps" = 8
// RUN: sh -c '%kiln opt %s --passes=tt --kpack=3; test $? = 2' 2>&1 | FileCheck %s --check-prefix=KPACK
// KPACK: kpack is 3; it must be 1 or 2
// RUN: sh -c '%kiln opt %s --passes=tt --allow-flush-denorm; test $? = 2' 2>&1 | FileCheck %s --check-prefix=LATER
// LATER: --allow-flush-denorm has no effect here: it applies to the stages after ttg
// RUN: sh -c 'for f in --kpack=2 --num-stages=3 --matrix-instr-nonkdim=16 --num-warps=4 --iree-abi --debug-variables; do \
// RUN:   %kiln opt %s --passes=cse $f; echo code $?; done; %kiln opt %s --num-warps=2 || true' 2>&1 | FileCheck %s --check-prefix=UNREAD
// UNREAD:      kiln: error: --kpack has no effect here: no pass of --passes reads it; these do: accelerate_matmul
// UNREAD-NEXT: code 2
// UNREAD-NEXT: --num-stages has no effect here: {{.*}} these do: fuse_loops, schedule_loops
// UNREAD-NEXT: code 2
// UNREAD-NEXT: --matrix-instr-nonkdim has no effect here
// UNREAD-NEXT: code 2
// UNREAD-NEXT: --num-warps has no effect here
// UNREAD-NEXT: code 2
// UNREAD-NEXT: --iree-abi has no effect here: the pass runs if --passes names it (--passes=iree_abi)
// UNREAD-NEXT: code 2
// UNREAD-NEXT: --debug-variables has no effect here: it applies to the stages after ttg
// UNREAD-NEXT: code 2
// UNREAD-NEXT: --num-warps has no effect here
// RUN: %kiln opt %t.ttgir --passes=ttg --kpack=2 --num-stages=1 -o %t.options
// RUN: sh -c '%kiln opt %t.ttgir --passes=ttg --num-warps=4; test $? = 2' 2>&1 | FileCheck %s --check-prefix=MODULE
// MODULE: --num-warps has no effect here: it applies to the passes from tt to ttg
// RUN: %kiln opt %s --passes=iree_abi | FileCheck %s --check-prefix=IREE
// IREE: tt.func public @f(%{{[a-z0-9]+}}: !tt.ptr<i32>
// RUN: %python %S/Inputs/pass_options.py %S/../../..

// Errors.
// RUN: sh -c '%kiln opt %s --passes=coalese; test $? = 2' 2>&1 | FileCheck %s --check-prefix=NEAR
// NEAR: kiln: error: unknown pass 'coalese'; did you mean 'coalesce'?
// RUN: sh -c '%kiln opt %s --passes=cse,nope; test $? = 2' 2>&1 | FileCheck %s --check-prefix=FAR
// FAR: kiln: error: unknown pass 'nope'; --list-passes prints all
// RUN: sh -c '%kiln opt %s --passes=cse --print-after=licn; test $? = 2' 2>&1 | FileCheck %s --check-prefix=NEAR_AFTER
// NEAR_AFTER:      kiln: error: unknown pass 'licn'; did you mean 'licm'?
// NEAR_AFTER-NEXT: note: in --print-after
// RUN: sh -c '%kiln opt %s --passes=cse --print-after=licm -o %t; test $? = 1' 2>&1 | FileCheck %s --check-prefix=NOTHING
// NOTHING: --print-after printed nothing: none of these passes ran
// RUN: sh -c '%kiln opt %s --passes=cse,coalesce; test $? = 2' 2>&1 | FileCheck %s --check-prefix=EARLY
// EARLY: pass 'coalesce' is for ttg, but the module is tt; run convert_to_ttg before it
// RUN: sh -c '%kiln opt %t.ttgir --passes=place_barriers_; test $? = 2' 2>&1 | FileCheck %s --check-prefix=BARRIERS
// BARRIERS: did you mean 'place_barriers'?
// RUN: sh -c '%kiln opt %S/../frontend/control.tile.c --passes=cse; test $? = 1' 2>&1 | FileCheck %s --check-prefix=TILE
// TILE: expected tt {{.*}} or ttg {{.*}}, got '{{.*}}control.tile.c', which is Tile C; translate it with kiln compile --emit=tt
// RUN: sh -c '%kiln opt < /dev/null; test $? = 1' 2>&1 | FileCheck %s --check-prefix=EMPTY
// EMPTY: which is empty
// RUN: sh -c 'echo "tt.func @f() { tt.retur }" | %kiln opt; test $? = 1' 2>&1 | FileCheck %s --check-prefix=WRONG
// WRONG: <stdin>:1:16: error: custom op 'tt.retur' is unknown
// RUN: sh -c '%kiln opt %s --from=tile; test $? = 2' 2>&1 | FileCheck %s --check-prefix=FROM
// FROM: --from: expected tt or ttg, got 'tile'
// RUN: sh -c '%kiln opt %s %s; test $? = 2' 2>&1 | FileCheck %s --check-prefix=TWO
// TWO: expected one input file, got 2
module {
  tt.func public @f(%p: !tt.ptr<i32>, %q: !tt.ptr<i32>) {
    %v = tt.load %p : !tt.ptr<i32>
    %w = tt.load %p : !tt.ptr<i32>
    %s = arith.addi %v, %w : i32
    tt.store %q, %s : !tt.ptr<i32>
    tt.return
  }
  tt.func private @unused() {
    tt.return
  }
}

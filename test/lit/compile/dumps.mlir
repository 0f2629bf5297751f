// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dumps go to stderr under MLIR's header lines, for all kernels or one; passes can be switched off,
// timed, and run alone.
//
// RUN: env MLIR_ENABLE_DUMP=1 %kiln compile %s --from=tt --emit=ttg -o %t 2>&1 | FileCheck %s --check-prefix=ALL
// RUN: env MLIR_ENABLE_DUMP=f %kiln compile %s --from=tt --emit=ttg -o %t 2>&1 | FileCheck %s --check-prefix=ALL
// RUN: env MLIR_ENABLE_DUMP=other %kiln compile %s --from=tt --emit=ttg -o %t 2>&1 \
// RUN:   | FileCheck %s --check-prefix=NONE --allow-empty
// RUN: %kiln compile %s --from=tt --emit=ttg --dump-passes -o %t 2>&1 | FileCheck %s --check-prefix=ALL
// ALL: // -----// IR Dump Before Canonicalize (canonicalize) //----- //
// ALL: tt.func public @f
// ALL: // -----// IR Dump After Canonicalize (canonicalize) //----- //
// ALL: // -----// IR Dump Before ConvertToTtg (convert_to_ttg) //----- //
// ALL: // -----// IR Dump After Coalesce (coalesce) //----- //
// NONE-NOT: Dump

// RUN: env LLVM_IR_ENABLE_DUMP=1 AMDGCN_ENABLE_DUMP=1 %kiln compile %s --from=tt -o %t 2>&1 \
// RUN:   | FileCheck %s --check-prefix=CODE
// CODE: // -----// LLVM IR Dump //----- //
// CODE: define protected amdgpu_kernel void @f
// CODE: // -----// AMDGCN Dump //----- //
// CODE: s_endpgm

// RUN: %kiln compile %s --from=tt --emit=ttg --disable-pass=coalesce --dump-passes -o %t 2>&1 \
// RUN:   | FileCheck %s --check-prefix=OFF
// OFF-NOT: Coalesce
// RUN: %kiln compile %s --from=tt --emit=tt --passes=cse --dump-passes -o %t 2>&1 | FileCheck %s --check-prefix=ONLY
// ONLY: IR Dump Before Cse (cse)
// ONLY: IR Dump After Cse (cse)
// ONLY-NOT: IR Dump

// RUN: %kiln compile %s --from=tt -o %t --time 2>&1 | FileCheck %s --check-prefix=TIME
// TIME: ms {{.*}} parse
// TIME: ms {{.*}} coalesce
// TIME: ms {{.*}} codegen
// TIME: ms {{.*}} link
// TIME: total

// RUN: %kiln compile --list-passes | FileCheck %s --check-prefix=LIST
// LIST: tt   canonicalize
// LIST: ttg  coalesce {{.*}}adjacent bytes
module {
  tt.func public @f(%p: !tt.ptr<i32>) {
    %v = tt.load %p : !tt.ptr<i32>
    tt.store %p, %v : !tt.ptr<i32>
    tt.return
  }
}

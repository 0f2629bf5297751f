// Arguments that the HIP library fills in are in the manifest, after the kernel's own; a launcher
// need not know them.
//
// RUN: rm -rf %t && mkdir -p %t
// RUN: kiln compile %s --from=tt --grid 1 -o %t/tell.hsaco && FileCheck %s --input-file=%t/tell.json
// RUN: kiln compile %s --from=tt --grid 1 --emit=header -o %t/tell.h
// RUN: %cc -std=c99 %warnings -I%t -I%S/Inputs %S/Inputs/tell.c -o %t/tell -L%lib/hip -lamdhip64
// RUN: env LD_LIBRARY_PATH=%lib/hip %t/tell | FileCheck %s --check-prefix=SEEN
//
// CHECK: "hidden_arguments": [
// CHECK: "kind": "hidden_hostcall_buffer",
// CHECK-NEXT: "offset": {{[0-9]+}},
// CHECK-NEXT: "size": 8
// CHECK: "kernarg": {
// CHECK-NEXT: "align": 8,
// CHECK-NEXT: "size": 272
//
// SEEN-DAG: n: 7
// SEEN-DAG: error 0, 7

module {
  tt.func public @tell(%x: !tt.ptr<f32> loc("x"), %n: i32 loc("n")) {
    tt.print "n: " {hex = false, isSigned = array<i32: 1>} : %n : i32
    %f = arith.sitofp %n : i32 to f32
    tt.store %x, %f : !tt.ptr<f32>
    tt.return
  }
}

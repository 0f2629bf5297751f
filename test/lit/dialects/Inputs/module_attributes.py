# For module_attributes.test: whatever an attribute of a ttg module says, it is an error that names it, or fine.
import os, subprocess, sys

FOLDER, KILN = sys.argv[1:3]
TEXT = """#mma = #ttg.amd_mfma<{version = 3, warpsPerCTA = [1, 1], instrShape = [16, 16, 16], isTransposed = false}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>
module attributes {ATTRIBUTES} {
  tt.func public @k(%n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<16x16xf32, #mma>
    %m = ttg.local_alloc : () -> !ttg.memdesc<16x16xf16, #shared, #smem, mutable>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<16x16xf32, #mma>) : i32 {
      %x = ttg.local_load %m : !ttg.memdesc<16x16xf16, #shared, #smem, mutable> -> tensor<16x16xf16, #a>
      %y = ttg.local_load %m : !ttg.memdesc<16x16xf16, #shared, #smem, mutable> -> tensor<16x16xf16, #b>
      %d = tt.dot %x, %y, %acc : tensor<16x16xf16, #a> * tensor<16x16xf16, #b> -> tensor<16x16xf32, #mma>
      scf.yield %d : tensor<16x16xf32, #mma>
    }
    tt.return
  }
}
"""
RIGHT = {"ttg.num-ctas": "1 : i32", "ttg.num-warps": "1 : i32", "ttg.threads-per-warp": "64 : i32", "ttg.target": '"hip:gfx942"'}
VALUES = ["0 : i32", "-1 : i32", "3 : i32", "32 : i32", "2048 : i32", "2147483647 : i32", "-2147483648 : i32", "4294967296 : i64",
          "4294967297 : i64", "9223372036854775807 : i64", "-9223372036854775808 : i64", "18446744073709551616 : i128",
          "255 : ui8", "-1 : si8", "true", "false", '"four"', '"cuda:90"', '"hip:gfx950"', "unit", "[1 : i32]", "1.0 : f32", "i32",
          "dense<1> : tensor<1xi32>", "0 : index", "-1 : index"]
bad = 0
for name in RIGHT:
    for value in VALUES:
        written = {**RIGHT, name: value}
        path = os.path.join(FOLDER, "module.ttgir")
        with open(path, "w") as file:
            file.write(TEXT.replace("ATTRIBUTES", ", ".join(f'"{n}" = {v}' if v != "unit" else f'"{n}"' for n, v in written.items())))
        came = subprocess.run([KILN, "compile", path, "-o", os.path.join(FOLDER, "x.hsaco")], capture_output=True, text=True)
        if came.returncode != 1 or f"error: the module's attribute \"{name}\" is " not in came.stderr:
            bad += 1
            print(f"{name} = {value}: code {came.returncode}, {came.stderr[:200]}")
print("wrong:", bad)

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""divergent_forms.py FRAME DIR: writes a program for each form of a barrier that waves may execute differently, with what brings waves together again."""
import pathlib
import sys

ASM = '%%z = tt.elementwise_inline_asm "%s" {constraints = "=v,v", packed_element = 1 : i32, pure = false} %%id : i32 -> i32'
LOAD = "%y = ttg.local_load %m : !ttg.memdesc<128xi32, #s, #smem, mutable> -> tensor<128xi32, #c>"
STORE = "ttg.local_store %r, %m : tensor<128xi32, #b> -> !ttg.memdesc<128xi32, #s, #smem, mutable>"
SECOND, FIRST = "scf.if %second { gpu.barrier }", "scf.if %first { gpu.barrier }"
REDUCE = '''%z = "tt.reduce"(%r) <{axis = 0 : i32}> ({
^bb0(%a: i32, %b: i32):
  INSIDE
  %w = arith.addi %a, %b : i32
  tt.reduce.return %w : i32
}) : (tensor<128xi32, #b>) -> i32'''
SIDES = f"scf.if %second {{ {STORE}\n gpu.barrier }} else {{ gpu.barrier\n {LOAD}\n tt.store %op, %y : tensor<128x!tt.ptr<i32>, #c> }}"

APART = {
    "cond": ("amdg.cond_barrier %second", "amdg.cond_barrier %first"),
    "if_s": ("scf.if %second { rocdl.s.barrier }", "scf.if %first { rocdl.s.barrier }"),
    "if_gpu": (SECOND, FIRST),
    "if_ttg": ("scf.if %first { ttg.barrier local }", "scf.if %second { ttg.barrier local }"),
    "if_else": ("scf.if %first { gpu.barrier\n gpu.barrier } else { gpu.barrier }", SECOND),
    "if_mixed": (SECOND, "amdg.cond_barrier %first"),
    "nested": ("%p0 = arith.cmpi eq, %pid, %c0 : i32\n scf.if %p0 { scf.if %second { gpu.barrier } }", FIRST),
    "inner": ("scf.if %second { scf.if %second { gpu.barrier } }", FIRST),
    "lanes": ("%few = arith.cmpi slt, %id, %c2 : i32\n scf.if %few { gpu.barrier } else { gpu.barrier }", SECOND),
    "call": ("scf.if %second { tt.call @pass() : () -> () }", FIRST),
    "call_if": ("tt.call @pass_if(%second) : (i1) -> ()", "tt.call @pass_if(%first) : (i1) -> ()"),
    "called": ("%k = tt.call @is_second(%c64) : (i32) -> i1\n scf.if %k { gpu.barrier }", FIRST),
    "result": ("%k = scf.if %second -> (i1) { scf.yield %true : i1 } else { scf.yield %false : i1 }\n scf.if %k { gpu.barrier }", FIRST),
    "carried": ("%k = scf.for %i = %c0 to %c1 step %c1 iter_args(%g = %false) -> (i1) : i32 { scf.yield %second : i1 }\n scf.if %k { gpu.barrier }", FIRST),
    "left": ("%w = arith.divui %id, %c64 : i32\n %n = scf.for %i = %c0 to %w step %c1 iter_args(%g = %c0) -> (i32) : i32 { scf.yield %i : i32 }\n"
             "%m1 = arith.addi %w, %n : i32\n %k = arith.cmpi ne, %m1, %c0 : i32\n scf.if %k { gpu.barrier }", FIRST),
    "around": (f"scf.for %i = %c0 to %c2 step %c1 : i32 {{ {SECOND}\n {STORE}\n {LOAD}\n {FIRST} }}\n {SECOND}", FIRST),
    "asm": (ASM % "v_and_b32 $0, 64, $1" + "\n %k = arith.cmpi ne, %z, %c0 : i32\n scf.if %k { gpu.barrier }", FIRST),
}
ALIKE = {
    "pid": ("%k = arith.cmpi ne, %pid, %c0 : i32\n scf.if %k { gpu.barrier }", ""),
    "load": ("%v = tt.load %flag : !tt.ptr<i32>\n %k = arith.cmpi ne, %v, %c0 : i32\n scf.if %k { gpu.barrier }", ""),
    "atomic": ("%v = tt.atomic_rmw add, acq_rel, gpu, %flag, %c1, %true : (!tt.ptr<i32>, i32, i1) -> i32\n"
               "scf.for %i = %c0 to %v step %c1 : i32 { gpu.barrier }", ""),
    "sum": (REDUCE.replace("INSIDE", "") + "\n scf.for %i = %c0 to %z step %c1 : i32 { gpu.barrier }", ""),
    "equal": ("scf.if %second { gpu.barrier } else { rocdl.s.barrier }", ""),
    "asm": (ASM % "s_barrier\\0Av_mov_b32 $0, $1", ""),
}
REFUSED = {
    "loop": ("scf.for %i = %c0 to %c2 step %c1 : i32 { scf.if %second { gpu.barrier } }", ""),
    "lanes_loop": ("%few = arith.cmpi slt, %id, %c2 : i32\n scf.for %i = %c0 to %c2 step %c1 : i32 { scf.if %few { gpu.barrier } else { gpu.barrier } }", ""),
    "bound": ("%w = arith.divui %id, %c64 : i32\n scf.for %i = %c0 to %w step %c1 : i32 { gpu.barrier }", ""),
    "while": ("%w = scf.while (%a = %id) : (i32) -> i32 { %more = arith.cmpi sge, %a, %c64 : i32\n scf.condition(%more) %a : i32 } do { ^bb0(%a: i32):\n"
              "gpu.barrier\n %n = arith.subi %a, %c64 : i32\n scf.yield %n : i32 }", ""),
    "poll": ("scf.while : () -> () { %v = tt.load %flag {isVolatile = true} : !tt.ptr<i32>\n %more = arith.cmpi eq, %v, %c0 : i32\n scf.condition(%more) }"
             " do { gpu.barrier\n scf.yield }", ""),
    "carried_count": ("%n = scf.if %second -> (i32) { scf.yield %c2 : i32 } else { scf.yield %c1 : i32 }\n"
                      "scf.for %i = %c0 to %n step %c1 : i32 { gpu.barrier }", ""),
    "asm": ("scf.if %second { " + ASM % "s_barrier\\0Av_mov_b32 $0, $1" + " }", ""),
    "asm_directive": ("scf.if %second { " + ASM % ".long 0xbf8a0000\\0Av_mov_b32 $0, $1" + " }", ""),
    "asm_jumps": (ASM % "s_cbranch_vccz 1\\0As_barrier\\0Av_mov_b32 $0, $1", ""),
    "reduce": ("scf.if %second { " + REDUCE.replace("INSIDE", "") + "\n tt.store %flag, %z : !tt.ptr<i32> }", ""),
    "reduce_called": ("scf.if %second { %z = tt.call @sum() : () -> i32 }", ""),
    "atomic": ("scf.if %second { %v = tt.atomic_rmw add, acq_rel, gpu, %flag, %c1, %true : (!tt.ptr<i32>, i32, i1) -> i32\n tt.store %out, %v : !tt.ptr<i32> }", ""),
    "region": (REDUCE.replace("INSIDE", "gpu.barrier") + "\n tt.store %flag, %z : !tt.ptr<i32>", ""),
    "inside": (f"scf.if %second {{ {STORE}\n {LOAD}\n tt.store %op, %y : tensor<128x!tt.ptr<i32>, #c> }}", ""),
    "sides": (SIDES, ""),
    "sides_blocks": (f"%k = arith.cmpi ne, %pid, %c0 : i32\n cf.cond_br %k, ^leave, ^go\n ^leave:\n tt.return\n ^go:\n {SIDES}", ""),
}

frame = pathlib.Path(sys.argv[1]).read_text()
out = pathlib.Path(sys.argv[2])
out.mkdir(exist_ok=True)
for prefix, forms in (("apart", APART), ("alike", ALIKE), ("refused", REFUSED)):
    for name, (before, after) in forms.items():
        (out / f"{prefix}-{name}.ttgir").write_text(frame.replace("BEFORE", before).replace("AFTER", after))

# Writes the kernels of assembly_errors.test: one inline assembly each.
import os, sys

os.makedirs(sys.argv[1], exist_ok=True)
for name, text, constraints, packed in (
        ("choice", "$(v_nop$|$(v_nop$)$)", "=v,v", 1),
        ("clobber", "v_nop", "=v,v,~{", 1),
        ("count", "v_mov_b32 $0, $1", "=v,v,v", 1),
        ("directive", "foo: .rept 100000000\\0Av_nop\\0A.endr", "=v,v", 1),
        ("instruction", "v_wood_b32 $0, $1", "=v,v", 1),
        ("memory", "v_mov_b32 $0, $1", "=v,m", 1),
        ("operand", "v_mov_b32 $0, $7", "=v,v", 1),
        ("packed", "v_mov_b32 $0, $1", "=v,v", 128),
        ("register", "v_mov_b32 $0, $1", "={v500},v", 1),
        ("symbol", "s_mov_b32 s0, nowhere@rel32@lo", "=v,v", 1)):
    with open(os.path.join(sys.argv[1], name + ".ttir"), "w") as file:
        file.write(f"""tt.func public @k(%p: !tt.ptr<i32>, %i: i32) {{
  %x = tt.elementwise_inline_asm "{text}" {{constraints = "{constraints}", packed_element = {packed} : i32, pure = true}} %i : i32 -> i32
  tt.store %p, %x : !tt.ptr<i32>
  tt.return
}}
""")

# Writes the kernels of assembly_errors.test: one inline assembly each.
import os, sys

os.makedirs(sys.argv[1], exist_ok=True)
for name, text, constraints, packed in (
        ("absolute", "s_mov_b32 s0, k@abs32@lo", "=v,v", 1),
        ("clobbers", "v_mov_b32 $0, $1", "=v,v," + ",".join(f"~{{v{i}}}" for i in range(256)), 1),
        ("choice", "$(v_nop$|$(v_nop$)$)", "=v,v", 1),
        ("clobber", "v_nop", "=v,v,~{", 1),
        ("clobber_backwards", "v_nop", "=v,v,~{s[5:2]}", 1),
        ("clobber_many", "v_nop", "=v,v,~{v0},~{v[0:127]}", 1),
        ("clobber_some", "v_nop", "=v,v,~{v[2:3]},~{v[4:15]},~{v[16:31]},~{v[32:63]},~{a[0:15]},~{memory}", 1),
        ("count", "v_mov_b32 $0, $1", "=v,v,v", 1),
        ("directive", "foo: .rept 100000000\\0Av_nop\\0A.endr", "=v,v", 1),
        ("instruction", "v_wood_b32 $0, $1", "=v,v", 1),
        ("label", "here: v_mov_b32 $0, $1\\0A.long here", "=v,v", 1),
        ("memory", "v_mov_b32 $0, $1", "=v,m", 1),
        ("operand", "v_mov_b32 $0, $7", "=v,v", 1),
        ("packed", "v_mov_b32 $0, $1", "=v,v", 128),
        ("register", "v_mov_b32 $0, $1", "={v500},v", 1),
        ("scalar", "s_mov_b32 $0, $1", "={s0},{s0}", 1),
        ("symbol", "s_mov_b32 s0, nowhere@rel32@lo", "=v,v", 1),
        ("vcc", "v_mov_b32 $0, $1", "={vcc},v", 1),
        # Words of LLVM's messages about other things say nothing of what these are.
        ("words_line", "bogus at line 7", "=v,v", 1),
        ("words_memory", "local memory $0, $1", "=v,v", 1),
        ("words_registers", "ran out of registers", "=v,v", 1),
        ("words_stack", "stack frame size $0", "=v,v", 1),
        ("words_symbol", "symbol $0, $1", "=v,v", 1)):
    with open(os.path.join(sys.argv[1], name + ".ttir"), "w") as file:
        file.write(f"""tt.func public @k(%p: !tt.ptr<i32>, %i: i32) {{
  %own = tt.elementwise_inline_asm "v_mov_b32 $0, $1" {{constraints = "=v,v", packed_element = 1 : i32, pure = true}} %i : i32 -> i32
  %x = tt.elementwise_inline_asm "{text}" {{constraints = "{constraints}", packed_element = {packed} : i32, pure = true}} %i : i32 -> i32
  tt.store %p, %own : !tt.ptr<i32>
  tt.store %p, %x : !tt.ptr<i32>
  tt.return
}}
""")

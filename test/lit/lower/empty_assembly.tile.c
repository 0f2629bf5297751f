// The empty assembly that keeps accesses of one wave's lanes in order is removed: LLVM 22's hazard
// recognizer would take it for an instruction (workarounds.def: empty_assembly). The user's own
// assembly without text stays if it names a value.
// RUN: %kiln compile %s --kernel=order --num-warps=1 --emit=asm --no-line-info -o - | FileCheck %s
// RUN: %kiln compile %s --kernel=keep --num-warps=1 --emit=asm --no-line-info -o - | FileCheck %s --check-prefix=KEEP
// RUN: %kiln run --device=sim --check --cache-mode=off %s --kernel=order --num-warps=1 p=i32[256]:iota q=i32[64] \
// RUN:   --grid 1 --print 'q[0:4]' | FileCheck %s --check-prefix=RESULT
// CHECK-NOT: ASMSTART
// KEEP: ASMSTART
// RESULT: 10 12 14 16
kernel void order(i32 *p, i32 *q)
{
    auto r = range(64);
    store(p + 1 + r, load(p + r) * 2);
    store(q + r, load(p + 6 + r));
}
kernel void keep(i32 *p, i32 *q)
{
    auto r = range(64);
    i32 x[64];
    inline_asm("", "=v,0", load(p + r), &x);
    store(q + r, x);
}

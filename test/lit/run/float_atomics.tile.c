// Updates of one location by floats are those of some order, and each returns the value before it. LLVM would
// add a wave's values first (workarounds.def: float_atomics): 2^24 + 1 is 2^24, 64 times, but 2^24 + 64 is not.
// RUN: %kiln run --device=sim --cache-mode=off --num-warps=1 %s --kernel=add p=f32[2]:fill:16777216 v=f32[64]:fill:1 \
// RUN:   old=f32[64] --print p --print 'old[60:64]' | FileCheck %s
// RUN: %kiln run --device=interp %s --kernel=add p=f32[2]:fill:16777216 v=f32[64]:fill:1 old=f32[64] \
// RUN:   --print p --print 'old[60:64]' | FileCheck %s
// CHECK: {{^ *}}1.677722e+07 1.677722e+07{{$}}
// CHECK: {{^ *}}1.677722e+07 1.677722e+07 1.677722e+07 1.677722e+07{{$}}
//
// The first value replaces a NaN in memory; its operation returns that NaN.
// RUN: %kiln run --device=sim --cache-mode=off --num-warps=1 %s --kernel=most p=f32[1]:fill:nan n=i32[1] \
// RUN:   --print p --print n | FileCheck %s --check-prefix=MOST
// RUN: %kiln run --device=interp %s --kernel=most p=f32[1]:fill:nan n=i32[1] --print p --print n \
// RUN:   | FileCheck %s --check-prefix=MOST
// MOST: {{^ *}}2{{$}}
// MOST: {{^ *}}1{{$}}
//
// Of zeros, -0 is the less one.
// RUN: for T in f16 bf16 f32 f64; do for d in sim interp; do %kiln run --cache-mode=off --device=$d %s --kernel=of_zeros \
// RUN:   least=$T[4] greatest=$T[4] --print least --print greatest || exit 1; done; done | FileCheck %s --check-prefix=ZEROS
// ZEROS-COUNT-8: 0 -0 -0 -0{{[[:space:]]}}greatest ={{[[:space:]]+}}0 0 0 -0
kernel void add(f32 *p, const f32 *v, f32 *old)
{
    f32 *same[64] = p + 0 * range(64), *next[64] = p + 1 + 0 * range(64);
    atomic_add(same, full(1.0f, 64), .order = relaxed);
    store(old + range(64), atomic_add(next, load(v + range(64)), .order = relaxed));
}
kernel void most(f32 *p, i32 *n)
{
    f32 *same[64] = p + 0 * range(64);
    f32 before[64] = atomic_max(same, full(2.0f, 64), .order = relaxed);
    n[0] = sum((i32)(before != before), 0);
}
kernel void of_zeros(auto *least, auto *greatest)
{
    i32 i[4] = range(4);
    auto old = where((i & 1) != 0, -0.0f, 0.0f), operand = where((i & 2) != 0, -0.0f, 0.0f);
    store(least + i, old);
    store(greatest + i, old);
    barrier();
    atomic_min(least + i, operand);
    atomic_max(greatest + i, operand);
}

// Options of loads, stores and atomics.
// RUN: not %kiln compile --from=tile --emit=tt %s -o - 2>&1 | FileCheck %s

kernel void k(f32 *p, i32 *q, bool *b, i32 n, constexpr i32 B = 32)
{
    i32 i[B] = range(B);
    f32 x[B];
    // CHECK: :[[@LINE+1]]:30: error: 'other' is loaded where the mask is false, and there is no mask
    x = load(p + i, .other = 3);
    // CHECK: :[[@LINE+1]]:30: error: option 'cache' is one of none, ca, cg, wb, cs, wt, cv
    x = load(p + i, .cache = l1);
    // CHECK: :[[@LINE+1]]:30: error: option 'evict' is one of normal, first, last
    x = load(p + i, .evict = "first");
    // CHECK: :[[@LINE+1]]:33: error: option 'volatile' is not known when compiling
    x = load(p + i, .volatile = n);
    // CHECK: :[[@LINE+1]]:22: error: store has no argument 'volatile': store(pointer, value, mask) with .cache, .evict
    store(p + i, x, .volatile = true);
    // CHECK: :[[@LINE+1]]:35: error: option 'order' is one of relaxed, acquire, release, acq_rel
    atomic_add(p + i, x, .order = seq_cst);
    // CHECK: :[[@LINE+1]]:35: error: option 'scope' is one of cta, gpu, sys
    atomic_add(p + i, x, .scope = wave);
    // CHECK: :[[@LINE+1]]:16: error: there is no atomic_add on bool
    atomic_add(b, 1);
    // CHECK: :[[@LINE+1]]:16: error: there is no atomic_xor on f32
    atomic_xor(p, 1);
    // CHECK: :[[@LINE+1]]:16: error: there is no atomic_cas on bool
    atomic_cas(b, 1, 2);
    // CHECK: :[[@LINE+1]]:17: error: there is no atomic_poll on f32
    atomic_poll(p, 1);
    // CHECK: :[[@LINE+1]]:17: error: atomic_poll waits for one integer, and this is i32 *[32]
    atomic_poll(q + i, 1);
    // CHECK: :[[@LINE+1]]:32: error: atomic_poll only reads: its order is acquire or relaxed
    atomic_poll(q, 1, .order = release);
    // CHECK: :[[@LINE+1]]:30: error: atomic_cas has no argument 'mask': atomic_cas(pointer, compare, value) with .order, .scope
    atomic_cas(q + i, 1, 2, .mask = i < 3);
    // CHECK-NOT: error:
}

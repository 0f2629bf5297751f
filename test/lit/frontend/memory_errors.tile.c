// Options of loads, stores and atomics.
// RUN: not %kiln compile --from=tile --emit=tt %s -o - 2>&1 | FileCheck %s

kernel void k(f32 *p, i32 *q, bool *b, i32 n, constexpr i32 B = 32)
{
    i32 i[B] = range(B);
    f32 x[B];
    // CHECK: :[[@LINE+1]]:30: error: 'other' needs a mask: it is the value where the mask is false
    x = load(p + i, .other = 3);
    // CHECK: :[[@LINE+1]]:30: error: option 'cache' must be one of none, ca, cg, wb, cs, wt, cv
    x = load(p + i, .cache = l1);
    // CHECK: :[[@LINE+1]]:30: error: option 'evict' must be one of normal, first, last
    x = load(p + i, .evict = "first");
    // CHECK: :[[@LINE+1]]:33: error: option 'volatile' is not known at compile time
    x = load(p + i, .volatile = n);
    // CHECK: :[[@LINE+1]]:22: error: store has no argument 'volatile': store(pointer, value, mask) with .cache, .evict
    store(p + i, x, .volatile = true);
    // CHECK: :[[@LINE+1]]:35: error: option 'order' must be one of relaxed, acquire, release, acq_rel
    atomic_add(p + i, x, .order = seq_cst);
    // CHECK: :[[@LINE+1]]:35: error: option 'scope' must be one of cta, gpu, sys
    atomic_add(p + i, x, .scope = wave);
    // CHECK: :[[@LINE+1]]:16: error: atomic_add does not support bool
    atomic_add(b, 1);
    // CHECK: :[[@LINE+1]]:16: error: atomic_xor does not support f32
    atomic_xor(p, 1);
    // CHECK: :[[@LINE+1]]:16: error: atomic_cas does not support bool
    atomic_cas(b, 1, 2);
    // CHECK: :[[@LINE+1]]:17: error: atomic_poll does not support f32
    atomic_poll(p, 1);
    // CHECK: :[[@LINE+1]]:17: error: atomic_poll waits for a scalar integer, got i32 *[32]
    atomic_poll(q + i, 1);
    // CHECK: :[[@LINE+1]]:32: error: the order of atomic_poll must be acquire or relaxed
    atomic_poll(q, 1, .order = release);
    // CHECK: :[[@LINE+1]]:30: error: atomic_cas has no argument 'mask': atomic_cas(pointer, compare, value) with .order, .scope
    atomic_cas(q + i, 1, 2, .mask = i < 3);
    // CHECK-NOT: error:
}

// Parameters that take the address of a variable.
// RUN: not %kiln compile --from=tile --emit=tt %s -o - 2>&1 | FileCheck %s

void step(i32 *n) { *n += 1; }
// CHECK: :[[@LINE+2]]:27: error: cannot assign through 'n', which points to const
// CHECK: :[[@LINE+1]]:22: note: 'n' is declared here
void read(const i32 *n) { *n += 1; }
void plain(i32 n) { n += 1; }
void bare(i32 *n) { n += 1; }
i32 value(i32 *n) { return n + 1; }

kernel void k(f32 *p, i32 n, constexpr i32 B = 32)
{
    f32 x[B][B] = 0, y;
    read(&n);
    // CHECK: :[[@LINE+1]]:10: error: parameter 'n' points to i32, but this variable is f32[32][32]
    step(&x);
    // CHECK: :[[@LINE+2]]:11: error: parameter 'n' is not a pointer to a variable; declare it as auto *n
    // CHECK: :8:16: note: 'n' is declared here
    plain(&n);
    // CHECK: :9:21: error: 'n' points to a variable; assign to *n
    bare(&n);
    // CHECK: :10:28: error: 'n' points to a variable, not to memory; use *n
    value(&n);
    // CHECK: :[[@LINE+1]]:11: error: cannot assign to constant 'B'
    step(&B);
    // CHECK: :[[@LINE+1]]:10: error: expression is not assignable; expected a variable or a dereferenced pointer
    step(&3);
    // CHECK: :[[@LINE+1]]:9: error: the address of a variable is allowed only as an argument of a call, as in f(&x)
    p = &y;
    // CHECK: :[[@LINE+1]]:9: error: expected the address of an element of memory, got i32
    p = &*n;
    // CHECK: :[[@LINE+1]]:10: error: cannot access a single element of f32[32][32]; tiles are read and written as a whole
    p = &x[1];
    // CHECK: :[[@LINE+1]]:13: error: cannot store through a pointer to const, const f32 *
    store(&((const f32 *)p)[n], 1);
    // CHECK-NOT: error:
}

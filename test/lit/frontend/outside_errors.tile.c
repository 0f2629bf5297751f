// Text for the host, assembly, and code on each element.
// RUN: not %kiln compile --from=tile --emit=tt %s -o - 2>&1 | FileCheck %s

f32 pair(f32 a, f32 b) { return a + b; }
void nothing(f32 a) { a += 1; }
void one(f32 a, f32 *r) { *r = a; }
f32 given(f32 a, f32 *r) { return a; }

kernel void k(f32 *p, i32 n, constexpr i32 B = 32)
{
    f32 x[B] = 0, y;
    i32 r[B];
    // CHECK: :[[@LINE+1]]:11: error: expected a string for the label of print: print(label, x…)
    print(x);
    // CHECK: :[[@LINE+1]]:16: error: this has no value
    print("x", barrier());
    // CHECK: :[[@LINE+1]]:26: error: option 'hex' is not known at compile time
    print("x", x, .hex = n > 2);
    // CHECK: :[[@LINE+1]]:12: error: expected a string for printf's format: printf(format, x…)
    printf(n);
    // CHECK: :[[@LINE+1]]:12: error: invalid conversion '%*d'; printf supports %d %i %o %u %x %f %e %g %a %p with C's flags, a width and a precision of at most 99 (%p: only a width)
    printf("%*d\n", n, n);
    // CHECK: :[[@LINE+1]]:12: error: invalid conversion '%100d'
    printf("%100d\n", n);
    // CHECK: :[[@LINE+1]]:12: error: no value for '%d'
    printf("%d %d\n", n);
    // CHECK: :[[@LINE+1]]:23: error: more values than conversions in the format
    printf("%d\n", n, n);
    // CHECK: :[[@LINE+1]]:20: error: '%d' cannot print f32[32]
    printf("%d\n", x);
    // CHECK: :[[@LINE+1]]:12: error: invalid escape '\q' in a string
    printf("\q\n");
    // CHECK: :[[@LINE+1]]:19: error: expected a string for the message: assert(condition, message, mask)
    assert(n > 3, n);
    // CHECK: :[[@LINE+1]]:12: error: a value of type f32 * cannot be converted to bool
    assert(p);
    // CHECK: :[[@LINE+1]]:27: error: expected a string for the list of constraints: inline_asm(text, constraints, x…, &result…)
    inline_asm("s_nop 0", x, &r);
    // CHECK: :[[@LINE+1]]:47: error: expected a result with the shape of the values, f32[32], got f32
    inline_asm("v_mov_b32 $0, $1", "=v,v", x, &y);
    // CHECK: :[[@LINE+1]]:61: error: .packed must be a power of two of at most 64
    inline_asm("v_mov_b32 $0, $1", "=v,v", x, &r, .packed = 3);
    // CHECK: :[[@LINE+1]]:9: error: expected a function on the elements of 1 to 8 tiles: map(x…, function, &result…)
    x = map(x, n);
    // CHECK: :[[@LINE+1]]:16: error: 'nothing' must return one number per element
    x = map(x, nothing);
    // CHECK: :[[@LINE+1]]:12: error: 'given' writes its results through pointers, so it must return void
    map(x, given, &x);
    // CHECK: :[[@LINE+1]]:13: error: map needs a tile, got i32
    x = map(n, n, pair);
    // CHECK-NOT: error:
}

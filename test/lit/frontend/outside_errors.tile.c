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
    // CHECK: :[[@LINE+1]]:11: error: what print begins with is a string: print(label, x…)
    print(x);
    // CHECK: :[[@LINE+1]]:16: error: this has no value
    print("x", barrier());
    // CHECK: :[[@LINE+1]]:26: error: option 'hex' is not known when compiling
    print("x", x, .hex = n > 2);
    // CHECK: :[[@LINE+1]]:12: error: printf's format is a string: printf(format, x…)
    printf(n);
    // CHECK: :[[@LINE+1]]:12: error: '%*d' is none of printf's conversions %d %i %o %u %x %f %e %g %a %p with C's flags, a width and a precision of at most 99 (%p: a width)
    printf("%*d\n", n, n);
    // CHECK: :[[@LINE+1]]:12: error: '%100d' is none of printf's conversions
    printf("%100d\n", n);
    // CHECK: :[[@LINE+1]]:12: error: there is no value for '%d'
    printf("%d %d\n", n);
    // CHECK: :[[@LINE+1]]:23: error: the format has no conversion for this value
    printf("%d\n", n, n);
    // CHECK: :[[@LINE+1]]:20: error: '%d' does not print f32[32]
    printf("%d\n", x);
    // CHECK: :[[@LINE+1]]:12: error: '\q' is no character of Tile C's strings
    printf("\q\n");
    // CHECK: :[[@LINE+1]]:19: error: the message is a string: assert(condition, message, mask)
    assert(n > 3, n);
    // CHECK: :[[@LINE+1]]:12: error: a value of type f32 * is neither true nor false
    assert(p);
    // CHECK: :[[@LINE+1]]:27: error: the list of constraints is a string: inline_asm(text, constraints, x…, &result…)
    inline_asm("s_nop 0", x, &r);
    // CHECK: :[[@LINE+1]]:47: error: a result here has the shape of the values, f32[32], and this is f32
    inline_asm("v_mov_b32 $0, $1", "=v,v", x, &y);
    // CHECK: :[[@LINE+1]]:61: error: the number of elements that the assembly takes at once is a power of two, at most 64
    inline_asm("v_mov_b32 $0, $1", "=v,v", x, &r, .packed = 3);
    // CHECK: :[[@LINE+1]]:9: error: no function for the elements of 1 to 8 tiles: map(x…, function, &result…)
    x = map(x, n);
    // CHECK: :[[@LINE+1]]:16: error: 'nothing' does not give a number for each element
    x = map(x, nothing);
    // CHECK: :[[@LINE+1]]:12: error: 'given' changes the results that it is given, so it returns nothing
    map(x, given, &x);
    // CHECK: :[[@LINE+1]]:13: error: map needs a tile, and this is i32
    x = map(n, n, pair);
    // CHECK-NOT: error:
}

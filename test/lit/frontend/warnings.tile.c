// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Doubtful code that compiles: each warning with its location and flag. Errors first, then warnings about the whole program.
// RUN: %kiln compile --emit=tt %s -o /dev/null -Wall -Wextra 2>&1 | FileCheck %s --implicit-check-not=warning:
// RUN: %kiln compile --emit=tt %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=SOME
// RUN: %kiln compile --emit=tt %s -o /dev/null -w 2>&1 | count 0

f32 twice(f32 x, i32 spare)
{
    return x * 2;
}

kernel void k(const f32 *x, f32 *y, u32 *q, i32 n, constexpr i32 S = 40)
{
    i32 i[64] = range(64);
    i32 never;
    i32 set = 0;
    set = 5;
    f32 v;
    // CHECK: :[[@LINE+2]]:6: warning: the result of this expression is unused [-Wunused-value]
    // SOME: the result of this expression is unused [-Wunused-value]
    x[0];
    // CHECK: :[[@LINE+3]]:7: warning: the result of this expression is unused [-Wunused-value]
    // CHECK-NEXT: {{^}}    n + 1;
    // CHECK-NEXT: {{^}}      ^
    n + 1;
    // CHECK: :[[@LINE+1]]:5: warning: the result of 'exp' is unused, and it has no other effect [-Wunused-value]
    exp(load(x));
    // CHECK: :[[@LINE+1]]:7: warning: the result of this comparison is unused; did you mean '='? [-Wunused-value]
    n == 3;
    // CHECK: :[[@LINE+1]]:5: warning: the result of this expression is unused [-Wunused-value]
    n, n = 4;
    // CHECK: :[[@LINE+2]]:11: warning: the result of an assignment is used as a condition [-Wparentheses]
    // CHECK: :[[@LINE+1]]:11: note: use '==' to compare, or parentheses around the assignment to silence this warning
    if (n = 3)
        v = 2;
    if ((n = 3))
        store(y, v); // reported below
    // CHECK: :[[@LINE+1]]:19: warning: this overflows i32: the result is -2147483648 [-Winteger-overflow]
    i32 sum_max = 2147483647 + 1;
    // CHECK: :[[@LINE+1]]:20: warning: this overflows i32: the result is -2 [-Winteger-overflow]
    i32 product =  2147483647 * 2;
    // CHECK: :[[@LINE+1]]:16: warning: the conversion to i8 changes 300 to 44 [-Wconstant-conversion]
    i8 small = 300;
    // CHECK: :[[@LINE+1]]:17: warning: the conversion to i32 changes 2.5 to 2 [-Wconstant-conversion]
    i32 whole = 2.5;
    // CHECK: :[[@LINE+1]]:16: warning: f16 cannot hold 1e+06 [-Wconstant-conversion]
    f16 half = 1e6;
    // CHECK: :[[@LINE+1]]:17: warning: f32 cannot hold 1e+39 [-Wconstant-conversion]
    f32 large = 1e39;
    // CHECK: :[[@LINE+1]]:18: warning: f32 cannot hold 1e+40 [-Wconstant-conversion]
    f32 larger = 1e40f;
    (void)large;
    (void)larger;
    // CHECK: :[[@LINE+1]]:24: warning: shift of i32 by 33, at least its width, is undefined [-Wshift-count]
    i32 shifted = n << 33;
    // CHECK: :[[@LINE+1]]:21: warning: shift by -1 is undefined [-Wshift-count]
    shifted += n >> -1;
    // CHECK: :[[@LINE+1]]:11: warning: '&' has lower precedence than '==', which is evaluated first; use parentheses [-Wparentheses]
    if (n & 3 == n)
        n = 4;
    // CHECK: :[[@LINE+1]]:15: warning: 'a < b < c' compares a bool with c; write 'a < b && b < c' [-Wparentheses]
    if (1 < n < n + 1)
        n = 4;
    // CHECK: :[[@LINE+1]]:11: warning: '<<' has lower precedence than '+', which is evaluated first; use parentheses [-Wparentheses]
    n = n << n + 1;
    u32 u = load(q);
    store(y, (f32)(sum_max + product + small + whole + shifted) * half, u >= 0);
    store(y + i, 1.0, i > 63 + n - n);
    store(y + i, 1.0, i > 64);
    if (n == n)
        store(y, 2);
    if ((n & 4) == 8)
        store(y, 2);
    store(y, twice(v, 1), false);
    // What is not reached, what an if of constants chooses, and what the caller sets: nothing.
    n = S < 32 ? n << S : n;
    if (S < 32 && n << S > 3)
        n = 1;
    if constexpr (S < 32)
        n <<= S;
    store(y + range(S - 8), 1, range(S - 8) < S);
    store(y, 3, n > 3 && S < 8);
    for (constexpr i32 j = 0; j < 2; j++)
        store(y + range(4), 3, range(4) < j * 4);
    (void)n;
    assume(program_id(0) >= 0);
    bool even[64] = i < n & (i & 1) == 0;
    store(y + i, 1, even);
}
// Of the values: after the rest.
// CHECK: :[[#]]:75: warning: '>=' is always true: the left side is 0 to 4294967295, the right side 0 [-Wtautological-compare]
// CHECK: warning: '>' is always false: the left side is 0 to 63, the right side 64 [-Wtautological-compare]
// CHECK: warning: this mask is always false: nothing is stored [-Wmask-never-true]
// CHECK-NEXT: store(y + i, 1.0, i > 64);
// CHECK: warning: self-comparison is always true [-Wtautological-compare]
// CHECK: warning: '==' is always false: the left side is 0 to 4, the right side 8 [-Wtautological-compare]
// CHECK: warning: this mask is always false: nothing is stored [-Wmask-never-true]
// CHECK-NEXT: store(y, twice(v, 1), false);
// Of the flow.
// CHECK: :[[#]]:18: warning: 'v' may be uninitialized here [-Wconditional-uninitialized]
// CHECK: :[[#]]:9: note: 'v' is declared here without an initial value
// Of names.
// CHECK: :8:22: warning: unused parameter 'spare' [-Wunused-parameter]
// CHECK: :[[#]]:9: warning: unused variable 'never' [-Wunused-variable]
// CHECK: :[[#]]:9: warning: 'set' is set but never read [-Wunused-but-set-variable]
// SOME-NOT: may be uninitialized
// SOME-NOT: unused {{(variable|parameter)}} [-Wunused-{{variable|parameter}}]
// SOME-NOT: never read

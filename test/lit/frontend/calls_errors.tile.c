// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Helper functions: an error inside is reported once, with the call that led there.
// RUN: not %kiln compile --from=tile --emit=tt --kernel=k %s -o - 2>&1 | FileCheck %s

i32 loops(i32 x)
{
    // CHECK-DAG: :[[@LINE+1]]:12: error: recursion of 'loops' exceeds 32 levels; functions are expanded at each call, so 'if constexpr' must end the recursion
    return loops(x - 1);
}

i32 forgets(i32 x)
{
    if (x > 3)
        return 1;
    // CHECK-DAG: :[[@LINE+1]]:1: error: 'forgets' does not return a value on all paths
}

auto adds(auto a, auto b)
{
    // CHECK-DAG: :[[@LINE+1]]:14: error: cannot broadcast f32[32] with f32[64]: dimension 0 is 32 here and 64 there
    return a + b;
}

f32 sized(f32 x[B], constexpr i32 B)
{
    return sum(x, 0);
}

void nothing(i32 x)
{
    // CHECK-DAG: :[[@LINE+1]]:12: error: 'nothing' returns nothing
    return x;
}

kernel void other(f32 *p) { }

kernel void k(f32 *p, i32 n)
{
    // CHECK-DAG: :[[@LINE+1]]:9: note: in this call of 'loops'
    n = loops(n);
    n = forgets(n);
    // CHECK-DAG: :[[@LINE+1]]:13: note: in this call of 'adds'
    f32 s = adds(zeros(f32, 32), zeros(f32, 64));
    s = adds(zeros(f32, 32), zeros(f32, 64));
    // CHECK-DAG: :[[@LINE+1]]:31: error: parameter 'B' is constexpr, but this value is not known at compile time
    s = sized(zeros(f32, 32), n);
    // CHECK-DAG: :[[@LINE+1]]:9: error: 'sized' takes 2 arguments, got 1
    s = sized(zeros(f32, 32));
    nothing(n);
    // CHECK-DAG: :[[@LINE+1]]:5: error: cannot call kernel 'other'; kernels are launched
    other(p);
    // CHECK-DAG: :[[@LINE+2]]:5: error: 'exp' is a built-in function
}
f32 exp(f32 x) { return x; }

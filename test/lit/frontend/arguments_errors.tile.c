// Arguments by name, options, and addresses of variables.
// RUN: not %kiln compile --from=tile --emit=tt %s -o - 2>&1 | FileCheck %s

i32 scaled(i32 x, constexpr i32 by = 3) { return x * by; }

kernel void k(f32 *p, i32 n, constexpr i32 B = 32)
{
    f32 x[B][B] = 0;
    i32 i[B];
    // CHECK: :[[@LINE+1]]:17: error: exp has no argument 'y': exp(x)
    x = exp(x, .y = 3);
    // CHECK: :[[@LINE+1]]:28: error: max has no argument 'axes': max(x, axis) with .keep_dims, .index, .ties
    i = max(x, .axis = 1, .axes = 2);
    // CHECK: :[[@LINE+1]]:20: error: duplicate argument 'axis'
    i = max(x, 1, .axis = 1);
    // CHECK: :[[@LINE+1]]:39: error: duplicate argument 'keep_dims'
    i = max(x, 1, .keep_dims = true, .keep_dims = true);
    // CHECK: :[[@LINE+1]]:27: error: positional arguments must precede named ones
    i = max(x, .axis = 1, 1);
    // CHECK: :[[@LINE+1]]:32: error: option 'keep_dims' is not known at compile time
    i = max(x, 1, .keep_dims = n > 3);
    // CHECK: :[[@LINE+1]]:30: error: option 'ties' must be one of left, any
    i = argmax(x, 1, .ties = right);
    // CHECK: :[[@LINE+1]]:27: error: .ties has no effect without .index = &name
    i = max(x, 1, .ties = any);
    // CHECK: :[[@LINE+1]]:28: error: a result needs a variable, as in &name
    i = max(x, 1, .index = i);
    // CHECK: :[[@LINE+1]]:28: error: cannot assign this result to the variable: i32[32] does not broadcast to i32
    i = max(x, 1, .index = &n);
    // CHECK: :[[@LINE+1]]:13: error: the address of a variable is allowed only as an argument of a call, as in f(&x)
    x = exp(&x);
    // CHECK: :[[@LINE+1]]:13: error: initializer list without a type; write it before the list: (struct pair){…}
    x = exp({1, 2});
    // CHECK: :[[@LINE+2]]:20: error: 'scaled' has no parameter 'times'
    // CHECK: :4:5: note: 'scaled' is defined here
    n = scaled(n, .times = 3);
    // CHECK: :[[@LINE+1]]:20: error: duplicate argument 'x'
    n = scaled(n, .x = 3);
    // CHECK: :[[@LINE+1]]:9: error: 'scaled' takes 2 arguments, got 1
    n = scaled(.by = 3);
    // CHECK: :[[@LINE+1]]:24: error: positional arguments must precede named ones
    n = scaled(.x = 3, 4);
    // CHECK-NOT: error:
}

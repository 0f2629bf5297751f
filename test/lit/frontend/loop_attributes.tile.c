// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A loop that does not count cannot be pipelined or unrolled: requesting it is an error, not a hint.
// RUN: not %kiln compile --from=tile --emit=tt --kernel=k %s -o - 2>&1 | FileCheck %s

i32 helper(i32 n)
{
    if (n > 3)
        // CHECK: :[[@LINE+1]]:9: error: 'helper' returns a value
        return;
    return n;
}

kernel void k(i32 *p, i32 n)
{
    *p = helper(n);
}

// RUN: not %kiln compile --from=tile --emit=tt --kernel=attributes %s -o - 2>&1 | FileCheck %s --check-prefix=LOOP
kernel void attributes(i32 *p, i32 n)
{
    // LOOP-NOT: error
    [[num_stages(2)]] for (i32 i = 0; i < n; i++)
        p[i] = 0;
    // LOOP: :[[@LINE+1]]:23: error: loop attributes need a counted loop
    [[num_stages(2)]] for (i32 i = 0; i < n; i++)
        if (p[i] > 3)
            break;
}

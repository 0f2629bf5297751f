// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variables that may have no value: the paths that the analysis follows.
// RUN: %kiln compile --emit=tt %s -o /dev/null -Wall 2>&1 | FileCheck %s --implicit-check-not=warning:

f32 pick(i32 n)
{
    f32 r;
    if (n > 3)
        return 1;
    if (n > 2)
        r = 2;
    else
        return 4;
    return r; // one way only leads here
}

kernel void k(f32 *y, i32 n)
{
    f32 a, b, c, d, e, f, g, h;
    if (n)
        a = 1;
    else
        a = 2;
    for (i32 i = 0; i < n; i++)
        b = i;
    for (i32 i = 0; i < 4; i++)
        c = i;
    do {
        d = n;
        if (n > 7)
            break;
        e = n;
    } while (n++ < 4);
    while (n < 9) {
        if (n == 5)
            continue;
        f = n;
        n++;
        store(y, f);
    }
    n > 3 && (g = n);
    h = n > 3 ? 1 : 2;
    store(y, a + c + d + h + pick(n));
    // CHECK: :[[@LINE+1]]:14: warning: 'b' may be uninitialized here
    store(y, b);
    // CHECK: :[[@LINE+1]]:14: warning: 'e' may be uninitialized here
    store(y, e);
    // CHECK: :[[@LINE+1]]:14: warning: 'g' may be uninitialized here
    store(y, g);
    f32 t;
    if (n < 3)
        t = 3;
    // CHECK: :[[@LINE+1]]:14: warning: 't' may be uninitialized here
    store(y, t);
    store(y, t); // once is enough
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// More live values than a lane's 512 registers hold: all of a is needed again after all of b was computed from it.

kernel void spills(const f32 *x, f32 *y, i32 n)
{
    i32 i[256][256] = range(256)[:, None] * 256 + range(256)[None, :];
    f32 a[256][256] = load(x + i);
    f32 b[256] = sum(a, 0);
    for (i32 k = 0; k < n; k++) {
        a = a * b[None, :] + k;
        b = sum(a, 0);
    }
    store(y + i, a + b[None, :]);
}

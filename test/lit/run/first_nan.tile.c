// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A reduction that keeps the first NaN of its first key, and does not look for NaNs in its second
// key, does not commute, although no order can be kept of NaNs in the second one.
// RUN: kiln run --device=interp %s "x=f32[4096]:random:5" "y=i32[16]" --print y | FileCheck %s
// RUN: for w in 1 4; do kiln run --device=sim --cache-mode=off --num-warps=$w %s "x=f32[4096]:random:5" "y=i32[16]" \
// RUN:   --print y | FileCheck %s || exit 1; done
// CHECK: y =
// CHECK-NEXT: {{^ *}}1 5 2 0 1 2 2 1 7 3 16 0 3 2 0 3{{$}}

struct item { auto key, second, at; };

struct item earlier(struct item a, struct item b)
{
    bool in_second = (a.second > b.second) | ((a.second == b.second) & (a.at < b.at));
    bool in_order = (a.key > b.key) | ((a.key == b.key) & in_second);
    bool left = (a.key != a.key) | ((b.key == b.key) & in_order);
    struct item r = {left ? a.key : b.key, left ? a.second : b.second, left ? a.at : b.at};
    return r;
}

kernel void f(const f32 *x, i32 *y)
{
    f32 v[16][256] = load(x + range(16)[:, None] * 256 + range(256)[None, :]);
    struct item all = {v > 0.5 ? NAN : v, v, indices(v, 1)};
    struct item first = reduce(all, 1, earlier);
    store(y + range(16), first.at);
}

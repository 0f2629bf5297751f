// sort and topk of bool tiles.
// RUN: for d in sim interp; do %kiln run --cache-mode=off --device=$d %s x=bool[64]:integers:1 t=bool[4] d=bool[64] c=i32[8] \
// RUN:   --print 'x[33:37]' --print t --print 'd[28:31]' --print c || exit 1; done | FileCheck %s
// CHECK: 0 1 1 1
// CHECK: 1 1 1 1
// CHECK: 1 1 0
// CHECK: 8 8 7 5 1 1 0 0
// CHECK: 0 1 1 1
// CHECK: 1 1 1 1
// CHECK: 1 1 0
// CHECK: 8 8 7 5 1 1 0 0
kernel void k(bool *x, bool *t, bool *d, i32 *c)
{
    bool v[64] = load(x + range(64)), m[8][8] = reshape(v, 8, 8);
    store(x + range(64), sort(v));
    store(t + range(4), topk(v, 4));
    store(d + range(64), sort(v, .descending = true));
    store(c + range(8), sum((i32)sort(m, 0, .descending = true), 1));
}

// reduce and scan take a struct of tiles, and pass structs of elements to their function.
// RUN: for d in sim interp; do %kiln run --cache-mode=off --device=$d %s x=f32[4,32]:iota out=f32[512] where=i32[64] \
// RUN:   --print 'out[0:9]' --print 'where[0:9]' --print 'out[16:20]' --print 'out[62:64]' --print 'out[256:258]' \
// RUN:   --print where[32:36] || exit 1; done 2>&1 | FileCheck %s
// CHECK: 31 63 95 127 32 32 32 32 127
// CHECK: 31 31 31 31 0 0 0 0 127
// CHECK: -0 -1 -2 -3
// CHECK: -40 -40
// CHECK: -31 -30
// CHECK: 3 3 3 3
// CHECK: 31 63 95 127 32 32 32 32 127
// CHECK: 31 31 31 31 0 0 0 0 127
// CHECK: -0 -1 -2 -3
// CHECK: -40 -40
// CHECK: -31 -30
// CHECK: 3 3 3 3
// RUN: not %kiln compile %s -D WRONG=true -o %t.hsaco 2>&1 | FileCheck %s --check-prefix=WRONG

struct best {
    auto value;
    auto index;
};
typedef struct {
    auto sum, n;
} counted;
struct fixed {
    f32 a[32];
};
struct best better(struct best a, struct best b)
{
    bool right = b.value > a.value || (b.value == a.value && b.index < a.index);
    return right ? b : a;
}
counted both(counted a, counted b) { return (counted){a.sum + b.sum, a.n + b.n}; }
struct best last_above(struct best a, struct best b)
{
    if (b.value > -41)
        a = b;
    return a;
}
f32 no_struct(struct best a, struct best b) { return a.value; }
struct fixed first(struct fixed a, struct fixed b) { return a; }

kernel void k(const f32 *x, f32 *out, i32 *where, constexpr i32 R = 4, constexpr i32 C = 32, constexpr bool WRONG = false)
{
    i32 r[R] = range(R), c[C] = range(C), at[R][C] = c[None, :], place[R][C] = r[:, None] * C + c[None, :];
    f32 t[R][C] = load(x + place), one[R][C] = 1;
    struct best b = reduce((struct best){t, at}, 1, better);
    store(out + r, b.value);
    store(where + r, b.index);
    store(out + 4 + r, reduce((counted){t, one}, -1, both).n);
    struct best all = reduce((struct best){t, place}, better);
    out[8] = all.value;
    where[8] = all.index;
    store(out + 16 + place, scan((struct best){-t, at}, 1, last_above).value);
    struct best kept = reduce((struct best){t, r[:, None]}, 1, better, .keep_dims = true);
    store(out + 256 + place, t - kept.value);
    struct best row = reduce((struct best){t, place / C}, 0, better);
    store(where + 32 + c, row.index);
    if constexpr (WRONG) {
        f32 a[32] = 0, q[2] = 0;
        // WRONG: :[[@LINE+1]]:47: error: reduce takes structs of at most 8 members, each 'auto'
        struct fixed f = reduce((struct fixed){a}, 0, first);
        // WRONG: :[[@LINE+1]]:64: error: 'no_struct' returns f32, but combines two of struct best {f32 value, i32 index}
        struct best g = reduce((struct best){a, range(32)}, 0, no_struct);
        // WRONG: :[[@LINE+1]]:{{[0-9]+}}: error: cannot broadcast f32[32] with f32[2]
        g = reduce((struct best){a, q}, 0, better);
        // WRONG: :[[@LINE+1]]:{{[0-9]+}}: error: reduce needs a tile, got i32
        g = reduce((struct best){a, 1}, 0, better);
    }
}
